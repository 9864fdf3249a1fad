"""A demo server of the legacy era: 2025-11-25, by handshake. Run it with `python -m dragoman.demo.legacy`."""

from itertools import count

from dragoman.demo.job import Abandoned, Job, Refusal, ToolFailed
from dragoman.demo.server import INSTRUCTIONS, Method, Server
from dragoman.demo.tools import LEVELS
from dragoman.demo.wire import Message

__all__ = ["Legacy"]

VERSION = "2025-11-25"


class Legacy(Server):
    """Remembers its client: what it can do, what it watches, what it wants logged."""

    name = "dragoman-demo-legacy"
    not_found = -32002

    def __init__(self) -> None:
        super().__init__()
        self._client: Message | None = None
        self._level = "info"
        self._watched: set[str] = set()
        self._questions: dict[str, Job] = {}
        self._numbers = count(1)

    def methods(self) -> dict[str, Method]:
        """Add the handshake, ping, the log level and subscriptions by resource."""
        return {
            **super().methods(),
            "initialize": self._initialize,
            "ping": lambda job: {},
            "logging/setLevel": self._set_level,
            "resources/subscribe": self._subscribe,
            "resources/unsubscribe": self._unsubscribe,
        }

    def admit(self, job: Job) -> None:
        """Demand the handshake first."""
        if self._client is None and job.method not in ("initialize", "ping"):
            raise Refusal(-32600, "send initialize first")

    def ask(self, job: Job, key: str, method: str, params: Message) -> Message:
        """Send the client a request and wait for its answer."""
        if method.partition("/")[0] not in (self._client or {}):
            raise ToolFailed(f"this client does not answer {method}")
        question = f"question-{next(self._numbers)}"
        self._questions[question] = job
        self.send({"jsonrpc": "2.0", "id": question, "method": method, "params": params})
        answer = job.answers.get()
        self._questions.pop(question, None)
        if answer is None:
            self.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": question}})
            raise Abandoned
        if "error" in answer:
            raise ToolFailed(f"the client would not answer: {answer['error'].get('message')}")
        result: Message = answer["result"]
        return result

    def answered(self, message: Message) -> None:
        """Hand the answer to the job that asked."""
        job = self._questions.get(str(message.get("id")))
        if job:
            job.answers.put(message)

    def hears(self, job: Job, level: str) -> bool:
        """Log what is at least as grave as the level the client set (`info` until it does)."""
        return LEVELS.index(level) >= LEVELS.index(self._level)

    def is_watched(self, uri: str) -> bool:
        """Say whether the client subscribed to this resource."""
        return uri in self._watched

    def updated(self, uri: str) -> None:
        """Tell the client, if it subscribed."""
        if self.is_watched(uri):
            self.send({"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": uri}})

    def changed(self, kind: str) -> None:
        """Tell the client."""
        self.send({"jsonrpc": "2.0", "method": f"notifications/{kind}/list_changed"})

    def _initialize(self, job: Job) -> Message:
        if self._client is not None:
            raise Refusal(-32600, "initialize was sent before")
        self._client = job.table("capabilities")
        return {
            "protocolVersion": VERSION,
            "capabilities": {
                "completions": {},
                "logging": {},
                "prompts": {"listChanged": True},
                "resources": {"listChanged": True, "subscribe": True},
                "tools": {"listChanged": True},
            },
            "serverInfo": {"name": self.name, "version": "1.0.0", "title": "The old inn"},
            "instructions": INSTRUCTIONS,
        }

    def _set_level(self, job: Job) -> Message:
        if job.params.get("level") not in LEVELS:
            raise Refusal(-32602, f"a level is one of {', '.join(LEVELS)}")
        self._level = job.params["level"]
        return {}

    def _subscribe(self, job: Job) -> Message:
        uri = self._read(job)["contents"][0]["uri"]
        self._watched.add(uri)
        self.watch(uri)
        return {}

    def _unsubscribe(self, job: Job) -> Message:
        self._watched.discard(job.params.get("uri", ""))
        return {}


if __name__ == "__main__":
    Legacy().serve()
