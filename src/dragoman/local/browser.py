"""Bring the user to a page: by a browser of this machine, or by telling where to go."""

from __future__ import annotations

import os
import sys
import threading
import webbrowser
from collections.abc import Callable
from urllib.parse import urlsplit

__all__ = ["has_browser", "has_user", "open_page", "read_line", "say"]


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
    """Tell the user something, on standard error: standard output is the program's own."""
    print(text, file=sys.stderr, flush=True)  # noqa: T201 - this is how somebody at a terminal is spoken to


def read_line(got: Callable[[str], None]) -> None:
    """Hand over the lines that the user types, as they come, from a thread that nobody has to wait for."""
    threading.Thread(target=_read, args=(got,), name="dragoman input", daemon=True).start()


def _read(got: Callable[[str], None]) -> None:
    try:
        for line in sys.stdin:
            got(line.strip())
    except (OSError, ValueError):  # it is closed, or nobody may read it
        return
