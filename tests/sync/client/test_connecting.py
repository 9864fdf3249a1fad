# generated from tests/aio/client/test_connecting.py by tools/unasync.py; do not edit
"""How a server is greeted, what is said of both sides, and what comes of those that cannot be spoken with."""

import shlex
from typing import Any

import pytest

from dragoman import Client
from dragoman.deadline import Deadline
from dragoman.errors import (
    ConnectFailed,
    McpError,
    NotOffered,
    OutcomeUnknown,
    ProtocolError,
    ServerError,
    ServerExited,
    UsageError,
)
from dragoman.protocol.eras import VERSIONS
from dragoman.sync.transports.stdio import StdioTransport
from dragoman.types import (
    ClientCapabilities,
    ElicitationCapability,
    Implementation,
    RootsCapability,
    SamplingCapability,
)
from tests.servers.scripts.play import Puppet, Puppeteer, answer, default, die, refuse, stderr, text, tool, turns, write
from tests.sync.client.support import Background, Seen, failure, until
from tests.sync.transports.wire import is_running

CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
INFO_KEY = "io.modelcontextprotocol/clientInfo"
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"


def connect(target: Any, **options: Any) -> None:
    with Client.connect(target, **options):
        pass


def declared(server: Puppet, **options: Any) -> Any:
    """Give what a client declares as its capabilities, in the wire's form."""
    connect(server.command, **options)
    if server.heard("initialize"):
        return server.params("initialize")[0]["capabilities"]
    return server.heard("server/discover")[0]["params"]["_meta"][CAPABILITIES_KEY]


# ------------------------------------------------------------------------------------------------------- the greeting


@pytest.mark.feature(1, "13.1")
def test_a_legacy_server_is_greeted_by_initialize(puppet: Puppeteer) -> None:
    server = puppet("legacy")
    info = Implementation("me", version="7")
    connect(server.command, versions=["2025-11-25", "2025-06-18"], client_info=info)

    first = server.heard()[0]
    assert first["method"] == "initialize"
    assert first["params"]["protocolVersion"] == "2025-11-25"
    assert first["params"]["clientInfo"] == {"name": "me", "version": "7"}
    assert first["params"]["capabilities"] == {}


@pytest.mark.feature(1, "12.1")
def test_a_modern_server_is_asked_what_it_is(puppet: Puppeteer) -> None:
    server = puppet("modern")
    connect(server.command, client_info=Implementation("me", version="7"))

    (first,) = server.heard()
    assert first["method"] == "server/discover"
    assert first["params"]["_meta"][VERSION_KEY] == "2026-07-28"
    assert first["params"]["_meta"][INFO_KEY] == {"name": "me", "version": "7"}


@pytest.mark.feature("12.1")
def test_every_request_to_a_modern_server_introduces_itself(puppet: Puppeteer) -> None:
    server = puppet("modern")
    with Client.connect(server.command, roots=[]) as client:
        client.list_tools()
        client.call_tool("echo", meta={"own": 1, VERSION_KEY: "1999-01-01"})

    for message in server.heard()[1:]:
        assert message["params"]["_meta"][VERSION_KEY] == "2026-07-28"
        assert message["params"]["_meta"][CAPABILITIES_KEY] == {"roots": {"listChanged": True}}
    assert server.heard("tools/call")[0]["params"]["_meta"]["own"] == 1


@pytest.mark.feature(2, 5, 16, "12.1")
def test_what_was_negotiated_can_be_read(puppet: Puppeteer, era: str) -> None:
    with Client.connect(puppet(era, instructions="Be kind.").command) as client:
        assert client.era == era
        assert client.protocol_version == {"legacy": "2025-11-25", "modern": "2026-07-28"}[era]
        assert client.server.name == "puppet"
        assert client.server.version == "1.0"
        assert client.instructions == "Be kind."
        assert client.capabilities.tools is not None
        assert client.state.phase == "ready"


@pytest.mark.feature(3)
def test_the_server_is_told_that_it_was_heard_before_anything_else(puppet: Puppeteer) -> None:
    server = puppet("legacy")
    with Client.connect(server.command, log_level="info") as client:
        client.list_tools()
    methods = [message["method"] for message in server.heard() if message["method"] != "server/discover"]

    assert methods == ["initialize", "notifications/initialized", "logging/setLevel", "tools/list"]


