"""Heed what the library remarks about a server while it is examined."""

import logging
from collections.abc import Generator
from contextlib import contextmanager

__all__ = ["heeded"]


class _Remarks(logging.Handler):
    def __init__(self, found: list[str]) -> None:
        super().__init__(logging.WARNING)
        self._found = found

    def emit(self, record: logging.LogRecord) -> None:
        self._found.append(record.getMessage().partition("\n")[0])


@contextmanager
def heeded() -> Generator[list[str]]:
    """Give the list into which every warning of the library's goes: items left out, noise where messages belong."""
    found: list[str] = []
    handler = _Remarks(found)
    loggers = [logging.getLogger(f"dragoman.{name}") for name in ("sync", "protocol")]
    for logger in loggers:
        logger.addHandler(handler)
    try:
        yield found
    finally:
        for logger in loggers:
            logger.removeHandler(handler)
