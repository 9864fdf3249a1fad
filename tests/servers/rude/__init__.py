"""MCP over raw HTTP, by a server that does as it should except where a test says what else.

server   what it should do, in either era, and what it has heard    acts    all the other things
"""

from tests.servers.rude import acts
from tests.servers.rude.server import Act, Exchange, Rude

__all__ = ["Act", "Exchange", "Rude", "acts"]