@pytest.mark.feature(4, "13.1")
@pytest.mark.parametrize("version", [version for version in VERSIONS if version != "2026-07-28"])
def test_the_newest_version_that_both_know_is_spoken(puppet: Puppeteer, version: str) -> None:
    with Client.connect(puppet("legacy", versions=[version]).command) as client:
        assert client.protocol_version == version
        assert client.call_tool("echo").text == "echo {}"


class Old(StdioTransport):
    """A line that can carry one version only."""

    def protocol_versions(self) -> tuple[str, ...]:
        return ("2025-03-26",)


@pytest.mark.feature(4, 7)
def test_a_transport_may_limit_the_versions(puppet: Puppeteer) -> None:
    server = puppet("legacy")
    with Client.connect(Old(server.command)) as client:
        assert client.protocol_version == "2025-03-26"

    assert server.heard()[0]["params"]["protocolVersion"] == "2025-03-26"


@pytest.mark.feature(6)
def test_the_built_in_transports_offer_every_version(puppet: Puppeteer) -> None:
    assert StdioTransport(puppet().command).protocol_versions() == VERSIONS


@pytest.mark.feature(8)
def test_a_version_that_nobody_offered_is_refused(puppet: Puppeteer) -> None:
    server = puppet("legacy", versions=["1999-01-01"])
    error = failure(connect, server.command)

    assert isinstance(error, ProtocolError)
    assert "1999-01-01" in str(error)
    assert "2025-11-25" in str(error)
    assert not is_running(server.pids[0])


@pytest.mark.edge("B44")
def test_a_modern_server_of_other_versions_says_which(puppet: Puppeteer) -> None:
    server = puppet("modern", on={"server/discover": [refuse(-32022, "no", {"supported": ["2099-01-01"]})]})
    error = failure(connect, server.command)

    assert isinstance(error, McpError)
    assert "2099-01-01" in str(error)


@pytest.mark.edge("B44")
@pytest.mark.parametrize("code", [-32600, -32602, -32601, -32603, -1, 400])
def test_any_refusal_of_the_probe_leads_to_the_handshake(puppet: Puppeteer, code: int) -> None:
    server = puppet("legacy", on={"server/discover": [refuse(code, "what?")]})
    with Client.connect(server.command) as client:
        assert client.protocol_version == "2025-11-25"


@pytest.mark.edge("B44")
@pytest.mark.parametrize("result", [{}, [], "what?", None, {"supportedVersions": "all"}])
def test_an_empty_answer_to_the_probe_leads_to_the_handshake(puppet: Puppeteer, result: Any) -> None:
    server = puppet("legacy", on={"server/discover": [answer(result)]})
    with Client.connect(server.command) as client:
        assert client.protocol_version == "2025-11-25"


@pytest.mark.edge("B44")
def test_a_server_that_is_silent_to_the_probe_is_greeted_soon(puppet: Puppeteer) -> None:
    server = puppet("legacy", on={"server/discover": []})
    begun = Deadline.never()
    with Client.connect(server.command) as client:
        assert client.protocol_version == "2025-11-25"
        assert begun.waited < 5


@pytest.mark.edge("B44")
def test_a_server_is_remembered_and_probed_no_more(puppet: Puppeteer) -> None:
    server = puppet("legacy")
    memory: dict[str, str] = {}
    connect(server.command, remembered=memory)
    connect(server.command, remembered=memory)

    assert list(memory.values()) == ["legacy"]
    assert [len(server.heard("server/discover", life=life)) for life in (0, 1)] == [1, 0]


@pytest.mark.edge("B44")
def test_a_server_that_has_become_modern_is_found_out(puppet: Puppeteer) -> None:
    modern = {"era": "modern", "versions": ["2026-07-28"]}
    server = puppet("legacy", lives=[{}, modern])
    memory: dict[str, str] = {}
    connect(server.command, remembered=memory)
    with Client.connect(server.command, remembered=memory) as client:
        assert client.era == "modern"
        assert list(memory.values()) == ["modern"]


