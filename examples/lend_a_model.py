"""Let a server use the program's model, with the user's consent, and keep the account of it."""

import sys

from dragoman import Client, Question
from dragoman.types import CreateMessageParams, CreateMessageResult


class PhraseBook:
    """Stands for a model: it knows two phrases, and how many tokens it was allowed."""

    def __init__(self) -> None:
        self.phrases = {"good day": "buongiorno", "thank you": "grazie"}
        self.allowed = 0.0

    def write(self, request: CreateMessageParams) -> CreateMessageResult:
        self.allowed += request.max_tokens
        prompt = request.messages[-1].text
        answer = next((there for here, there in self.phrases.items() if here in prompt), "?")
        return CreateMessageResult.from_text(answer, model="phrase-book-1")


def is_fine(question: Question) -> bool:
    """Ask the user here; without a yes the model is not used."""
    print(f"{question.server} wants to use the model ({question.method}): allowed")
    return True


book = PhraseBook()

with Client.connect([sys.executable, "-m", "dragoman.demo.modern"], sampling=book.write, approve=is_fine) as inn:
    for text in ("good day", "thank you"):
        print(text, "->", inn.call_tool("translate", {"text": text, "language": "Italian"}).text)

print(f"at most {book.allowed:.0f} tokens were spent")
