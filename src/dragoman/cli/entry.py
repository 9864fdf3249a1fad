"""Where the command `dragoman` begins and ends."""

import contextlib
import os
import sys
from argparse import Namespace
from collections.abc import Callable, Generator, Sequence
from importlib import import_module

from dragoman.cli.endings import signals_are_interrupts, signals_wait
from dragoman.cli.failures import Exit, Interrupted, report, tell
from dragoman.cli.pages import Command
from dragoman.cli.parser import overview, read
from dragoman.cli.screen import Screen, Unwritable, use_utf8
from dragoman.errors import McpError

__all__ = ["main"]


def main(words: Sequence[str] | None = None) -> int:
    """Do what the command line says; gives the exit code."""
    given = list(sys.argv[1:] if words is None else words)
    _open_what_is_closed()
    use_utf8()
    screen = Screen(wants_json="--json" in given, wants_colour="--no-color" not in given)
    try:
        with signals_are_interrupts(), _terminal_as_it_was():
            code = _told(given, screen)
            screen.out.flush()
    except KeyboardInterrupt:
        return Exit.INTERRUPTED
    except BrokenPipeError:
        # Nobody reads the output any more, as in `dragoman tools ... | head -1`.
        _forget_output()
        return Exit.PIPE_CLOSED
    except Unwritable as error:
        _forget_output()
        return tell(error, screen)
    return code


def _told(words: list[str], screen: Screen) -> int:
    """Do what the command line says, and tell what went wrong."""
    try:
        return _run(words, screen)
    except Unwritable:
        raise
    except McpError as error:
        return report(error, screen)
    except KeyboardInterrupt:
        return report(Interrupted("interrupted"), screen)
    except SystemExit as end:  # how argparse ends once it has shown the help
        return int(end.code or 0)


def _run(words: list[str], screen: Screen) -> int:
    if not words or words == ["help"] or words[0] in {"-h", "--help"}:
        overview(screen)
        return Exit.OK if words else Exit.USAGE
    if words[0] in {"-V", "--version"}:
        from dragoman import __version__

        screen.out.write(f"dragoman {__version__}\n")
        return Exit.OK
    if words[0] == "help":
        words = [*words[1:2], "--help"]
    asked = read(words)
    with signals_wait():
        run = _loaded(asked.command)
        from dragoman.cli.logs import listen
    listen(screen, is_verbose=asked.verbose)
    return int(run(asked, screen))


def _loaded(command: Command) -> Callable[[Namespace, Screen], int]:
    """Give the function that does a command, with what it needs of the library."""
    for name in command.uses:
        getattr(import_module("dragoman"), name)
    run: Callable[[Namespace, Screen], int] = getattr(import_module(f"dragoman.cli.{command.home}"), command.name)
    return run


def _open_what_is_closed() -> None:
    """Have no file of ours become standard output because that was closed, as by `>&-`: the lowest number is taken."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def _forget_output() -> None:
    """Keep the interpreter, which flushes standard output as it ends, from complaining."""
    if sys.stdout is not None:
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


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
