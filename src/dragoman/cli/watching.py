"""The command that stays: it prints what a server tells by itself, until it is told to end."""

import queue
import time
from argparse import Namespace
from collections.abc import Iterator
from math import inf, nan
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from dragoman.cli.connecting import connected
from dragoman.cli.failures import Exit, no_such
from dragoman.cli.logs import show_message
from dragoman.cli.safe import as_json, one_line
from dragoman.cli.screen import Screen
from dragoman.errors import ConnectionLost, InvalidParams, NotOffered, ResourceNotFound, UsageError
from dragoman.types import ListPromptsResult, ListResourcesResult, ListToolsResult, LogMessage, ReadResourceResult

if TYPE_CHECKING:
    from dragoman import Client, Context, State

__all__ = ["Changes", "Update", "Watch", "watch"]

Listed: TypeAlias = ListToolsResult | ListResourcesResult | ListPromptsResult

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_TICK = 0.2
"""Seconds between two looks at the time and at Ctrl-C, which some systems do not let interrupt a longer wait."""


class Update(NamedTuple):
    """A resource that changed, with its contents as they are now."""

    uri: str
    contents: ReadResourceResult


class Changes:
    """What a list was when it was last shown, by the name of the list; gives what is different now."""

    def __init__(self) -> None:
        self._known: dict[str, dict[str, Any]] = {}

    def note(self, kind: str, listed: Listed) -> None:
        """Take a list as it is, as the one to compare with."""
        self._known[kind] = _by_key(listed)

    def between(self, kind: str, listed: Listed) -> dict[str, Any]:
        """Give the items that were added or changed, and the names of those removed; and keep the list."""
        before, now = self._known.get(kind, {}), _by_key(listed)
        self._known[kind] = now
        return {
            "added": [now[key] for key in now if key not in before],
            "removed": [key for key in before if key not in now],
            "changed": [now[key] for key in now if key in before and now[key] != before[key]],
        }


