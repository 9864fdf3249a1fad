"""The audit log."""

import json
from pathlib import Path
from threading import Thread

import pytest

from dragoman.errors import PolicyDenied, UsageError
from dragoman.files.audit import Audit


def test_a_line_is_added_for_each_record(tmp_path: Path) -> None:
    file = tmp_path / "audit.jsonl"
    Audit(file).write("call", server="a", error=None)
    audit = Audit(str(file))
    audit.write("decision", server="b")
    audit.write("decision", server="c", odd={1})

    records = [json.loads(line) for line in file.read_bytes().splitlines()]
    assert [(each["event"], each["server"], each["number"]) for each in records] == [
        ("call", "a", 1),
        ("decision", "b", 1),
        ("decision", "c", 2),
    ]
    assert "error" not in records[0]
    assert records[0]["at"].endswith("+00:00")


def test_a_function_gets_each_record() -> None:
    records: list[dict[str, object]] = []
    audit = Audit(records.append)
    audit.write("call", server="a")

    assert audit.is_kept
    assert records[0]["server"] == "a"


def test_without_a_sink_nothing_is_written() -> None:
    audit = Audit(None)
    audit.write("call")

    assert not audit.is_kept


def test_what_cannot_be_recorded_does_not_happen(tmp_path: Path) -> None:
    (tmp_path / "audit").mkdir()

    with pytest.raises(PolicyDenied, match="cannot be written"):
        Audit(tmp_path / "audit").write("call")


def test_records_of_many_threads_are_whole_and_counted(tmp_path: Path) -> None:
    audit = Audit(tmp_path / "audit.jsonl")

    def work() -> None:
        for _ in range(50):
            audit.write("call", text="x" * 5000)

    threads = [Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    records = [json.loads(line) for line in (tmp_path / "audit.jsonl").read_bytes().splitlines()]
    assert [each["number"] for each in records] == list(range(1, 201))


@pytest.mark.parametrize("odd", ["\ud800", {"\udfff": 1}, {(1, 2): 3}, 2**80, b"\xff", {"a": object}])
def test_whatever_it_is_given_is_recorded(tmp_path: Path, odd: object) -> None:
    file = tmp_path / "audit.jsonl"
    Audit(file).write("call", arguments=odd)

    (record,) = (json.loads(line) for line in file.read_bytes().splitlines())
    assert record["event"] == "call"


def test_what_a_function_does_not_take_does_not_happen() -> None:
    def full(_: object) -> None:
        raise RuntimeError("the queue is full")

    with pytest.raises(PolicyDenied, match="RuntimeError: the queue is full"):
        Audit(full).write("call")


def test_a_function_that_would_have_to_be_awaited_is_refused() -> None:
    async def later(_: object) -> None: ...

    with pytest.raises(UsageError, match="coroutine function"):
        Audit(later)


def test_hosts_that_share_a_file_can_be_told_apart(tmp_path: Path) -> None:
    file = tmp_path / "audit.jsonl"
    for audit in (Audit(file), Audit(file)):
        audit.write("call", call=1)

    records = [json.loads(line) for line in file.read_bytes().splitlines()]
    assert len({(each["process"], each["host"], each["call"]) for each in records}) == 2
