"""A user's program, for tests: it answers what servers ask, and keeps what they tell."""

import logging
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, cast

from dragoman import AsyncClient, Context
from dragoman.aio._runtime import Mailbox
from dragoman.aio.options import ConnectOptions
from dragoman.deadline import Deadline
from dragoman.types import CreateMessageParams, ElicitFormParams, ElicitUrlParams, Root

__all__ = ["HOME", "PATIENCE", "Application", "Party", "party"]

PATIENCE = 20.0
HOME = Root("file:///home/ada", "home")

_TOLD = (
    "on_log",
    "on_progress",
    "on_tools_changed",
    "on_resources_changed",
    "on_prompts_changed",
    "on_resource_updated",
    "on_elicitation_complete",
    "on_notification",
)


class Application:
    """Answers forms with `form`, URLs with `visit` and prompts with `poem`; what it was asked is in `asked`."""

    def __init__(self) -> None:
        self.form: Any = {"name": "Ada"}
        self.visit: Any = True
        self.poem: Any = "An old silent pond"
        self.asked: list[Any] = []
        self._told: dict[str, Mailbox[Any]] = {option: Mailbox() for option in _TOLD}

    def options(self, **more: Any) -> ConnectOptions:
        """Give the options that connect this program's functions, and others."""
        told = {option: self._hearing(option) for option in _TOLD}
        asked = {"elicitation": self.fill_in, "url_elicitation": self.go_to, "sampling": self.write}
        return cast(ConnectOptions, {"roots": [HOME], **asked, **told, **more})

    def _hearing(self, option: str) -> Callable[[Any], Any]:
        async def hear(value: Any) -> None:
            self._told[option].put(value)

        return hear

    async def hears(self, option: str, wanted: Callable[[Any], bool] = lambda _: True) -> Any:
        """Wait for the next value of an option that is as wanted; those before it are dropped."""
        deadline = Deadline(PATIENCE)
        while not wanted(value := await self._told[option].get(deadline)):
            pass
        return value

    async def heard(self, option: str) -> list[Any]:
        """Give, and drop, what an option was told so far."""
        values = []
        while True:
            try:
                values.append(await self._told[option].get(Deadline(0)))
            except TimeoutError:
                return values

    async def fill_in(self, params: ElicitFormParams) -> Any:
        """Fill in a form."""
        self.asked.append(params)
        return self.form

    async def go_to(self, params: ElicitUrlParams) -> Any:
        """Visit a URL."""
        self.asked.append(params)
        return self.visit

    async def write(self, params: CreateMessageParams, context: Context) -> Any:
        """Have a model write something."""
        self.asked.append(params)
        return self.poem


class Party:
    """A client and the program that it belongs to."""

    def __init__(self, client: AsyncClient, application: Application) -> None:
        self.client = client
        self.application = application

    async def text_of(self, tool: str, arguments: dict[str, Any] | None = None, **options: Any) -> str:
        """Call a tool, which must not fail or break its schema, and give its text."""
        result = await self.client.call_tool(tool, arguments, raise_on_error=True, **options)
        assert (result.problems, result.violations) == ((), ())
        return result.text


@asynccontextmanager
async def party(target: Any, **options: Any) -> AsyncGenerator[Party, None]:
    """Connect a program to a server; it is an error if the client has anything to warn of until the end."""
    application = Application()
    with _complaints() as complaints:
        async with AsyncClient.connect(target, **application.options(**options)) as client:
            yield Party(client, application)
    assert complaints == [], complaints


class _Listener(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


@contextmanager
def _complaints() -> Generator[list[str], None, None]:
    listener = _Listener()
    logger = logging.getLogger("dragoman")
    logger.addHandler(listener)
    try:
        yield listener.messages
    finally:
        logger.removeHandler(listener)
