"""`dragoman demo`: everything at work, with two servers of our own, one for each era of the protocol."""

import asyncio
import queue
import shlex
import shutil
import sys
import time
from argparse import Namespace
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dragoman.cli.failures import Exit
from dragoman.cli.forms import Questions
from dragoman.cli.progress import Bar
from dragoman.cli.safe import as_json
from dragoman.cli.screen import Screen
from dragoman.errors import McpTimeout, OutcomeUnknown
from dragoman.types import (
    CallToolResult,
    CreateMessageParams,
    ElicitFormParams,
    ElicitResult,
    ProgressParams,
    ReadResourceResult,
)

if TYPE_CHECKING:
    from dragoman import Client

__all__ = ["Desk", "Step", "Stop", "demo"]

_ERAS = ("modern", "legacy")
_PATIENCE = 10.0
_DESTINATIONS = ("Samarkand", "Venice", "Isfahan")
_PHRASES = {"Arabic": "as-salamu alaykum", "Italian": "buongiorno", "Persian": "dorud", "Turkish": "merhaba"}
_GUEST = {"name": "Ibn Battuta", "nights": 3, "room": "tower", "breakfast": True}


@dataclass
class Stop:
    """One of the two servers on the way, and what has been heard from it."""

    era: str
    screen: Screen
    desk: "Desk"
    updates: "queue.SimpleQueue[str]" = field(default_factory=queue.SimpleQueue)
    reports: list[ProgressParams] = field(default_factory=list)
    took: float = 0.0

    def connect(self) -> "Client":
        """Start the server as a child process, with a handler for everything that it may want."""
        from dragoman import Client

        began = time.perf_counter()
        client = Client.connect(
            _command(self.era),
            name=f"the {self.era} server",
            timeout=_PATIENCE,
            elicitation=self.desk.answer,
            sampling=_scripted_model,
            on_progress=self._progress,
            on_resource_updated=self._updated,
        )
        self.took = time.perf_counter() - began
        return client

    def say(self, text: str, style: str = "") -> None:
        """Show a line about this server."""
        self.screen.out.line((f"   {self.era:7} ", "cyan"), (text, style))

    def _progress(self, progress: ProgressParams) -> None:
        self.reports.append(progress)
        self.desk.bar(progress)

    def _updated(self, contents: ReadResourceResult) -> None:
        self.updates.put(contents.text)


class Desk:
    """Where the servers' questions are answered: by the user the first time, if there is one, and else by itself."""

    def __init__(self, screen: Screen) -> None:
        self.bar = Bar(screen, "travelling")
        self._questions = Questions(screen, self.bar.clear)
        self._questions.server = "The inn"
        self._can_ask = screen.can_ask
        self._given: dict[str, ElicitResult] = {}

    def answer(self, params: ElicitFormParams) -> ElicitResult:
        """Answer a form; what the user said once is good for the second server too."""
        if params.message not in self._given:
            self._given[params.message] = self._asked(params)
        return self._given[params.message]

    def _asked(self, params: ElicitFormParams) -> ElicitResult:
        if self._can_ask:
            return self._questions.form(params)
        return ElicitResult("accept", {name: _GUEST.get(name, True) for name in params.fields})


def _command(era: str) -> list[str]:
    return [sys.executable, "-m", f"dragoman.demo.{era}"]


def _scripted_model(params: CreateMessageParams) -> str:
    """Stand in for the user's own model: a phrase book that knows one phrase in four languages."""
    asked = params.messages[-1].text
    return next((phrase for language, phrase in _PHRASES.items() if language in asked), "I do not know")


def demo(_: Namespace, screen: Screen) -> Exit:
    """Walk through what an MCP client does, with both servers, step by step."""
    began = time.perf_counter()
    desk = Desk(screen)
    stops = [Stop(era, screen, desk) for era in _ERAS]
    with ExitStack() as stack:
        clients = [stack.enter_context(stop.connect()) for stop in stops]
        stack.callback(desk.bar.end)
        pairs = list(zip(stops, clients, strict=True))
        for number, step in enumerate(_STEPS, 1):
            _heading(number, step, screen)
            for stop, client in pairs:
                step.show(stop, client)
    _farewell(time.perf_counter() - began, screen)
    return Exit.OK


def _heading(number: int, step: "Step", screen: Screen) -> None:
    screen.out.line("")
    screen.out.line((f"{number:2} {step.title}", "bold"))
    screen.out.line((f"   {step.code}", "dim"))


class Step(NamedTuple):
    """One thing that is shown: what it is, the code that does it, and the function that has each server do it."""

    title: str
    code: str
    show: Callable[[Stop, "Client"], None]


_STEPS: list[Step] = []


def _step(title: str, code: str) -> Callable[[Callable[[Stop, "Client"], None]], None]:
    return lambda show: _STEPS.append(Step(title, code, show))


@_step(
    "Two servers, started as child processes: what each speaks is found out when connecting.",
    'client = Client.connect("python -m dragoman.demo.modern", elicitation=..., sampling=...)',
)
def _meet(stop: Stop, client: "Client") -> None:
    stop.say(f"{client.server.name} speaks {client.protocol_version}, connected in {stop.took * 1000:.0f} ms")


