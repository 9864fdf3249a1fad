# generated from tests/aio/http/__init__.py by tools/unasync.py; do not edit
"""The HTTP transports, against servers that do everything that servers do."""
