"""An HTTP server of raw sockets that can be as rude as its script: it does what the script does, byte by byte.

    server        accepts, records, and runs a script on each request      scripts   the scripts that tests share
    authority     certificates of an authority of the tests' own           proxy     a proxy that is one more server

Each connection has a thread; none is left after `with`.
"""
