"""Long texts by handle."""

import pytest

from dragoman.models.handles import Shelf


@pytest.mark.edge("B99")
def test_text_is_read_piece_by_piece() -> None:
    shelf = Shelf()
    handle = shelf.next_handle()
    shelf.keep(handle, "abcdef")

    assert shelf.read(handle, 0, 4) == "abcd\n[2 characters follow, from offset 4]"
    assert shelf.read(handle, 4, 4) == "ef"
    assert shelf.read(handle, -5, 0) == "a\n[5 characters follow, from offset 1]"
    assert shelf.read(handle, 100, 4) == ""
    assert shelf.next_handle() != handle


def test_oldest_texts_go_when_there_are_too_many() -> None:
    shelf = Shelf(most=10)
    for handle in ("a", "b", "c"):
        shelf.keep(handle, "x" * 6)

    assert shelf.read("c", 0, 10) == "x" * 6
    with pytest.raises(LookupError, match="call the tool again"):
        shelf.read("a", 0, 10)
