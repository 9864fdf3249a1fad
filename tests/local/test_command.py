"""Command lines: split, named and shown."""

import time

import pytest

from dragoman.errors import UsageError
from dragoman.local.command import advice, brief, server_name, shown, split, without_secrets


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("uvx mcp-server-git", ["uvx", "mcp-server-git"]),
        ("  python  -m  x ", ["python", "-m", "x"]),
        ("a 'b c' \"d e\" f\\ g", ["a", "b c", "d e", "f g"]),
        ("a '' b", ["a", "", "b"]),
        ("a $HOME `x` ; | & * ~", ["a", "$HOME", "`x`", ";", "|", "&", "*", "~"]),
        ("größe 'ü ü'", ["größe", "ü ü"]),
        ("a # no comment", ["a", "#", "no", "comment"]),
    ],
)
def test_line_is_split_as_a_shell_would(line: str, words: list[str]) -> None:
    assert split(line, windows=False) == tuple(words)


@pytest.mark.edge("B19")
@pytest.mark.parametrize(
    ("line", "words"),
    [
        (r"C:\Python\python.exe -m x", [r"C:\Python\python.exe", "-m", "x"]),
        (r'"C:\Program Files\node.exe" a', [r"C:\Program Files\node.exe", "a"]),
        (r"a 'b c'", ["a", "'b", "c'"]),
        (r'a "b \"c\" d"', ["a", 'b "c" d']),
        (r"a b\\\"c", ["a", r"b\"c"]),
        (r'a "b\\" c', ["a", "b\\", "c"]),
        ('a "" b\t\tc', ["a", "", "b", "c"]),
        (r"a \\server\share", ["a", r"\\server\share"]),
        ('a pre"mid dle"post', ["a", "premid dlepost"]),
    ],
)
def test_line_is_split_as_windows_programs_do(line: str, words: list[str]) -> None:
    assert split(line, windows=True) == tuple(words)


@pytest.mark.parametrize("windows", [False, True])
@pytest.mark.parametrize("line", ["", "   ", "a 'b", 'a "b'])
def test_line_without_a_command_or_with_an_open_quotation_is_refused(line: str, windows: bool) -> None:
    if windows and "'" in line:
        assert split(line, windows=True) == ("a", "'b")
        return
    with pytest.raises(UsageError):
        split(line, windows=windows)


def test_words_are_taken_as_they_are() -> None:
    assert split(["a b", "", "$c"], windows=False) == ("a b", "", "$c")
    with pytest.raises(UsageError, match="NUL"):
        split(["a", "\0"], windows=False)
    with pytest.raises(UsageError, match="empty"):
        split([], windows=False)


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("uvx mcp-server-git", "mcp-server-git"),
        ("uvx mcp-server-git@2026.1 --repository /x", "mcp-server-git"),
        ("uvx --from git+https://example.com/x server-x", "server-x"),
        ("npx -y @modelcontextprotocol/server-everything@1.2.3 stdio", "server-everything"),
        ("python -m mcp_server_time --utc", "mcp_server_time"),
        ("/usr/bin/python3.12 servers/weather.py", "weather"),
        ("node index.js", "index"),
        ("node build/index.js", "index"),
        ("node /srv/weather/dist/index.js stdio", "weather"),
        ("node node_modules/@modelcontextprotocol/server-everything/dist/index.js", "server-everything"),
        ("docker run -i --rm -e TOKEN=x ghcr.io/github/github-mcp-server:1", "github-mcp-server"),
        ("env API_KEY=x my-server", "my-server"),
        ("./server.sh", "server"),
        ("python", "python"),
        ("uv run --directory /x server", "server"),
        ("python -m", "server"),
    ],
)
def test_server_is_named_after_what_is_run(line: str, name: str) -> None:
    assert server_name(split(line, windows=False)) == name


def test_server_is_named_after_what_is_run_on_windows() -> None:
    assert server_name([r"C:\tools\weather.exe"]) == "weather"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("s --api-key hunter2 --port 80", "s --api-key *** --port 80"),
        ("s --api-key=hunter2", "s --api-key=***"),
        ("s --token --verbose", "s --token --verbose"),
        ("s --header 'Authorization: Bearer abc'", "s --header Authorization:***"),
        ("s -e GITHUB_TOKEN=abc -e LEVEL=info", "s -e GITHUB_TOKEN=*** -e LEVEL=info"),
        ("s postgres://me:secret@host/db", "s postgres://***@host/db"),
        ("s https://host/x?api_key=abc&page=2", "s 'https://host/x?api_key=***&page=2'"),
        ("s ghp_0123456789abcdef", "s ***"),
        ("s sk-ant-REDACTED", "s ***"),
        ("s 0123456789abcdef0123456789abcdef", "s ***"),
        (
            "s /home/me/a/rather/long/path/to/somewhere/deep/in/it",
            "s /home/me/a/rather/long/path/to/somewhere/deep/in/it",
        ),
        ("uvx mcp-server-git --repository /work/monkey", "uvx mcp-server-git --repository /work/monkey"),
    ],
)
def test_command_is_shown_without_its_secrets(line: str, expected: str) -> None:
    assert shown(split(line, windows=False)) == expected


def test_argument_vector_loses_its_secrets_word_by_word() -> None:
    assert without_secrets(["s", "--password", "abc", "x"]) == ("s", "--password", "***", "x")


def test_of_a_long_word_the_beginning_is_shown_where_it_is_to_be_brief() -> None:
    assert brief(["python", "-c", "x y" * 1000, "--token=abc"]) == f"python -c '{('x y' * 100)}...' --token=***"


@pytest.mark.parametrize("part", ["x", "A1", "-", "a=", "?", "?a", "://", "@", " ", ".", '{"a":'])
def test_a_very_long_word_is_shown_in_little_time(part: str) -> None:
    begun = time.process_time()
    shown(["python", "-c", part * (100_000 // len(part))])

    assert time.process_time() - begun < 2


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("a" * 40, "a" * 40),
        ("1" * 40, "1" * 40),
        ("a1" * 20, "***"),
        ("a" * 40 + "/b1", "***/b1"),
        ("b1/" + "a" * 40, "b1/" + "a" * 40),
    ],
)
def test_a_long_run_of_letters_and_digits_is_concealed(word: str, expected: str) -> None:
    assert without_secrets([word]) == (expected,)


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (["npx", "x"], "Node.js"),
        (["/usr/bin/uvx"], "pip install uv"),
        (["npx -y x"], "as one string"),
        (["~/server"], "no shell"),
        (["whatever"], "on the PATH"),
    ],
)
def test_advice_fits_the_command(argv: list[str], expected: str) -> None:
    assert expected in advice(argv)
