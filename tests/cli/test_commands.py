"""What each command prints, in a pipe and as JSON, from a server of either era."""

import json
import shlex
import sys
from pathlib import Path

import pytest

from tests.cli.command import CHANGING, LEGACY, MODERN, ODD, here
from tests.cli.odd_server import ESCAPES

each_era = pytest.mark.parametrize(
    ("server", "era", "version"), [(LEGACY, "legacy", "2025-11-25"), (MODERN, "modern", "2026-07-28")]
)


@each_era
def test_info(server: str, era: str, version: str) -> None:
    outcome = here("info", server)

    assert (outcome.code, outcome.err) == (0, "")
    assert f"protocol:      {version} ({era})\n" in outcome.out
    assert "tools (listChanged)" in outcome.out


@each_era
def test_info_as_json(server: str, era: str, version: str) -> None:
    told = here("info", server, "--json").document

    assert list(told) == ["protocolVersion", "era", "server", "capabilities", "instructions"]
    assert (told["protocolVersion"], told["era"]) == (version, era)
    assert told["server"]["name"] == f"dragoman-demo-{era}"
    assert told["capabilities"]["resources"] == {"subscribe": True, "listChanged": True}
    assert told["instructions"].startswith("An inn")


@pytest.mark.parametrize(
    ("command", "key", "first", "beginning"),
    [
        ("tools", "tools", "echo", "echo\ttext\tSays what you said.\n"),
        ("resources", "resources", "guide", "demo://guide\ttext/markdown\tHouse guide\n"),
        ("templates", "resourceTemplates", "city", "demo://cities/{city}\tapplication/json\tcity\n"),
        ("prompts", "prompts", "greeting", "greeting\tname [language]\tGreet {name} at"),
    ],
)
@pytest.mark.parametrize("server", [LEGACY, MODERN])
def test_lists_are_rows_in_a_pipe_and_wire_shapes_as_json(
    server: str, command: str, key: str, first: str, beginning: str
) -> None:
    assert here(command, server).out.startswith(beginning)

    told = here(command, server, "--json").document
    assert list(told) == [key]
    assert told[key][0]["name"] == first
    assert len(told[key]) >= 3


def test_tool_in_detail_tells_its_arguments_and_how_to_call_it() -> None:
    outcome = here("tools", ODD, "typed")

    assert outcome.out.splitlines() == [
        "typed",
        "Gives back what it got.",
        "id\tstring\trequired\t",
        "count\tinteger\t\t",
        "ratio\tnumber\t[0.5]\tof one to another",
        "flag\tboolean\t\t",
        "tags\tarray of string\t\t",
        "where\tobject\t\t",
        "where.city\tstring\t\t",
        "where.floor\tinteger\t\t",
    ]
    assert outcome.err.startswith("To call it: dragoman call ")
    assert outcome.err.endswith(" typed id=...\n")
    assert here("tools", ODD, "typed", "--json").document["tools"][0]["name"] == "typed"


def test_what_is_shown_for_calling_a_tool_can_be_typed(tmp_path: Path) -> None:
    file = tmp_path / "my servers.json"
    file.write_text(json.dumps({"in n": {"command": sys.executable, "args": ["-m", "dragoman.demo.legacy"]}}))
    script = "import sys; sys.argv[0] = ''; from runpy import run_module; run_module('dragoman.demo.legacy', run_name='__main__')"
    server = f'{sys.executable} -c "{script}"'

    for words in (("in n", "--config", str(file)), (server,)):
        _, _, line = here("tools", words[0], "fail", *words[1:]).err.partition("To call it: dragoman ")
        assert here(*shlex.split(line)).code == 5


def test_list_of_what_is_not_offered_is_empty() -> None:
    plain, told = here("prompts", CHANGING), here("prompts", CHANGING, "--json")

    assert (plain.code, plain.out, plain.err) == (0, "", "The server offers no prompts.\n")
    assert (told.code, told.document) == (0, {"prompts": []})


