"""A protected server and its authorization server, which play what goes wrong between them.

gated     an MCP server behind such a gate           visiting  a program that visits one
calling   a program that calls tools of one
server    both, in threads of the test's own process       browser   a program that is a browser, for BROWSER
"""
