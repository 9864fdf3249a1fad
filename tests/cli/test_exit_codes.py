"""How a command ends: the exit codes, and failures as JSON."""

import sys
from pathlib import Path

import pytest

from dragoman import errors
from dragoman.cli.failures import Interrupted, NoSuch, envelope, exit_code
from tests.cli.command import CHANGING, LEGACY, MODERN, ODD, dragoman, here

SILENT = f'{sys.executable} -c "import sys; sys.stdin.read()"'
EXITS = f"{sys.executable} -c \"import sys; sys.exit('no key')\""

FAILURES = [
    (("call", LEGACY, "echo"), 2, "UsageError"),
    (("call", LEGACY, "echo", "txt=1"), 2, "UsageError"),
    (("call", LEGACY, "travel", "stages=many"), 2, "UsageError"),
    (("call", LEGACY, "echo", "text"), 2, "UsageError"),
    (("call", LEGACY, "echo", "--args", "[1]"), 2, "UsageError"),
    (("call", LEGACY, "echo", "--args", '{"a": 1e999}'), 2, "UsageError"),
    (("call", ODD, "typed", "id=a", "ratio=1e999"), 2, "UsageError"),
    (("watch", LEGACY, "--for", "nan"), 2, "UsageError"),
    (("watch", LEGACY, "--for", "-1"), 2, "UsageError"),
    (("call", LEGACY, "echo", "--args", "@/no/such/file"), 2, "UsageError"),
    (("call", LEGACY), 2, "UsageError"),
    (("frob",), 2, "UsageError"),
    (("info", LEGACY, "--frob"), 2, "UsageError"),
    (("info", LEGACY, "--timeout", "soon"), 2, "UsageError"),
    (("info", LEGACY, "--env", "X"), 2, "UsageError"),
    (("watch", LEGACY, "--for", "ever"), 2, "UsageError"),
    (("info", "no-such-program-anywhere"), 3, "ConnectFailed"),
    (("info", EXITS), 3, "ServerExited"),
    (("call", LEGACY, "crash"), 3, "OutcomeUnknown"),
    (("call", MODERN, "crash"), 3, "OutcomeUnknown"),
    (("call", ODD, "refuse"), 5, "ServerError"),
    (("call", MODERN, "translate", "text=a", "language=b"), 5, "MissingClientCapability"),
    (("call", LEGACY, "ehco", "text=a"), 6, "NoSuch"),
    (("call", MODERN, "ehco", "text=a"), 6, "NoSuch"),
    (("read", LEGACY, "demo://nowhere"), 6, "NoSuch"),
    (("read", MODERN, "demo://nowhere"), 6, "NoSuch"),
    (("get", LEGACY, "nothing"), 6, "NoSuch"),
    (("get", MODERN, "nothing"), 6, "NoSuch"),
    (("get", CHANGING, "anything"), 6, "NotOffered"),
    (("complete", LEGACY, "nothing", "x"), 6, "NoSuch"),
    (("watch", LEGACY, "demo://nowhere"), 6, "NoSuch"),
    (("watch", MODERN, "demo://nowhere"), 6, "NoSuch"),
    (("tools", LEGACY, "nothing"), 6, "NoSuch"),
    (("call", LEGACY, "travel", "seconds=30", "--timeout", "300ms"), 7, "McpTimeout"),
    (("info", SILENT, "--timeout", "300ms"), 7, "McpTimeout"),
]


@pytest.mark.edge("B124")
@pytest.mark.parametrize(("words", "code", "kind"), FAILURES, ids=lambda value: str(value)[:60])
def test_failure_is_told_by_exit_code_and_json(words: tuple[str, ...], code: int, kind: str) -> None:
    outcome = here(*words, "--json")
    told = outcome.document["error"]

    assert (outcome.code, told["type"], outcome.err) == (code, kind, "")
    assert told["message"]
    assert {"server", "hint"} <= told.keys()


@pytest.mark.edge("B124")
@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("ping", MODERN), 0),
        (("call", MODERN, "echo"), 2),
        (("info", EXITS), 3),
        (("call", MODERN, "fail"), 5),
        (("call", MODERN, "nothing"), 6),
        (("call", MODERN, "travel", "seconds=9", "--timeout", "0.2"), 7),
    ],
)
def test_process_exits_with_the_code(words: tuple[str, ...], code: int) -> None:
    assert dragoman(*words).code == code


@pytest.mark.edge("B124")
@pytest.mark.parametrize("server", [LEGACY, MODERN])
def test_error_of_a_tool_is_told_on_standard_error(server: str) -> None:
    outcome = here("call", server, "fail", "reason=no bridge")

    assert (outcome.code, outcome.out, outcome.err) == (5, "", "the tool failed: no bridge\n")


@pytest.mark.edge("B124")
@pytest.mark.parametrize("server", [LEGACY, MODERN])
def test_error_of_a_tool_is_a_call_result_where_json_is_wanted(server: str) -> None:
    outcome = here("call", server, "fail", "--json")

    assert outcome.code == 5
    assert outcome.document["isError"] is True
    assert outcome.document["content"] == [{"type": "text", "text": "the bridge is out"}]


