"""Files of any format, and the line of each field."""

import pytest

from dragoman.errors import ConfigError
from dragoman.host import documents
from dragoman.host.documents import Document, read_document


def test_json_is_read_with_its_lines() -> None:
    document = read_document('\ufeff{\r\n"a": 1,\r\n// why\r\n"a": 2,\r\n}', "mcp.json")

    assert document == Document({"a": 2}, {("a",): 4}, "mcp.json", (("a",),))


def test_a_text_without_a_file_is_json() -> None:
    assert read_document('{"a": 1}').value == {"a": 1}


def test_yaml_is_read_with_its_lines() -> None:
    document = read_document("a:\n  b: [x,\n    y]\nc: &it {d: 1}\ne: *it\n", "servers.yaml")

    assert document.value == {"a": {"b": ["x", "y"]}, "c": {"d": 1}, "e": {"d": 1}}
    assert document.lines == {
        ("a",): 1,
        ("a", "b"): 2,
        ("a", "b", 0): 2,
        ("a", "b", 1): 3,
        ("c",): 4,
        ("c", "d"): 4,
        ("e",): 5,
    }


def test_deep_yaml_has_lines_so_deep_and_no_deeper() -> None:
    text = "\n".join("  " * depth + f"k{depth}:" for depth in range(12))

    assert max(map(len, read_document(text, "x.yml").lines)) == 8


def test_empty_yaml_says_nothing() -> None:
    assert read_document("# nothing", "x.yml").value == {}


def test_toml_is_read_with_its_lines() -> None:
    text = '[mcp_servers.git] # the first\ncommand = "uvx"\nargs = [\n  "x",\n]\n[mcp_servers."a b".env]\n\'X\'."y" = "1"\n'

    document = read_document(text, "config.toml")

    assert document.value["mcp_servers"]["git"] == {"command": "uvx", "args": ["x"]}
    assert document.lines == {
        ("mcp_servers", "git"): 1,
        ("mcp_servers", "git", "command"): 2,
        ("mcp_servers", "git", "args"): 3,
        ("mcp_servers", "a b", "env"): 6,
        ("mcp_servers", "a b", "env", "X", "y"): 7,
    }


@pytest.mark.parametrize(
    ("text", "file", "what", "line"),
    [
        ('{\n"a": }', "x.json", "it is not JSON", 2),
        ("a: [", "x.yaml", "it is not YAML", 1),
        ("\0", "x.yaml", "it is not YAML", None),
        ("a = 1\nb = = 2", "x.toml", "it is not TOML", 2),
        ("a = [", "x.toml", "it is not TOML", None),
        ("[" * 1500, "x.yaml", "too deeply", None),
        ("a = " + "[" * 5000, "x.toml", "too deeply", None),
    ],
)
def test_what_cannot_be_read_is_told(text: str, file: str, what: str, line: int | None) -> None:
    with pytest.raises(ConfigError, match=what) as caught:
        read_document(text, file)

    assert caught.value.file == file
    assert caught.value.line == line


def test_what_is_too_large_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "LIMIT", 10)

    with pytest.raises(ConfigError, match="at most 10 are read"):
        read_document('{"a": "long"}')


def test_the_line_of_what_has_none_is_that_of_what_is_around_it() -> None:
    document = Document({}, {("a",): 3})

    assert document.line(("a", "b", "c")) == 3
    assert document.line(("x", "y")) is None


def test_keys_that_stand_twice_in_yaml_are_noted() -> None:
    document = read_document("a: 1\nb:\n  c: 1\n  c: 2\n  <<: {d: 1}\na: 2\n", "x.yaml")

    assert set(document.repeated) == {("a",), ("b", "c")}


def test_of_several_documents_the_later_one_counts() -> None:
    text = "a: {x: 1, y: 1}\nlist: [1]\n---\na: {y: 2}\nlist: [2]\n---\n- other\n---\n"
    document = read_document(text.replace("---\n- other\n", ""), "application.yaml")

    assert document.value == {"a": {"x": 1, "y": 2}, "list": [2]}
    assert (document.line(("a", "x")), document.line(("a", "y")), document.line(("list",))) == (1, 4, 5)
    assert read_document(text, "x.yaml").value == ["other"]


@pytest.mark.parametrize(
    "profile",
    [
        "spring: {config: {activate: {on-profile: prod}}}",
        "spring: {profiles: prod}",
        "spring.config.activate.on-profile: prod",
    ],
)
def test_what_holds_for_some_profiles_alone_is_left_out(profile: str) -> None:
    assert read_document(f"a: 1\n---\n{profile}\na: 2\n", "application.yaml").value == {"a": 1}
    assert read_document("a: 1\n---\nspring: {config: x}\na: 2\n", "application.yaml").value["a"] == 2
