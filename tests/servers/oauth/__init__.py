"""A protected server and its authorization server, which play what goes wrong between them.

server    both, in threads of the test's own process       browser   a program that is a browser, for BROWSER
"""
