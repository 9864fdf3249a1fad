"""The HTTP engines, against a server that can be as rude as it likes."""
