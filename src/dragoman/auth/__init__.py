"""By whose leave: OAuth, and what replaces it, as conversations. No network, no clock, no chance, no store in here.

choice          what the user has given -> who authorizes          steps        what a conversation may ask of the world
flow            each request's headers, and what follows a 401 or 403
holder          the tokens of one server: renewed, got, never twice at once
ways            what all ways of getting tokens share              consent      a user's leave, in a browser
grants          programs, workloads, enterprises                   bearer       a token that the application has
challenges      what a server asks for                             addresses    which URLs of a server's may be used
discovery       who gives tokens                                   metadata     the two documents that say so
registration    being known to an authorization server             endpoint     asking it for tokens
tokens          what it answers                                    records      what is remembered, bound to its issuer
account         logging in and out, and what is known             advice       the command that logs in
dpop            proofs of a key                                    pkce         proofs of who asked for a code
secret          what is never shown
"""

__all__: list[str] = []
