"""What engines can only do or suffer with threads: closing from another one, Ctrl-C, and forks."""

import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
import urllib3

from dragoman.deadline import Deadline, now
from dragoman.errors import ConnectFailed, ConnectionClosed, ConnectionLost, McpError, McpTimeout
from dragoman.sync.engines import Wire
from tests.servers.web import scripts
from tests.servers.web.authority import Authority
from tests.servers.web.server import Script, WebServer
from tests.sync.engines.support import Sender


def after(seconds: float, function: Any) -> threading.Timer:
    timer = threading.Timer(seconds, function)
    timer.start()
    return timer


def test_reader_is_woken_by_close_from_another_thread(sender: Sender) -> None:
    with WebServer(scripts.stall_in_body) as server:
        reply = sender.send(server.url)
        reply.next_chunk(Deadline(10))
        timer = after(0.1, reply.close)
        started = now()
        with pytest.raises(ConnectionClosed):
            reply.next_chunk(Deadline.never())
        timer.join()

        assert now() - started < 5
        assert server.hung_up.acquire(timeout=10)


def test_sender_is_woken_by_cutting_its_wire(sender: Sender) -> None:
    with WebServer(scripts.stall) as server:
        wire = Wire()
        timer = after(0.1, wire.cut)
        with pytest.raises(ConnectionClosed):
            sender.send(server.url, wire=wire, seconds=30)
        timer.join()

        assert server.hung_up.acquire(timeout=10)


def test_wire_that_was_cut_before_sends_nothing(sender: Sender) -> None:
    with WebServer(scripts.echo) as server:
        wire = Wire()
        wire.cut()
        with pytest.raises(ConnectionClosed):
            sender.send(server.url, wire=wire)


def test_late_close_does_not_break_whoever_has_the_connection_now(sender: Sender) -> None:
    with WebServer(scripts.in_turn(scripts.echo, scripts.step_by_step([b"1", b"2"]))) as server:
        wire = Wire()
        first = sender.send(server.url, wire=wire)
        held = wire._hang_up
        first.read(100, Deadline(10))
        second = sender.send(server.url)
        assert held is not None
        held()

        assert second.next_chunk(Deadline(10)) == b"1"
        server.steps.release()
        assert second.next_chunk(Deadline(10)) == b"2"
        second.close()
        assert server.connections == 1


def test_many_threads_share_one_engine(sender: Sender) -> None:
    failures: list[BaseException] = []

    def work(url: str) -> None:
        try:
            for number in range(50):
                assert sender.call(url, b"%d" % number) == b"%d" % number
        except BaseException as error:
            failures.append(error)

    with WebServer(scripts.echo) as server:
        threads = [threading.Thread(target=work, args=(server.url,)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert failures == []
        assert server.connections <= 8


INTERRUPTED = """
import sys
sys.path[:0] = {paths!r}
from dragoman.deadline import Deadline
from dragoman.sync.engines import engine_for
from dragoman.web.options import HttpOptions
from dragoman.web.messages import HttpRequest

engine = engine_for(HttpOptions(engine={engine!r}))
print("ready", flush=True)
try:
    engine.send(HttpRequest("POST", {url!r}, (), b""), Deadline.never())
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C cannot be sent to one process there")
def test_control_c_ends_a_call(engine_name: Any) -> None:
    root = Path(__file__).parents[3]
    with WebServer(scripts.stall) as server:
        program = INTERRUPTED.format(paths=[str(root / "src")], engine=engine_name, url=server.url)
        child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
        assert child.stdout is not None
        with child, child.stdout:
            assert child.stdout.readline() == "ready\n"
            while not server.requests:
                server.may_go_on.wait(0.01)
            child.send_signal(signal.SIGINT)

            assert child.stdout.readline() == "interrupted\n"
            assert child.wait(10) == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.parametrize("script", [scripts.break_tls, scripts.close_before_answer])
def test_own_client_whose_connection_breaks_leaves_it_open_what_ran(authority: Authority, script: Script) -> None:
    with WebServer(script, authority.server("localhost")) as server:
        with urllib3.PoolManager(ca_certs=authority.file) as own, Sender(http_client=own) as sender:
            error = sender.failure(server.url)

        assert isinstance(error, ConnectionLost)
        assert error.was_sent


def test_own_client_that_cannot_connect_has_not_sent(authority: Authority) -> None:
    with WebServer(scripts.echo, authority.server("localhost")) as server:
        with urllib3.PoolManager() as own, Sender(http_client=own) as sender:
            errors = [sender.failure(server.url), sender.failure("http://localhost:1/")]

        assert [type(error) for error in errors] == [ConnectFailed] * 2


def test_fork_has_connections_of_its_own(sender: Sender) -> None:
    with WebServer(scripts.echo) as server:
        sender.call(server.url)
        child = os.fork()
        if not child:
            code = 1
            try:
                code = 0 if sender.call(server.url) == b"hello" else 2
            finally:
                os._exit(code)
        _, status = os.waitpid(child, 0)

        assert os.waitstatus_to_exitcode(status) == 0
        assert sender.call(server.url) == b"hello"
        assert server.connections == 2


def test_resolver_that_does_not_answer_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    may_end = threading.Event()

    def look_up(*_: Any, **__: Any) -> Any:
        may_end.wait(10)
        raise socket.gaierror

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    with Sender() as sender:
        error: McpError = sender.failure("http://slow.example/", seconds=0.2)
    may_end.set()
    for thread in threading.enumerate():
        if thread.name.startswith("dragoman resolver"):
            thread.join(10)

    assert isinstance(error, McpTimeout)
    assert (error.phase, error.was_sent) == ("connecting", False)
