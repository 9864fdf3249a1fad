"""Every type reads and writes its wire form, and loses nothing of it."""

import json
from typing import Any

import msgspec
import pytest

from dragoman import types
from tests.types.instances import INSTANCES

every_type = pytest.mark.parametrize(("kind", "wire"), INSTANCES, ids=[kind.__name__ for kind, _ in INSTANCES])


def bytes_of(wire: Any) -> bytes:
    return json.dumps(wire, indent=1).encode()


def test_every_public_type_has_an_instance() -> None:
    public = {getattr(types, name) for name in types.__all__}
    kinds = {each for each in public if isinstance(each, type) and issubclass(each, types.Wire)}

    assert {kind for kind, _ in INSTANCES} == kinds - {types.Wire, types.Listing}


@every_type
def test_an_instance_uses_every_field(kind: type[types.Wire], wire: dict[str, Any]) -> None:
    names = {field.encode_name for field in msgspec.structs.fields(kind)}

    assert names <= wire.keys()


@every_type
def test_fields_written_again_are_what_was_read(kind: type[types.Wire], wire: dict[str, Any]) -> None:
    value = types.decode(bytes_of(wire), kind)

    assert json.loads(types.encode(value)) == wire


@every_type
def test_bytes_are_given_back_as_they_came(kind: type[types.Wire], wire: dict[str, Any]) -> None:
    sent = bytes_of({**wire, "newInTheNextVersion": {"deep": [1, 2.0, None]}})

    value = types.decode(sent, kind)

    assert types.dump(value) == sent
    assert value.raw == json.loads(sent)


@every_type
def test_a_value_without_memory_has_its_wire_form_as_raw(kind: type[types.Wire], wire: dict[str, Any]) -> None:
    value = msgspec.json.decode(bytes_of(wire), type=kind)

    assert value.raw == wire
    assert json.loads(types.dump(value)) == wire


@every_type
def test_values_are_frozen(kind: type[types.Wire], wire: dict[str, Any]) -> None:
    value = types.decode(bytes_of(wire), kind)

    with pytest.raises(AttributeError, match="immutable"):
        setattr(value, msgspec.structs.fields(kind)[0].name, None)


@every_type
def test_equality_looks_at_fields_and_not_at_memory(kind: type[types.Wire], wire: dict[str, Any]) -> None:
    one = types.decode(json.dumps(wire).encode(), kind)
    other = types.decode(json.dumps({**wire, "unknown": 1}).encode(), kind)

    assert one == other


@every_type
def test_optional_fields_may_be_null_on_the_wire(kind: type[types.Wire], wire: dict[str, Any]) -> None:
    optional = {
        field.encode_name
        for field in msgspec.structs.fields(kind)
        if not field.required and field.default_factory is msgspec.NODEFAULT
    }

    types.decode(bytes_of({**wire, **dict.fromkeys(optional)}), kind)


@every_type
def test_a_repr_names_the_type_and_stays_short(kind: type[types.Wire], wire: dict[str, Any]) -> None:
    shown = repr(types.decode(bytes_of(wire), kind))

    assert shown.startswith(f"{kind.__name__}(")
    assert len(shown) < 1500
