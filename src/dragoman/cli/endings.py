"""Let whatever ends the command end it as Ctrl-C does: its servers, which run in sessions of their own, end with it."""

import contextlib
import signal
import threading
from collections.abc import Generator
from typing import NoReturn

__all__ = ["signals_are_exits", "signals_are_interrupts", "signals_wait"]

# To be asked to end, as by `timeout` or a service manager; the terminal was closed; Ctrl-Break on Windows.
_NAMES = ("SIGTERM", "SIGHUP", "SIGBREAK")


@contextlib.contextmanager
def signals_are_interrupts() -> Generator[None]:
    """Raise KeyboardInterrupt for signals that would end the process at once, but for those somebody has set, as `nohup`."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    ours = [number for number in _numbers() if signal.getsignal(number) is signal.SIG_DFL]
    for number in ours:
        signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)


@contextlib.contextmanager
def signals_are_exits(code: int) -> Generator[None]:
    """Have these signals end the command where Ctrl-C does not, and only ends what is going on."""
    before = {number: signal.getsignal(number) for number in _numbers()}
    ours = [number for number, handler in before.items() if handler is signal.default_int_handler]

    def leave(*_: object) -> NoReturn:
        raise SystemExit(code)

    for number in ours:
        signal.signal(number, leave)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, before[number])


@contextlib.contextmanager
def signals_wait() -> Generator[None]:
    """Have what interrupts the command wait until the end: msgspec crashes where one comes while it makes a type."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    ours = [each for each in (signal.SIGINT, *_numbers()) if signal.getsignal(each) is signal.default_int_handler]
    for number in ours:
        signal.signal(number, lambda given, _: came.append(given))
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.default_int_handler)
    if came:
        raise KeyboardInterrupt


def _numbers() -> list[int]:
    return [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
