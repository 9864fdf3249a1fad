"""Did you mean: the name that was probably meant by one that there is not."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["nearest"]


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Give the known name that comes nearest to one that is not known, or None where none is near.

    Capitals make no difference. All that could have been meant there is to be among `known`, whatever kind it is of:
    the nearest of some is the wrong one for somebody who meant another.
    """
    # Only those who mistyped pay for its import.
    from difflib import get_close_matches

    folded: dict[str, str] = {}
    for each in known:
        folded.setdefault(each.casefold(), each)
    found = get_close_matches(name.casefold(), folded, 1)
    return folded[found[0]] if found else None
