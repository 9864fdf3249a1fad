# generated from tests/aio/engines/__init__.py by tools/unasync.py; do not edit
"""The HTTP engines, against a server that can be as rude as it likes."""
