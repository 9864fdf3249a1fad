"""The world, async: sockets, processes, waiting. `dragoman.sync` is generated from this folder.

client      what a user holds          connection  a line that heals
run         performs a conversation    transports  how bytes get there and back
options     what `connect` takes       _runtime    the only module that knows the event loop
host        many servers               runner      runs what a model calls
chat        talks with a model
"""

__all__: list[str] = []
