"""A bar for long calls, on standard error, on a terminal, from the first progress that a server reports."""

import contextlib
import threading
from typing import TYPE_CHECKING

from dragoman.cli.safe import one_line
from dragoman.cli.screen import Screen
from dragoman.types import ProgressParams

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

__all__ = ["Bar"]

_FRAME = 0.1
"""Seconds between two drawings, so that the time and a bar without a total go on."""

_AT_LEAST = 0.03


class Bar:
    """Hears the progress of one call and has it drawn; owned by the command that makes the call."""

    def __init__(self, screen: Screen, title: str) -> None:
        self._screen = screen
        self._title = one_line(title)
        self._drawing: _Drawing | None = None
        self._has_ended = False
        self._lock = threading.Lock()

    def __call__(self, progress: ProgressParams) -> None:
        """Show how far the call has come."""
        console = self._screen.err.console
        if console is None:
            return
        with self._lock:
            if self._has_ended:
                return
            if self._drawing is None:
                self._drawing = _Drawing(console, self._title, progress)
                self._drawing.start()
            else:
                self._drawing.show(progress)

    def clear(self) -> None:
        """Take the bar away: what comes next needs the terminal. More progress draws it again."""
        with self._lock:
            drawing, self._drawing = self._drawing, None
        if drawing is not None:
            drawing.erase()

    def end(self) -> None:
        """Take the bar away for good: a report that comes late must not draw over what is shown next."""
        with self._lock:
            self._has_ended = True
        self.clear()


class _Drawing(threading.Thread):
    """A bar on the terminal.

    It is drawn in a thread of its own, because Ctrl-C, which ends a call anywhere in the main thread, must not leave one
    behind that is half begun and is drawn again with the next line.
    """

    def __init__(self, console: "Console", title: str, first: ProgressParams) -> None:
        super().__init__(name="dragoman-cli-bar", daemon=True)
        self._console = console
        self._title = title
        self._latest = first
        self._changed = threading.Event()
        self._is_over = threading.Event()
        self._beginning = threading.Lock()

    def show(self, progress: ProgressParams) -> None:
        """Have this drawn next."""
        self._latest = progress
        self._changed.set()

    def erase(self) -> None:
        """Leave nothing on the terminal; nothing is drawn any more when this returns."""
        with self._beginning:
            self._is_over.set()
            self._changed.set()
        # A thread that has not begun finds that it is over.
        if self.is_alive():
            self.join()

    def run(self) -> None:
        """Draw until it is over."""
        bar = self._bar()
        with contextlib.suppress(OSError):  # nobody sees it any more
            with self._beginning:
                if self._is_over.is_set():
                    return
                bar.start()
            try:
                self._draw(bar)
            finally:
                bar.stop()

    def _bar(self) -> "Progress":
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        return Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.completed:g}", markup=False),
            TimeElapsedColumn(),
            console=self._console,
            transient=True,
            auto_refresh=False,
            redirect_stdout=False,
            redirect_stderr=False,
        )

    def _draw(self, bar: "Progress") -> None:
        task = bar.add_task(self._title, total=None)
        while not self._is_over.wait(_AT_LEAST):
            self._changed.clear()
            latest = self._latest
            description = one_line(latest.message or self._title)
            # Without a total the bar runs to and fro.
            bar.update(task, completed=latest.progress, total=latest.total, description=description)
            bar.refresh()
            self._changed.wait(_FRAME)