@pytest.mark.edge("B44")
def test_a_server_of_both_eras_is_spoken_to_in_the_modern_way(puppet: Puppeteer) -> None:
    server = puppet("modern", versions=["2025-11-25", "2026-07-28"])
    with Client.connect(server.command) as client:
        assert client.protocol_version == "2026-07-28"


@pytest.mark.feature(18)
def test_a_program_that_does_not_exist_is_said_to(puppet: Puppeteer) -> None:
    error = failure(connect, ["no-such-program-anywhere"])

    assert isinstance(error, ConnectFailed)
    assert "no-such-program-anywhere" in str(error)


@pytest.mark.edge("B02")
def test_a_server_that_ends_at_once_gives_its_last_words(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, start=[stderr("FATAL: database missing\n"), die(3)])
    begun = Deadline.never()
    error = failure(connect, server.command)

    assert isinstance(error, ServerExited)
    assert error.exit_code == 3
    assert "FATAL: database missing" in str(error)
    assert begun.waited < 10


def test_a_server_that_refuses_the_handshake_is_quoted(puppet: Puppeteer) -> None:
    server = puppet("legacy", on={"initialize": [refuse(-32000, "not today")]})
    error = failure(connect, server.command)

    assert isinstance(error, ServerError)
    assert "puppet" in str(error)
    assert "not today" in str(error)


@pytest.mark.edge("B10")
def test_a_banner_does_not_disturb(puppet: Puppeteer, era: str) -> None:
    with Client.connect(puppet(era, start=[write("🖥️ Server mode: STDIO\n")]).command) as client:
        assert client.era == era


@pytest.mark.edge("B44")
def test_a_server_that_introduces_itself_badly_is_still_a_server(puppet: Puppeteer) -> None:
    odd = {"protocolVersion": "2025-06-18", "capabilities": {"tools": True, "logging": 7}, "serverInfo": {"name": 3}}
    with Client.connect(puppet("legacy", on={"initialize": [answer(odd)]}).command) as client:
        assert client.protocol_version == "2025-06-18"
        assert client.server == Implementation("")
        assert len(client.list_tools()) == 2


# ------------------------------------------------------------------------------------------------------- capabilities


@pytest.mark.feature(14)
def test_nothing_is_declared_without_handlers(puppet: Puppeteer, era: str) -> None:
    assert declared(puppet(era)) == {}


@pytest.mark.feature(9)
def test_handlers_are_declared(puppet: Puppeteer, era: str) -> None:
    said = declared(puppet(era), roots=[], sampling=Seen("x"), elicitation=Seen(True), url_elicitation=Seen(True))

    assert said == {"roots": {"listChanged": True}, "sampling": {}, "elicitation": {"form": {}, "url": {}}}


@pytest.mark.feature(9)
def test_capabilities_can_be_stated(puppet: Puppeteer, era: str) -> None:
    stated = ClientCapabilities(roots=RootsCapability(), experimental={"x": {}})

    assert declared(puppet(era), roots=[], capabilities=stated) == {"roots": {}, "experimental": {"x": {}}}


@pytest.mark.feature(10)
def test_elicitation_that_is_stated_without_a_mode_means_both(puppet: Puppeteer, era: str) -> None:
    stated = ClientCapabilities(elicitation=ElicitationCapability())
    said = declared(puppet(era), capabilities=stated, elicitation=Seen(True), url_elicitation=Seen(True))

    assert said == {"elicitation": {"form": {}, "url": {}}}


@pytest.mark.feature(11)
@pytest.mark.parametrize(("option", "mode"), [("elicitation", "form"), ("url_elicitation", "url")])
def test_one_mode_of_elicitation_is_declared_alone(puppet: Puppeteer, option: str, mode: str) -> None:
    assert declared(puppet(), **{option: Seen(True)}) == {"elicitation": {mode: {}}}


