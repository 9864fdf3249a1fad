"""A line to each demo server, and both in turn for what they must do alike."""

from collections.abc import Iterator

import pytest

from tests.demo.line import Line, Message, modern_meta, open_line

ANSWERS: Message = {"elicitation": {"form": {}}, "sampling": {}}


def _dress(params: Message) -> Message:
    return {**params, "_meta": {**modern_meta(clientCapabilities=ANSWERS), **params.get("_meta", {})}}


def _shake_hands(line: Line) -> None:
    client = {"name": "a test", "version": "1"}
    line.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": ANSWERS, "clientInfo": client})
    line.send({"method": "notifications/initialized"})


@pytest.fixture
def modern() -> Iterator[Line]:
    with open_line("dragoman.demo.modern", _dress) as line:
        yield line


@pytest.fixture
def fresh_legacy() -> Iterator[Line]:
    with open_line("dragoman.demo.legacy") as line:
        yield line


@pytest.fixture
def legacy(fresh_legacy: Line) -> Line:
    _shake_hands(fresh_legacy)
    return fresh_legacy


@pytest.fixture(params=["legacy", "modern"])
def line(request: pytest.FixtureRequest) -> Line:
    either: Line = request.getfixturevalue(request.param)
    return either
