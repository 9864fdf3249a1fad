"""Read what a server asks for when it refuses a request: WWW-Authenticate (RFC 9110, 6750, 9449, 9728)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from msgspec import Struct, field

from dragoman.auth.steps import Pairs

__all__ = ["Challenge", "Demand", "read_challenges", "read_demand"]

_SPACE = re.compile(r"[\s,]*")
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_TOKEN68 = re.compile(r"[ \t]+([A-Za-z0-9._~+/-]+=*)[ \t]*(?=,|$)")
_EQUALS = re.compile(r"\s*=\s*")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"?', re.DOTALL)
# A URL may stand there without its quotes: it is no token, and cannot be mistaken.
_BARE = re.compile(r'[^\s,"]*')
_OURS = ("dpop", "bearer")


class Challenge(Struct, frozen=True):
    """One way in that a server offers: a scheme, in lower case, with its parameters, whose names are too."""

    scheme: str
    parameters: dict[str, str] = field(default_factory=dict)


class Demand(Struct, frozen=True):
    """What a server wants, gathered from its Bearer and DPoP challenges; `text` is the header as it came.

    `nonce` is what the next DPoP proof has to hold; `dpop_algorithms` are those that it accepts.
    """

    status: int
    error: str | None = None
    description: str | None = None
    scope: tuple[str, ...] | None = None
    resource_metadata: str | None = None
    wants_dpop: bool = False
    dpop_algorithms: tuple[str, ...] = ()
    nonce: str | None = None
    text: str | None = None


def read_challenges(text: str) -> tuple[Challenge, ...]:
    """Take a WWW-Authenticate header apart; what makes no sense in it is skipped. Takes linear time."""
    return tuple(_challenges(text))


def _challenges(text: str) -> Iterator[Challenge]:
    current: Challenge | None = None
    position = _end(_SPACE, text, 0)
    while position < len(text):
        token = _TOKEN.match(text, position)
        if token is None:
            position += 1
        elif equals := _EQUALS.match(text, token.end()):
            value, position = _value(text, equals.end())
            if current is not None:
                current.parameters.setdefault(token[0].lower(), value)
        else:
            if current is not None:
                yield current
            current = Challenge(token[0].lower())
            position = _end(_TOKEN68, text, token.end())
        position = _end(_SPACE, text, position)
    if current is not None:
        yield current


def _end(pattern: re.Pattern[str], text: str, position: int) -> int:
    match = pattern.match(text, position)
    return match.end() if match else position


def _value(text: str, position: int) -> tuple[str, int]:
    quoted = _QUOTED.match(text, position)
    if quoted is not None:
        return re.sub(r"\\(.)", r"\1", quoted[1], flags=re.DOTALL), quoted.end()
    end = _end(_BARE, text, position)
    return text[position:end], end


def read_demand(status: int, headers: Pairs) -> Demand:
    """Gather what the headers of a 401 or 403 ask for; each parameter is that of the first challenge that has it."""
    text = ", ".join(_values(headers, "www-authenticate"))
    challenges = [each for each in read_challenges(text) if each.scheme in _OURS]
    parameters = {name: value for each in reversed(challenges) for name, value in each.parameters.items()}
    scope = parameters.get("scope")
    return Demand(
        status,
        error=parameters.get("error"),
        description=parameters.get("error_description"),
        scope=tuple(dict.fromkeys(scope.split())) if scope and scope.strip() else None,
        resource_metadata=parameters.get("resource_metadata"),
        wants_dpop=bool(challenges) and all(each.scheme == "dpop" for each in challenges),
        dpop_algorithms=tuple(parameters.get("algs", "").split()),
        nonce=next(iter(_values(headers, "dpop-nonce")), None),
        text=text or None,
    )


def _values(headers: Iterable[tuple[str, str]], name: str) -> list[str]:
    return [value for each, value in headers if each.lower() == name]