@pytest.mark.feature(55)
@pytest.mark.parametrize(
    ("stated", "option"),
    [
        (ClientCapabilities(sampling=SamplingCapability()), "sampling"),
        (ClientCapabilities(elicitation=ElicitationCapability(form={})), "elicitation"),
        (ClientCapabilities(elicitation=ElicitationCapability(url={})), "url_elicitation"),
    ],
)
def test_what_is_declared_needs_a_handler(puppet: Puppeteer, stated: ClientCapabilities, option: str) -> None:
    server = puppet()
    error = failure(connect, server.command, capabilities=stated)

    assert isinstance(error, UsageError)
    assert f"`{option}`" in str(error)
    assert server.pids == []


@pytest.mark.feature(12, "13.4")
def test_nothing_is_asked_of_a_server_that_did_not_offer_it(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, capabilities={})
    with Client.connect(server.command) as client:
        before = len(server.heard())
        errors = [
            failure(client.list_tools),
            failure(client.list_tools_page),
            failure(client.call_tool, "echo"),
            failure(client.list_resources),
            failure(client.list_resource_templates),
            failure(client.read_resource, "mem://a"),
            failure(client.list_prompts),
            failure(client.get_prompt, "greet"),
            failure(client.set_log_level, "info"),
        ]

        assert [type(error) for error in errors] == [NotOffered] * 9
        assert {error.capability for error in errors} == {"tools", "resources", "prompts", "logging"}
        assert len(server.heard()) == before


@pytest.mark.feature("13.4")
def test_a_lenient_client_finds_empty_lists_instead(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, capabilities={})
    with Client.connect(server.command, strict=False) as client:
        lists: list[Any] = [client.list_tools(), client.list_prompts(), client.list_resources()]
        client.set_log_level("info")
        client.subscribe_resource("mem://a")

        assert [len(each) for each in lists] == [0, 0, 0]
        assert server.heard("tools/list") == []


@pytest.mark.feature(15, 23)
def test_several_clients_are_strangers_to_each_other(puppet: Puppeteer) -> None:
    servers = [puppet("legacy", capabilities={"tools": {}}), puppet("modern", capabilities={"prompts": {}})]
    one = Client.connect(servers[0].command, roots=[])
    other = Client.connect(servers[1].command)
    one.close()
    other.close()

    assert one.capabilities.prompts is None
    assert other.capabilities.tools is None
    assert [len(server.pids) for server in servers] == [1, 1]
    assert servers[0].params("initialize")[0]["capabilities"] == {"roots": {"listChanged": True}}


@pytest.mark.feature(17)
def test_several_clients_greet_their_servers_before_any_call(puppet: Puppeteer, era: str) -> None:
    servers = [puppet(era) for _ in range(3)]
    clients = [Background(opened, server.command).wait() for server in servers]
    greeted = [len(server.heard("initialize" if era == "legacy" else "server/discover")) for server in servers]
    for client in clients:
        client.close()

    assert greeted == [1, 1, 1]


def opened(command: list[str]) -> Client:
    return Client.connect(command)


@pytest.mark.feature(24, 25)
def test_one_process_serves_call_after_call(puppet: Puppeteer, era: str) -> None:
    server = puppet(era)
    with Client.connect(server.command) as client:
        results = [client.call_tool("echo", {"n": n}).text for n in range(100)]

    assert results == [f'echo {{"n": {n}}}' for n in range(100)]
    assert len(server.pids) == 1


@pytest.mark.feature(25)
def test_a_client_can_be_opened_for_each_call(puppet: Puppeteer, era: str) -> None:
    server = puppet(era)
    for n in range(3):
        with Client.connect(server.command) as client:
            assert client.call_tool("echo", {"n": n}).text == f'echo {{"n": {n}}}'

    assert len(server.pids) == 3


# ------------------------------------------------------------------------------------------------------------ targets


def test_a_command_line_is_a_target(puppet: Puppeteer) -> None:
    with Client.connect(shlex.join(puppet().command)) as client:
        assert client.server.name == "puppet"


def test_a_configuration_entry_is_a_target(puppet: Puppeteer) -> None:
    program, *arguments = puppet().command
    with Client.connect({"command": program, "args": arguments, "env": {"A": "1"}}) as client:
        assert client.server.name == "puppet"


