"""The fields of an entry, and their spellings."""

from typing import Any

import pytest

from dragoman.host.fields import FIELDS, IGNORED, plain_key, read_fields


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ({"command": "uvx"}, {"command": "uvx"}),
        ({"command": 7}, {"command": "7"}),
        ({"command": True}, {"command": "true"}),
        ({"args": ["-y", 1]}, {"args": ("-y", "1")}),
        ({"env": {"A": 1, "B": True, "C": "x", "D": None}}, {"env": {"A": "1", "B": "true", "C": "x"}}),
        ({"env": ["A=1", "B=x=y"]}, {"env": {"A": "1", "B": "x=y"}}),
        ({"request-timeout": "20s"}, {"timeout": 20.0}),
        ({"requestTimeout": 5}, {"timeout": 5.0}),
        ({"startup_timeout_sec": 30}, {"startup": 30.0}),
        ({"enabled": False}, {"disabled": True}),
        ({"isActive": "yes"}, {"disabled": False}),
        ({"disabled": "off"}, {"disabled": False}),
        ({"serverUrl": "https://x"}, {"url": "https://x"}),
        ({"httpUrl": "https://x", "url": "https://y"}, {"url": "https://y"}),
        ({"url": "https://y", "httpUrl": "https://x"}, {"url": "https://y"}),
        ({"includeTools": "a*"}, {"include": ("a*",)}),
        ({"enabled_tools": ["a", "b"]}, {"include": ("a", "b")}),
        ({"at_once": "3"}, {"at_once": 3}),
        ({"rate": "10/s"}, {"rate": (10, 1.0)}),
        ({"policy": "ask"}, {"policy": ("ask",)}),
        ({"policy": ["a"]}, {"policy": ("a",)}),
        ({"auth": {"a": 1}}, {"auth": {"a": 1}}),
        ({"auth": "OAuth"}, {"auth": "oauth"}),
        ({"auth": False}, {"auth": False}),
        ({"auth": {"token": "${T}"}}, {"auth": {"token": "${T}"}}),
        ({"inherit_env": "All", "logLevel": "WARNING"}, {"inherit_env": "all", "log_level": "warning"}),
        ({"url": " https://x "}, {"url": "https://x"}),
        ({"insecure": True}, {"verify": False}),
        ({"tools": ["a*"]}, {"tools": ["a*"]}),
        ({"cwd": None}, {}),
        ({"autoApprove": ["*"], "trust": True, "description": "x"}, {}),
    ],
)
def test_fields_are_read_however_they_are_spelled(written: dict[str, Any], read: dict[str, Any]) -> None:
    values, _, mistakes, unknown = read_fields(written)

    assert (values, mistakes, unknown) == (read, [], [])


def test_the_spelling_is_told() -> None:
    assert read_fields({"serverUrl": "x"})[1] == {"url": "serverUrl"}


@pytest.mark.parametrize(
    ("written", "field", "what"),
    [
        ({"command": None, "args": "x"}, "args", "a text stands where a list belongs"),
        ({"command": [1]}, "command", "a list stands where a text belongs"),
        ({"command": {"a": 1}}, "command", "an object stands where a text belongs"),
        ({"args": ["a", None]}, "args.1", "nothing stands where a text belongs"),
        ({"args": True}, "args", "a truth value stands where a list belongs"),
        ({"args": 1}, "args", "a number stands where a list belongs"),
        ({"env": {"A": []}}, "env.A", "a list stands where a text belongs"),
        ({"env": ["A"]}, "env", "a list stands where names with values belong"),
        ({"environment": "A=1"}, "environment", "a text stands where names with values belong"),
        ({"timeout": "soon"}, "timeout", "'soon' is not a time"),
        ({"timeout": 0}, "timeout", "nothing can be done in no time"),
        ({"inherit_env": "everything"}, "inherit_env", "'everything' is none of safe, all, none"),
        ({"auth": "bearer x"}, "auth", "a text says no way"),
        ({"auth": 5}, "auth", "a number says no way"),
        ({"auth": {"token": 5}}, "auth", "its token is no text"),
        ({"disabled": "maybe"}, "disabled", "'maybe' is neither true nor false"),
        ({"at_once": 0}, "at_once", "0 is not a number of things"),
        ({"at_once": True}, "at_once", "True is not a number of things"),
        ({"at_once": "few"}, "at_once", "'few' is not a number of things"),
    ],
)
def test_what_is_wrong_is_told_with_its_field(written: dict[str, Any], field: str, what: str) -> None:
    _, _, (mistake,), _ = read_fields(written)

    assert (mistake.field, str(mistake)) == (field, what)
    assert mistake.hint


@pytest.mark.edge("B120")
def test_unknown_keys_are_told() -> None:
    assert read_fields({"comand": "x", "command": "y"})[3] == ["comand"]


def test_no_two_fields_have_one_spelling() -> None:
    spellings = [plain_key(each) for field in FIELDS for each in (field.name, *field.spellings, *field.opposites)]

    assert len(set(spellings)) == len(spellings)
    assert not set(spellings) & IGNORED
