"""Give tools and arguments names that a provider takes, and that never depend on what else is there."""

import re
from functools import cache
from hashlib import sha256

from msgspec import Struct

__all__ = ["Alphabet", "alias"]

_DIGEST = 8


class Alphabet(Struct, frozen=True):
    """Which names a provider takes.

    Attributes:
        letters: the characters that may stand in a name, as inside the brackets of a regular expression.
        longest: how many characters a name may have.
        first: those that it may begin with, likewise; the same when empty.
    """

    letters: str
    longest: int
    first: str = ""

    def allows(self, name: str) -> bool:
        """Say whether a name can stay as it is."""
        return bool(_pattern(self.letters, self.first).fullmatch(name)) and len(name) <= self.longest


def alias(name: str, alphabet: Alphabet) -> str:
    """Give a name that the provider takes: the same one if it does, otherwise one that ends in a hash of the whole.

    The alias is a function of the name alone, so that saved prompts hold, and two names never share one.
    """
    if alphabet.allows(name):
        return name
    readable = re.sub(f"[^{alphabet.letters}]", "_", name)
    if not re.match(f"[{alphabet.first or alphabet.letters}]", readable):
        readable = f"_{readable}"
    digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST]
    return f"{readable[: alphabet.longest - _DIGEST - 1]}_{digest}"


@cache
def _pattern(letters: str, first: str) -> re.Pattern[str]:
    return re.compile(f"[{first or letters}][{letters}]*")
