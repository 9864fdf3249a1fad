"""Docstrings."""

import inspect

from dragoman.models.docstrings import read_docstring


def read(text: str) -> tuple[str, dict[str, str]]:
    return read_docstring(inspect.cleandoc(text))


def test_google() -> None:
    text = """Find things.

    More about it.

    Args:
        query: What to find,
            in words.
        limit (int, optional): How many.
        **more: Others.

    Returns:
        The things.
    """

    assert read(text) == (
        "Find things.\n\nMore about it.",
        {"query": "What to find, in words.", "limit": "How many.", "more": "Others."},
    )


def test_numpy() -> None:
    text = """Find things.

    Parameters
    ----------
    query : str
        What to find,
        in words.
    limit
        How many.

    Returns
    -------
    list
        The things.
    """

    assert read(text) == ("Find things.", {"query": "What to find, in words.", "limit": "How many."})


def test_sphinx() -> None:
    text = """Find things.

    :param query: What to find,
        in words.
    :param int limit: How many.
    :type query: str
    :returns: The things.
    """

    assert read(text) == ("Find things.", {"query": "What to find, in words.", "limit": "How many."})


def test_plain_words_are_all_description() -> None:
    assert read("Find things: all of them.\n\nArgs are none.") == ("Find things: all of them.\n\nArgs are none.", {})
    assert read("") == ("", {})


def test_section_without_entries_is_none() -> None:
    assert read("Find.\n\nArgs:\n\nThat is all.") == ("Find.\n\nThat is all.", {})
    assert read("Find.\n\nArgs:\n    nothing to say\n") == ("Find.", {})


def test_other_sections_are_part_of_the_description() -> None:
    text = """Book a table.

    Note:
        Not on Mondays.

    Args:
        when: The day.

    Example:
        book("Tuesday")

    Raises:
        ValueError: it is Monday.
    """

    description, parameters = read(text)

    assert description == 'Book a table.\n\nNote:\n    Not on Mondays.\n\nExample:\n    book("Tuesday")'
    assert parameters == {"when": "The day."}


def test_other_sections_of_numpy_s_are_part_of_the_description() -> None:
    text = """Book a table.

    Parameters
    ----------
    when : str
        The day.

    Notes
    -----
    Not on Mondays.

    Returns
    -------
    bool
    """

    assert read(text) == ("Book a table.\n\nNotes:\nNot on Mondays.", {"when": "The day."})
