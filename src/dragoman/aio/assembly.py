"""Put a client's parts together, as its options say."""

from __future__ import annotations

import logging
from collections.abc import Mapping, MutableMapping
from typing import Any, cast

from dragoman import __version__
from dragoman.aio._runtime import Courier, Home
from dragoman.aio.caller import Caller
from dragoman.aio.catalogue import Catalogue
from dragoman.aio.connection import Connection
from dragoman.aio.habits import Habits, Timing
from dragoman.aio.handlers import Consumer, Handlers, consumer
from dragoman.aio.news import News
from dragoman.aio.options import ConnectOptions
from dragoman.aio.reports import Reports
from dragoman.aio.run import run
from dragoman.aio.shelf import Shelf
from dragoman.aio.transports import Transport
from dragoman.aio.watching import Watching
from dragoman.deadline import seconds
from dragoman.errors import McpError, UsageError
from dragoman.protocol.eras import Identity
from dragoman.protocol.inbound import Event
from dragoman.protocol.negotiate import offer
from dragoman.protocol.operations import ask, ping
from dragoman.protocol.recovery import RestartPolicy, Restarts, RetryPolicy
from dragoman.types import ClientCapabilities, Implementation, LoggingLevel, decode, encode

__all__ = ["Parts", "read_level"]

log = logging.getLogger("dragoman.aio")

TIMEOUT = 20.0
MAX_TIMEOUT = 3600.0

_LIST_CONSUMERS = {"tools": "on_tools_changed", "resources": "on_resources_changed", "prompts": "on_prompts_changed"}
_OTHER_CONSUMERS = ("on_resource_updated", "on_log", "on_elicitation_complete", "on_notification", "on_state")

_CAPABILITIES = ClientCapabilities.__struct_encode_fields__

_remembered: dict[str, str] = {}
"""The era of each server that this process has met, so that a silent one is waited for only once."""


class Parts:
    """The parts of one client, which know one another.

    Attributes:
        home: where they were put together, and have to be used.
    """

    def __init__(self, transport: Transport, options: ConnectOptions) -> None:
        consumers = _consumers(options)
        transport = _observed(transport, options)
        self.home = Home()
        self._transport = transport
        self._wants_logs = "on_log" in options
        self.apply_defaults = options.get("apply_elicitation_defaults", False)
        self.timing = _timing(options)
        self.handlers = _handlers(options)
        self.courier = Courier(transport.name)
        self.reports = Reports(transport.name, is_strict=options.get("strict") is True)
        self.news = News(transport.name, self.courier, consumers, self._changed)
        self.news.level = _level(options)
        self.connection = Connection(
            transport,
            _identity(options, self.handlers),
            offer(options.get("versions"), transport.protocol_versions()),
            self.handlers,
            self.timing,
            _habits(options, transport),
            _memory(options),
            on_news=self.news.take,
            on_state=self.news.state,
            restore=self._restore,
        )
        shelf = Shelf(is_used=options.get("cache", True), keeps_private=not callable(options.get("headers")))
        self.catalogue = Catalogue(self.connection, self.reports, shelf, options)
        self.watching = Watching(
            self.connection,
            self.courier,
            {kind: consumers[option] for kind, option in _LIST_CONSUMERS.items() if option in consumers},
            consumers.get("on_resource_updated"),
            relist=self.catalogue.relist,
            reread=self.catalogue.reread,
        )

    async def start(self) -> None:
        """Reach the server, and tell it what there is to tell at the beginning.

        Raises:
            McpError: it cannot be reached, or spoken with.
        """
        await self.connection.open()
        try:
            await self._restore_level(Caller(self.connection))
            await self.watching.start()
        except BaseException as error:
            if not isinstance(error, Exception):
                # Whoever interrupts does not want to wait for the server to end by itself.
                self._transport.sever()
            await self.close()
            raise

    async def close(self) -> None:
        """End everything, wherever this is called; in a forked child nothing, for there it is the parent's."""
        await self.home.leave(self._end, self.connection.sever)

    def let_go(self) -> None:
        """End everything without waiting for it, from any thread, in the middle of anything."""
        self.home.let_go(self._end, self.connection.sever)

    async def _end(self) -> None:
        await self.connection.close()
        self.news.end()
        await self.courier.end()

    def _changed(self, event: Event) -> None:
        self.catalogue.forget(event)
        self.watching.take(event)

    async def _restore(self) -> None:
        self.catalogue.forget_all()
        await self._restore_level(Caller.unattended(self.connection))
        await self.watching.restore()

    async def _restore_level(self, caller: Caller) -> None:
        """Let the server know from which level on it should log, if anybody listens."""
        level = LoggingLevel.INFO if self.news.level is None else self.news.level
        era, request = self.connection.era.at_log_level(level)
        if request is None:
            # A stateless server logs nothing unless each request asks for it, and the libraries that servers are
            # written with log then, whether or not they said that they would; the others begin by themselves.
            if self._wants_logs or self.news.level is not None:
                self.connection.change_era(era)
        elif self.news.level is not None and self.connection.introduction.capabilities.logging is not None:
            await self._try_level(level, caller)

    async def _try_level(self, level: LoggingLevel, caller: Caller) -> None:
        # What is below the level is dropped on this side as well, so a server that cannot set it costs nothing.
        try:
            await self.set_level(level, caller)
        except McpError as error:
            log.warning("%s: it did not take the log level %s: %s", self.connection.name, level.word, error)

    async def probe(self) -> None:
        """See whether the server answers, and asks no user for it: nobody waits for this.

        Raises:
            McpError: it does not.
        """
        await run(ping(self.connection.era), Caller.unattended(self.connection))

    async def set_level(self, level: LoggingLevel, caller: Caller) -> None:
        """Have only messages from `level` upwards sent, and pass on no others."""
        self.news.level = level
        era, request = self.connection.era.at_log_level(level)
        if request is not None:
            await run(ask(request), caller)
        self.connection.change_era(era)


