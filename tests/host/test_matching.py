"""Patterns of rules."""

from typing import Any

import pytest

from dragoman.host.matching import Matcher, argument_matches, pattern_matches


def test_names_fit_patterns() -> None:
    assert pattern_matches("read_*", "read_file")
    assert not pattern_matches("read_*", "Read_file")


@pytest.mark.parametrize(
    ("arguments", "name", "wanted", "fits"),
    [
        ({"path": "/etc/passwd"}, "path", "/etc/*", True),
        ({"path": "/home/me/x"}, "path", "/etc/*", False),
        ({"path": "/home/me/../../etc/passwd"}, "path", "/home/me/*", False),
        ({"path": "/home/me/../../etc/passwd"}, "path", "/etc/*", True),
        ({"path": "\\home\\me"}, "path", "/home/*", True),
        ({"path": "//etc/./passwd"}, "path", "/etc/*", True),
        ({"path": ""}, "path", "/*", False),
        ({"path": "/home/me/x://../../../etc/passwd"}, "path", "/home/*", False),
        ({"path": "/home/me/x://../../../etc/passwd"}, "path", "/etc/*", True),
        ({"path": "file:///etc/passwd"}, "path", "/etc/*", True),
        ({"path": "FILE://localhost/home/../%65tc/passwd"}, "path", "/etc/*", True),
        ({"path": "file:/etc/passwd"}, "path", "/etc/*", True),
        ({"path": "file:///etc/passwd"}, "path", "file:///etc/*", True),
        ({"path": "C:\\Users\\..\\Windows\\x"}, "path", "C:\\Windows\\*", True),
        ({"path": "c:/windows/x"}, "path", "C:\\Windows\\*", True),
        ({"path": "C:\\Windows\\..\\Users\\x"}, "path", "c:/windows/*", False),
        ({"url": "https://a/../b"}, "url", "https://a/*", True),
        ({"path": "x"}, "path", ["y", "x"], True),
        ({"n": 5}, "n", "5", True),
        ({"n": 5}, "n", lambda value: value > 3, True),
        ({"n": 5}, "m", "*", False),
        ({"filter": {"owner": "me"}}, "filter.owner", "me", True),
        ({"filter.owner": "me"}, "filter.owner", "me", True),
        ({"filter": "me"}, "filter.owner", "me", False),
        ({"rows": [{"id": "a"}, {"id": "b"}]}, "rows.id", "b", True),
        ({"paths": ["a", "/etc/x"]}, "paths", "/etc/*", True),
        ({"a": {"b": ["deep secret"]}}, "*", "*secret*", True),
        ({"a": {"b": ["deep"]}}, "*", "*secret*", False),
        ({"rows": [{"id": "a"}, "odd"]}, "rows.id", "c", False),
        (None, "a", "*", False),
    ],
)
def test_arguments_fit_patterns(arguments: Any, name: str, wanted: Matcher, fits: bool) -> None:
    assert argument_matches(arguments, name, wanted) is fits


@pytest.mark.parametrize(
    ("value", "some", "every"),
    [
        ("/safe/a", True, True),
        (["/safe/a", "/safe/b"], True, True),
        (["/safe/a", "/etc/passwd"], True, False),
        ({"from": "/safe/a", "to": "/etc/passwd"}, True, False),
        ({"deep": [{"at": "/safe/a"}]}, True, True),
        ([], False, False),
        ("/etc/passwd", False, False),
    ],
)
def test_one_of_several_fits_or_all(value: Any, some: bool, every: bool) -> None:
    assert argument_matches({"path": value}, "path", "/safe/*") is some
    assert argument_matches({"path": value}, "path", "/safe/*", every=True) is every


def test_equal_numbers_fit_alike() -> None:
    assert argument_matches({"n": 5.0}, "n", "5")
    assert argument_matches({"n": 5.5}, "n", "5.5")
    assert not argument_matches({}, "n", "*", every=True)
