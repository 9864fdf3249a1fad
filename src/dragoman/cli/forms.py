"""Questions of a server's to the user: a form to fill in on the terminal, or a link to open."""

import getpass
import sys
import webbrowser
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from dragoman.cli.fields import Field
from dragoman.cli.safe import one_line
from dragoman.cli.screen import Screen
from dragoman.types import ElicitFormParams, ElicitResult, ElicitUrlParams, is_object

__all__ = ["Cancelled", "Questions", "host_of"]

_CANCEL = ElicitResult("cancel")
_DECLINE = ElicitResult("decline")


class Cancelled(Exception):
    """The user ended the input (Ctrl-D)."""


class Questions:
    """Puts a server's questions to the user.

    Without a terminal there is nobody to ask, and each is cancelled. `make_room` is called before the terminal is used.
    """

    def __init__(self, screen: Screen, make_room: Callable[[], None]) -> None:
        self._screen = screen
        self._make_room = make_room
        self.server = "The server"

    def form(self, params: ElicitFormParams) -> ElicitResult:
        """Have a form filled in, looked over, and sent, declined or cancelled."""
        if not self._can_ask(params.message):
            return _CANCEL
        fields = _fields(params)
        self._head(params.message)
        try:
            return self._filled_in(fields)
        except Cancelled:
            self._screen.err.line(("cancelled", "dim"))
            return _CANCEL

    def url(self, params: ElicitUrlParams) -> ElicitResult:
        """Show a link and its host, and open it only when the user says so."""
        if not self._can_ask(params.message):
            self._screen.note(f"it wanted you to visit {one_line(params.url)}")
            return _CANCEL
        self._head(params.message)
        host = host_of(params.url)
        if host is None:
            self._screen.warn(f"not opened, because it is no http or https link: {params.url}")
            return _CANCEL
        self._show_link(params.url, host)
        try:
            return self._visited(params.url)
        except Cancelled:
            return _CANCEL

    def _can_ask(self, message: str) -> bool:
        self._make_room()
        if not self._screen.can_ask:
            said = one_line(message)
            self._screen.warn(f"cancelled, because there is no terminal to ask on: {said}")
        return self._screen.can_ask

    def _head(self, message: str) -> None:
        err = self._screen.err
        err.line("")
        err.line((f"{one_line(self.server)} asks: ", "bold cyan"), message)

    def _filled_in(self, fields: list[Field]) -> ElicitResult:
        self._screen.note("Enter takes what is in brackets or leaves a field out; Ctrl-D cancels.")
        content: dict[str, Any] = {}
        while True:
            for field in fields:
                self._fill(field, content)
            match self._decision(fields, content):
                case "y":
                    return ElicitResult("accept", content)
                case "n":
                    return _DECLINE
                case "c":
                    return _CANCEL

    def _fill(self, field: Field, content: dict[str, Any]) -> None:
        """Ask for one field until there is an answer that its schema allows, or that may be left out."""
        self._explain(field)
        standing = content.get(field.name, field.default)
        while True:
            typed = self._typed(_prompt(field, standing), is_secret=field.is_secret)
            if not typed.strip() and (standing is not None or not field.is_required):
                if standing is not None:
                    content[field.name] = standing
                return
            try:
                content[field.name] = field.read(typed) if typed.strip() else _missing()
            except ValueError as error:
                self._screen.err.line(("  ! ", "bold red"), str(error))
            else:
                return

    def _explain(self, field: Field) -> None:
        if field.description:
            self._screen.note(f"  {field.description}")
        for number, choice in enumerate(field.choices, 1):
            self._screen.err.line((f"  {number:2} ", "bold"), one_line(choice.label))

    def _decision(self, fields: list[Field], content: dict[str, Any]) -> str:
        err = self._screen.err
        for field in fields:
            if field.name in content:
                err.line((f"  {field.label}: ", "dim"), one_line(field.shown(content[field.name])))
        return self._one_of("Send this? [Y]es, [n]o, [e]dit, [c]ancel: ", "ynec", default="y")

    def _visited(self, url: str) -> ElicitResult:
        answer = self._one_of("Open it in the browser? [y]es, [m]yself, [n]o, [c]ancel: ", "ymnc")
        if answer == "y" and not webbrowser.open(url):
            self._screen.warn("no browser could be started; open the link yourself")
        return {"n": _DECLINE, "c": _CANCEL}.get(answer, ElicitResult("accept"))

    def _show_link(self, url: str, host: str) -> None:
        before, found, after = url.partition(urlsplit(url).netloc)
        self._screen.err.line("  ", (before, "dim"), (found, "bold underline"), (after, "dim"))
        self._screen.err.line(("  host: ", "dim"), (host, "bold yellow"))
        if "@" in found:
            self._screen.warn("what stands before the @ is no part of the host")
        if "xn--" in host or not host.isascii():
            self._screen.warn("the host has letters beyond a to z, which may look like others")

    def _one_of(self, prompt: str, letters: str, default: str = "") -> str:
        while True:
            letter = self._typed(prompt).strip().lower()[:1] or default
            if letter and letter in letters:
                return letter

    def _typed(self, prompt: str, *, is_secret: bool = False) -> str:
        if is_secret:
            return _typed_unseen(prompt)
        # Not `input`, which writes its prompt to standard output.
        self._screen.err.write(prompt)
        line = sys.stdin.readline()
        if not line:
            self._screen.err.write("\n")
            raise Cancelled
        return line.rstrip("\n")


def host_of(url: str) -> str | None:
    """Give the host that a link leads to, as the browser will look it up; None for what is no http or https link."""
    try:
        parts = urlsplit(url)
        host = parts.hostname
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return None
    if parts.scheme not in {"http", "https"} or not host or any(not sign.isprintable() or sign == " " for sign in url):
        return None
    try:
        return host.encode("idna").decode() + port
    except UnicodeError:
        return host + port


def _fields(params: ElicitFormParams) -> list[Field]:
    properties = params.requested_schema.get("properties")
    stated = properties if is_object(properties) else {}
    return [
        Field(name, schema if is_object(schema) else {}, is_required=name in params.required)
        for name, schema in stated.items()
    ]


def _prompt(field: Field, standing: Any) -> str:
    mark = "" if field.is_required else ", optional"
    known = "" if standing is None else f" [{one_line(field.shown(standing))}]"
    return f"  {field.label} ({field.wanted}{mark}){known}: "


def _missing() -> Any:
    raise ValueError("this one is required")


def _typed_unseen(prompt: str) -> str:
    try:
        return getpass.getpass(prompt, stream=sys.stderr)
    except EOFError:
        raise Cancelled from None
