"""Authorization, played against a world that is all canned answers."""