class Watch:
    """One run of the command: its client's handlers fill a queue, and `follow` empties it onto the screen."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._heard: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        self._changes = Changes()
        self._phase = "ready"

    def options(self, asked: Namespace) -> dict[str, Any]:
        """Give the options of `Client.connect` that have everything told to this."""
        return {
            "on_tools_changed": lambda listed: self._heard.put(("tools", listed)),
            "on_resources_changed": lambda listed: self._heard.put(("resources", listed)),
            "on_prompts_changed": lambda listed: self._heard.put(("prompts", listed)),
            "on_resource_updated": self._updated,
            "on_log": lambda message: self._heard.put(("log", message)),
            "on_state": lambda state: self._heard.put(("state", state)),
            "log_level": asked.log_level or "info",
        }

    def _updated(self, contents: ReadResourceResult, context: "Context") -> None:
        self._heard.put(("resource", Update(context.uri or "", contents)))

    def begin(self, client: "Client", uris: list[str]) -> None:
        """Take stock, and subscribe to the resources.

        Raises:
            NoSuch: the server does not know one of them.
        """
        capabilities = client.capabilities
        if capabilities.tools:
            self._changes.note("tools", client.list_tools())
        if capabilities.resources:
            self._changes.note("resources", client.list_resources())
        if capabilities.prompts:
            self._changes.note("prompts", client.list_prompts())
        for uri in uris:
            _subscribe(uri, client)

    def follow(self, seconds: float, count: float) -> None:
        """Show what is heard until the time is over or so many changes have been shown.

        Raises:
            McpError: the server is gone, and does not come back.
        """
        end = time.monotonic() + seconds
        while count > 0 and (left := end - time.monotonic()) > 0:
            try:
                kind, told = self._heard.get(timeout=min(left, _TICK))
            except queue.Empty:
                continue
            count -= self._show(kind, told)

    def _show(self, kind: str, told: Any) -> int:
        """Show one thing; gives how many changes that was."""
        if kind == "state":
            return self._show_state(told)
        if kind == "log":
            return self._show_log(told)
        if kind == "resource":
            return self._show_resource(told)
        difference = self._changes.between(kind, told)
        if not any(difference.values()):
            return 0
        return self._show_difference(kind, difference)

    def _show_difference(self, kind: str, difference: dict[str, list[Any]]) -> int:
        if self._screen.wants_json:
            return self._document(kind, difference)
        for sign, style, changed in _signed(difference):
            for each in changed:
                self._screen.out.line(*self._stamp(), f"{kind}: ", (f"{sign} {one_line(_key(each))}", style))
        return 1

    def _show_resource(self, update: Update) -> int:
        if self._screen.wants_json:
            return self._document("resource", {"uri": update.uri, "contents": update.contents.raw["contents"]})
        self._screen.out.line(*self._stamp(), (f"{one_line(update.uri)}: ", "bold cyan"), _shown(update.contents))
        return 1

    def _show_log(self, message: LogMessage) -> int:
        if self._screen.wants_json:
            return self._document("log", message.raw)
        show_message(message, self._screen)
        return 1

    def _show_state(self, state: "State") -> int:
        phase, before = str(state.phase), self._phase
        self._phase = phase
        if phase == before:
            return 0
        if phase == "failed":
            raise state.error or ConnectionLost("the server does not come back")
        if self._screen.wants_json:
            self._document("state", {"phase": phase, "message": str(state.error) if state.error else None})
        else:
            self._screen.note(one_line(f"{phase}: {state.error}" if state.error else phase))
        return 0

    def _document(self, kind: str, told: dict[str, Any]) -> int:
        self._screen.out.write(as_json({"event": kind, **told}, indent=None) + "\n")
        return 1

    def _stamp(self) -> list[tuple[str, str]]:
        return [(time.strftime("%H:%M:%S "), "dim")] if self._screen.out.is_terminal else []


def watch(asked: Namespace, screen: Screen) -> Exit:
    """Print what changes, as it changes; Ctrl-C is the usual end, and a good one."""
    seconds = _duration(asked.seconds)
    run = Watch(screen)
    with connected(asked, screen, **run.options(asked)) as client:
        run.begin(client, asked.uris)
        if seconds == inf and not screen.wants_json:
            screen.note("watching; Ctrl-C ends")
        try:
            run.follow(seconds, asked.count or inf)
        except KeyboardInterrupt:
            return Exit.OK
    return Exit.OK


def _subscribe(uri: str, client: "Client") -> None:
    try:
        client.subscribe_resource(uri)
    except (ResourceNotFound, InvalidParams, NotOffered) as error:
        # A resource made from a template is listed nowhere, so that the list is asked only once the server has said no.
        known = [resource.uri for resource in client.list_resources()] if client.capabilities.resources else []
        if uri in known or not known:
            raise
        raise no_such("resource", uri, known, client.name) from error


def _duration(text: str | None) -> float:
    if text is None:
        return inf
    unit = next((each for each in _UNITS if text.endswith(each)), "")
    try:
        seconds = float(text.removesuffix(unit)) * _UNITS.get(unit, 1.0)
    except ValueError:
        seconds = nan
    if not seconds >= 0:
        raise UsageError(f"--for {text!r} is no time", hint='write seconds, or "500ms", "10s", "2m"')
    return seconds


def _by_key(listed: Listed) -> dict[str, Any]:
    return {_key(item.raw): item.raw for item in listed}


def _key(item: Any) -> str:
    return item if isinstance(item, str) else str(item.get("uri") or item.get("name"))


def _signed(difference: dict[str, list[Any]]) -> Iterator[tuple[str, str, list[Any]]]:
    yield "+", "green", difference["added"]
    yield "-", "red", difference["removed"]
    yield "~", "yellow", difference["changed"]


def _shown(result: ReadResourceResult) -> str:
    parts = [
        contents.text if contents.text is not None else f"[{contents.mime_type or 'data'}]"
        for contents in result.contents
    ]
    return "\n".join(parts)
