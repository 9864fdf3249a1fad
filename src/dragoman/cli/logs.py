"""What the library and the servers log, on standard error: warnings always, the wire with --verbose."""

import logging

from dragoman.cli.safe import as_json, one_line
from dragoman.cli.screen import Screen
from dragoman.types import LoggingLevel, LogMessage

__all__ = ["Lines", "listen", "show_message"]

_STYLES = {
    LoggingLevel.DEBUG: "dim",
    LoggingLevel.INFO: "cyan",
    LoggingLevel.NOTICE: "cyan",
    LoggingLevel.WARNING: "yellow",
}


class Lines(logging.Handler):
    """Shows log records on standard error, each on one line, nothing in it able to do something on a terminal."""

    def __init__(self, screen: Screen, *, is_verbose: bool) -> None:
        super().__init__(logging.DEBUG if is_verbose else logging.WARNING)
        self._screen = screen
        self._is_verbose = is_verbose

    def filter(self, record: logging.LogRecord) -> bool:
        """Let through what is the library's own; a server's words are asked for by --verbose or --log-level."""
        return self._is_verbose or not record.name.startswith("dragoman.server")

    def emit(self, record: logging.LogRecord) -> None:
        """Show one record."""
        text = record.getMessage()
        if record.name == "dragoman.wire":
            self._screen.note(one_line(text))
        elif record.levelno >= logging.WARNING:
            self._screen.warn(one_line(text + _reason(record)))
        else:
            self._screen.note(one_line(f"[{record.name.removeprefix('dragoman.')}] {text}"))


def _reason(record: logging.LogRecord) -> str:
    error = record.exc_info[1] if record.exc_info else None
    return f" ({type(error).__name__}: {error})" if error else ""


def listen(screen: Screen, *, is_verbose: bool) -> None:
    """Show from now on what the library logs; called once, at the start."""
    library = logging.getLogger("dragoman")
    library.handlers = [Lines(screen, is_verbose=is_verbose)]
    library.propagate = False
    library.setLevel(logging.DEBUG if is_verbose else logging.WARNING)


def show_message(message: LogMessage, screen: Screen) -> None:
    """Show a log message of a server's."""
    level = message.level
    source = f"{message.logger}: " if message.logger else ""
    text = message.data if isinstance(message.data, str) else as_json(message.data, indent=None)
    screen.err.line((f"{level.word}: ", _STYLES.get(level, "bold red")), one_line(f"{source}{text}"))
