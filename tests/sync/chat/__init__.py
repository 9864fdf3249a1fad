# generated from tests/aio/chat/__init__.py by tools/unasync.py; do not edit
