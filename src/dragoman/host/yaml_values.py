"""Read YAML as people mean it: `on`, `no` and `012` are texts, as in YAML 1.2, and nothing becomes an object."""

from __future__ import annotations

import re
from typing import Any

import yaml

__all__ = ["read_yaml"]


def read_yaml(text: str) -> tuple[Any, Any]:
    """Give the plain value of a text, and the node that it was made of, which knows its lines; None for an empty one.

    Raises:
        yaml.YAMLError: it is no YAML, or more than plain values.
    """
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
        value = None if node is None else _plain(loader.construct_document(node), {})
    finally:
        loader.dispose()
    return value, node


class _Loader(yaml.SafeLoader):
    """The safe loader, with the plain values of YAML 1.2 (Core Schema), and no dates."""


for _name, _pattern, _firsts in (
    ("bool", r"true|True|TRUE|false|False|FALSE", [*"tTfF"]),
    ("null", r"~|null|Null|NULL|", [*"~nN", ""]),
    ("int", r"0|[-+]?[1-9][0-9]*", [*"-+0123456789"]),
    ("float", r"[-+]?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?", [*"-+0123456789"]),
    ("merge", r"<<", ["<"]),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_name}", re.compile(rf"^(?:{_pattern})$"), _firsts)


def _plain(value: Any, made: dict[int, Any]) -> Any:
    """Make texts of the keys. What an alias refers to stays one thing: a few lines could otherwise grow without end."""
    if id(value) in made:
        return made[id(value)]
    if isinstance(value, dict):
        texts = made[id(value)] = dict[str, Any]()
        texts.update((str(key), _plain(each, made)) for key, each in value.items())
        return texts
    if isinstance(value, list):
        items = made[id(value)] = list[Any]()
        items.extend(_plain(each, made) for each in value)
        return items
    return value
