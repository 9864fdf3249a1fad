"""Where the command line shows things: results on standard output, everything else on standard error.

On a terminal there are colours and tables, and no text of a server's gets through with anything in it that could do
something there. In a pipe, results are what the server sent, byte for byte; lists are rows with tabs between cells.
"""

import contextlib
import errno
import os
import sys
from collections.abc import Generator, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TextIO, TypeAlias

from dragoman.cli.safe import as_json, one_line, visible
from dragoman.errors import McpError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

__all__ = ["Piece", "Screen", "Stream", "Unwritable", "drawn", "use_utf8"]

Piece: TypeAlias = str | tuple[str, str]
"""Text, or text with the style to show it in on a terminal."""


class Unwritable(McpError):
    """Standard output takes no more: it is closed, or its disk is full."""


class Stream:
    """One of the two outputs; `file` is None where the program was started without it.

    What cannot be written is an error if it `matters`, unless the reader has left, and is lost if it does not.

    Attributes:
        is_terminal: whether a person is at the other end.
    """

    def __init__(self, file: TextIO | None, *, has_colour: bool, matters: bool) -> None:
        self._file = file
        self._has_colour = has_colour
        self._matters = matters
        self.is_terminal = file is not None and file.isatty()

    @cached_property
    def console(self) -> "Console | None":
        """What draws on the terminal; None in a pipe, and where rich is not installed."""
        if not self.is_terminal:
            return None
        try:
            from rich.console import Console
        except ImportError:
            return None
        no_colour = True if not self._has_colour else None
        return Console(file=self._file, no_color=no_colour, markup=False, emoji=False, highlight=False)

    def line(self, *pieces: Piece) -> None:
        """Show a line, or several, that is put together from pieces."""
        if self.console is None:
            self.write("".join(visible(_text(piece)) for piece in pieces) + "\n")
            return
        from rich.text import Text

        parts = [(visible(_text(piece)), _style(piece)) for piece in pieces]
        with self._writing():
            self.console.print(Text.assemble(*parts), soft_wrap=True)

    def table(self, headings: Sequence[str], rows: Iterable[Sequence[Piece]]) -> None:
        """Show rows of cells: as a table, or one a line with tabs between the cells."""
        if self.console is None:
            for row in rows:
                self.write("\t".join(one_line(_text(cell)) for cell in row) + "\n")
            return
        table = drawn(headings, rows)
        with self._writing():
            self.console.print(table)

    def write(self, text: str) -> None:
        """Write text as it is, at once."""
        with self._writing():
            file = self._open_file()
            file.write(text)
            file.flush()

    def write_bytes(self, data: bytes) -> None:
        """Write bytes as they are, at once."""
        with self._writing():
            file = self._open_file()
            file.flush()
            file.buffer.write(data)
            file.buffer.flush()

    def flush(self) -> None:
        """Have everything written that somebody else wrote to the same file."""
        if self._file is not None:
            with self._writing():
                self._file.flush()

    def _open_file(self) -> TextIO:
        if self._file is None:
            raise OSError(errno.EBADF, "it is closed")
        return self._file

    @contextlib.contextmanager
    def _writing(self) -> Generator[None]:
        try:
            yield
        except BrokenPipeError:
            if self._matters:
                raise
        except OSError as error:
            if self._matters:
                raise Unwritable(f"standard output cannot be written: {error.strerror}") from error


class Screen:
    """Both outputs, and how the user wants to have things told.

    Attributes:
        out: standard output. err: standard error.
        wants_json: whether results and failures are to be JSON.
    """

    def __init__(self, *, wants_json: bool = False, wants_colour: bool = True) -> None:
        has_colour = wants_colour and not os.environ.get("NO_COLOR")
        self.wants_json = wants_json
        self.out = Stream(sys.stdout, has_colour=has_colour, matters=True)
        self.err = Stream(sys.stderr, has_colour=has_colour, matters=False)

    @property
    def can_ask(self) -> bool:
        """Whether there is a person who sees questions and can answer them."""
        return sys.stdin is not None and sys.stdin.isatty() and self.err.is_terminal

    def document(self, value: Any) -> None:
        """Write one JSON document as the result."""
        self.out.write(as_json(value) + "\n")

    def result(self, text: str) -> None:
        """Write text that a server sent as the result, and end its last line."""
        ended = text if text.endswith("\n") else text + "\n"
        self.out.write(visible(ended) if self.out.is_terminal else ended)

    def note(self, text: str) -> None:
        """Tell something beside the result."""
        self.err.line((text, "dim"))

    def warn(self, text: str) -> None:
        """Tell that something is not as it should be."""
        self.err.line(("warning: ", "bold yellow"), text)


def drawn(headings: Sequence[str], rows: Iterable[Sequence[Piece]]) -> "Table":
    """Make a table for a terminal, of cells that are safe to show; what is too long for its column goes on below."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for heading in headings:
        # A name or a URI that is cut off cannot be used.
        table.add_column(heading, overflow="fold")
    for row in rows:
        table.add_row(*(Text(visible(_text(cell)).strip(), _style(cell)) for cell in row))
    return table


def use_utf8() -> None:
    """Have both outputs take every character: UTF-8 in a pipe, the terminal's own on a terminal."""
    for file in (sys.stdout, sys.stderr):
        reconfigure = getattr(file, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding=None if file.isatty() else "utf-8", errors="backslashreplace")


def _text(piece: Piece) -> str:
    return piece if isinstance(piece, str) else piece[0]


def _style(piece: Piece) -> str:
    return "" if isinstance(piece, str) else piece[1]
