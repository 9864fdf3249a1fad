"""What does I/O, tested against real pipes and processes; tests/sync is made from this."""
