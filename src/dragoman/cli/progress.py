"""A bar for long calls, on standard error, on a terminal, from the first progress that a server reports."""

import threading
from typing import TYPE_CHECKING

from dragoman.cli.safe import one_line
from dragoman.cli.screen import Screen
from dragoman.types import ProgressParams

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

__all__ = ["Bar"]


class Bar:
    """Hears the progress of one call and draws it; owned by the command that makes the call."""

    def __init__(self, screen: Screen, title: str) -> None:
        self._screen = screen
        self._title = one_line(title)
        self._drawn: tuple[Progress, TaskID] | None = None
        self._has_ended = False
        self._lock = threading.Lock()

    def __call__(self, progress: ProgressParams) -> None:
        """Show how far the call has come."""
        if self._screen.err.console is None:
            return
        with self._lock:
            if self._has_ended:
                return
            bar, task = self._drawn or self._draw()
            description = one_line(progress.message or self._title)
            # Without a total the bar runs to and fro.
            bar.update(task, completed=progress.progress, total=progress.total, description=description)

    def clear(self) -> None:
        """Take the bar away: what comes next needs the terminal. More progress draws it again."""
        with self._lock:
            if self._drawn is not None:
                self._drawn[0].stop()
            self._drawn = None

    def end(self) -> None:
        """Take the bar away for good: a report that comes late must not draw over what is shown next."""
        with self._lock:
            self._has_ended = True
        self.clear()

    def _draw(self) -> "tuple[Progress, TaskID]":
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.completed:g}", markup=False),
            TimeElapsedColumn(),
            console=self._screen.err.console,
            transient=True,
        )
        bar.start()
        self._drawn = bar, bar.add_task(self._title, total=None)
        return self._drawn
