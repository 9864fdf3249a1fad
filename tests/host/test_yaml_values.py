"""YAML as people mean it."""

from typing import Any

import pytest
import yaml

from dragoman.host.yaml_values import read_yaml


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("true", True),
        ("False", False),
        ("no", "no"),
        ("on", "on"),
        ("12:30", "12:30"),
        ("012", "012"),
        ("0", 0),
        ("-7", -7),
        ("1.5", 1.5),
        ("1e3", 1000.0),
        ("2026-07-28", "2026-07-28"),
        ("~", None),
        ("null", None),
        ("''", ""),
        ("20s", "20s"),
        ("1.0.0", "1.0.0"),
        ("[1, a]", [1, "a"]),
    ],
)
def test_plain_values_are_those_of_yaml_1_2(written: str, value: Any) -> None:
    assert read_yaml(f"a: {written}")[0][0] == {"a": value}


def test_keys_are_texts() -> None:
    assert read_yaml("1: a\ntrue: b\nx:\n")[0][0] == {"1": "a", "true": "b", "x": None}


def test_an_empty_file_has_no_value() -> None:
    assert read_yaml("# nothing") == []


def test_what_is_referred_to_is_one_thing() -> None:
    [(value, _)] = read_yaml("a: &it {b: [1]}\nc: *it\nd: {<<: *it, e: 2}")

    assert value == {"a": {"b": [1]}, "c": {"b": [1]}, "d": {"b": [1], "e": 2}}
    assert value["a"] is value["c"]


def test_references_do_not_multiply() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 30)]

    [(value, _)] = read_yaml("\n".join(lines))

    assert len(value["a29"]) == 10


def test_a_file_may_have_several_documents() -> None:
    assert [value for value, _ in read_yaml("a: 1\n---\n---\nb: 2")] == [{"a": 1}, None, {"b": 2}]


def test_no_objects_are_made() -> None:
    with pytest.raises(yaml.YAMLError):
        read_yaml("!!python/object/apply:os.system [touch /tmp/canary]")
