"""Where the command `dragoman` begins and ends."""

import contextlib
import os
import sys
from collections.abc import Generator, Sequence
from importlib import import_module

from dragoman.cli.failures import Exit, Interrupted, report
from dragoman.cli.parser import overview, read
from dragoman.cli.screen import Screen, use_utf8
from dragoman.errors import McpError

__all__ = ["main"]


def main(words: Sequence[str] | None = None) -> int:
    """Do what the command line says; gives the exit code."""
    given = list(sys.argv[1:] if words is None else words)
    use_utf8()
    screen = Screen(wants_json="--json" in given, wants_colour="--no-color" not in given)
    try:
        with _terminal_as_it_was():
            return _run(given, screen)
    except McpError as error:
        return report(error, screen)
    except KeyboardInterrupt:
        return report(Interrupted("interrupted"), screen)
    except BrokenPipeError:
        return _reader_has_left()


def _run(words: list[str], screen: Screen) -> int:
    if not words or words == ["help"] or words[0] in {"-h", "--help"}:
        overview(sys.stdout)
        return Exit.OK if words else Exit.USAGE
    if words[0] in {"-V", "--version"}:
        from dragoman import __version__

        screen.out.write(f"dragoman {__version__}\n")
        return Exit.OK
    if words[0] == "help":
        words = [*words[1:2], "--help"]
    asked = read(words)
    from dragoman.cli.logs import listen

    listen(screen, is_verbose=asked.verbose)
    run = getattr(import_module(f"dragoman.cli.{asked.command.home}"), asked.command.name)
    return int(run(asked, screen))


def _reader_has_left() -> Exit:
    """End quietly when nobody reads the output any more, as in `dragoman tools ... | head -1`."""
    # The interpreter flushes standard output as it ends, and would complain.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return Exit.PIPE_CLOSED


@contextlib.contextmanager
def _terminal_as_it_was() -> Generator[None]:
    """Undo at the end what an interrupted form did to the terminal: while a secret is typed, nothing is echoed."""
    if sys.platform == "win32" or sys.stdin is None or not sys.stdin.isatty():
        yield
        return
    import termios

    settings = termios.tcgetattr(sys.stdin.fileno())
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin.fileno(), termios.TCSANOW, settings)
