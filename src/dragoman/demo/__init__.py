"""Two small MCP servers, one per era, that need nothing but Python: `dragoman demo` talks to them, and so can you.

`python -m dragoman.demo.legacy`   speaks 2025-11-25, by handshake
`python -m dragoman.demo.modern`   speaks 2026-07-28, by discovery

Both offer the same inn for travellers: `inn` holds its state, `tools` what can be done there, `prompts` and `resources`
what can be read. `server` is the part that both eras share, `job` one request being answered, `wire` the pipes.
"""

__all__: list[str] = []
