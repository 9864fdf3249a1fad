"""A server of either era that plays a script, and records whatever its client says: python puppet.py FOLDER

`FOLDER/script.json` is written by `tests.servers.scripts.play`, which tells what may stand in it; `FOLDER/record.jsonl`
has a line for each start of the program and for each message that it read. It needs the standard library alone.
"""

import json
import os
import signal
import sys
import threading
import time
from pathlib import Path
from queue import SimpleQueue
from typing import Any

Json = dict[str, Any]

FOLDER = Path(sys.argv[1])
RECORD = FOLDER / "record.jsonl"
SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"
SERVER_INFO = "io.modelcontextprotocol/serverInfo"

LISTS = {
    "tools/list": "tools",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
    "prompts/list": "prompts",
}


class Over(Exception):
    """The moves of a request end here."""


class Puppet:
    """One life of the server."""

    def __init__(self, script: Json) -> None:
        self.life = sum(b'"started"' in line for line in RECORD.read_bytes().splitlines()) if RECORD.exists() else 0
        lives = script.pop("lives", None) or [{}]
        self.script = {**script, **lives[min(self.life, len(lives) - 1)]}
        self.is_modern = self.script["era"] == "modern"
        self.streams: dict[Any, bool] = {}
        self.answers: dict[Any, SimpleQueue[Json]] = {}
        self.counts: dict[str, int] = {}
        self.heard: dict[str | None, int] = {}
        self.news = threading.Condition()
        self.lock = threading.Lock()

    # ------------------------------------------------------------------------------------------------------- hearing

    def run(self) -> None:
        self.note({"started": os.getpid()})
        for move in self.script.get("start", []):
            self.make([move], {}, {})
        for line in sys.stdin.buffer:
            message = json.loads(line)
            self.note({"message": message})
            self.take(message)

    def note(self, what: Json) -> None:
        with RECORD.open("ab") as file:
            file.write(json.dumps({"life": self.life, **what}).encode() + b"\n")

    def take(self, message: Json) -> None:
        method = message.get("method")
        with self.news:
            self.heard[method] = self.heard.get(method, 0) + 1
            self.news.notify_all()
        if method is None:
            self.answers.pop(message["id"], SimpleQueue()).put(message)
            return
        moves = self.moves(message)
        if moves is None:
            self.play([["default"]], message)
        elif self.script.get("in_order"):
            self.play(moves, message)
        else:
            threading.Thread(target=self.play, args=(moves, message), daemon=True).start()

    def moves(self, message: Json) -> Any:
        params = message.get("params") or {}
        for key in (f"{message['method']} {params.get('name') or params.get('uri')}", message["method"]):
            if key in self.script["on"]:
                moves = self.script["on"][key]
                if moves and moves[0][0] == "turns":
                    turn = self.counts[key] = self.counts.get(key, -1) + 1
                    return moves[0][1][min(turn, len(moves[0][1]) - 1)]
                return moves
        return None

    # ------------------------------------------------------------------------------------------------------- playing

    def play(self, moves: list[Any], message: Json) -> None:
        params = message.get("params") or {}
        known = {
            "$id": message.get("id"),
            "$token": (params.get("_meta") or {}).get("progressToken"),
            "$arguments": params.get("arguments"),
            "$life": self.life,
        }
        try:
            self.make(moves, message, known)
        except Over:
            return

    def make(self, moves: list[Any], message: Json, known: Json) -> None:
        for name, *arguments in moves:
            if name == "flood":
                count, inner = arguments
                for number in range(count):
                    known["$n"] = number
                    self.make(inner, message, known)
            else:
                getattr(self, f"do_{name}")(message, known, *(fill(each, known) for each in arguments))

    def do_answer(self, message: Json, known: Json, result: Any) -> None:
        if self.is_modern and isinstance(result, dict):
            result = {"resultType": "complete", **result}
        self.say({"id": message["id"], "result": result})

    def do_refuse(self, message: Json, known: Json, code: int, text: str, data: Any = None) -> None:
        error = {"code": code, "message": text}
        self.say({"id": message["id"], "error": error if data is None else {**error, "data": data}})

    def do_tell(self, message: Json, known: Json, method: str, params: Any = None) -> None:
        self.say({"method": method} if params is None else {"method": method, "params": params})

    def do_publish(self, message: Json, known: Json, method: str, params: Any = None) -> None:
        """Tell it as the era does: on each stream that wants it, or to everybody."""
        if not self.is_modern:
            self.do_tell(message, known, method, params)
        for stream in list(self.streams):
            self.say({"method": method, "params": {**(params or {}), "_meta": {SUBSCRIPTION: stream}}})

    def do_say(self, message: Json, known: Json, said: Json) -> None:
        self.say(said)

    def do_write(self, message: Json, known: Json, text: str) -> None:
        with self.lock:
            sys.stdout.write(text)
            sys.stdout.flush()

    def do_ask(self, message: Json, known: Json, key: str, method: str, params: Any = None) -> None:
        """Put a question to the client, in the way of the era; `$answer` is then what it said."""
        if self.is_modern:
            given = (message.get("params") or {}).get("inputResponses") or {}
            if key not in given:
                asked = {key: {"method": method, "params": params or {}}}
                state = f"state {key}"
                result = {"resultType": "input_required", "inputRequests": asked, "requestState": state}
                self.say({"id": message["id"], "result": result})
                raise Over
            known["$answer"] = given[key]
            return
        number = f"{key} {message.get('id')} {len(self.answers)}"
        answer = self.answers[number] = SimpleQueue()
        self.say({"id": number, "method": method, **({} if params is None else {"params": params})})
        said = answer.get()
        known["$answer"] = said.get("result", {"error": said.get("error")})

    def do_wait(self, message: Json, known: Json, gate: str) -> None:
        while not (FOLDER / f"gate-{gate}").exists():
            time.sleep(0.003)

    def do_hear(self, message: Json, known: Json, method: str, count: int = 1) -> None:
        with self.news:
            self.news.wait_for(lambda: self.heard.get(method, 0) >= count)

    def do_change(self, message: Json, known: Json, settings: Json) -> None:
        self.script.update(settings)

    def do_pause(self, message: Json, known: Json, seconds: float) -> None:
        time.sleep(seconds)

    def do_stderr(self, message: Json, known: Json, text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()

    def do_die(self, message: Json, known: Json, code: int) -> None:
        os._exit(code)

    def do_kill(self, message: Json, known: Json) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def do_default(self, message: Json, known: Json) -> None:
        method = message["method"]
        known_methods = {**COMMON, **(MODERN if self.is_modern else LEGACY)}
        if method in LISTS:
            self.do_answer(message, known, self.page(LISTS[method], message.get("params") or {}))
        elif method in known_methods:
            known_methods[method](self, message, known)
        elif "id" in message:
            self.do_refuse(message, known, -32601, f"no method {method}")

    # ------------------------------------------------------------------------------------------------------ answering

    def say(self, message: Json) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"
        with self.lock:
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()

    def page(self, name: str, params: Json) -> Json:
        items, size = self.script[name], self.script["page_size"]
        start = int((params.get("cursor") or "at-0").removeprefix("at-"))
        page = {name: items[start : start + size], **self.script["hints"]}
        return {**page, "nextCursor": f"at-{start + size}"} if start + size < len(items) else page

    def initialize(self, message: Json, known: Json) -> None:
        wanted = message["params"]["protocolVersion"]
        version = wanted if wanted in self.script["versions"] else self.script["versions"][0]
        result = {"protocolVersion": version, "serverInfo": self.script["info"]}
        self.do_answer(message, known, {**result, **self.about()})

    def discover(self, message: Json, known: Json) -> None:
        meta = {"_meta": {SERVER_INFO: self.script["info"]}}
        result = {"supportedVersions": self.script["versions"], "ttlMs": 0, "cacheScope": "private", **meta}
        self.do_answer(message, known, {**result, **self.about()})

    def about(self) -> Json:
        said = {"capabilities": self.script["capabilities"]}
        return {**said, "instructions": self.script["instructions"]} if self.script["instructions"] else said

    def listen(self, message: Json, known: Json) -> None:
        self.streams[message["id"]] = True
        params = {"notifications": message["params"]["notifications"], "_meta": {SUBSCRIPTION: message["id"]}}
        self.say({"method": "notifications/subscriptions/acknowledged", "params": params})

    def cancelled(self, message: Json, known: Json) -> None:
        self.streams.pop((message.get("params") or {}).get("requestId"), None)

    def read(self, message: Json, known: Json) -> None:
        uri = message["params"]["uri"]
        contents = self.script["contents"].get(uri)
        if contents is None:
            self.do_refuse(message, known, -32602 if self.is_modern else -32002, f"no resource {uri}", {"uri": uri})
        else:
            held = contents if isinstance(contents, dict) else {"text": contents}
            self.do_answer(message, known, {"contents": [{"uri": uri, **held}], **self.script["hints"]})

    def get(self, message: Json, known: Json) -> None:
        words = json.dumps(message["params"].get("arguments") or {})
        text = {"type": "text", "text": f"{message['params']['name']} {words}"}
        self.do_answer(message, known, {"messages": [{"role": "user", "content": text}]})

    def call(self, message: Json, known: Json) -> None:
        words = json.dumps(message["params"].get("arguments") or {})
        text = {"type": "text", "text": f"{message['params']['name']} {words}"}
        self.do_answer(message, known, {"content": [text]})

    def complete(self, message: Json, known: Json) -> None:
        begun = message["params"]["argument"]["value"]
        self.do_answer(message, known, {"completion": {"values": [f"{begun}1", f"{begun}2"], "total": 2}})

    def empty(self, message: Json, known: Json) -> None:
        self.do_answer(message, known, {})

    def nothing(self, message: Json, known: Json) -> None:
        """A notification needs no answer."""


COMMON = {
    "resources/read": Puppet.read,
    "prompts/get": Puppet.get,
    "tools/call": Puppet.call,
    "completion/complete": Puppet.complete,
    "notifications/cancelled": Puppet.cancelled,
}
LEGACY = {
    "initialize": Puppet.initialize,
    "ping": Puppet.empty,
    "logging/setLevel": Puppet.empty,
    "resources/subscribe": Puppet.empty,
    "resources/unsubscribe": Puppet.empty,
}
MODERN = {"server/discover": Puppet.discover, "subscriptions/listen": Puppet.listen}


def fill(value: Any, known: Json) -> Any:
    """Put what is known in the place of its name; `json:$answer` is its text."""
    if isinstance(value, str):
        if value.startswith("json:"):
            return json.dumps(known[value.removeprefix("json:")])
        return known.get(value, value)
    if isinstance(value, list):
        return [fill(each, known) for each in value]
    if isinstance(value, dict):
        return {name: fill(each, known) for name, each in value.items()}
    return value


if __name__ == "__main__":
    Puppet(json.loads((FOLDER / "script.json").read_text("utf-8"))).run()
