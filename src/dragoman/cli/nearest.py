"""Did you mean: the name that was probably meant by one that there is not."""

from collections.abc import Iterable

from dragoman.nearest import nearest

__all__ = ["suggestion"]

_MOST_LISTED = 12


def suggestion(name: str, known: Iterable[str], plural: str) -> str | None:
    """Write what to try instead of a name: the nearest one, or the list of all if it is short; None if there are none."""
    names = list(dict.fromkeys(known))
    near = nearest(name, names)
    if near:
        return f"did you mean {near!r}?"
    if not names:
        return None
    listed = ", ".join(names[:_MOST_LISTED])
    return f"the {plural} are {listed}" + (", ..." if len(names) > _MOST_LISTED else "")
