"""What a server is given of our environment."""

import pytest

from dragoman.errors import UsageError
from dragoman.local.environment import environment, inherited

OURS = {
    "PATH": "/bin",
    "HOME": "/home/me",
    "LC_TIME": "C",
    "XDG_CACHE_HOME": "/c",
    "SSL_CERT_FILE": "/ca.pem",
    "https_proxy": "http://proxy:3128",
    "HTTP_PROXY": "http://me:secret@proxy:3128",
    "OPENAI_API_KEY": "secret",
    "SSH_AUTH_SOCK": "/agent",
    "TERM": "() { echo; }",
    "LD_PRELOAD": "/evil.so",
}

WINDOWS = {
    "Path": r"C:\Windows",
    "SystemRoot": r"C:\Windows",
    "ProgramData": r"C:\ProgramData",
    "ComSpec": r"C:\Windows\system32\cmd.exe",
    "windir": r"C:\Windows",
    "PATHEXT": ".COM;.EXE;.BAT;.CMD",
    "APPDATA": r"C:\Users\me\AppData\Roaming",
    "LOCALAPPDATA": r"C:\Users\me\AppData\Local",
    "USERPROFILE": r"C:\Users\me",
    "TEMP": r"C:\T",
    "ProgramFiles(x86)": r"C:\Program Files (x86)",
    "GITHUB_TOKEN": "secret",
}


@pytest.mark.edge("B16")
def test_safe_part_holds_what_programs_need_and_no_secret() -> None:
    assert inherited(OURS, "safe", windows=False) == {
        "PATH": "/bin",
        "HOME": "/home/me",
        "LC_TIME": "C",
        "XDG_CACHE_HOME": "/c",
        "SSL_CERT_FILE": "/ca.pem",
        "https_proxy": "http://proxy:3128",
    }


@pytest.mark.edge("B16")
def test_safe_part_on_windows_is_what_windows_requires() -> None:
    expected = {name: value for name, value in WINDOWS.items() if name != "GITHUB_TOKEN"}

    assert inherited(WINDOWS, "safe", windows=True) == expected


def test_everything_but_exported_functions_and_nothing() -> None:
    assert inherited(OURS, "all", windows=False).keys() == OURS.keys() - {"TERM"}
    assert inherited(OURS, "none", windows=False) == {}


@pytest.mark.edge("B15")
def test_users_values_stand_over_the_base() -> None:
    made = environment({"PATH": "/mine", "KEY": "x"}, ours={"PATH": "/bin", "HOME": "/h"}, windows=False)

    assert made == {"PATH": "/mine", "HOME": "/h", "KEY": "x", "PYTHONUTF8": "1"}


@pytest.mark.edge("B14")
def test_python_is_told_to_use_utf8_unless_the_user_decides() -> None:
    assert environment(ours={})["PYTHONUTF8"] == "1"
    assert environment({"PYTHONUTF8": "0"}, ours={})["PYTHONUTF8"] == "0"
    assert environment(inherit="all", ours={"PYTHONUTF8": "0"})["PYTHONUTF8"] == "0"
    assert environment(inherit="none", ours={}) == {}


def test_names_on_windows_differ_by_more_than_case() -> None:
    assert environment({"PATH": "x"}, ours=WINDOWS, windows=True).keys() >= {"PATH", "SystemRoot"}
    assert "Path" not in environment({"PATH": "x"}, ours=WINDOWS, windows=True)


@pytest.mark.parametrize("values", [{"A=B": "x"}, {"": "x"}, {"A": "\0"}, {"A": 1}, {"A": None}])
def test_what_no_environment_can_hold_is_refused(values: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        environment(values, ours={})


def test_unknown_switch_is_refused() -> None:
    with pytest.raises(UsageError, match='write "safe", "all" or "none"'):
        environment(inherit="some", ours={})  # type: ignore[arg-type]
