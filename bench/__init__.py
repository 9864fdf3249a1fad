"""How fast this client is, beside `mcp`, `fastmcp` and floors written by hand: `python -m bench`.

`server`      does almost nothing, so that what is measured is the client; `web` is the same over HTTP
`contenders`  one small module each, all with the same few verbs
`rows`        what is measured, and how much better than `mcp` it must be
`worker`      runs one row for one contender in a fresh process (`loops` and `threads` measure)
`report`      the table and the check
"""
