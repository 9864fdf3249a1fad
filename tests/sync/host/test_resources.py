# generated from tests/aio/host/test_resources.py by tools/unasync.py; do not edit
"""Resources and prompts of many servers."""

from typing import Any

import pytest

from dragoman import Host
from dragoman.errors import NotOffered, UsageError
from tests.servers.scripts.play import Puppeteer, change, publish, text
from tests.sync.client.support import failure, until
from tests.sync.host.support import Heard, entry

GREET = [{"name": "greet"}]
ONE: dict[str, Any] = {
    "resources": [{"uri": "mem://one", "name": "one"}],
    "contents": {"mem://one": "1", "mem://x": "one's x"},
}
TWO: dict[str, Any] = {
    "resources": [{"uri": "mem://two", "name": "two"}],
    "contents": {"mem://two": "2", "mem://x": "two's x"},
}
NONE: dict[str, Any] = {"capabilities": {"tools": {}}}


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_resources_of_all_servers_are_one_list(puppet: Puppeteer, era: str) -> None:
    servers = {"a": entry(puppet(era, **ONE)), "none": entry(puppet(era, **NONE)), "b": entry(puppet(era, **TWO))}
    with Host.open(servers) as host:
        assert [(each.server, each.uri) for each in host.list_resources()] == [
            ("a", "mem://one"),
            ("b", "mem://two"),
        ]
        assert [(each.server, each.uri_template) for each in host.list_resource_templates()] == [
            ("a", "mem://{letter}"),
            ("b", "mem://{letter}"),
        ]
        assert host.read_resource("mem://two").contents[0].text == "2"
        assert host.read_resource("mem://x", server="b").contents[0].text == "two's x"
        for each in host.list_resources():
            assert host.read_resource(each).contents[0].uri == each.uri


def test_a_resource_that_nobody_lists_is_read_where_there_is_no_doubt(puppet: Puppeteer) -> None:
    one, two = entry(puppet(**ONE)), entry(puppet(**TWO))
    with Host.open({"a": one, "none": entry(puppet(**NONE))}) as host:
        assert host.read_resource("mem://x").contents[0].text == "one's x"
    with Host.open({"a": one, "b": two}) as host:
        assert "server='a'" in str(failure(host.read_resource, "mem://x"))
        assert isinstance(failure(host.read_resource, "mem://x", server="c"), UsageError)
    with Host.open({"none": entry(puppet(**NONE))}) as host:
        assert "no server has resources" in str(failure(host.read_resource, "mem://x"))


def test_a_resource_is_found_without_being_listed_first(puppet: Puppeteer) -> None:
    with Host.open({"a": entry(puppet(**ONE)), "b": entry(puppet(**TWO))}) as host:
        assert host.read_resource("mem://two").contents[0].text == "2"


def test_prompts_have_names_as_tools_have(puppet: Puppeteer) -> None:
    a, b = puppet(prompts=GREET), puppet("modern", prompts=GREET)
    with Host.open({"a": entry(a), "b": entry(b)}) as host:
        assert host.get_prompt("b_greet", {"who": "me"}).text == 'greet {"who": "me"}'
        assert [(each.name, each.server) for each in host.list_prompts()] == [("greet", "a"), ("b_greet", "b")]
        for each in host.list_prompts():
            host.get_prompt(each)

        assert [len(each.heard("prompts/get")) for each in (a, b)] == [1, 2]
        error = failure(host.get_prompt, "greeet")
        assert isinstance(error, UsageError)
        assert "did you mean 'greet'" in str(error)


def test_changes_of_prompts_and_resources_are_told(puppet: Puppeteer) -> None:
    heard = Heard()
    moves = [
        change(prompts=[{"name": "new"}], resources=[]),
        publish("notifications/prompts/list_changed"),
        publish("notifications/resources/list_changed"),
        text("done"),
    ]
    server = puppet(prompts=GREET, on={"tools/call echo": moves})
    with Host.open({"a": entry(server)}, on_event=heard) as host:
        host.list_prompts()
        host.list_resources()
        heard.events.clear()
        host.call_tool("echo")
        # What was told of the first lists may come in between.
        prompts = until(lambda: [each for each in heard.of("prompts") if each.changes.removed])
        resources = until(lambda: [each for each in heard.of("resources") if each.changes.removed])

        assert [each.name for each in prompts[-1].changes.added] == ["new"]
        assert [each.uri for each in resources[-1].changes.removed] == ["mem://a", "mem://b"]
        assert isinstance(failure(host.get_prompt, "greet"), NotOffered)
