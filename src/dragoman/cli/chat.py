"""The command that talks with a model which uses the tools of servers."""

import contextlib
import os
import sys
from argparse import Namespace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dragoman.cli.configured import answers, chosen, leave_by_terminal
from dragoman.cli.connecting import connected
from dragoman.cli.convert import read_json
from dragoman.cli.endings import signals_are_exits
from dragoman.cli.failures import Exit, report
from dragoman.cli.given import text_of_file, text_of_input
from dragoman.cli.progress import Bar
from dragoman.cli.safe import as_json
from dragoman.cli.screen import Screen
from dragoman.cli.telling import Leave, Teller
from dragoman.errors import McpError, UsageError

if TYPE_CHECKING:
    from dragoman import Chat, ChatReply, ScriptedModel

__all__ = ["chat"]

_MODELS = '"anthropic:NAME", "openai:NAME", "openai-responses:NAME" or "gemini:NAME", with @URL for another address'
_PROMPT = "> "


def chat(asked: Namespace, screen: Screen) -> Exit:
    """Talk with a model: one turn for `--once` or the input, and else one after the other until Ctrl-D."""
    _check_history(asked.history)
    once = _once(asked)
    if once is None and screen.wants_json:
        raise UsageError("--json is for one turn", hint="give --once 'TEXT', or the text as the input")
    model = _model(asked)
    bar = Bar(screen, "chat")
    teller, leave = Teller(screen, bar.clear), Leave(screen, bar.clear, is_given=asked.yes)
    with contextlib.ExitStack() as stack:
        sources = _sources(asked, screen, stack, bar, leave, model)
        talk = stack.enter_context(_chat(asked, model, sources, teller, leave))
        stack.callback(_keep, talk, asked.history)
        if once is not None:
            return _one_turn(talk, once, teller, screen)
        with signals_are_exits(Exit.INTERRUPTED):
            return _many_turns(talk, teller, screen)


# ------------------------------------------------------------------------------------------------------------ beginning


def _once(asked: Namespace) -> str | None:
    """Give the only thing that is said, or None where a person says one after the other."""
    text = asked.once
    if text is None:
        if sys.stdin is None or sys.stdin.isatty():
            return None
        text = text_of_input()
    if not text.strip():
        raise UsageError("there is nothing to say", hint="give --once 'TEXT', or a text as the input")
    return str(text)


def _model(asked: Namespace) -> "str | ScriptedModel":
    if asked.script is not None:
        from dragoman import ScriptedModel

        return ScriptedModel.from_json(read_json(text_of_file(asked.script), asked.script))
    named = asked.model or os.environ.get("DRAGOMAN_MODEL")
    if not named:
        raise UsageError("which model?", hint=f"give --model, or set DRAGOMAN_MODEL, to {_MODELS}")
    return str(named)


def _sources(
    asked: Namespace, screen: Screen, stack: contextlib.ExitStack, bar: Bar, leave: Leave, model: Any
) -> list[Any]:
    """Connect to the servers that were named, or to those of the files that were."""
    if asked.config:
        return [stack.enter_context(_host(asked, screen, bar, leave, model))]
    lent: dict[str, Any] = {"sampling": model, "approve": leave.question} if leave.can_be_given else {}
    return [
        stack.enter_context(
            connected(
                Namespace(**{**vars(asked), "server": name}),
                screen,
                bar=bar,
                is_alone=len(asked.names) == 1,
                on_progress=bar,
                **lent,
            )
        )
        for name in asked.names
    ]


def _host(asked: Namespace, screen: Screen, bar: Bar, leave: Leave, model: Any) -> Any:
    from dragoman import Host, Policy

    lent: dict[str, Any] = {"sampling": model} if leave.can_be_given else {}
    return Host.open(
        chosen(asked, list(asked.names)),
        trust=asked.trust or (leave_by_terminal if screen.can_ask else False),
        inputs=answers(screen),
        timeout=asked.timeout or 20,
        on_progress=bar,
        policy=Policy.careful(),
        approve=leave.act,
        **lent,
    )