@pytest.mark.parametrize("server", [LEGACY, MODERN])
def test_call_prints_text_as_it_is(server: str) -> None:
    outcome = here("call", server, "distance", "origin=Cairo", "destination=Venice")

    assert (outcome.code, outcome.out, outcome.err) == (0, "2375 km\n", "")


@pytest.mark.parametrize("server", [LEGACY, MODERN])
def test_call_as_json_is_the_result_as_it_came(server: str) -> None:
    told = here("call", server, "distance", "--json", "origin=Cairo", "destination=Venice").document

    assert told["content"] == [{"type": "text", "text": "2375 km"}]
    assert told["structuredContent"] == {"origin": "Cairo", "destination": "Venice", "kilometres": 2375}


@pytest.mark.edge("B125")
def test_arguments_keep_the_type_that_the_schema_gives_them() -> None:
    typed = ["id=0123", "count=3", "ratio=1.5", "flag=yes", "tags=a", "tags=b", "where.city=Cairo", "where.floor=2"]
    outcome = here("call", ODD, "typed", *typed)

    assert json.loads(outcome.out) == {
        "id": "0123",
        "count": 3,
        "ratio": 1.5,
        "flag": True,
        "tags": ["a", "b"],
        "where": {"city": "Cairo", "floor": 2},
    }


@pytest.mark.edge("B125")
@pytest.mark.parametrize("form", ["text", "file", "input"])
def test_arguments_as_a_whole_are_sent_as_they_stand(form: str, tmp_path: Path) -> None:
    whole = '{"id": 123, "unknown": [null]}'
    file = tmp_path / "arguments.json"
    file.write_text(whole)
    word = {"text": whole, "file": f"@{file}", "input": "-"}[form]
    outcome = here("call", ODD, "typed", "--args", word, "flag=no", given=whole)

    assert json.loads(outcome.out) == {"id": 123, "unknown": [None], "flag": False}


def test_words_behind_two_dashes_are_arguments() -> None:
    outcome = here("call", LEGACY, "echo", "--", "text=--json")

    assert outcome.out == "--json\n"


def test_pictures_are_described_and_saved(tmp_path: Path) -> None:
    described = here("call", ODD, "pictures")
    saved = here("call", ODD, "pictures", "--save", str(tmp_path / "new"))

    assert (described.code, described.out) == (0, "")
    assert described.err.splitlines() == [
        "[image, image/png, 69 bytes: --save FOLDER keeps it]",
        "[audio, audio/wav, 3 bytes: --save FOLDER keeps it]",
        "[resource, of unknown type, 3 bytes: --save FOLDER keeps it]",
        "warning: image, image/png: ImageContent.data is not base64: 'not base64!'",
        "[hologram: --json shows it]",
    ]
    assert sorted(file.stat().st_size for file in (tmp_path / "new").iterdir()) == [3, 3, 69]
    assert str(tmp_path / "new" / "image-1.png") in saved.err


def test_pictures_are_saved_beside_json_too(tmp_path: Path) -> None:
    as_json = here("call", ODD, "pictures", "--json", "--save", str(tmp_path / "new"))

    assert as_json.document["content"]
    assert sorted(each.name[:5] for each in (tmp_path / "new").iterdir()) == ["audio", "image", "resou"]


def test_a_resource_is_written_to_a_file_beside_json_too(tmp_path: Path) -> None:
    as_json = here("read", LEGACY, "demo://guide", "--json", "-o", str(tmp_path / "guide"))

    assert as_json.document["contents"][0]["text"] == (tmp_path / "guide").read_text("utf-8")


def test_links_and_embedded_text_are_results() -> None:
    assert here("call", ODD, "links").out == "odd://text\nembedded\n"


def test_nothing_is_printed_for_nothing() -> None:
    outcome = here("call", ODD, "nothing")

    assert (outcome.code, outcome.out, outcome.err) == (0, "", "")


