"""tools/unasync.py: what becomes of async code, and that the committed sync code is what it makes today."""

from collections import Counter
from pathlib import Path

import pytest

from tools import unasync


def converted(text: str) -> str:
    return unasync.convert(text, "a.py").partition("\n")[2]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("async def f(): pass\n", "def f(): pass\n"),
        ("async def f():\n    async with a as b: pass\n", "def f():\n    with a as b: pass\n"),
        ("async def f():\n    async for a in b: pass\n", "def f():\n    for a in b: pass\n"),
        ("async def f():\n    return [a async for a in b]\n", "def f():\n    return [a for a in b]\n"),
        ("async def f():\n    await g()\n", "def f():\n    g()\n"),
        ("async def f():\n    return (await g()).ok\n", "def f():\n    return g().ok\n"),
        ("async def f():\n    return (await g() + 1) * 2\n", "def f():\n    return (g() + 1) * 2\n"),
        ("async def f():\n    return h(await g())\n", "def f():\n    return h(g())\n"),
        ("async def f():\n    return f'{await g()} {{}}'\n", "def f():\n    return f'{g()} {{}}'\n"),
        ("a: Callable[[int], Awaitable[str]]\n", "a: Callable[[int], str]\n"),
        ("a: Coroutine[Any, Any, dict[str, int]]\n", "a: dict[str, int]\n"),
        ("from dragoman.aio.client import AsyncClient\n", "from dragoman.sync.client import Client\n"),
        ("a: AsyncIterator[AsyncHost]\n", "a: Iterator[Host]\n"),
        ("async def f():\n    await a.aclose()\n", "def f():\n    a.close()\n"),
        ("class A:\n    async def __aenter__(self): pass\n", "class A:\n    def __enter__(self): pass\n"),
        ("raise StopAsyncIteration\n", "raise StopIteration\n"),
        ("a = 1\nb = 2  # async-only: a reason\n", "a = 1\n"),
        ("a = 1\nb = c(  # async-only\n    2,\n)\n", "a = 1\n"),
        ("import asyncio  # async-only\n\na = 1\n", "\na = 1\n"),
        ("asyncdef = awaiting = 1\n", "asyncdef = awaiting = 1\n"),
        ("a = 'x\u2028y'\nb = AsyncClient\n", "a = 'x\u2028y'\nb = Client\n"),
    ],
)
def test_code_becomes_sync(source: str, expected: str) -> None:
    assert converted(source) == expected


def test_docstrings_and_comments_become_sync() -> None:
    source = (
        '"""Use `async with AsyncClient() as c: await c.ping()`, in async code."""\n# from dragoman.aio: await it\n'
    )

    expected = '"""Use `with Client() as c: c.ping()`, in async code."""\n# from dragoman.sync: it\n'
    assert converted(source) == expected


def test_result_names_its_source() -> None:
    first = unasync.convert("a = 1\n", "src/dragoman/aio/a.py").partition("\n")[0]

    assert first == "# generated from src/dragoman/aio/a.py by tools/unasync.py; do not edit"


def test_asyncio_left_in_is_refused() -> None:
    with pytest.raises(unasync.SyncError, match=r"a\.py: asyncio is left in"):
        converted("asyncio.sleep(1)\n")


def test_async_name_without_a_counterpart_is_refused() -> None:
    with pytest.raises(unasync.SyncError, match=r"a\.py: __await__ is left in"):
        converted("class A:\n    def __await__(self): ...\n")


def test_broken_source_is_refused() -> None:
    with pytest.raises(unasync.SyncError, match="the source is not Python"):
        converted("async def f(:\n")


def test_broken_result_is_refused() -> None:
    with pytest.raises(unasync.SyncError, match="the sync form is not Python"):
        converted("if a:\n    b()  # async-only\n")


def test_exchanged_words_are_counted() -> None:
    used: Counter[str] = Counter()
    unasync.convert("a.aclose(), b.aclose()\n", "a.py", used)

    assert used == {"aclose": 2}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    source = tmp_path / "src/dragoman/aio/client.py"
    source.parent.mkdir(parents=True)
    source.write_text(f"words = {', '.join(unasync.WORDS)}\n", "utf-8")
    (source.parent / "_runtime.py").write_text("import asyncio\n", "utf-8")
    return tmp_path


def test_written_tree_passes_the_check(checkout: Path) -> None:
    assert unasync.main([], checkout) == 0
    assert unasync.main(["--check"], checkout) == 0


def test_missing_file_fails_the_check(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert unasync.main(["--check"], checkout) == 1
    assert "src/dragoman/sync/client.py is missing" in capsys.readouterr().err


def test_stale_file_fails_the_check(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    unasync.main([], checkout)
    (checkout / "src/dragoman/sync/client.py").write_text("edited = True\n", "utf-8")

    assert unasync.main(["--check"], checkout) == 1
    assert "src/dragoman/sync/client.py is stale" in capsys.readouterr().err


def test_file_without_source_fails_the_check_and_is_removed(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    unasync.main([], checkout)
    orphan = checkout / "src/dragoman/sync/old.py"
    orphan.touch()

    assert unasync.main(["--check"], checkout) == 1
    assert "src/dragoman/sync/old.py has no source" in capsys.readouterr().err
    unasync.main([], checkout)
    assert not orphan.exists()


def test_file_by_hand_is_left_alone(checkout: Path) -> None:
    runtime = checkout / "src/dragoman/sync/_runtime.py"
    runtime.parent.mkdir(parents=True)
    runtime.write_text("import threading\n", "utf-8")

    unasync.main([], checkout)

    assert runtime.read_text("utf-8") == "import threading\n"


def test_rule_that_nothing_uses_fails_the_check(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (checkout / "src/dragoman/aio/client.py").write_text("words = aclose\n", "utf-8")
    unasync.main([], checkout)

    assert unasync.main(["--check"], checkout) == 1
    complaints = capsys.readouterr().err
    assert "the rule 'aiter' is used by no source" in complaints
    assert "the rule 'aclose'" not in complaints


def test_committed_sync_code_is_current(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = unasync.main(["--check"])

    assert capsys.readouterr().err == ""
    assert outcome == 0
