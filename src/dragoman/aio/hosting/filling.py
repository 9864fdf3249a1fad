"""Fill in what an entry leaves to its surroundings, asking whoever has to be asked one thing at a time."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial

from dragoman.aio._runtime import call_foreign
from dragoman.aio.hosting.asking import Asking
from dragoman.errors import ConfigError, McpError
from dragoman.files.surroundings import Inputs, has_questions, resolve_entry
from dragoman.host.config import Config
from dragoman.host.entries import Entry

__all__ = ["filled"]

log = logging.getLogger("dragoman.aio")


async def filled(entry: Entry, config: Config, inputs: Inputs, asking: Asking, heed: Callable[[str], object]) -> Entry:
    """Fill in the variables of an entry; `heed` is told what is a secret by where it comes from.

    Raises:
        ConfigError: one has no value, or looking it up failed.
    """
    if callable(inputs) and has_questions(entry):
        # Whoever answers can answer one question at a time, whichever server it is for.
        async with asking:
            return await _looked_up(partial(resolve_entry, heed=heed), entry, config, inputs)
    return await _looked_up(partial(resolve_entry, heed=heed), entry, config, inputs)


async def _looked_up(resolve: Callable[..., Entry], entry: Entry, config: Config, inputs: Inputs) -> Entry:
    try:
        # In a thread where there is a loop: the keyring may take its time, and the user even more.
        found: Entry = await call_foreign(resolve, entry, config, inputs)
    except McpError:
        raise
    except Exception as error:  # the application's code, or that of a keyring
        log.exception("%s: looking up its variables raised", entry.name)
        what = f"its variables cannot be looked up: {type(error).__name__}: {error}"
        raise ConfigError(what, file=entry.file, line=entry.line, server=entry.name) from error
    return found
