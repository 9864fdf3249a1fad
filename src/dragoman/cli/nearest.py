"""Did you mean: the name that was probably meant by one that there is not."""

from collections.abc import Iterable

__all__ = ["suggestion"]

_MOST_LISTED = 12


def suggestion(name: str, known: Iterable[str], plural: str) -> str | None:
    """Write what to try instead of a name: the nearest one, or the list of all if it is short; None if there are none."""
    # Only for those who mistyped, and not worth its import for the others.
    from difflib import get_close_matches

    names = list(dict.fromkeys(known))
    by_folded = {each.casefold(): each for each in reversed(names)}
    near = get_close_matches(name.casefold(), by_folded, n=1)
    if near:
        return f"did you mean {by_folded[near[0]]!r}?"
    if not names:
        return None
    listed = ", ".join(names[:_MOST_LISTED])
    return f"the {plural} are {listed}" + (", ..." if len(names) > _MOST_LISTED else "")
