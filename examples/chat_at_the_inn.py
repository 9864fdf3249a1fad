"""Chat with a model over a server's tools and a function of the program; a script stands for the model."""

import sys

from dragoman import Chat, Client, Policy, ScriptedModel, TextDelta, ToolAnswered, ToolCall, tool
from dragoman.host.policy import Act


@tool
def price(nights: int) -> int:
    """Tell what so many nights cost, in dirhams."""
    return nights * 12


def is_fine(act: Act) -> bool:
    """Ask the user here; without a yes the call is not made."""
    print(f"  (may I {act}? yes)")
    return True


# With a key of yours: model = "anthropic:claude-sonnet-4-5", "openai:gpt-5" or "gemini:gemini-2.5-pro".
model = ScriptedModel(
    [
        ToolCall.scripted("price", {"nights": 3}),
        ToolCall.scripted("write_note", {"text": "A guest for three nights."}),
    ],
    "Three nights are 36 dirhams. I have made a note of it.",
)

with Client.connect([sys.executable, "-m", "dragoman.demo.modern"]) as inn:
    chat = Chat(model, inn, price, system="You keep an inn.", policy=Policy.careful(), approve=is_fine)
    with chat.stream("What are three nights, and will you keep a room?") as turn:
        for event in turn:
            if isinstance(event, TextDelta):
                print(event.text, end="")
            elif isinstance(event, ToolAnswered):
                print(f"  [{event.response.name}: {event.response.text}]")

print(f"\n{turn.reply.rounds} replies, {turn.reply.usage.total} tokens")