def test_failure_is_told_to_a_person_with_a_way_out() -> None:
    outcome = here("call", LEGACY, "ehco", "text=a")

    assert (outcome.code, outcome.out) == (6, "")
    assert outcome.err == "error: dragoman.demo.legacy: there is no tool 'ehco'\n  hint: did you mean 'echo'?\n"


def test_word_that_is_neither_a_program_nor_a_configured_server_is_told_as_both() -> None:
    outcome = here("info", "gihtub")

    assert outcome.code == 3
    assert "gihtub is not on the PATH" in outcome.err
    assert outcome.err.endswith(
        "hint: no configuration names 'gihtub' either: `dragoman servers` lists those that one does\n"
    )


def test_last_words_of_a_server_are_told() -> None:
    outcome = here("call", MODERN, "crash")

    assert "may have run, or not" in outcome.err
    assert "  | demo: the roof has come down\n" in outcome.err


def test_error_of_a_server_is_told_with_its_code_and_data() -> None:
    told = here("call", ODD, "refuse", "--json").document["error"]

    assert (told["code"], told["data"], told["method"]) == (-32000, {"why": "rain"}, "tools/call")


def test_link_that_has_to_be_visited_first_is_shown_with_the_way_out() -> None:
    outcome = here("call", ODD, "away")

    assert (outcome.code, outcome.out) == (4, "")
    assert "  visit: https://login.example.com/␛[31min  Sign in.\n" in outcome.err
    assert "  hint: open the links in a browser, and run the command again" in outcome.err
    assert here("call", ODD, "away", "--json").document["error"]["elicitations"][0]["message"] == "Sign in."


def test_link_that_nobody_is_there_to_open_is_shown() -> None:
    assert "it wanted you to visit https://a.example/" in here("call", ODD, "visit", "url=https://a.example/").err


def test_url_of_another_kind_is_no_command() -> None:
    outcome = here("tools", "ftp://example.com/x")

    assert outcome.code == 2
    assert "hint: a URL begins with http:// or https://" in outcome.err


def test_base64_that_is_none_is_told_with_its_server() -> None:
    outcome = here("read", ODD, "odd://broken")

    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err.startswith("error: odd_server: the blob of odd://broken is not base64")


KINDS = [
    (errors.UsageError("x"), 2),
    (errors.ConfigError("x"), 2),
    (errors.ConnectFailed("x"), 3),
    (errors.ProtocolError("x"), 3),
    (errors.OutcomeUnknown("x", method="tools/call"), 3),
    (errors.HttpError("x", status=500), 3),
    (errors.MethodNotFound("x", code=-32601, method="server/discover"), 3),
    (errors.AuthError("x"), 4),
    (errors.HttpError("x", status=401), 4),
    (errors.UrlElicitationRequired("x", code=-32042), 4),
    (errors.ServerError("x", code=-32000), 5),
    (errors.ToolFailed("x", tool="t", result=None), 5),
    (errors.ResourceNotFound("x", code=-32002), 6),
    (errors.MethodNotFound("x", code=-32601, method="resources/read"), 6),
    (errors.NotOffered("x", capability="tools"), 6),
    (NoSuch("tool", "x"), 6),
    (errors.McpTimeout("x", method="ping", waited=1.0), 7),
    (errors.PolicyDenied("x"), 8),
    (errors.ToolChanged("x"), 8),
    (Interrupted("x"), 130),
]


@pytest.mark.parametrize(("error", "code"), KINDS, ids=lambda value: type(value).__name__)
def test_each_kind_of_error_has_its_code(error: errors.McpError, code: int) -> None:
    assert exit_code(error) == code


def test_envelope_tells_what_the_error_knows_and_what_caused_it() -> None:
    error = errors.OutcomeUnknown("who knows", method="tools/call", server="git", hint="look")
    error.__cause__ = errors.ServerExited("it exited", argv=["git", "--token=abc"], exit_code=3, stderr="bye")

    assert envelope(error) == {
        "error": {
            "type": "OutcomeUnknown",
            "message": "who knows",
            "server": "git",
            "hint": "look",
            "method": "tools/call",
            "cause": {
                "type": "ServerExited",
                "message": "it exited",
                "server": None,
                "hint": None,
                "wasSent": True,
                "exitCode": 3,
                "signal": None,
                "stderr": "bye",
            },
        }
    }


def test_envelope_tells_which_versions_a_server_speaks() -> None:
    error = errors.UnsupportedProtocolVersion("x", code=-32022, data={"supported": ["2030-01-01"]})

    assert envelope(error)["error"]["supported"] == ["2030-01-01"]


def test_file_that_cannot_be_written_is_a_usage_error(tmp_path: Path) -> None:
    outcome = here("read", LEGACY, "demo://guide", "-o", str(tmp_path))

    assert (outcome.code, outcome.out) == (2, "")
    assert "cannot be written" in outcome.err
