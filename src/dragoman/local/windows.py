"""What only Windows wants: scripts run through their interpreter, and jobs, which end a program with all it started."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import PureWindowsPath
from typing import Any

__all__ = ["CREATION_FLAGS", "Job", "batch_line", "command_for", "job_with"]

# No console window, and no Ctrl-C of ours: the server ends when we end it.
CREATION_FLAGS = 0x00000200 | 0x08000000 if sys.platform == "win32" else 0
"""CREATE_NEW_PROCESS_GROUP and CREATE_NO_WINDOW."""

_BATCH = frozenset({".bat", ".cmd"})
_PLAIN = re.compile(r"[A-Za-z0-9\\/:._@+-]+")

Which = Callable[..., str | None]


def command_for(
    argv: Sequence[str], environment: Mapping[str, str], which: Which = shutil.which
) -> str | Sequence[str]:
    """Resolve a command by PATH and PATHEXT, as a prompt would: `npx` is `npx.cmd`, which only `cmd.exe` can run.

    Raises:
        FileNotFoundError: there is no such command.
        OSError: an argument cannot be given to a batch file safely.
    """
    values = {name.upper(): value for name, value in environment.items()}
    path = which(argv[0], path=values.get("PATH"))
    if path is None:
        raise FileNotFoundError(2, "No such file", argv[0])
    if PureWindowsPath(path).suffix.lower() not in _BATCH:
        return [path, *argv[1:]]
    return batch_line(values.get("COMSPEC", "cmd.exe"), path, argv[1:])


def batch_line(interpreter: str, script: str, arguments: Sequence[str]) -> str:
    """Write the command line that runs a batch file with arguments that arrive as they were given.

    Raises:
        OSError: an argument holds a line break, which `cmd.exe` cannot pass on.
    """
    words = " ".join([f'"{script}"', *(_quoted_for_batch(argument) for argument in arguments)])
    # /d: no AutoRun commands; /v:off: no !variables!; /s: only the outer pair of quotation marks is taken off.
    return f'"{interpreter}" /d /e:on /v:off /s /c "{words}"'


def _quoted_for_batch(argument: str) -> str:
    if any(char in argument for char in "\r\n\0"):
        raise OSError(22, "an argument of a batch file cannot hold a line break")
    if _PLAIN.fullmatch(argument):
        return argument
    # The C runtime of the program behind the script halves backslashes before a quotation mark.
    escaped = re.sub(r'(\\*)"', r'\1\1""', argument)
    escaped = re.sub(r"(\\+)$", r"\1\1", escaped)
    # An empty substring of a variable that always exists keeps two percent signs from meeting as a variable's name.
    return '"' + escaped.replace("%", "%%cd:~,%") + '"'


class Job:
    """A Windows job object: all processes that a program starts belong to it, and end when its handle is closed."""

    def __init__(self, kernel: Any, handle: int) -> None:
        self._kernel = kernel
        self._handle = handle

    def terminate(self) -> None:
        """End all processes of the job."""
        if self._handle:
            self._kernel.TerminateJobObject(self._handle, 1)

    def is_empty(self) -> bool:
        """Whether none of its processes runs any more."""
        return not self._handle or _active_processes(self._kernel, self._handle) == 0

    def close(self) -> None:
        """Close the handle, which ends whatever is left."""
        handle, self._handle = self._handle, 0
        if handle:
            self._kernel.CloseHandle(handle)


_EXTENDED_LIMITS, _ACCOUNTING = 9, 1
_KILL_ON_CLOSE = 0x2000


def job_with(popen: subprocess.Popen[bytes]) -> Job | None:
    """Put a program that has just started into a job of its own; None where Windows refuses.

    What the program starts before it is in the job stays outside: microseconds, in which no runtime has loaded.
    """
    kernel, handle = _new_job()
    # The handle that is open anyway: a process found by its number might be another by now.
    process = int(getattr(popen, "_handle"))  # noqa: B009 - only Windows has it
    if handle and kernel.AssignProcessToJobObject(handle, process):
        return Job(kernel, handle)
    if handle:
        kernel.CloseHandle(handle)
    return None


def _new_job() -> tuple[Any, int]:
    import ctypes
    from ctypes import wintypes

    kernel: Any = ctypes.WinDLL("kernel32", use_last_error=True)  # type: ignore[attr-defined,unused-ignore]
    kernel.CreateJobObjectW.restype = wintypes.HANDLE
    kernel.CreateJobObjectW.argtypes = [wintypes.LPVOID, wintypes.LPCWSTR]
    kernel.AssignProcessToJobObject.argtypes = [wintypes.HANDLE, wintypes.HANDLE]
    kernel.TerminateJobObject.argtypes = [wintypes.HANDLE, wintypes.UINT]
    kernel.CloseHandle.argtypes = [wintypes.HANDLE]
    kernel.SetInformationJobObject.argtypes = [wintypes.HANDLE, ctypes.c_int, wintypes.LPVOID, wintypes.DWORD]
    kernel.QueryInformationJobObject.argtypes = [
        wintypes.HANDLE, ctypes.c_int, wintypes.LPVOID, wintypes.DWORD, wintypes.LPVOID,
    ]  # fmt: skip
    handle = kernel.CreateJobObjectW(None, None)
    if not handle:
        return kernel, 0
    limits = _limits()
    kernel.SetInformationJobObject(handle, _EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits))
    return kernel, int(handle)


def _limits() -> Any:
    """Build JOBOBJECT_EXTENDED_LIMIT_INFORMATION with one flag: closing the handle ends the job's processes."""
    import ctypes
    from ctypes import wintypes

    class Basic(ctypes.Structure):
        _fields_ = (
            ("PerProcessUserTimeLimit", ctypes.c_int64),
            ("PerJobUserTimeLimit", ctypes.c_int64),
            ("LimitFlags", wintypes.DWORD),
            ("MinimumWorkingSetSize", ctypes.c_size_t),
            ("MaximumWorkingSetSize", ctypes.c_size_t),
            ("ActiveProcessLimit", wintypes.DWORD),
            ("Affinity", ctypes.c_size_t),
            ("PriorityClass", wintypes.DWORD),
            ("SchedulingClass", wintypes.DWORD),
        )

    class Extended(ctypes.Structure):
        _fields_ = (
            ("Basic", Basic),
            ("IoCounters", ctypes.c_uint64 * 6),
            ("ProcessMemoryLimit", ctypes.c_size_t),
            ("JobMemoryLimit", ctypes.c_size_t),
            ("PeakProcessMemoryUsed", ctypes.c_size_t),
            ("PeakJobMemoryUsed", ctypes.c_size_t),
        )

    limits = Extended()
    limits.Basic.LimitFlags = _KILL_ON_CLOSE
    return limits


def _active_processes(kernel: Any, handle: int) -> int:
    import ctypes
    from ctypes import wintypes

    class Accounting(ctypes.Structure):
        _fields_ = (
            ("TotalUserTime", ctypes.c_int64),
            ("TotalKernelTime", ctypes.c_int64),
            ("ThisPeriodTotalUserTime", ctypes.c_int64),
            ("ThisPeriodTotalKernelTime", ctypes.c_int64),
            ("TotalPageFaultCount", wintypes.DWORD),
            ("TotalProcesses", wintypes.DWORD),
            ("ActiveProcesses", wintypes.DWORD),
            ("TotalTerminatedProcesses", wintypes.DWORD),
        )

    counts = Accounting()
    kernel.QueryInformationJobObject(handle, _ACCOUNTING, ctypes.byref(counts), ctypes.sizeof(counts), None)
    return int(counts.ActiveProcesses)