def _chat(asked: Namespace, model: Any, sources: list[Any], teller: Teller, leave: Leave) -> "Chat":
    from dragoman import Chat, ChatLimits, Policy, ToolLimits

    options: dict[str, Any] = {
        "limits": ChatLimits(rounds=asked.rounds, tokens=asked.tokens),
        "max_tokens": asked.max_tokens,
        "observers": [teller],
        "tool_tokens": asked.tool_tokens,
        # One after the other, as they can be followed, and each ended by Ctrl-C at once.
        "tool_limits": ToolLimits(at_once=1),
    }
    if not asked.config:
        options |= {"policy": Policy.careful(), "approve": leave.act}
    if asked.system is not None:
        options["system"] = text_of_file(asked.system[1:]) if asked.system.startswith("@") else asked.system
    if asked.history is not None and Path(asked.history).exists():
        return Chat.from_json(read_json(text_of_file(asked.history), asked.history), model, *sources, **options)
    return Chat(model, *sources, **options)


def _check_history(history: str | None) -> None:
    """See to it, before anything is said, that a chat can be kept."""
    if history is not None and not os.access(Path(history).parent, os.W_OK):
        raise UsageError(f"{history} cannot be written", hint="is there such a folder, and is it yours?")


def _keep(talk: "Chat", history: str | None) -> None:
    """Write the chat to its file, which is there either as it was or as it is."""
    if history is None:
        return
    path = Path(history)
    new = path.with_name(f"{path.name}.new")
    try:
        new.touch(mode=0o600)  # what is said is the user's own
        new.write_text(as_json(talk.to_json()), "utf-8")
        new.replace(path)
    except OSError as error:
        raise UsageError(f"{history} cannot be written: {error.strerror}") from error


# -------------------------------------------------------------------------------------------------------------- turns


def _one_turn(talk: "Chat", text: str, teller: Teller, screen: Screen) -> Exit:
    if screen.wants_json:
        reply = talk.send(text)
        screen.document(_document(reply))
    else:
        reply = _turn(talk, text, teller)
        teller.spent(reply.usage, reply.rounds, len(reply.responses))
    return Exit.OK if str(reply.stop) == "end" else Exit.FAILED


def _many_turns(talk: "Chat", teller: Teller, screen: Screen) -> Exit:
    with contextlib.suppress(ImportError):
        import_module("readline")  # `input` then edits lines with it
    screen.note("Ctrl-C ends a reply, Ctrl-D the chat.")
    rounds = calls = 0
    try:
        while (text := _typed(screen)) is not None:
            reply = _attempt(talk, text, teller, screen)
            if reply is not None:
                rounds, calls = rounds + reply.rounds, calls + len(reply.responses)
    finally:
        teller.spent(talk.usage, rounds, calls)
    return Exit.OK


def _typed(screen: Screen) -> str | None:
    """Give what the user types next, None at the end of it."""
    while True:
        try:
            text = input(_PROMPT)
        except (EOFError, OSError):  # Ctrl-D, or a terminal that is gone
            screen.err.write("\n")
            return None
        except KeyboardInterrupt:
            screen.err.write("\n")
            continue
        if text.strip():
            return text


def _attempt(talk: "Chat", text: str, teller: Teller, screen: Screen) -> "ChatReply | None":
    """Take one turn, whose end by Ctrl-C or by a failure is not the end of the chat."""
    try:
        return _turn(talk, text, teller)
    except KeyboardInterrupt:
        teller.broken("cancelled")
    except McpError as error:
        teller.broken("")
        report(error, screen)
    return None


def _turn(talk: "Chat", text: str, teller: Teller) -> "ChatReply":
    with talk.stream(text) as turn:
        for event in turn:
            teller.told(event)
    teller.ended(turn.reply)
    return turn.reply


def _document(reply: "ChatReply") -> dict[str, Any]:
    return {
        "text": reply.text,
        "stop": str(reply.stop),
        "said": reply.said,
        "rounds": reply.rounds,
        "usage": {"input": reply.usage.input, "output": reply.usage.output, "cached": reply.usage.cached},
        "calls": [
            {
                "id": each.id,
                "name": each.name,
                "server": each.server,
                "isError": each.is_error,
                "text": each.text,
                "elapsed": round(each.elapsed, 3),
            }
            for each in reply.responses
        ],
    }
