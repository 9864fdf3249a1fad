"""Servers that misbehave on standard input and output, each a function: `python nasty.py NAME [arguments]`.

Plain Python without packages, so that they start fast. A message is answered by its method where nothing else is said:
`echo` with its params, `die` not at all.
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

out = sys.stdout.buffer
PYTHON = sys.executable


def read() -> Any:
    line = sys.stdin.buffer.readline()
    return json.loads(line) if line else None


def write(data: bytes) -> None:
    out.write(data)
    out.flush()


def send(**message: Any) -> None:
    write(json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False).encode() + b"\n")


def answer(request: Any, result: Any) -> None:
    send(id=request["id"], result=result)


def echo_from(request: Any) -> None:
    answer(request, request.get("params", {}))


def messages() -> Iterator[Any]:
    while (message := read()) is not None:
        yield message


# ------------------------------------------------------------------------------------------------------ well behaved


def echo() -> None:
    for message in messages():
        if "id" in message and "method" in message:
            echo_from(message)


def quick(size: str = "0") -> None:
    """Answer as fast as Python can, for the ids alone."""
    tail = b',"result":{"text":"' + b"x" * int(size) + b'"}}\n'
    for line in sys.stdin.buffer:
        number = line.partition(b'"id":')[2].partition(b",")[0]
        write(b'{"jsonrpc":"2.0","id":' + number + tail)


def environment() -> None:
    for message in messages():
        answer(message, dict(os.environ))


def folder() -> None:
    for message in messages():
        answer(message, {"cwd": str(Path.cwd()), "argv": sys.argv})


# --------------------------------------------------------------------------------------------------------------- death


def die(code: str = "0") -> None:
    """Answer one message, then exit while the next one waits."""
    echo_from(read())
    read()
    os._exit(int(code))


def die_at_start(code: str = "3") -> None:
    print("loading", file=sys.stderr)
    print("FATAL: database missing", file=sys.stderr)
    sys.exit(int(code))


def die_by_signal() -> None:
    read()
    os.kill(os.getpid(), signal.SIGKILL)


def die_half_way() -> None:
    """Write half an answer, then exit."""
    request = read()
    write(b'{"jsonrpc":"2.0","id":%d,"result":{"text":"ha' % request["id"])
    os._exit(9)


def die_without_line_end() -> None:
    """Answer without a line feed, then exit."""
    request = read()
    write(b'{"jsonrpc":"2.0","id":%d,"result":{"text":"whole"}}' % request["id"])
    os._exit(0)


def die_leaving_a_child() -> None:
    """Exit while a child of ours holds standard output open."""
    request = read()
    child = subprocess.Popen([PYTHON, "-c", "import time; time.sleep(600)"])
    print(f"child {child.pid}", file=sys.stderr, flush=True)
    os._exit(5 if request else 0)


def close_output() -> None:
    """Close standard output and live on."""
    read()
    os.close(1)
    time.sleep(600)


def close_input() -> None:
    """Close standard input and live on."""
    echo_from(read())
    os.close(0)
    time.sleep(600)


def launch(stubborn: str = "") -> None:
    """Start the real server, as npx and uvx do, and wait for it; SIGTERM ends only the launcher."""
    name = "ignore_everything" if stubborn else "echo"
    child = subprocess.Popen([PYTHON, __file__, name])
    print(f"child {child.pid}", file=sys.stderr, flush=True)
    child.wait()


def ignore_everything() -> None:
    """Outlive the end of the input and SIGTERM."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    echo()
    print("still here", file=sys.stderr, flush=True)
    time.sleep(600)