def test_result_that_breaks_the_tools_schema_is_shown_with_a_warning() -> None:
    outcome = here("call", ODD, "untrue")

    assert (outcome.code, outcome.out) == (0, "text\n")
    assert outcome.err.startswith("warning: the result breaks the tool's own output schema: /n: ")


@pytest.mark.parametrize("server", [LEGACY, MODERN])
def test_read_writes_what_the_resource_holds_and_no_more(server: str, tmp_path: Path) -> None:
    plain = here("read", server, "demo://guide")
    told = here("read", server, "demo://guide", "--json").document
    file = here("read", server, "demo://phrases/Persian", "-o", str(tmp_path / "phrase"))

    assert plain.out.endswith("while somebody watches it.\n")
    assert told["contents"][0]["text"] == plain.out
    assert (file.code, file.out, file.err) == (0, "", "")
    assert (tmp_path / "phrase").read_text() == "dorud"


def test_read_writes_bytes_into_a_pipe_or_a_file(tmp_path: Path) -> None:
    import subprocess

    from tests.cli.command import PROGRAM, surroundings

    piped = subprocess.run([*PROGRAM, "read", ODD, "odd://pixel"], capture_output=True, env=surroundings(), check=True)
    here("read", ODD, "odd://pixel", "--output", str(tmp_path / "pixel.png"))

    assert piped.stdout.startswith(b"\x89PNG")
    assert (tmp_path / "pixel.png").read_bytes() == piped.stdout


@pytest.mark.parametrize("server", [LEGACY, MODERN])
def test_get_fills_a_prompt_in(server: str) -> None:
    words = ("get", server, "greeting", "name=Leila", "language=Persian")
    told = here(*words, "--json").document

    assert here(*words).out == "Greet Leila at the door of the inn, in Persian.\n"
    assert told["messages"][0]["role"] == "user"


def test_get_tells_slips() -> None:
    assert "name is missing" in here("get", LEGACY, "greeting").err
    assert "no argument 'nmae'\n  hint: did you mean 'name'?" in here("get", LEGACY, "greeting", "nmae=x").err
    assert "'name' is given more than once" in here("get", LEGACY, "greeting", "name=x", "name=y").err
    assert "'name' takes text" in here("get", LEGACY, "greeting", "name:=5").err
    assert (
        "'city' is given more than once"
        in here("complete", LEGACY, "day_plan", "interest", "--with", "city=Cairo", "--with", "city=Venice").err
    )


def test_pictures_of_a_prompt_are_described_and_saved(tmp_path: Path) -> None:
    folder = tmp_path / "album"
    described = here("get", ODD, "album")
    saved = here("get", ODD, "album", "--save", str(folder))
    beside = here("get", ODD, "album", "--save", str(folder), "--json")

    assert "--save FOLDER keeps it" in described.err
    assert (saved.out, saved.code, beside.code) == ("Look.\n", 0, 0)
    assert sorted(file.name for file in folder.iterdir()) == ["image-1.png", "image-2.png"]


@pytest.mark.parametrize("command", ["call", "tools"])
def test_names_are_listed_as_the_server_lists_them(command: str) -> None:
    assert "the tools are typed, nothing, escapes, " in here(command, ODD, "x" * 30).err


@pytest.mark.parametrize("server", [LEGACY, MODERN])
def test_complete_suggests_for_prompts_and_templates(server: str) -> None:
    assert here("complete", server, "greeting", "language", "P").out == "Persian\n"
    assert here("complete", server, "day_plan", "interest", "--with", "city=Cairo").out == "pyramids\nriver\n"

    told = here("complete", server, "demo://cities/{city}", "city", "Is", "--json").document
    assert told["completion"]["values"] == ["Isfahan", "Istanbul"]


