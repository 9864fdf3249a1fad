"""What is to be known of this very process: whether it is a fork of another one, and whether it ends."""

from __future__ import annotations

import os

from dragoman.errors import UsageError

__all__ = ["Home", "begin_ending", "forks", "is_ending"]

# Facts about this process that everything made in it shares.
forks = 0
"""How many processes back the first one is that loaded this: another number is another process."""
_is_ending = False


def begin_ending() -> None:
    """Note that this process ends."""
    global _is_ending  # noqa: PLW0603
    _is_ending = True


def is_ending() -> bool:
    """Whether this process ends: what dies now was ended by it, and nothing is started any more."""
    return _is_ending


def _forked() -> None:
    global forks, _is_ending  # noqa: PLW0603
    forks += 1
    _is_ending = False


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


class Home:
    """The process in which something was made. Two processes cannot share one line, nor the locks that guard it.

    Attributes:
        made_after: how many forks there had been.
    """

    __slots__ = ("made_after",)

    def __init__(self) -> None:
        self.made_after = forks

    def is_ours(self) -> bool:
        """Whether this is still that process, and no fork of it."""
        return self.made_after == forks

    def is_here(self) -> bool:
        """Whether what was made there can be used here."""
        return self.is_ours()

    def check(self) -> None:
        """Refuse to go on in a forked child; touches nothing that another thread may hold.

        Raises:
            UsageError: this is another process.
        """
        if self.made_after != forks:
            raise UsageError(
                "this client was connected in another process", hint="connect again in this one, after the fork"
            )
