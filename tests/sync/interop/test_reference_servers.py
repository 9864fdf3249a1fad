# generated from tests/aio/interop/test_reference_servers.py by tools/unasync.py; do not edit
"""The servers that most people start with: git, time, files, a knowledge graph, a database."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dragoman import Client, InvalidParams, NotOffered
from tests.servers.installed import git_server, npm_server, sqlite_server, time_server
from tests.sync.interop._runtime import shared
from tests.sync.interop.application import Party, party

ANNOUNCING = "import os, runpy, sys; print(os.getpid(), file=sys.stderr, flush=True); runpy.run_module('mcp_server_git', run_name='__main__')"


def committed(folder: Path, *messages: str) -> Path:
    """Make a repository with these commits, oldest first."""
    who = ["-c", "user.name=Ada Lovelace", "-c", "user.email=ada@example.com"]
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    for message in messages:
        command = ["git", *who, "commit", "-q", "--allow-empty", "-m", message]
        subprocess.run(command, cwd=folder, check=True)
    return folder


def head_of(folder: Path) -> str:
    return subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=folder, capture_output=True, text=True, check=True
    ).stdout.strip()


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return committed(tmp_path_factory.mktemp("repository"), "Begin", "Add the engine", "Note the numbers of Bernoulli")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files").resolve()
    (folder / "greeting.txt").write_text("hello\n", "utf-8")
    (folder / "größe ✓.txt").write_text("süß", "utf-8")
    return folder


@pytest.fixture(scope="module")
def another(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("another").resolve()


@shared
def git() -> Iterator[Party]:
    with party(git_server()) as connected:
        yield connected


@shared
def clock() -> Iterator[Party]:
    with party(time_server("--local-timezone", "Europe/Vienna")) as connected:
        yield connected


@shared
def filesystem(files: Path, another: Path) -> Iterator[Party]:
    with party(npm_server("server-filesystem", str(another)), roots=[files.as_uri()]) as connected:
        allowed(connected, files)
        yield connected


def allowed(filesystem: Party, folder: Path) -> None:
    """Wait until the server works in a folder: it asks for the roots by itself, soon after they have changed."""
    while str(folder) not in filesystem.text_of("list_allowed_directories"):
        pass


@shared
def graph(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Party]:
    memory = tmp_path_factory.mktemp("graph") / "memory.jsonl"
    with party(npm_server("server-memory"), env={"MEMORY_FILE_PATH": str(memory)}) as connected:
        yield connected


@shared
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Party]:
    with party(sqlite_server(tmp_path_factory.mktemp("database") / "test.db")) as connected:
        yield connected


# ----------------------------------------------------------------------------------------------------------------- git


@pytest.mark.feature(26, 97)
def test_git_has_twelve_tools_in_the_modern_era(git: Party) -> None:
    assert git.client.protocol_version == "2026-07-28"
    assert [tool.name for tool in git.client.list_tools()] == [
        "git_status",
        "git_diff_unstaged",
        "git_diff_staged",
        "git_diff",
        "git_commit",
        "git_add",
        "git_reset",
        "git_log",
        "git_create_branch",
        "git_checkout",
        "git_show",
        "git_branch",
    ]


def test_git_tells_the_commits_newest_first(git: Party, repository: Path) -> None:
    text = git.text_of("git_log", {"repo_path": str(repository)})

    assert re.findall(r"^Message: (.*?)\s*$", text, re.MULTILINE) == [
        "Note the numbers of Bernoulli",
        "Add the engine",
        "Begin",
    ]
    assert re.findall(r"^Commit: '?([0-9a-f]{40})'?$", text, re.MULTILINE)[0] == head_of(repository)
    assert text.count("Ada Lovelace") == 3


def test_git_can_change_a_repository(git: Party, tmp_path: Path) -> None:
    folder = committed(tmp_path, "Begin")
    git.text_of("git_create_branch", {"repo_path": str(folder), "branch_name": "notes"})
    git.text_of("git_checkout", {"repo_path": str(folder), "branch_name": "notes"})

    assert "On branch notes" in git.text_of("git_status", {"repo_path": str(folder)})


@pytest.mark.feature(92)
def test_git_fails_by_a_result_where_there_is_no_repository(git: Party, files: Path) -> None:
    result = git.client.call_tool("git_status", {"repo_path": str(files)})

    assert result.is_error is True


def test_git_refuses_an_unknown_tool(git: Party) -> None:
    with pytest.raises(InvalidParams):
        git.client.call_tool("git_blame_everybody")


def test_git_offers_empty_lists(git: Party) -> None:
    client = git.client

    assert len(client.list_resources()) == 0
    assert len(client.list_resource_templates()) == 0
    assert len(client.list_prompts()) == 0


@pytest.mark.feature(24)
def test_process_is_the_same_after_a_hundred_calls(repository: Path) -> None:
    announced: list[str] = []
    command = [sys.executable, "-c", ANNOUNCING]
    with Client.connect(command, on_stderr=announced.append) as client:
        for _ in range(100):
            client.call_tool("git_status", {"repo_path": str(repository)}, raise_on_error=True)
        os.kill(int(announced[0]), 0)

    assert len(announced) == 1


# ---------------------------------------------------------------------------------------------------------------- time


def test_time_gives_a_structured_result_that_fits(clock: Party) -> None:
    clock.client.list_tools()
    result = clock.client.call_tool(
        "convert_time", {"source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Kolkata"}
    )

    assert result.violations == ()
    assert result.structured["target"]["datetime"].endswith("T17:30:00+05:30")
    assert json.loads(result.text) == result.structured


def test_time_gets_its_arguments_from_the_command_line(clock: Party) -> None:
    tool = clock.client.list_tools().get("get_current_time")

    assert tool is not None
    assert "Europe/Vienna" in json.dumps(tool.input_schema)


# ---------------------------------------------------------------------------------------------------------- filesystem


@pytest.mark.feature(34, 97)
def test_filesystem_has_fourteen_tools(filesystem: Party) -> None:
    assert [tool.name for tool in filesystem.client.list_tools()] == [
        "read_file",
        "read_text_file",
        "read_media_file",
        "read_multiple_files",
        "write_file",
        "edit_file",
        "create_directory",
        "list_directory",
        "list_directory_with_sizes",
        "directory_tree",
        "move_file",
        "search_files",
        "get_file_info",
        "list_allowed_directories",
    ]


@pytest.mark.parametrize(("name", "text"), [("greeting.txt", "hello\n"), ("größe ✓.txt", "süß")])
def test_filesystem_reads_a_file(filesystem: Party, files: Path, name: str, text: str) -> None:
    result = filesystem.client.call_tool("read_text_file", {"path": str(files / name)})

    assert (result.text, result.is_error) == (text, False)


@pytest.mark.feature(92)
def test_missing_file_is_a_result(filesystem: Party, files: Path) -> None:
    result = filesystem.client.call_tool("read_text_file", {"path": str(files / "nothing.txt")})

    assert result.is_error is True
    assert result.text == f"ENOENT: no such file or directory, open '{files / 'nothing.txt'}'"


def test_filesystem_writes_what_it_is_told(filesystem: Party, files: Path) -> None:
    text = "a\u2028b\r\n✓" * 20_000
    filesystem.text_of("write_file", {"path": str(files / "long.txt"), "content": text})

    assert (files / "long.txt").read_bytes().decode() == text


@pytest.mark.feature(53)
def test_filesystem_keeps_to_the_roots(filesystem: Party, files: Path) -> None:
    result = filesystem.client.call_tool("list_directory", {"path": str(files.parent.parent)})

    assert result.is_error is True
    assert "outside allowed directories" in result.text


@pytest.mark.feature(47, 53)
def test_filesystem_follows_when_a_root_is_added(filesystem: Party, another: Path) -> None:
    filesystem.client.add_root(another.as_uri())
    allowed(filesystem, another)
    filesystem.text_of("create_directory", {"path": str(another / "made")})

    assert (another / "made").is_dir()


@pytest.mark.feature(12)
def test_filesystem_is_not_asked_for_what_it_does_not_offer(filesystem: Party) -> None:
    with pytest.raises(NotOffered):
        filesystem.client.list_prompts()


# -------------------------------------------------------------------------------------------------------------- memory


def test_memory_keeps_what_it_is_told(graph: Party) -> None:
    graph.client.list_tools()
    ada = {"name": "Ada", "entityType": "person", "observations": ["wrote the first program"]}
    graph.text_of("create_entities", {"entities": [ada]})
    found = graph.client.call_tool("search_nodes", {"query": "first program"})

    assert found.structured["entities"] == [ada]
    assert found.violations == ()


@pytest.mark.feature(114, 116)
def test_memory_delivers_its_graph_when_it_changes(graph: Party) -> None:
    (resource,) = graph.client.list_resources()
    graph.client.subscribe_resource(resource.uri)
    entity = {"name": "Charles", "entityType": "person", "observations": []}
    graph.text_of("create_entities", {"entities": [entity]})
    delivered = graph.application.hears("on_resource_updated", lambda contents: "Charles" in contents.text)
    graph.client.unsubscribe_resource(resource.uri)

    assert resource.uri == "memory://knowledge-graph"
    assert "Charles" in delivered.text


# -------------------------------------------------------------------------------------------------------------- sqlite


def test_sqlite_answers_queries(database: Party) -> None:
    database.text_of("create_table", {"query": "CREATE TABLE people (name TEXT, age INTEGER)"})
    database.text_of("write_query", {"query": "INSERT INTO people VALUES ('Ada', 36)"})

    assert database.text_of("read_query", {"query": "SELECT * FROM people"}) == "[{'name': 'Ada', 'age': 36}]"


def test_sqlite_speaks_the_legacy_era(database: Party) -> None:
    assert (database.client.protocol_version, database.client.era) == ("2025-11-25", "legacy")
    assert len(database.client.list_tools()) == 6


def test_sqlite_has_no_templates(database: Party) -> None:
    assert len(database.client.list_resource_templates()) == 0


def test_sqlite_shows_its_memo(database: Party) -> None:
    database.text_of("append_insight", {"insight": "Everybody is called Ada."})

    assert "Everybody is called Ada." in database.client.read_resource("memo://insights").text


@pytest.mark.feature(119)
def test_sqlite_fills_in_its_prompt(database: Party) -> None:
    prompt = database.client.get_prompt("mcp-demo", {"topic": "lighthouses"})

    assert "lighthouses" in prompt.messages[0].content.text  # type: ignore[union-attr]


def test_update_that_nobody_subscribed_to_is_not_delivered(database: Party) -> None:
    database.text_of("append_insight", {"insight": "Nobody listens."})
    database.client.ping()

    assert database.application.heard("on_resource_updated") == []


def names_of(items: Any) -> list[str]:
    return [item.name for item in items]


@pytest.mark.feature(15)
def test_two_servers_have_lists_of_their_own(git: Party, filesystem: Party) -> None:
    both = names_of(git.client.list_tools()) + names_of(filesystem.client.list_tools())

    assert len(both) == len(set(both)) == 12 + 14
