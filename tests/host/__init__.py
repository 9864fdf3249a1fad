"""The pure part of the host: each module is covered by its own file alone."""
