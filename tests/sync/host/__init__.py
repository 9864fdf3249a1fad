# generated from tests/aio/host/__init__.py by tools/unasync.py; do not edit
"""Tests of the host, against many child processes that play servers of both eras."""