def hang() -> None:
    """Read nothing, answer nothing, and outlive everything but force."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    print("hanging", file=sys.stderr, flush=True)
    time.sleep(600)


def ignore_end() -> None:
    """Outlive the end of the input, and mind SIGTERM."""
    echo()
    time.sleep(600)


# ------------------------------------------------------------------------------------------------------------- output


def banner() -> None:
    write("🖥️ Server mode: STDIO\n".encode())
    write(b'{"level":30,"id":1,"msg":"listening"}\n')
    write(b"caf\xe9 \x1b[31mred\x1b[0m\n\n\r\n")
    echo()


def long(size: str) -> None:
    for message in messages():
        answer(message, {"text": "x" * int(size)})


def pieces() -> None:
    """Write half an answer, wait for the next request, then the rest and a whole second one in one piece."""
    first = read()
    data = b'{"jsonrpc":"2.0","id":%d,"result":{"text":"first"}}\n' % first["id"]
    write(data[:20])
    second = read()
    write(data[20:] + b'{"jsonrpc":"2.0","id":%d,"result":{"text":"second"}}\n' % second["id"])
    echo()


def odd_text() -> None:
    """Unicode line ends, carriage returns and a byte order mark."""
    write(b"\xef\xbb\xbf")
    for message in messages():
        data = {"jsonrpc": "2.0", "id": message["id"], "result": {"text": "before\u2028after\u2029\x85end"}}
        write(json.dumps(data, ensure_ascii=False).encode() + b"\r\n\r\n")


def bad_byte() -> None:
    for message in messages():
        write(b'{"jsonrpc":"2.0","id":%d,"result":{"text":"caf\xe9"}}\n' % message["id"])


def broken_answer() -> None:
    """Answer the first request with what is not JSON, all others well."""
    first = read()
    write(b'{"jsonrpc":"2.0","id":%d,"result":{"text": oops}}\n' % first["id"])
    echo()


def as_text() -> None:
    """Give each id back as a string."""
    for message in messages():
        send(id=str(message["id"]), result={})


def nobody() -> None:
    """Answer with an error that names no request."""
    for _ in messages():
        send(id=None, error={"code": -32700, "message": "cannot read that"})


def twice() -> None:
    for message in messages():
        answer(message, {"n": 1})
        answer(message, {"n": 2})


def batch() -> None:
    """Answer two requests in one array, as 2025-03-26 allows."""
    first, second = read(), read()
    write(json.dumps([{"jsonrpc": "2.0", "id": each["id"], "result": {}} for each in (second, first)]).encode() + b"\n")
    echo()


def flood(count: str) -> None:
    """Send many notifications before each answer."""
    for message in messages():
        for number in range(int(count)):
            send(method="notifications/message", params={"level": "info", "data": number})
        answer(message, {})


def progress(times: str, seconds: str) -> None:
    """Report progress so many times, so many seconds apart, then answer."""
    for message in messages():
        for number in range(int(times)):
            time.sleep(float(seconds))
            send(method="notifications/progress", params={"progressToken": message["id"], "progress": number})
        answer(message, {})


def silent(path: str = "") -> None:
    """Read everything and answer nothing; what is read is appended to a file."""
    for line in sys.stdin.buffer:
        if path:
            with Path(path).open("ab") as file:
                file.write(line)


def late() -> None:
    """Answer the first request only when the second one comes, which is answered as well."""
    first = read()
    second = read()
    answer(first, {"late": True})
    send(method="notifications/progress", params={"progressToken": first["id"], "progress": 1})
    answer(second, {"late": False})
    echo()


def deaf(seconds: str = "600") -> None:
    """Answer one message, then read nothing for so long, then read on."""
    echo_from(read())
    time.sleep(float(seconds))
    echo()


def busy(path: str) -> None:
    """Do one thing after the other, as most servers do: what says `until` when a file exists. What is read is appended."""
    for message in messages():
        params = message.get("params", {})
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(f"{params.get('name', message['method'])}\n")
        while "until" in params and not Path(params["until"]).exists():
            time.sleep(0.01)
        if "id" in message:
            answer(message, {"name": params.get("name")})


def slow_reader() -> None:
    """Read a little at a time, from the second message on."""
    echo_from(read())
    while os.read(0, 65536):
        time.sleep(0.02)


# --------------------------------------------------------------------------------------------------------------- stderr


def chatty(size: str) -> None:
    """Fill standard error with more than any pipe holds, before and after each answer."""
    line = "noise " * 20 + "\n"
    for message in messages():
        sys.stderr.write(line * (int(size) // len(line)))
        sys.stderr.buffer.write(
            b"caf\xe9 \x1b[31mred\x1b[0m api_key=%s\npartial" % os.environ.get("API_KEY", "").encode()
        )
        sys.stderr.flush()
        answer(message, {})


def says_check_mark() -> None:
    """Print what a code page could not hold, in the encoding that Python chose."""
    for message in messages():
        sys.stdout.write(
            json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": {"text": "✓"}}, ensure_ascii=False) + "\n"
        )
        sys.stdout.flush()


if __name__ == "__main__":
    threading.current_thread().name = "nasty"
    globals()[sys.argv[1]](*sys.argv[2:])
