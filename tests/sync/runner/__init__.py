# generated from tests/aio/runner/__init__.py by tools/unasync.py; do not edit
"""The tool runner."""
