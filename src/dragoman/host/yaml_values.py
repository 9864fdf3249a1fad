"""Read YAML as people mean it: `on`, `no` and `012` are texts, as in YAML 1.2, and nothing becomes an object."""

from __future__ import annotations

import re
from typing import Any

import yaml

__all__ = ["read_yaml"]


def read_yaml(text: str) -> list[tuple[Any, Any]]:
    """Give the plain value of each document, and the node that it was made of, which knows its lines.

    Keys are texts. What is referred to several times is one thing: a few lines could otherwise grow without end.

    Raises:
        yaml.YAMLError: it is no YAML, or more than plain values.
    """
    loader = _Loader(text)
    found: list[tuple[Any, Any]] = []
    try:
        while loader.check_node():
            node = loader.get_node()
            _make_keys_texts(node, set())
            found.append((loader.construct_document(node), node))
    finally:
        loader.dispose()
    return found


class _Loader(yaml.SafeLoader):
    """The safe loader, with the plain values of YAML 1.2 (Core Schema), and no dates."""


# The class would share its parent's table, with what YAML 1.1 means by `no` and `12:30`.
setattr(_Loader, "yaml_implicit_resolvers", {})  # noqa: B010 - the stubs know it as an attribute of loaders alone
for _name, _pattern, _firsts in (
    ("bool", r"true|True|TRUE|false|False|FALSE", [*"tTfF"]),
    ("null", r"~|null|Null|NULL|", [*"~nN", ""]),
    ("int", r"0|[-+]?[1-9][0-9]*", [*"-+0123456789"]),
    ("float", r"[-+]?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?", [*"-+0123456789"]),
    ("merge", r"<<", ["<"]),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_name}", re.compile(rf"^(?:{_pattern})$"), _firsts)


def _make_keys_texts(node: Any, seen: set[int]) -> None:
    if id(node) in seen or node.id == "scalar":
        return
    seen.add(id(node))
    for part in node.value:
        key, inner = part if node.id == "mapping" else (None, part)
        if key is not None and key.id == "scalar" and key.value != "<<":
            key.tag = "tag:yaml.org,2002:str"
        _make_keys_texts(inner, seen)
