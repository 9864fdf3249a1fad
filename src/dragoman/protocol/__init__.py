"""How it is said: the protocol as conversations, with no input or output, no clock and no waiting.

steps          what a conversation may ask of the world
jsonrpc        bytes to messages and back          framing        bytes to lines
eras           the two families of versions        negotiate      finds the era of a server
operations     one conversation per verb           inbound        the server's requests and notifications
subscriptions  what is watched, in either era      recovery       what may be retried, what must not
routing        whose message is this               schemas        JSON Schema 2020-12, safely
cache          how long a result may be kept       salvage        the good items of a bad message
redaction      a message without its secrets
"""

__all__: list[str] = []
