"""One request being answered: what it asks, what it may send meanwhile, and how it is called off."""

import threading
from queue import SimpleQueue
from typing import Any, Protocol

from dragoman.demo.inn import Inn
from dragoman.demo.wire import Message

__all__ = ["Abandoned", "Job", "Refusal", "Speaker", "ToolFailed"]


class Refusal(Exception):
    """Becomes the JSON-RPC error of the request."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.error: Message = {"code": code, "message": message}
        if data is not None:
            self.error["data"] = data


class ToolFailed(Exception):
    """Becomes a result with `isError`, for the model to read."""


class Abandoned(Exception):
    """The client called the request off: nothing more is said about it."""


class Speaker(Protocol):
    """What a job needs of the server that runs it, in either era."""

    inn: Inn

    def send(self, message: Message) -> None:
        """Write one message."""

    def ask(self, job: "Job", key: str, method: str, params: Message) -> Message:
        """Put a question to the client and give its answer."""
        raise NotImplementedError

    def hears(self, job: "Job", level: str) -> bool:
        """Say whether the client wants logs of this level about this job."""
        raise NotImplementedError

    def updated(self, uri: str) -> None:
        """Tell whoever watches this resource that it changed."""

    def changed(self, kind: str) -> None:
        """Tell whoever wants to know that a list (tools, prompts, resources) changed."""


class Job:
    """A request with its server; lives until it is answered or called off."""

    def __init__(self, server: Speaker, message: Message) -> None:
        self.server = server
        self.id: int | str = message["id"]
        self.method: str = message["method"]
        params = message.get("params")
        self.params: Message = params if isinstance(params, dict) else {}
        meta = self.params.get("_meta")
        self.meta: Message = meta if isinstance(meta, dict) else {}
        self.answers: SimpleQueue[Message | None] = SimpleQueue()
        self._abandoned = threading.Event()

    def table(self, name: str) -> Message:
        """Give a parameter that is an object, empty if it was left out.

        Raises:
            Refusal: it is something else.
        """
        value = self.params.get(name)
        if value is not None and not isinstance(value, dict):
            raise Refusal(-32602, f"{name} must be an object")
        return value or {}

    def text(self, name: str) -> str:
        """Give a parameter that is a string.

        Raises:
            Refusal: it is missing, or something else.
        """
        value = self.params.get(name)
        if not isinstance(value, str):
            raise Refusal(-32602, f"{name} must be a string")
        return value

    def abandon(self) -> None:
        """Call the job off, also while it waits for an answer or for time to pass."""
        self._abandoned.set()
        self.answers.put(None)

    @property
    def is_abandoned(self) -> bool:
        """Say whether the client has called this off."""
        return self._abandoned.is_set()

    def pause(self, seconds: float) -> None:
        """Let time pass.

        Raises:
            Abandoned: the client called the job off meanwhile.
        """
        if self._abandoned.wait(seconds):
            raise Abandoned

    def tell(self, method: str, params: Message) -> None:
        """Send a notification about this job, unless it was called off."""
        if not self.is_abandoned:
            self.server.send({"jsonrpc": "2.0", "method": method, "params": params})

    def progress(self, done: float, total: float, message: str) -> None:
        """Report how far the job is, if the client asked to know."""
        token = self.meta.get("progressToken")
        if token is not None:
            params = {"progressToken": token, "progress": done, "total": total, "message": message}
            self.tell("notifications/progress", params)

    def log(self, level: str, data: Any) -> None:
        """Send a log message, if the client wants that level."""
        if self.server.hears(self, level):
            self.tell("notifications/message", {"level": level, "logger": "demo", "data": data})

    def ask(self, key: str, method: str, params: Message) -> Message:
        """Ask the client for something in the way of the era; a key names the question within the job."""
        return self.server.ask(self, key, method, params)
