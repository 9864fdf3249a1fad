"""What the library and the servers log, on standard error: warnings always, the wire with --verbose, without secrets."""

import json
import logging
import re
from typing import Any

from dragoman.cli.safe import as_json, one_line
from dragoman.cli.screen import Screen
from dragoman.types import JsonObject, LoggingLevel, LogMessage, is_array, is_object

__all__ = ["Lines", "listen", "redacted", "show_message"]

_STYLES = {
    LoggingLevel.DEBUG: "dim",
    LoggingLevel.INFO: "cyan",
    LoggingLevel.NOTICE: "cyan",
    LoggingLevel.WARNING: "yellow",
}
_SECRET = re.compile(
    r"(token|secret|passw(or)?d|passphrase|authorization|api_?key|access_?key|private_?key|credentials?|cookie)$"
)
# Named by the protocol, and no secret.
_OPEN = frozenset({"progress_token"})
_MEMBER = re.compile(r"""\"(?P<name>[^"\\]*)\"(?P<colon>\s*:\s*)(?:\"(?:[^"\\]|\\.)*(?:\"|$)|-?[0-9.eE+-]+)""")
_CONCEALED = "***"


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
            self._screen.note(one_line(redacted(text)))
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


def redacted(text: str) -> str:
    """Give a logged message without the values whose names say that they are secret."""
    start = text.find("{")
    if start < 0:
        return text
    try:
        value = json.loads(text[start:])
    except ValueError:
        # No JSON, or a message whose end was cut off.
        return _MEMBER.sub(_member_without_secret, text)
    return text[:start] + json.dumps(_without_secrets(value), ensure_ascii=False, separators=(",", ":"))


def _member_without_secret(match: re.Match[str]) -> str:
    return f'"{match["name"]}"{match["colon"]}"{_CONCEALED}"' if _is_secret(match["name"]) else match[0]


def _without_secrets(value: Any) -> Any:
    if is_array(value):
        return [_without_secrets(each) for each in value]
    if is_object(value):
        return _object_without_secrets(value)
    return value


def _object_without_secrets(value: JsonObject) -> JsonObject:
    return {name: _concealed(each) if _is_secret(name) else _without_secrets(each) for name, each in value.items()}


def _is_secret(name: str) -> bool:
    word = re.sub(r"(?<=[a-z])(?=[A-Z])|[-\s]", "_", name).lower()
    return word not in _OPEN and _SECRET.search(word) is not None


def _concealed(value: Any) -> Any:
    """Conceal text and numbers; an object under such a name is a schema more often than a secret, and is looked through."""
    if is_array(value):
        return [_concealed(each) for each in value]
    if is_object(value):
        return _object_without_secrets(value)
    return value if value is None or isinstance(value, bool) else _CONCEALED
