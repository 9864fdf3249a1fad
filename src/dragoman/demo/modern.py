"""A demo server of the modern era: 2026-07-28, by discovery. Run it with `python -m dragoman.demo.modern`."""

import base64
import json
from typing import Any

from dragoman.demo import resources
from dragoman.demo.job import Job, Refusal
from dragoman.demo.server import INSTRUCTIONS, Method, Server
from dragoman.demo.tools import LEVELS
from dragoman.demo.wire import Message

__all__ = ["InputNeeded", "Modern"]

VERSION = "2026-07-28"
PREFIX = "io.modelcontextprotocol/"

_LISTS = {"toolsListChanged": "tools", "promptsListChanged": "prompts", "resourcesListChanged": "resources"}
_LASTING = {
    "server/discover": 3_600_000,
    "tools/list": 60_000,
    "prompts/list": 60_000,
    "resources/list": 60_000,
    "resources/templates/list": 60_000,
    "resources/read": 0,
}
"""How long the results that may be kept stay fresh, in milliseconds. Resources here change at any moment."""


class InputNeeded(Exception):
    """A job cannot go on before the client has answered one more question."""

    def __init__(self, result: Message) -> None:
        super().__init__("input needed")
        self.result = result


class Modern(Server):
    """Remembers nothing of its client: each request introduces itself, and brings back the answers given so far."""

    name = "dragoman-demo-modern"

    def __init__(self) -> None:
        super().__init__()
        self._listeners: dict[int | str, Message] = {}

    def methods(self) -> dict[str, Method]:
        """Add discovery, and one subscription for everything; a tool may come back for more input."""
        shared = super().methods()
        call = shared["tools/call"]
        added = {
            "server/discover": self._discover,
            "subscriptions/listen": self._listen,
            "initialize": self._no_handshake,
        }
        return {**shared, **added, "tools/call": lambda job: self._rounds(job, call)}

    def admit(self, job: Job) -> None:
        """Demand that the request introduces itself."""
        if job.method == "initialize":
            return
        requested = job.meta.get(PREFIX + "protocolVersion")
        if requested is None or not isinstance(job.meta.get(PREFIX + "clientCapabilities"), dict):
            raise Refusal(-32602, f"_meta must carry {PREFIX}protocolVersion and {PREFIX}clientCapabilities")
        if requested != VERSION:
            raise _unsupported(requested)
        if job.meta.get(PREFIX + "logLevel", "info") not in LEVELS:
            raise Refusal(-32602, f"a log level is one of {', '.join(LEVELS)}")

    def dress(self, job: Job, result: Message) -> Message:
        """Add the kind of result, who answers, and how long it stays fresh."""
        meta = {**result.get("_meta", {}), PREFIX + "serverInfo": {"name": self.name, "version": "1.0.0"}}
        dressed = {"resultType": "complete", **result, "_meta": meta}
        if job.method in _LASTING:
            dressed |= {"ttlMs": _LASTING[job.method], "cacheScope": "private"}
        return dressed

    def ask(self, job: Job, key: str, method: str, params: Message) -> Message:
        """Give the answer that came with the request; if there is none, end this round with the question."""
        known = _remembered(job.params.get("requestState"))
        known |= job.table("inputResponses")
        if key in known:
            answer: Message = known[key]
            return answer
        capability = method.partition("/")[0]
        if capability not in job.meta[PREFIX + "clientCapabilities"]:
            raise Refusal(-32021, f"this tool needs {capability}", {"requiredCapabilities": {capability: {}}})
        state = base64.urlsafe_b64encode(json.dumps(known).encode()).decode()
        question = {"method": method, "params": params}
        raise InputNeeded({"resultType": "input_required", "inputRequests": {key: question}, "requestState": state})

    def hears(self, job: Job, level: str) -> bool:
        """Log only for a request that asks for logs, what is at least as grave as it asks."""
        wanted = job.meta.get(PREFIX + "logLevel")
        return wanted is not None and LEVELS.index(level) >= LEVELS.index(wanted)

    def is_watched(self, uri: str) -> bool:
        """Say whether any listener watches this resource."""
        return any(uri in wanted.get("resourceSubscriptions", ()) for wanted in list(self._listeners.values()))

    def updated(self, uri: str) -> None:
        """Tell each listener that watches this resource."""
        for listener, wanted in list(self._listeners.items()):
            if uri in wanted.get("resourceSubscriptions", ()):
                self._deliver(listener, "notifications/resources/updated", {"uri": uri})

    def changed(self, kind: str) -> None:
        """Tell each listener that wants to know."""
        for listener, wanted in list(self._listeners.items()):
            if any(wanted.get(field) for field, listed in _LISTS.items() if listed == kind):
                self._deliver(listener, f"notifications/{kind}/list_changed", {})

    def cancel(self, request: Any) -> None:
        """Call off a job, or end a subscription."""
        super().cancel(request)
        if isinstance(request, (int, str)):
            self._listeners.pop(request, None)

    def farewell(self) -> None:
        """End every subscription in good order."""
        for listener in list(self._listeners):
            meta = {PREFIX + "subscriptionId": listener}
            self.send({"jsonrpc": "2.0", "id": listener, "result": {"resultType": "complete", "_meta": meta}})

    def _deliver(self, listener: int | str, method: str, params: Message) -> None:
        meta = {PREFIX + "subscriptionId": listener}
        self.send({"jsonrpc": "2.0", "method": method, "params": {"_meta": meta, **params}})

    def _discover(self, job: Job) -> Message:
        return {
            "supportedVersions": [VERSION],
            "capabilities": {
                "completions": {},
                "logging": {},
                "prompts": {"listChanged": True},
                "resources": {"listChanged": True, "subscribe": True},
                "tools": {"listChanged": True},
            },
            "instructions": INSTRUCTIONS,
        }

    def _no_handshake(self, job: Job) -> Message:
        raise _unsupported(job.params.get("protocolVersion", "unknown"))

    def _listen(self, job: Job) -> None:
        """Acknowledge what can be watched of what was asked for, and answer only at the end."""
        asked = job.table("notifications")
        granted: Message = {field: True for field in _LISTS if asked.get(field) is True}
        uris = [uri for uri in asked.get("resourceSubscriptions", ()) if resources.read(uri, self.inn)]
        if uris:
            granted["resourceSubscriptions"] = uris
        self._deliver(job.id, "notifications/subscriptions/acknowledged", {"notifications": granted})
        self._listeners[job.id] = granted
        for uri in uris:
            self.watch(uri)

    def _rounds(self, job: Job, call: Method) -> Message | None:
        try:
            return call(job)
        except InputNeeded as needed:
            return needed.result


def _unsupported(requested: str) -> Refusal:
    message = f"this server speaks {VERSION} only"
    return Refusal(-32022, message, {"supported": [VERSION], "requested": requested})


def _remembered(state: str | None) -> Message:
    """Read the answers of earlier rounds out of what the client brings back."""
    if state is None:
        return {}
    try:
        known = json.loads(base64.urlsafe_b64decode(state))
    except ValueError:
        raise Refusal(-32602, "requestState did not come back as it was sent") from None
    if not isinstance(known, dict):
        raise Refusal(-32602, "requestState did not come back as it was sent")
    return known


if __name__ == "__main__":
    Modern().serve()
