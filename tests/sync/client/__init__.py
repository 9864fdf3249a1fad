# generated from tests/aio/client/__init__.py by tools/unasync.py; do not edit
"""Tests of the client, against child processes that play servers of both eras."""
