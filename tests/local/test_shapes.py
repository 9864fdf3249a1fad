"""Objects that have a shape of their own, or that of what they wrap."""

from typing import Any, Protocol

from dragoman.local.shapes import fits


class Named(Protocol):
    label: str

    def call(self) -> str: ...


class Plain:
    label = "plain"

    def call(self) -> str:
        return self.label


class Wrapped:
    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class Unlabelled:
    def call(self) -> str:
        return ""


def test_what_has_all_of_it_fits() -> None:
    assert fits(Plain(), Named)


def test_what_gives_all_of_it_from_what_it_wraps_fits() -> None:
    assert fits(Wrapped(Plain()), Named)


def test_what_lacks_a_part_does_not_fit() -> None:
    assert not fits(Unlabelled(), Named)
    assert not fits(Wrapped(Unlabelled()), Named)
    assert not fits(object(), Named)
