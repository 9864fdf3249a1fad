"""The HTTP transports, against servers that do everything that servers do."""
