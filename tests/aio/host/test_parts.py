"""Parts of the host by themselves."""

from pathlib import Path
from threading import Thread

from dragoman.aio._runtime import Crew
from dragoman.aio.hosting.hearing import Hearing
from dragoman.aio.hosting.pinning import Pinning
from dragoman.aio.hosting.together import together
from dragoman.aio.hosting.turnstile import Turnstile
from dragoman.deadline import Deadline
from dragoman.files.locks import load_lock
from dragoman.host.lockfile import Lock, Surface
from tests.aio.client.support import Background, Seen


async def test_several_things_are_done_at_once() -> None:
    crew, seen = Crew("test"), Seen()

    async def work() -> None:
        await seen(1)

    assert await together(crew, [work] * 3, Deadline(10))
    assert await together(crew, [], Deadline(0))
    assert len(seen) == 3
    await crew.end()


async def test_whoever_takes_too_long_is_not_waited_for() -> None:
    crew = Crew("test")

    async def work() -> None:
        await crew.closing.wait(Deadline(30))

    assert not await together(crew, [work], Deadline(0.05))
    crew.closing.set()
    await crew.end()


async def test_a_turn_that_does_not_come_is_given_up() -> None:
    turnstile = Turnstile(1)
    assert await turnstile.enter(Deadline(0))
    assert not await turnstile.enter(Deadline(0.02))

    waiting = Background(turnstile.enter, Deadline(10))
    turnstile.leave()

    assert await waiting.wait()
    assert not await turnstile.enter(Deadline(0))
    turnstile.leave()
    assert await turnstile.enter(Deadline(0))


async def test_what_several_hosts_pin_at_once_is_all_pinned(tmp_path: Path) -> None:
    file, hearing = tmp_path / "mcp.lock", Hearing(None)
    names = {f"server{number}" for number in range(12)}
    pinnings = {name: Pinning(file, "block", pins_new=False, hearing=hearing) for name in names}
    threads = [Thread(target=each.pin, args=(name, Surface(name))) for name, each in pinnings.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert set((load_lock(file) or Lock()).servers) == names
