# generated from tests/aio/transports/__init__.py by tools/unasync.py; do not edit
"""The ways in which messages travel."""
