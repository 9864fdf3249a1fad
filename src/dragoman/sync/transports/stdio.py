# generated from src/dragoman/aio/transports/stdio.py by tools/unasync.py; do not edit
"""Speak with a server that is a program: its standard input and output carry one message a line.

2026-07-28 and before, Transports, stdio. The program is started in a group of its own and ends with all that it has
started; what it writes on its standard error is read, logged and kept.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from msgspec import Struct

from dragoman.deadline import Deadline
from dragoman.errors import ConnectionClosed, ConnectionLost, McpError, ServerExited
from dragoman.local.command import brief, server_name, shown, split, without_secrets
from dragoman.local.environment import Inherited, environment
from dragoman.local.journal import Journal
from dragoman.local.program import Program, start
from dragoman.protocol.eras import VERSIONS, Era, Outgoing
from dragoman.protocol.framing import MESSAGE_LIMIT, Lines
from dragoman.protocol.jsonrpc import Message
from dragoman.protocol.recovery import RestartPolicy
from dragoman.sync._runtime import Courier, Crew, Event, Guard, Home, pause
from dragoman.sync.transports import Hear, HearAll, Lost, Overhear
from dragoman.sync.transports._process import Process
from dragoman.sync.transports.channel import Cause, Channel
from dragoman.sync.transports.diagnostics import Diagnostics
from dragoman.sync.unheld import unheld

__all__ = ["StdioTransport"]

log = logging.getLogger("dragoman.sync")

_DRAIN = 0.25
"""Seconds that remain, after the first sign of a server's end, for what its pipes still hold and for its status."""

_LAST = 3
"""How many lines of its standard error are shown of a server that does not answer."""

_LEFTOVERS = 0.2
"""Seconds that what a server has started gets to end after it."""


class _Settings(Struct, frozen=True):
    name: str
    argv: tuple[str, ...]
    limit: int
    grace: float