def _observed(transport: Transport, options: ConnectOptions) -> Transport:
    """Give the transport, in sight of observers if there are any: this is the only place that asks."""
    given = options.get("observers")
    if not given:
        return transport
    from dragoman.aio.transports.observed import ObservedTransport
    from dragoman.models.watching import ClientObservers

    return ObservedTransport(transport, ClientObservers(*given))


def _consumers(options: ConnectOptions) -> dict[str, Consumer]:
    given: Mapping[str, Any] = options
    names = (*_LIST_CONSUMERS.values(), *_OTHER_CONSUMERS)
    return {name: found for name in names if (found := consumer(given.get(name))) is not None}


def _handlers(options: ConnectOptions) -> Handlers:
    return Handlers(
        roots=options.get("roots"),
        sampling=options.get("sampling"),
        elicitation=options.get("elicitation"),
        url_elicitation=options.get("url_elicitation"),
        approve=options.get("approve"),
        on_progress=options.get("on_progress"),
    )


def _timing(options: ConnectOptions) -> Timing:
    timeout = seconds(options.get("timeout", TIMEOUT))
    return Timing(
        timeout,
        seconds(options.get("max_timeout", MAX_TIMEOUT)),
        seconds(options.get("connect_timeout")),
        seconds(options.get("handshake_timeout", timeout)),
    )


def _habits(options: ConnectOptions, transport: Transport) -> Habits:
    restart = options.get("restart", True)
    policy = restart if isinstance(restart, RestartPolicy) else transport.restarts
    return Habits(
        RetryPolicy.of(options.get("retry", "safe")),
        Restarts(policy) if restart else None,
        options.get("apply_elicitation_defaults", False),
        options.get("announce_cancellation", True),
    )


def _identity(options: ConnectOptions, handlers: Handlers) -> Identity:
    info = options.get("client_info") or Implementation("dragoman", version=__version__)
    return Identity(info, handlers.capabilities(_stated(options.get("capabilities"))))


def _stated(given: ClientCapabilities | Mapping[str, Any] | None) -> ClientCapabilities | None:
    """Read capabilities that were stated, as a value or as they are on the wire.

    Raises:
        UsageError: they are none.
    """
    if given is None or isinstance(given, ClientCapabilities):
        return given
    try:
        stated = decode(encode(dict(given)), ClientCapabilities)
    except (TypeError, ValueError, NotImplementedError) as error:
        raise UsageError(f"the option `capabilities`: {error}", hint="give `ClientCapabilities(...)`") from error
    unknown = next((name for name in given if name not in _CAPABILITIES), None)
    if unknown is not None:
        raise UsageError(f"clients have no capability {unknown!r}", hint=f"they have {', '.join(_CAPABILITIES)}")
    return stated


def _memory(options: ConnectOptions) -> MutableMapping[str, str]:
    given = options.get("remembered")
    return _remembered if given is None else given


def _level(options: ConnectOptions) -> LoggingLevel | None:
    level = options.get("log_level")
    return None if level is None else read_level(level)


def read_level(level: LoggingLevel | str) -> LoggingLevel:
    """Read a log level, or the word for one.

    Raises:
        UsageError: there is no such level.
    """
    try:
        return LoggingLevel(cast(Any, level))
    except ValueError:
        words = ", ".join(each.word for each in LoggingLevel)
        raise UsageError(f"there is no log level {level!r}", hint=f"levels are {words}") from None