def test_ping_tells_the_time_it_took() -> None:
    assert "answered in" in here("ping", LEGACY).out
    assert 0 < here("ping", MODERN, "--json").document["milliseconds"] < 20_000


def test_options_for_the_process_reach_it(tmp_path: Path) -> None:
    code = "import os, sys; print(os.getcwd(), os.environ.get('FLAVOUR'), file=sys.stderr)"
    server = f'{sys.executable} -c "{code}"'
    outcome = here("info", server, "--cwd", str(tmp_path), "--env", "FLAVOUR=mint=fresh")

    assert outcome.code == 3
    assert f"{tmp_path} mint=fresh" in outcome.err


@pytest.mark.parametrize(
    ("server", "option", "value"),
    [
        (LEGACY, "--header", "Authorization: Bearer x"),
        (LEGACY, "--ca-file", "ca.pem"),
        ("http://127.0.0.1:9/mcp", "--env", "A=b"),
        ("HTTP://127.0.0.1:9/mcp", "--cwd", "/"),
        ("http://127.0.0.1:9/mcp", "--inherit-env", "none"),
    ],
)
def test_an_option_that_would_do_nothing_is_refused(server: str, option: str, value: str) -> None:
    error = here("info", server, option, value, "--json")

    assert error.code == 2
    assert error.document["error"]["message"].startswith(f"{option} does nothing for a server that ")


def test_log_of_the_server_is_shown_from_the_level_that_was_asked_for() -> None:
    shown = here("call", LEGACY, "log", "--log-level", "critical")

    assert shown.err.splitlines() == [
        f'{level}: demo: {{"about": "the inn", "level": "{level}"}}' for level in ("critical", "alert", "emergency")
    ]
    assert here("call", LEGACY, "log").err == ""


def test_protocol_version_can_be_chosen() -> None:
    assert here("info", LEGACY, "--protocol", "2025-11-25").code == 0
    assert here("info", MODERN, "--protocol", "2025-11-25").code == 3


def test_text_of_servers_is_faithful_in_pipes_and_harmless_everywhere_else() -> None:
    assert here("call", ODD, "escapes").out == ESCAPES + "\n"
    assert here("read", ODD, "odd://text").out == ESCAPES

    harmless = [here("tools", ODD), here("info", ODD), here("call", ODD, "refuse")]
    for outcome in harmless:
        assert not {"\x1b", "\x07", "\x9b", "\r", "\u202e"} & set(outcome.out + outcome.err)
    assert "[bold]not markup[/bold]" in harmless[0].out


def test_json_is_harmless_and_the_same_value() -> None:
    outcome = here("call", ODD, "escapes", "--json")

    assert not {"\x1b", "\x07", "\x9b", "\r", "\u202e"} & set(outcome.out)
    assert outcome.document["content"][0]["text"] == ESCAPES


def test_form_is_cancelled_where_there_is_nobody_to_ask() -> None:
    outcome = here("call", MODERN, "book_room")

    assert (outcome.code, outcome.out) == (0, "no room was booked\n")
    assert outcome.err == "warning: cancelled, because there is no terminal to ask on: Who is coming?\n"


def test_number_out_of_range_costs_nothing_else() -> None:
    listed = here("tools", ODD, "--json").document["tools"]
    called = here("call", ODD, "vast", "--json").document
    greatest = 1.7976931348623157e308

    assert (
        next(tool["inputSchema"] for tool in listed if tool["name"] == "vast")["properties"]["n"]["maximum"] == greatest
    )
    assert called["structuredContent"] == {"n": None, "most": greatest}
    assert here("tools", ODD).code == 0


def test_whole_arguments_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "arguments.json").write_bytes(b'\xef\xbb\xbf{"text": "hi"}')

    assert here("call", LEGACY, "echo", "--args", "-", given='\ufeff{"text": "hi"}').out == "hi\n"
    assert here("call", LEGACY, "echo", "--args", f"@{tmp_path / 'arguments.json'}").out == "hi\n"
