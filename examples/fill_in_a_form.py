"""Let a server ask the user something in the middle of a call, on the terminal; Ctrl-D gives up.

Without a terminal every field gets its default.
"""

import sys
from typing import Any

from dragoman import Client
from dragoman.types import BooleanSchema, ElicitFormParams, NumberSchema, PrimitiveSchema, SelectSchema


def fill_in(form: ElicitFormParams) -> dict[str, Any] | None:
    print(form.message)
    try:
        answers = {name: ask(name, field) for name, field in form.fields.items()}
    except EOFError:
        return None
    return {name: answer for name, answer in answers.items() if answer is not None}


def ask(name: str, field: PrimitiveSchema) -> Any:
    label = field.title or name
    if isinstance(field, SelectSchema):
        label += f" ({', '.join(choice.label for choice in field.choices)})"
    if field.default is not None:
        label += f" [{field.default}]"
    words = input(f"  {label}: ") if sys.stdin.isatty() else ""
    return read(words, field) if words else field.default or ("Ada" if name == "name" else None)


def read(words: str, field: PrimitiveSchema) -> Any:
    match field:
        case BooleanSchema():
            return words.lower().startswith("y")
        case NumberSchema(type="integer"):
            return int(words)
        case NumberSchema():
            return float(words)
        case SelectSchema():
            return next((choice.const for choice in field.choices if choice.label == words), words)
    return words


with Client.connect([sys.executable, "-m", "dragoman.demo.modern"], elicitation=fill_in) as inn:
    print(inn.call_tool("book_room").text)
