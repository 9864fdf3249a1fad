# generated from tests/aio/host/test_parts.py by tools/unasync.py; do not edit
"""Parts of the host by themselves."""

from pathlib import Path
from threading import Thread

from dragoman.deadline import Deadline
from dragoman.files.locks import load_lock
from dragoman.host.lockfile import Lock, Surface
from dragoman.sync._runtime import Crew
from dragoman.sync.hosting.hearing import Hearing
from dragoman.sync.hosting.pinning import Pinning
from dragoman.sync.hosting.together import together
from dragoman.sync.hosting.turnstile import Turnstile
from tests.sync.client.support import Background, Seen


def test_several_things_are_done_at_once() -> None:
    crew, seen = Crew("test"), Seen()

    def work() -> None:
        seen(1)

    assert together(crew, [work] * 3, Deadline(10))
    assert together(crew, [], Deadline(0))
    assert len(seen) == 3
    crew.end()


def test_whoever_takes_too_long_is_not_waited_for() -> None:
    crew = Crew("test")

    def work() -> None:
        crew.closing.wait(Deadline(30))

    assert not together(crew, [work], Deadline(0.05))
    crew.closing.set()
    crew.end()


def test_a_turn_that_does_not_come_is_given_up() -> None:
    turnstile = Turnstile(1)
    assert turnstile.enter(Deadline(0))
    assert not turnstile.enter(Deadline(0.02))

    waiting = Background(turnstile.enter, Deadline(10))
    turnstile.leave()

    assert waiting.wait()
    assert not turnstile.enter(Deadline(0))
    turnstile.leave()
    assert turnstile.enter(Deadline(0))


def test_what_several_hosts_pin_at_once_is_all_pinned(tmp_path: Path) -> None:
    file, hearing = tmp_path / "mcp.lock", Hearing(None)
    names = {f"server{number}" for number in range(12)}
    pinnings = {name: Pinning(file, "block", pins_new=False, hearing=hearing) for name in names}
    threads = [Thread(target=each.pin, args=(name, Surface(name))) for name, each in pinnings.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert set((load_lock(file) or Lock()).servers) == names
