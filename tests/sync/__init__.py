# generated from tests/aio/__init__.py by tools/unasync.py; do not edit
"""What does I/O, tested against real pipes and processes; tests/sync is made from this."""