class StdioTransport:
    """A server that is started as a child process.

    Args:
        command: a command line, split as a shell would but run without one, or its words.
        env: environment variables for the server, over what it inherits. Their values are never logged.
        inherit_env: "safe" gives it what programs need to run and no secrets, as `dragoman.local.environment` lists;
            "all" everything; "none" nothing but `env`. Unless it is "none", `PYTHONUTF8=1` is set.
        cwd: the folder that it runs in; None for this process's.
        on_stderr: called with each line that it writes on its standard error, in order.
        name: what to call it in messages; by default what the command suggests.
        limit: the most bytes that one message may have.
        grace: seconds that it gets to end after its input has ended, and again after it was asked to.
    """

    mirrors_arguments = False
    asks_apart = False
    restarts = RestartPolicy()

    def __init__(
        self,
        command: str | Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        inherit_env: Inherited = "safe",
        cwd: str | os.PathLike[str] | None = None,
        on_stderr: Callable[[str], object] | None = None,
        name: str | None = None,
        limit: int = MESSAGE_LIMIT,
        grace: float = 2.0,
    ) -> None:
        argv = split(command, windows=sys.platform == "win32")
        self._settings = _Settings(name or server_name(argv), argv, limit, grace)
        self._on_stderr = on_stderr
        # That of what it logs by the protocol, too: a dot in the name would make it one logger's child.
        self._log = logging.getLogger("dragoman.server." + self.name.replace(".", "_"))
        self._env = dict(env or {})
        self._inherit: Inherited = inherit_env
        self._folder = None if cwd is None else os.fspath(cwd)
        self._diagnostics = Diagnostics(self.name)
        self._run: _Run | None = None
        self._program()  # what is wrong with the environment is said here, not when it is opened

    def _program(self) -> Program:
        return Program(self._settings.argv, environment(self._env, self._inherit), self._folder)

    @property
    def name(self) -> str:
        """What the server is called in messages."""
        return self._settings.name

    @property
    def key(self) -> str:
        """The command line, without its secrets."""
        return shown(self._settings.argv)

    @property
    def diagnostics(self) -> Diagnostics:
        """What the server wrote on its standard output that is no message."""
        return self._diagnostics

    @property
    def stderr(self) -> str:
        """The last lines that the server wrote on its standard error: at most 200, and 64 KiB."""
        return "" if self._run is None else self._run.journal.tail(200)

    @property
    def symptoms(self) -> str | None:
        """What may be the reason that the server does not answer, as far as it says anything of its own."""
        last = "" if self._run is None else self._run.journal.tail(_LAST)
        return self._diagnostics.hint or (f"the last on its standard error: {last}" if last else None)

    def protocol_versions(self) -> tuple[str, ...]:
        """Name every version: all of them have this transport."""
        return VERSIONS

    def __repr__(self) -> str:
        return f"StdioTransport({self.key!r})"

    def open(self, hear: Hear, lost: Lost, deadline: Deadline) -> None:
        """Start the server.

        Raises:
            ConnectFailed: it cannot be started.
        """
        if self._run is not None:
            # Two runs at once would meet at the same files and ports.
            self._run.end(deadline)
        try:
            self._run = _Run(self._settings, self._program(), self._diagnostics, hear, lost, unheld(self._remarked))
        except McpError as error:
            error.server = self.name
            raise

    def _remarked(self, courier: Courier, line: str) -> None:
        """Have a line of its standard error logged and passed on, where neither can hold up those who read."""
        if self._log.isEnabledFor(logging.INFO):
            courier.send(self._record, line)
        if self._on_stderr is not None:
            courier.send(self._on_stderr, line)

    def _record(self, line: str) -> None:
        self._log.info("%s", line)

    def exchange(self, outgoing: Outgoing, overhear: Overhear, deadline: Deadline) -> Message:
        """Send a request and return the message that answers it; see `Transport.exchange`."""
        return self._channel().exchange(outgoing, overhear, deadline)

    def listen(self, outgoing: Outgoing, hear: HearAll, deadline: Deadline) -> None:
        """Send a request whose messages are heard as they come; see `Transport.listen`."""
        return self._channel().listen(outgoing, hear, deadline)

    def forget(self, outgoing: Outgoing) -> None:
        """Drop whatever still comes for a request, without a word to the server."""
        if self._run is not None and self._run.home.is_here():
            self._run.channel.forget(outgoing.id)

    def settled(self, era: Era, deadline: Deadline) -> None:
        """Nothing changes: what is said goes the same way."""

    def tell(self, data: bytes, era: Era, deadline: Deadline) -> None:
        """Send a notification, or the answer to a request of the server's; see `Transport.tell`."""
        return self._channel().tell(data, deadline)

    def abandon(self, outgoing: Outgoing) -> None:
        """Let the server know that nobody waits for this request any more. Never waits, never raises."""
        if self._run is not None and self._run.home.is_here():
            self._run.channel.abandon(outgoing)

    def sever(self) -> None:
        """End the server by force; see `Transport.sever`."""
        if self._run is not None and self._run.home.is_ours():
            self._run.sever()

    def close(self) -> None:
        """End the server and all that it has started, within three times the grace; harmless when that is done."""
        if self._run is not None:
            self._run.end(Deadline.never())

    def _channel(self) -> Channel:
        if self._run is None:
            raise ConnectionClosed("the server has not been started", was_sent=False, server=self.name)
        self._run.home.check()
        return self._run.channel


