"""What servers say of themselves, pinned."""

import json
from typing import Any

import pytest
from msgspec import structs

from dragoman.errors import ConfigError
from dragoman.host.lockfile import Lock, Surface, definition, fingerprint, read_lock, write_lock
from dragoman.types import ListToolsResult, Prompt, Resource, ResourceTemplate, Tool, ToolAnnotations, decode

SURFACE = Surface.of(
    version="1.0",
    instructions="Be careful.",
    tools=[Tool.define("add", {"type": "object"}, description="Adds.")],
    prompts=[Prompt(name="greet")],
    resources=[Resource(uri="mem://a", name="a", size=7)],
    templates=[ResourceTemplate(uri_template="mem://{x}", name="x")],
)


def tool(text: str) -> Tool:
    return decode(b'{"tools":[%b]}' % text.encode(), ListToolsResult).tools[0]


def test_a_definition_holds_all_that_a_model_is_shown() -> None:
    found = definition(
        tool(
            '{"name":"a","title":"A","description":"d","inputSchema":{"type":"object","z":1,"b":[1.0,null]},'
            '"outputSchema":{"type":"object"},"annotations":{"readOnlyHint":true},"x-own":{"y":2},'
            '"_meta":{"n":1},"icons":[{"src":"data:,"}],"title2":null}'
        )
    )

    assert found == {
        "name": "a",
        "title": "A",
        "description": "d",
        "inputSchema": {"type": "object", "z": 1, "b": [1, None]},
        "outputSchema": {"type": "object"},
        "annotations": {"readOnlyHint": True},
        "x-own": {"y": 2},
    }


def test_the_order_and_the_way_of_writing_make_no_difference() -> None:
    one = tool('{"name":"a","inputSchema":{"type":"object","default":1.0,"x":2.5}}')
    other = tool('{"inputSchema":{"x":2.5,"default":1,"type":"object"},"name":"a","description":null}')

    assert fingerprint(definition(one)) == fingerprint(definition(other))


@pytest.mark.feature(140)
@pytest.mark.edge("B115")
@pytest.mark.parametrize(
    "changed",
    [
        Surface.of(tools=[Tool.define("add", {"type": "object"}, description="Adds. And sends.")]),
        Surface.of(tools=[Tool.define("add", {"type": "object", "properties": {"x": {}}}, description="Adds.")]),
        Surface.of(
            tools=[
                Tool.define(
                    "add", {"type": "object"}, description="Adds.", annotations=ToolAnnotations(read_only_hint=True)
                )
            ]
        ),
        Surface.of(tools=[Tool.define("sum", {"type": "object"}, description="Adds.")]),
        Surface.of(tools=[Tool.define("add", {"type": "object"}, description="Adds.\u200b")]),
        Surface.of(instructions="x", tools=[Tool.define("add", {"type": "object"}, description="Adds.")]),
    ],
)
def test_every_change_has_another_fingerprint(changed: Surface) -> None:
    same = Surface.of(tools=[Tool.define("add", {"type": "object"}, description="Adds.")])

    assert changed.fingerprint != same.fingerprint


def test_a_version_is_no_difference_in_itself() -> None:
    assert structs.replace(SURFACE, version="2.0").fingerprint == SURFACE.fingerprint
    assert set(SURFACE.items("resource")) == {"mem://a"}
    assert set(SURFACE.items("template")) == {"mem://{x}"}


def test_a_lock_is_read_as_it_was_written() -> None:
    lock = Lock().with_server("b", SURFACE).with_server("a", Surface())

    written = write_lock(lock)

    assert read_lock(written) == lock
    assert write_lock(read_lock(written)) == written
    assert list(json.loads(written)["servers"]) == ["a", "b"]
    assert written.endswith(b"\n")


def test_a_server_can_be_forgotten() -> None:
    assert Lock().with_server("a", SURFACE).without_server("a") == Lock()


def changed(change: Any) -> bytes:
    whole = json.loads(write_lock(Lock().with_server("a", SURFACE)))
    change(whole)
    return json.dumps(whole).encode()


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"{", "it is no lockfile"),
        (b"[]", "mcp.lock: it is no lockfile"),
        (b"<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> theirs\n", "mcp.lock: a merge has left its marks in it"),
        (changed(lambda whole: whole.update(version=9)), "mcp.lock: it is of version 9"),
        (changed(lambda whole: whole["servers"]["a"]["tools"]["add"].update(description="x")), "do not agree"),
        (changed(lambda whole: whole["servers"]["a"].pop("fingerprint")), "do not agree"),
        (changed(lambda whole: whole["servers"]["a"].update(tools=7)), "it is no lockfile"),
    ],
)
def test_what_is_no_lock_is_refused(data: bytes, what: str) -> None:
    with pytest.raises(ConfigError, match=what) as caught:
        read_lock(data, "mcp.lock")

    assert caught.value.file == "mcp.lock"


def test_what_to_do_about_a_lock_that_is_none_can_be_done() -> None:
    with pytest.raises(ConfigError, match="delete it and make a new one"):
        read_lock(b"{")
    with pytest.raises(ConfigError, match=r"take `servers\.a` out of the file"):
        read_lock(changed(lambda whole: whole["servers"]["a"].update(instructions="other")))