def test_the_name_of_a_server_can_be_chosen(puppet: Puppeteer) -> None:
    server = puppet(on={"tools/call": [refuse(-32603, "broken")]})
    with Client.connect(server.command, name="mine") as client:
        error = failure(client.call_tool, "echo")

        assert client.name == "mine"
        assert str(error).startswith("mine: ")


@pytest.mark.parametrize("target", ["", "   ", None, {"args": []}, {"command": "x", "url": "y"}, 7])
def test_what_is_no_target_is_refused(target: Any) -> None:
    assert isinstance(failure(connect, target), UsageError)


@pytest.mark.parametrize("options", [{"timeout": "soon"}, {"log_level": "loud"}, {"retry": "perhaps"}])
def test_an_option_that_makes_no_sense_is_refused_before_anything_starts(
    puppet: Puppeteer, options: dict[str, Any]
) -> None:
    server = puppet()
    error = failure(connect, server.command, **options)

    assert isinstance(error, UsageError)
    assert server.pids == []


def test_an_option_that_does_not_exist_is_refused(puppet: Puppeteer) -> None:
    server = puppet()
    error = failure(connect, server.command, timout=3)

    assert isinstance(error, UsageError)
    assert "'timout'" in str(error)
    assert "`timeout`" in str(error)
    assert server.pids == []


# ------------------------------------------------------------------------------------------------------ what is odd


@pytest.mark.edge("B47")
def test_a_modern_result_that_lacks_its_hints_is_good(puppet: Puppeteer) -> None:
    bare = {"jsonrpc": "2.0", "id": "$id", "result": {"tools": [tool("bare")]}}
    server = puppet("modern", on={"tools/list": [["say", bare]]})
    with Client.connect(server.command) as client:
        listed = [client.list_tools(), client.list_tools()]

        assert [each.tools[0].name for each in listed] == ["bare", "bare"]
        assert len(server.heard("tools/list")) == 2


@pytest.mark.edge("B26")
def test_an_error_without_an_id_goes_to_the_only_call_that_waits(puppet: Puppeteer, era: str) -> None:
    said = {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "what?"}}
    server = puppet(era, on={"tools/call": [["say", said]]})
    with Client.connect(server.command) as client:
        error = failure(client.call_tool, "echo")

        assert isinstance(error, ServerError)
        assert error.code == -32700


@pytest.mark.edge("B28")
def test_an_id_that_comes_back_as_a_string_is_understood(puppet: Puppeteer, era: str) -> None:
    said = {"jsonrpc": "2.0", "id": "json:$id", "result": {"content": [], "resultType": "complete"}}
    server = puppet(era, on={"tools/call": [["say", said]]})
    with Client.connect(server.command) as client:
        result = client.call_tool("echo")

        assert result.is_error is False


def test_a_first_answer_decides_and_later_ones_are_dropped(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on={"tools/call": [text("first"), text("second"), text("third")]})
    with Client.connect(server.command) as client:
        results = [client.call_tool("echo").text for _ in range(5)]

        assert results == ["first"] * 5


def test_a_probe_is_not_repeated_after_a_restart(puppet: Puppeteer) -> None:
    server = puppet("legacy", on={"tools/call": turns([die(1)], [default()])}, lives=[{}, {"on": {}}])
    with Client.connect(server.command, remembered={}) as client:
        assert isinstance(failure(client.call_tool, "echo"), OutcomeUnknown)
        until(lambda: len(server.pids) == 2)
        client.call_tool("echo")

        assert server.heard("server/discover", life=1) == []


@pytest.mark.edge("B44")
def test_a_server_that_ends_when_it_is_probed_is_started_again_and_greeted(puppet: Puppeteer) -> None:
    server = puppet("legacy", on={"server/discover": [die(1)]}, tools=[tool("a")])
    with Client.connect(server.command) as client:
        assert client.era == "legacy"
        assert [each.name for each in client.list_tools()] == ["a"]


def test_a_server_that_ends_whatever_comes_first_says_why(puppet: Puppeteer) -> None:
    dying = [stderr("no database\n"), die(3)]
    server = puppet("legacy", on={"server/discover": dying, "initialize": dying})

    error = failure(connect, server.command)

    assert isinstance(error, ServerExited)
    assert error.exit_code == 3
    assert "no database" in error.stderr
