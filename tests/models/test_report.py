"""What is said of a conversion."""

from dragoman.models.report import Note, Omitted, pointer


def test_note_reads_as_a_sentence() -> None:
    assert str(Note("/anyOf", "weakened", "said in words")) == "/anyOf (weakened): said in words"
    assert str(Note("", "renamed", "`a b` is `a_b`")) == "the arguments (renamed): `a b` is `a_b`"


def test_omission_names_tool_and_reason() -> None:
    assert str(Omitted("find", "it refers elsewhere")) == "find: it refers elsewhere"


def test_steps_are_escaped() -> None:
    assert pointer(["properties", "a/b~c", 0]) == "/properties/a~1b~0c/0"
