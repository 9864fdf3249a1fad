# generated from tests/aio/auth/__init__.py by tools/unasync.py; do not edit
"""Authorization over real sockets, with real files and a real second process."""
