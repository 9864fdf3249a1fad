"""Log messages of a server, and how severe they are."""

from enum import IntEnum
from typing import Any

from msgspec import field

from dragoman.types.base import Wire
from dragoman.types.meta import Meta
from dragoman.types.requests import RequestParams

__all__ = ["LogMessage", "LoggingLevel", "SetLevelParams"]


class LoggingLevel(IntEnum):
    """How severe a message is, the words of syslog (RFC 5424) from the mildest up, so that levels can be compared.

    `LoggingLevel("warning")` gives the level of a word; `level.word` gives the word, its form on the wire.
    """

    DEBUG = 0
    INFO = 1
    NOTICE = 2
    WARNING = 3
    ERROR = 4
    CRITICAL = 5
    ALERT = 6
    EMERGENCY = 7

    @property
    def word(self) -> str:
        """The level as it is written on the wire."""
        return self.name.lower()

    @classmethod
    def nearest(cls, word: object) -> "LoggingLevel":
        """Give the level of a word a server used, INFO for one that nobody knows."""
        level = cls._missing_(word)
        return cls.INFO if level is None else level

    @classmethod
    def _missing_(cls, value: object) -> "LoggingLevel | None":
        if not isinstance(value, str):
            return None
        word = value.strip().upper()
        return cls.__members__.get(_SYNONYMS.get(word, word))


_SYNONYMS = {"TRACE": "DEBUG", "INFORMATION": "INFO", "WARN": "WARNING", "ERR": "ERROR", "FATAL": "CRITICAL"}


class LogMessage(Wire, frozen=True):
    """Params of `notifications/message`: any JSON as `data`, from the part of the server called `logger`.

    `level_word` is the level as the server wrote it; `level` is the level it comes nearest to.
    """

    level_word: Any = field(name="level", default="")
    data: Any = None
    logger: str | None = None
    meta: Meta = field(default=None, name="_meta")

    @property
    def level(self) -> LoggingLevel:
        """How severe the message is; INFO where the server uses a word of its own."""
        return LoggingLevel.nearest(self.level_word)


class SetLevelParams(RequestParams, frozen=True):
    """Params of `logging/setLevel` (until 2025-11-25): the word of a level."""

    level: str
