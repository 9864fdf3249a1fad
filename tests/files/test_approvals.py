"""Leave that was given, and answers that hold."""

import os
from pathlib import Path

import pytest
from msgspec import structs

from dragoman.files.approvals import Approvals
from dragoman.host.entries import Entry

ENTRY = Entry(name="a", command="x", is_project=True, file="/p/.mcp.json")


@pytest.mark.edge("B117")
def test_leave_is_bound_to_every_detail(tmp_path: Path) -> None:
    approvals = Approvals(tmp_path / "approvals.jsonl")
    assert approvals.has_approved(ENTRY) is None

    approvals.approve(ENTRY)

    assert approvals.has_approved(ENTRY) is True
    assert approvals.has_approved(structs.replace(ENTRY, args=("-x",))) is None
    assert Approvals(tmp_path / "approvals.jsonl").has_approved(ENTRY) is True


def test_the_last_word_holds(tmp_path: Path) -> None:
    file = tmp_path / "approvals.jsonl"
    Approvals(file).approve(ENTRY)
    Approvals(file).approve(ENTRY, is_allowed=False)

    assert Approvals(file).has_approved(ENTRY) is False


def test_what_another_process_has_added_is_seen(tmp_path: Path) -> None:
    file = tmp_path / "approvals.jsonl"
    one, other = Approvals(file), Approvals(file)
    assert one.get("k") is None

    other.put("k", "why", is_allowed=True)

    assert one.get("k") is True


def test_a_line_that_is_half_written_or_odd_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "approvals.jsonl"
    file.write_bytes(b'nonsense\n{"key":"a","is_allowed":true}\n{"key":"b","is_al')
    approvals = Approvals(file)
    assert (approvals.get("a"), approvals.get("b")) == (True, None)

    with file.open("ab") as more:
        more.write(b'lowed":true}\n')

    assert approvals.get("b") is True


def test_without_a_file_it_is_remembered_for_a_while() -> None:
    approvals = Approvals()
    approvals.put("k", "why", is_allowed=True)

    assert approvals.get("k") is True
    assert Approvals().get("k") is None


def test_what_cannot_be_kept_holds_for_this_run(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "folder").write_text("a file", "utf-8")
    approvals = Approvals(tmp_path / "folder" / "approvals.jsonl")

    approvals.put("k", "why", is_allowed=True)

    assert approvals.get("k") is True
    assert "cannot be remembered" in caplog.text


def test_the_users_are_in_the_users_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRAGOMAN_STATE", str(tmp_path))
    Approvals.of_user().put("k", "why", is_allowed=True)

    assert os.listdir(tmp_path) == ["approvals.jsonl"]  # noqa: PTH208 - names alone


def test_what_is_taken_out_of_the_file_holds_no_more(tmp_path: Path) -> None:
    file = tmp_path / "approvals.jsonl"
    approvals = Approvals(file)
    approvals.approve(ENTRY)
    assert approvals.has_approved(ENTRY) is True

    file.unlink()
    assert approvals.has_approved(ENTRY) is None

    Approvals(file).put("other", "something", is_allowed=True)
    assert (approvals.has_approved(ENTRY), approvals.get("other")) == (None, True)


def test_a_users_answers_are_not_looked_for_where_one_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("HOME", "USERPROFILE", "XDG_STATE_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(name, ".")
    monkeypatch.delenv("DRAGOMAN_STATE", raising=False)
    Approvals(tmp_path / ".local/state/dragoman/approvals.jsonl").approve(ENTRY)
    Approvals(tmp_path / "dragoman/approvals.jsonl").approve(ENTRY)

    assert Approvals.of_user().has_approved(ENTRY) is None


def test_names_that_are_no_text_are_remembered(tmp_path: Path) -> None:
    Approvals(tmp_path / "a").put("key", "\udcff", is_allowed=True)

    assert Approvals(tmp_path / "a").get("key") is True
