"""What an HTTP engine needs to know, whichever it is and in either colour.

    messages   a request, and the headers of an answer      options    how to reach servers: trust, proxies, time-outs
    tls        whom to trust, in one context a process      proxies    which proxy stands before a URL
    decoding   compressed bodies, a piece at a time         keepalive  how a peer that has vanished is noticed
    failures   what went wrong, as an error that names the way out

Nothing here opens a connection, or waits.
"""

__all__: list[str] = []
