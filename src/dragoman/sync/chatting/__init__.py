# generated from src/dragoman/aio/chatting/__init__.py by tools/unasync.py; do not edit
"""A CONVERSATION WITH A MODEL, over the tools of servers: the models themselves, one turn, and a model lent to servers.

models      what a model has to do, and how one is found     sdks      the models of the providers, by their SDKs
turn        one turn: replies and calls, by turns            lending   a model that answers servers
"""

__all__: list[str] = []