class _Run:
    """One run of a server, from its start to its burial; owns its process, its exchanges and its standard error."""

    def __init__(
        self,
        settings: _Settings,
        program: Program,
        diagnostics: Diagnostics,
        hear: Hear,
        lost: Lost,
        remarked: Callable[[Courier, str], None],
    ) -> None:
        name = settings.name
        self.home = Home()
        self.buried = Event()
        self.process = Process(start(program), name)
        self.channel = Channel(name, self.process, hear, diagnostics, self._stuck, settings.limit)
        self._settings = settings
        self._lost = lost
        self._crew = Crew(name)
        self._courier = Courier(name)
        self.journal = Journal(program.environment, partial(remarked, self._courier))
        self._lines = Lines(settings.limit)
        self._guard = Guard()
        self._is_dying = False
        self.process.watch(self)

    # ------------------------------------------------------------------------------------------ what the process does

    def output(self, data: bytes) -> None:
        """Take what the server says."""
        self.channel.take(*self._lines.feed(data))

    def remark(self, data: bytes) -> None:
        """Take what the server writes on its standard error."""
        self.journal.feed(data)

    def ending(self) -> None:
        """Take the first sign of its end."""
        self._crew.start(self._lose)

    def _stuck(self) -> None:
        what = "the server stopped reading its input, and was ended"
        name = self._settings.name
        self.channel.end(lambda was_sent: ConnectionLost(what, was_sent=was_sent, server=name), self._lost)
        self._crew.start(self._bury)

    def _lose(self) -> None:
        self.process.settled.wait(Deadline(_DRAIN))
        self.channel.take_rest(self._lines.rest())
        self.channel.end(self._cause_of_death(), self._lost)
        self._bury()

    def _cause_of_death(self) -> Cause:
        name, argv, stderr = self._settings.name, without_secrets(self._settings.argv), self.journal.tail()
        status = self.process.child.exit_status()
        if self.process.failure is not None:
            failure = self.process.failure
            return lambda was_sent: _unreadable(failure, was_sent, name)
        if status is None:
            what = f"`{brief(argv)}` closed its standard output while it was running"
            return lambda was_sent: ConnectionLost(what, was_sent=was_sent, server=name)
        code, signal_name = (status, None) if status >= 0 else (None, _signal_name(-status))
        what = f"`{brief(argv)}` " + (f"was ended by {signal_name}" if signal_name else f"exited with code {code}")
        return lambda was_sent: ServerExited(
            what, argv=argv, exit_code=code, signal=signal_name, stderr=stderr, was_sent=was_sent, server=name
        )

    # --------------------------------------------------------------------------------------------------------- the end

    def end(self, deadline: Deadline) -> None:
        """End the server and every exchange with it; returns when nothing of it is left.

        In a forked child nothing happens: there it is the parent's.
        """
        if not self.home.is_ours():
            return
        self.home.check()
        self.channel.end(
            lambda was_sent: ConnectionClosed("the client was closed", was_sent=was_sent, server=self._settings.name)
        )
        self._crew.start(self._bury)
        if self.buried.wait(deadline):
            self._crew.end()

    def sever(self) -> None:
        """End the process by force, and see to its pipes where nothing else could do that any more."""
        self.process.child.kill()
        if not self.home.is_awake():
            self.process.release()

    def _bury(self) -> None:
        """End the process and its group by steps, once."""
        with self._guard:
            if self._is_dying:
                return
            self._is_dying = True
        is_gone = False
        try:
            is_gone = self._end_process()
            self.journal.finish()
            self._courier.end()
        finally:
            if not is_gone:
                self.process.child.kill()
            self.process.release()
            self.journal.finish()
            self.buried.set()

    def _end_process(self) -> bool:
        grace, child = self._settings.grace, self.process.child
        self.process.close_stdin()
        if self.process.exited.wait(Deadline(grace)) and self._is_gone_within(_LEFTOVERS):
            return True
        child.terminate()
        if self._is_gone_within(grace):
            return True
        child.kill()
        if self._is_gone_within(grace):
            return True
        log.warning("%s: process group %d could not be ended", self._settings.name, child.pid)
        return False

    def _is_gone_within(self, seconds: float) -> bool:
        deadline = Deadline(seconds)
        self.process.exited.wait(deadline)
        interval = 0.002
        while not self.process.child.is_gone():
            if deadline.expired:
                return False
            pause(interval)
            interval = min(interval * 2, 0.1)
        return True


def _unreadable(failure: BaseException, was_sent: bool, name: str) -> ConnectionLost:
    lost = ConnectionLost(f"what the server says cannot be taken any more: {failure!r}", was_sent=was_sent, server=name)
    lost.__cause__ = failure
    return lost


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