@_step(
    "What they offer, the same behind both versions of the protocol.",
    "client.list_tools(), client.list_resources(), client.list_prompts()",
)
def _list(stop: Stop, client: "Client") -> None:
    tools = client.list_tools()
    resources, prompts = client.list_resources(), client.list_prompts()
    stop.say(f"{len(tools)} tools, {len(resources)} resources, {len(prompts)} prompts")
    if stop.era == _ERAS[-1]:
        for each in tools:
            stop.screen.out.line((f"   {each.name:12}", "cyan"), each.description or "")


@_step(
    "A call that takes its time, with progress.",
    'client.call_tool("travel", {"stages": 5, "seconds": 0.7}, on_progress=show)',
)
def _travel(stop: Stop, client: "Client") -> None:
    result = client.call_tool("travel", {"stages": 5, "seconds": 0.7})
    stop.desk.bar.clear()
    stop.say(f"{result.text}, {len(stop.reports)} reports of progress on the way")


@_step(
    "A structured result, checked against the tool's own schema.",
    'client.call_tool("distance", {"origin": "Cairo", "destination": "Samarkand"}).structured',
)
def _measure(stop: Stop, client: "Client") -> None:
    result = client.call_tool("distance", {"origin": "Cairo", "destination": "Samarkand"})
    stop.say(as_json(result.structured, indent=None))


@_step(
    "The same from asyncio, several calls at once.",
    "async with AsyncClient.connect(...) as client: await asyncio.gather(client.call_tool(...), ...)",
)
def _measure_at_once(stop: Stop, _: "Client") -> None:
    began = time.perf_counter()
    answers = asyncio.run(_distances(stop.era))
    shown = ", ".join(f"{city} {answer.structured['kilometres']} km" for city, answer in answers.items())
    stop.say(f"from Cairo to {shown}, in {(time.perf_counter() - began) * 1000:.0f} ms with a process of its own")


async def _distances(era: str) -> dict[str, CallToolResult]:
    from dragoman import AsyncClient

    async with AsyncClient.connect(_command(era), timeout=_PATIENCE) as client:
        ways = [{"origin": "Cairo", "destination": city} for city in _DESTINATIONS]
        answers = await asyncio.gather(*(client.call_tool("distance", way) for way in ways))
    return dict(zip(_DESTINATIONS, answers, strict=True))


@_step(
    "A tool that asks the user, in the middle of the call.",
    "Client.connect(..., elicitation=ask_the_user)",
)
def _book(stop: Stop, client: "Client") -> None:
    result = client.call_tool("book_room")
    stop.say(result.text)


@_step(
    "A tool that asks your model; here a phrase book plays the model.",
    "Client.connect(..., sampling=ask_the_model)",
)
def _translate(stop: Stop, client: "Client") -> None:
    result = client.call_tool("translate", {"text": "good day", "language": "Persian"})
    stop.say(f"good day in Persian: {result.text}")


@_step(
    "A resource that changes while it is watched: its new contents arrive by themselves.",
    'client.subscribe_resource("demo://note")',
)
def _watch(stop: Stop, client: "Client") -> None:
    client.subscribe_resource("demo://note")
    client.call_tool("write_note", {"text": f"The {stop.era} road is open."})
    try:
        stop.say(f"demo://note now reads: {stop.updates.get(timeout=_PATIENCE)}")
    except queue.Empty:
        raise McpTimeout("demo://note changed in silence", method="resources/updated", waited=_PATIENCE) from None


@_step(
    "A tool that fails: a result with a flag, for you or your model to read, not an exception.",
    "result.is_error, result.text",
)
def _fail(stop: Stop, client: "Client") -> None:
    result = client.call_tool("fail", {"reason": "the bridge is out"})
    stop.say(f"is_error={result.is_error}: {result.text}", "yellow")


@_step(
    "A server that dies in the middle of a call, and comes back for the next.",
    "except OutcomeUnknown: nothing is run twice behind your back",
)
def _crash(stop: Stop, client: "Client") -> None:
    try:
        client.call_tool("crash")
    except OutcomeUnknown as error:
        stop.say(f"OutcomeUnknown: {_reason(error)}", "yellow")
    began = time.perf_counter()
    result = client.call_tool("echo", {"text": "back again"})
    stop.say(f"{result.text} after {time.perf_counter() - began:.1f} s, in a new process")


def _reason(error: OutcomeUnknown) -> str:
    cause = str(error.__cause__ or error).partition("\n")[0]
    return f"the process exited{cause.partition(' exited')[2]}" if " exited" in cause else cause


def _farewell(seconds: float, screen: Screen) -> None:
    program, python = _typed("dragoman"), _typed("python")
    lines = (
        f'{program} tools "{python} -m dragoman.demo.modern"',
        f'{program} call "{python} -m dragoman.demo.modern" book_room',
        f'{program} watch "{python} -m dragoman.demo.legacy" demo://clock --count 4',
        f'{program} tools "uvx mcp-server-git"',
    )
    screen.out.line("")
    screen.out.line((f"That was all of it, in {seconds:.1f} s. What to type next:", "bold"))
    for line in lines:
        screen.out.line(f"   {line}")


def _typed(name: str) -> str:
    """Give what to type for a program: its name if that finds this very one, or else its path, short where it can be."""
    beside = Path(sys.executable).with_name(name)
    found = shutil.which(name)
    if found and Path(found) == beside:
        return name
    path = beside if beside.exists() else Path(sys.executable)
    if not beside.exists() and name == "dragoman":
        return f"{_short(path)} -m dragoman"
    return _short(path)


def _short(path: Path) -> str:
    shown = str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)
    return shown if sys.platform == "win32" else shlex.quote(shown)
