"""Let whatever ends the command end it as Ctrl-C does: its servers, which run in sessions of their own, end with it."""

import contextlib
import signal
import threading
from collections.abc import Generator

__all__ = ["signals_are_interrupts"]

# To be asked to end, as by `timeout` or a service manager; the terminal was closed; Ctrl-Break on Windows.
_NAMES = ("SIGTERM", "SIGHUP", "SIGBREAK")


@contextlib.contextmanager
def signals_are_interrupts() -> Generator[None]:
    """Raise KeyboardInterrupt for signals that would end the process at once, but for those somebody has set, as `nohup`."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
    ours = [number for number in numbers if signal.getsignal(number) is signal.SIG_DFL]
    for number in ours:
        signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)
