"""Locks that keep others out, are given back, and end with who held them."""

import errno
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from time import monotonic

import pytest

from dragoman.local import locks
from dragoman.local.locks import FileLock, StoreLock, ThreadLock


@pytest.fixture(params=["file", "thread"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], StoreLock]:
    shared = threading.Lock()
    return lambda: FileLock(tmp_path / "new/x.lock") if request.param == "file" else ThreadLock(shared)


def test_one_at_a_time(make: Callable[[], StoreLock]) -> None:
    first, second = make(), make()

    assert first.acquire(1.0)
    assert not second.acquire(0.05)
    first.release()
    assert make().acquire(0.0)


def test_lock_that_is_given_back_twice_is_free_once(make: Callable[[], StoreLock]) -> None:
    first, second = make(), make()
    first.acquire(1.0)
    first.release()
    second.acquire(1.0)
    first.release()

    assert not make().acquire(0.0)


def test_lock_that_was_never_taken_can_be_given_back(make: Callable[[], StoreLock]) -> None:
    make().release()

    assert make().acquire(0.0)


def test_waiting_ends_when_nobody_wants_the_lock_any_more(make: Callable[[], StoreLock]) -> None:
    holder, waiter = make(), make()
    holder.acquire(1.0)
    outcome: list[bool] = []
    thread = threading.Thread(target=lambda: outcome.append(waiter.acquire(30.0)))
    thread.start()
    started = monotonic()
    waiter.release()
    thread.join(20)

    assert outcome == [False]
    assert monotonic() - started < 10
    holder.release()
    assert make().acquire(0.0)


def test_lock_is_not_taken_by_whoever_has_given_up(make: Callable[[], StoreLock]) -> None:
    late = make()
    late.release()

    assert not late.acquire(1.0)
    assert make().acquire(0.0)


def test_lock_goes_from_hand_to_hand(make: Callable[[], StoreLock]) -> None:
    inside: list[int] = []
    most: list[int] = []

    def work(number: int) -> None:
        lock = make()
        assert lock.acquire(30.0)
        inside.append(number)
        most.append(len(inside))
        inside.remove(number)
        lock.release()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(40)

    assert most == [1] * 16


def test_lock_of_a_process_ends_with_it(tmp_path: Path) -> None:
    path = tmp_path / "x.lock"
    code = (
        "import sys; from pathlib import Path; from dragoman.local.locks import FileLock;"
        f"FileLock(Path({str(path)!r})).acquire(5); print('held', flush=True); sys.stdin.read()"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"

    assert not FileLock(path).acquire(0.05)
    process.kill()
    process.communicate(timeout=20)
    assert FileLock(path).acquire(5.0)


def test_lock_whose_file_cannot_be_made_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(OSError, match="file"):
        FileLock(tmp_path / "file/x.lock").acquire(1.0)


def test_file_system_without_locks_is_told_and_leaves_nothing_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: int) -> bool:
        raise OSError(errno.ENOTSUP, "no locks here")

    monkeypatch.setattr(locks, "_locked", refuse)
    lock = FileLock(tmp_path / "x.lock")
    before = opened()
    with pytest.raises(OSError, match="no locks here"):
        lock.acquire(1.0)

    assert opened() == before
    lock.release()


def opened() -> int:
    """The number that the next file will have, while the lower ones are in use."""
    descriptor = os.open(os.devnull, os.O_RDONLY)
    os.close(descriptor)
    return descriptor
