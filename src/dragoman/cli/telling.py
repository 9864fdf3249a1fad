"""What a chat shows while it goes on: text as it comes, calls with their time; and who gives leave to calls."""

import sys
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from dragoman.cli.safe import as_json, one_line, visible
from dragoman.cli.screen import Screen

if TYPE_CHECKING:
    from dragoman import Act, ChatReply, Observation, Question, ToolResponse, Usage

__all__ = ["Leave", "Teller"]

_LONGEST = 160
_ENDS = {
    "max_tokens": "the reply is cut off: it was longer than it may be",
    "refusal": "the model, or its provider, refused",
    "limit": "the turn ended",
}


class Teller:
    """Shows the events of turns, and as an observer each call as it begins and ends; owns whether a line is begun."""

    def __init__(self, screen: Screen, make_room: Callable[[], None]) -> None:
        self._screen = screen
        self._make_room = make_room
        self._guard = threading.Lock()
        self._in_line = False
        self._in_thought = False
        self._seen: set[str] = set()

    # ----------------------------------------------------------------------------------------------------------- events

    def told(self, event: Any) -> None:
        """Show one event of a turn; what an observer sees is shown by then."""
        from dragoman import TextDelta, ThinkingDelta, ToolAnswered

        match event:
            case TextDelta(text=text) if text:
                self._text(text)
            case ThinkingDelta(text=text) if text:
                self._thought(text)
            case ToolAnswered(response=response) if response.id not in self._seen:
                self._answer(response)

    def _text(self, text: str) -> None:
        if self._in_thought:
            self._break()
        out = self._screen.out
        out.write(visible(text) if out.is_terminal else text)
        self._in_line = not text.endswith("\n")

    def _thought(self, text: str) -> None:
        """Show a thought beside the reply, where there is a person to read it."""
        err = self._screen.err
        if not err.is_terminal:
            return
        console = err.console
        if console is None:
            err.write(visible(text))
        else:
            console.print(visible(text), style="dim italic", end="")
        self._in_thought, self._in_line = True, not text.endswith("\n")

    def _break(self) -> None:
        """End a line that was begun."""
        if self._in_line:
            (self._screen.err if self._in_thought else self._screen.out).write("\n")
        self._in_line = self._in_thought = False

    # ------------------------------------------------------------------------------------------------------------ calls

    def start(self, observation: "Observation") -> Mapping[str, Any] | None:
        """Show a call that is about to be made."""
        with self._guard:
            self._seen.add(observation.call.id)
            self._break()
            given = one_line(as_json(observation.arguments, indent=None)) if observation.arguments else ""
            self._screen.err.line(("→ ", "cyan"), (_name(observation), "bold cyan"), (f"  {_short(given)}", "dim"))
        return None

    def stop(self, observation: "Observation") -> None:
        """Show how it ended, and how long it took."""
        self._make_room()
        with self._guard:
            error, response = observation.error, observation.response
            said = str(error) if error is not None else response.text if response is not None else ""
            self._line(_name(observation), observation.elapsed, said, is_error=observation.is_error)

    def _answer(self, response: "ToolResponse") -> None:
        with self._guard:
            self._break()
            self._line(one_line(response.name), response.elapsed, response.text, is_error=response.is_error)

    def _line(self, name: str, elapsed: float, said: str, *, is_error: bool) -> None:
        sign = ("✗ ", "red") if is_error else ("✓ ", "green")
        self._screen.err.line(sign, (name, "bold"), (f"  {elapsed:.1f} s  ", "dim"), _short(one_line(said)))

    # ------------------------------------------------------------------------------------------------------------- ends

    def ended(self, reply: "ChatReply") -> None:
        """End a turn."""
        self._break()
        why = _ENDS.get(str(reply.stop))
        if why is not None:
            self._screen.warn(f"{why}: {reply.said}" if str(reply.stop) == "limit" else why)

    def broken(self, why: str) -> None:
        """End a turn that did not come to its own end."""
        self._make_room()
        self._break()
        if why:
            self._screen.note(why)

    def spent(self, usage: "Usage", rounds: int, calls: int) -> None:
        """Tell what was used."""
        cached = f" ({usage.cached:,} from the cache)" if usage.cached else ""
        self._screen.note(
            f"{_count(rounds, 'reply', 'replies')}, {_count(calls, 'call', 'calls')}; "
            f"tokens: {usage.input:,} in{cached}, {usage.output:,} out"
        )


class Leave:
    """Asks the user before calls; owns which tools have leave for the rest of the chat."""

    def __init__(self, screen: Screen, make_room: Callable[[], None], *, is_given: bool) -> None:
        self._screen = screen
        self._make_room = make_room
        self._is_given = is_given
        self._always: set[tuple[str, str]] = set()
        # Calls go on side by side, and one question is asked at a time.
        self._asking = threading.Lock()

    @property
    def can_be_given(self) -> bool:
        """Whether there is leave already, or somebody to ask."""
        return self._is_given or self._screen.can_ask

    def act(self, act: "Act") -> bool:
        """Say whether an act may happen."""
        return self._given((act.server, act.name), f"{_short(one_line(str(act)))}?", act.reason)

    def question(self, question: "Question") -> bool:
        """Say whether a question of a server's may be answered: forms may, since whoever fills them in may refuse."""
        if question.method != "sampling/createMessage":
            return True
        return self._given((question.server, question.method), f"let {one_line(question.server)} use your model?", "")

    def _given(self, key: tuple[str, str], asked: str, reason: str) -> bool:
        if self._is_given:
            return True
        if not self._screen.can_ask:
            return False
        with self._asking:
            if key in self._always:
                return True
            self._make_room()
            because = f"  ({one_line(reason)})" if reason else ""
            self._screen.err.line(("? ", "bold yellow"), (asked, "bold"), (because, "dim"))
            self._screen.err.write("  [y]es, [a]lways, [N]o: ")
            answer = _answer()
            if answer in {"a", "always"}:
                self._always.add(key)
            return answer in {"a", "always", "y", "yes"}


def _answer() -> str:
    return sys.stdin.readline().strip().lower()


def _name(observation: "Observation") -> str:
    return one_line(observation.call.name)


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
