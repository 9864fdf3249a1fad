# generated from tests/aio/interop/__init__.py by tools/unasync.py; do not edit
"""The client against servers that people use, and against servers written with the libraries people use."""
