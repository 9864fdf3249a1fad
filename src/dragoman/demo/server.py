"""The part of a demo server that both eras share: reading messages, running jobs, answering them."""

import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from dragoman.demo import prompts, resources, tools
from dragoman.demo.inn import Inn
from dragoman.demo.job import Abandoned, Job, Refusal
from dragoman.demo.wire import Message, Wire

__all__ = ["INSTRUCTIONS", "Method", "Server"]

INSTRUCTIONS = (
    "An inn for travellers, to try a client with. Start with the tool `distance` or the resource demo://guide."
)
PAGE = 2
TICK = 0.25
"""Seconds between two changes of the clock while it is watched."""

Method = Callable[[Job], Message | None]


class Server:
    """Speaks for the inn. An era adds its own methods, how it asks, and whom it tells what."""

    name = "dragoman-demo"
    not_found = -32602

    def __init__(self) -> None:
        self.inn = Inn()
        self._wire = Wire()
        self._jobs: dict[int | str, Job] = {}
        self._clock: threading.Thread | None = None

    def methods(self) -> dict[str, Method]:
        """Name the methods this server answers; one that gives None answers later, or never."""
        return {
            "tools/list": lambda job: self._page(job, "tools", tools.definitions(self.inn)),
            "tools/call": tools.call,
            "resources/list": lambda job: self._page(job, "resources", resources.definitions(self.inn)),
            "resources/templates/list": lambda job: self._page(job, "resourceTemplates", resources.templates()),
            "resources/read": self._read,
            "prompts/list": lambda job: self._page(job, "prompts", prompts.definitions(self.inn)),
            "prompts/get": prompts.get,
            "completion/complete": prompts.complete,
        }

    # What an era decides.

    def admit(self, job: Job) -> None:
        """Refuse a request that comes out of turn or without what the era demands."""

    def dress(self, job: Job, result: Message) -> Message:
        """Give a result what the era wants on it."""
        return result

    def ask(self, job: Job, key: str, method: str, params: Message) -> Message:
        """Put a question to the client and give its answer."""
        raise NotImplementedError

    def hears(self, job: Job, level: str) -> bool:
        """Say whether the client wants logs of this level about this job."""
        raise NotImplementedError

    def updated(self, uri: str) -> None:
        """Tell whoever watches this resource that it changed."""
        raise NotImplementedError

    def changed(self, kind: str) -> None:
        """Tell whoever wants to know that a list changed."""
        raise NotImplementedError

    def is_watched(self, uri: str) -> bool:
        """Say whether anybody watches this resource."""
        raise NotImplementedError

    def answered(self, message: Message) -> None:
        """Take an answer to a question of ours; an era that asks none expects none."""

    def farewell(self) -> None:
        """Say what there is to say before the process ends."""

    # What is the same in both.

    def serve(self) -> None:
        """Answer until stdin ends."""
        sys.stderr.write(f"{self.name}: open\n")
        sys.stderr.flush()
        for message in self._wire.messages():
            self._hear(message)
        self.farewell()

    def send(self, message: Message) -> None:
        """Write one message."""
        self._wire.send(message)

    def watch(self, uri: str) -> None:
        """Start the clock when it is first watched."""
        if uri == resources.CLOCK and self._clock is None:
            self._clock = threading.Thread(target=self._tick, daemon=True)
            self._clock.start()

    def cancel(self, request: Any) -> None:
        """Call off the job of this request, if it is still running."""
        job = self._jobs.pop(request, None) if isinstance(request, (int, str)) else None
        if job:
            job.abandon()

    def _hear(self, message: Message) -> None:
        method, params = message.get("method"), message.get("params")
        if method is None:
            self.answered(message)
        elif "id" in message:
            self._begin(message)
        elif method == "notifications/cancelled" and isinstance(params, dict):
            self.cancel(params.get("requestId"))

    def _begin(self, message: Message) -> None:
        if not isinstance(message["id"], (int, str)) or not isinstance(message["method"], str):
            self.send({"jsonrpc": "2.0", "error": {"code": -32600, "message": "an id is a number or a string"}})
            return
        job = Job(self, message)
        self._jobs[job.id] = job
        # A tool may take its time or ask the client, so the next message is read meanwhile.
        if job.method == "tools/call":
            threading.Thread(target=self._run, args=(job,), daemon=True).start()
        else:
            self._run(job)

    def _run(self, job: Job) -> None:
        try:
            answer = self._answer(job)
        except Abandoned:
            return
        finally:
            self._jobs.pop(job.id, None)
        if answer and not job.is_abandoned:
            self.send({"jsonrpc": "2.0", "id": job.id, **answer})

    def _answer(self, job: Job) -> Message | None:
        try:
            method = self.methods().get(job.method)
            if method is None:
                raise Refusal(-32601, f"there is no method {job.method!r}")
            self.admit(job)
            result = method(job)
        except Refusal as refusal:
            return {"error": refusal.error}
        return None if result is None else {"result": self.dress(job, result)}

    def _page(self, job: Job, field: str, items: list[Message]) -> Message:
        cursor = job.params.get("cursor", "from-0")
        start = cursor.removeprefix("from-") if isinstance(cursor, str) else ""
        if not start.isdecimal() or int(start) > len(items):
            raise Refusal(-32602, f"{cursor!r} is no cursor of this list")
        end = int(start) + PAGE
        page: Message = {field: items[int(start) : end]}
        return {**page, "nextCursor": f"from-{end}"} if end < len(items) else page

    def _read(self, job: Job) -> Message:
        uri = job.text("uri")
        contents = resources.read(uri, self.inn)
        if contents is None:
            raise Refusal(self.not_found, f"there is no resource {uri!r}", {"uri": uri})
        return {"contents": [contents]}

    def _tick(self) -> None:
        while True:
            time.sleep(TICK)
            if self.is_watched(resources.CLOCK):
                self.inn.ticks += 1
                self.updated(resources.CLOCK)
