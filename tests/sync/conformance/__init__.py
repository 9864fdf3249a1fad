# generated from tests/aio/conformance/__init__.py by tools/unasync.py; do not edit
"""The official conformance suite, scored strictly."""
