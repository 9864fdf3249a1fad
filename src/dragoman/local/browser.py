"""Bring the user to a page: by a browser of this machine, or by telling where to go."""

from __future__ import annotations

import os
import select
import sys
import threading
import webbrowser
from collections.abc import Callable, Iterable, Iterator
from urllib.parse import urlsplit

__all__ = ["has_browser", "has_user", "open_page", "read_lines", "say"]

_GLANCE = 0.1
"""Seconds between two looks at whether anybody still wants to know what is typed."""


def has_user() -> bool:
    """Whether somebody seems to sit there: standard error is a terminal, or this is an interactive interpreter."""
    return hasattr(sys, "ps1") or (sys.stderr is not None and sys.stderr.isatty())


def has_browser() -> bool:
    """Whether a page would open in a window; a browser in this very terminal would be in the way of everything."""
    if os.environ.get("BROWSER") or sys.platform in {"win32", "darwin"}:
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def open_page(url: str, failed: Callable[[], None]) -> None:
    """Open a page, whose URL is http or https and goes through no shell; `failed` is called if that cannot be done.

    Some browsers are only heard of again when they end: nobody waits for one here.
    """
    threading.Thread(target=_open, args=(url, failed), name="dragoman browser", daemon=True).start()


def _open(url: str, failed: Callable[[], None]) -> None:
    if urlsplit(url).scheme not in {"http", "https"} or not has_browser():
        failed()
        return
    try:
        is_open = webbrowser.open(url)
    except (OSError, webbrowser.Error):
        is_open = False
    if not is_open:
        failed()


def say(text: str) -> None:
    """Tell the user something, on standard error: standard output is the program's own.

    Hosts and addresses in it are others' words, of which a terminal gets nothing that it would obey.
    """
    text = "".join(sign if sign.isprintable() or sign == "\n" else "\N{REPLACEMENT CHARACTER}" for sign in text)
    print(text, file=sys.stderr, flush=True)  # noqa: T201 - this is how somebody at a terminal is spoken to


def read_lines(got: Callable[[str], None], is_over: Callable[[], bool]) -> None:
    """Hand over the lines that the user types, as they come, from a thread that nobody has to wait for.

    As soon as `is_over`, nothing is read any more: what is typed then is for somebody else.
    """
    threading.Thread(target=_read, args=(got, is_over), name="dragoman input", daemon=True).start()


def _read(got: Callable[[str], None], is_over: Callable[[], bool]) -> None:
    try:
        for line in _lines(is_over):
            if is_over():
                return
            got(line.strip())
    except (OSError, ValueError):  # it is closed, or nobody may read it
        return


def _lines(is_over: Callable[[], bool]) -> Iterable[str]:
    try:
        descriptor = sys.stdin.fileno()
        select.select([descriptor], [], [], 0)
    except (OSError, ValueError, AttributeError):  # it is no file, or one that cannot be waited for, as on Windows
        return sys.stdin or ()
    return _lines_of(descriptor, is_over)


def _lines_of(descriptor: int, is_over: Callable[[], bool]) -> Iterator[str]:
    """Read lines, none of them beforehand: whoever waits in a read takes what is typed later, whoever it is for."""
    line = b""
    while not is_over():
        if not select.select([descriptor], [], [], _GLANCE)[0] or is_over():
            continue
        byte = os.read(descriptor, 1)
        if not byte:
            return
        line += byte
        if byte == b"\n":
            yield line.decode("utf-8", "replace")
            line = b""
