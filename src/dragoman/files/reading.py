"""Read what a host is given: configuration files, mappings, or both, and what they say together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any, TypeAlias

from msgspec import Struct

from dragoman.errors import ConfigError, UsageError
from dragoman.files.places import home
from dragoman.host.config import Config, merge, read_config, read_mapping
from dragoman.host.dialects import find_servers
from dragoman.host.discovery import is_own_file, is_project_file
from dragoman.host.documents import LIMIT

__all__ = ["Given", "Source", "Stamp", "decoded", "given", "read_configuration", "read_file", "stamp"]

Source: TypeAlias = str | PathLike[str] | Mapping[str, Any] | Config
"""A configuration file, its contents as a mapping, a mapping of names to targets, or a configuration that was read."""

Stamp: TypeAlias = tuple[int, int, int] | None
"""What a file looks like from outside: it is another when its contents are."""


def read_configuration(*sources: Source) -> Config:
    """Read configuration files, or mappings like them, without connecting to anything.

    Raises:
        ConfigError: a file cannot be read at all.
    """
    return given(list(sources)).config


class Given(Struct, frozen=True):
    """What a host was given.

    Attributes:
        config: the entries of all sources together.
        targets: by name, what is no entry: a command line, a URL, a transport, a server in this process.
        files: the files that were read, with what they looked like before.
    """

    config: Config
    targets: Mapping[str, Any] = {}
    files: Mapping[Path, Stamp] = {}


def given(sources: Source | Sequence[Source]) -> Given:
    """Read all sources; of two servers with one name, the first stands.

    Raises:
        ConfigError: a file cannot be read at all.
        UsageError: a source is none.
    """
    several: Sequence[Any] = sources if isinstance(sources, list | tuple) else [sources]
    configs: list[Config] = []
    targets: dict[str, Any] = {}
    files: dict[Path, Stamp] = {}
    for source in several:
        match source:
            case Config():
                configs.append(source)
            case str() | PathLike():
                file = Path(fspath(source)).expanduser().absolute()
                files[file] = stamp(file)
                configs.append(read_file(file))
            case Mapping():
                config, others = _split(source)
                configs.append(config)
                targets = {**others, **targets}
            case _:
                raise UsageError(
                    f"{source!r} is no configuration", hint="give a path, or a mapping of names to servers"
                )
    return Given(merge(configs), targets, files)


def _split(source: Mapping[str, Any]) -> tuple[Config, dict[str, Any]]:
    """Tell entries from what is connected to as it is."""
    if source and not all(isinstance(each, Mapping) for each in source.values()):
        if find_servers(source) is not None:
            return read_mapping(source), {}
    elif find_servers(source) is not None:
        return read_mapping(source), {}
    entries = {name: each for name, each in source.items() if isinstance(each, Mapping)}
    others = {str(name): each for name, each in source.items() if not isinstance(each, Mapping)}
    return read_mapping({"mcpServers": entries}), others


def read_file(file: Path, *, may_be_another: bool = False, is_project: bool | None = None) -> Config:
    """Read one configuration file; that it belongs to a project is told by where it lies, unless said.

    Raises:
        ConfigError: it cannot be read, or names no servers.
    """
    file = file.absolute()
    try:
        # What is no file, such as a device, does not say how much there is to come.
        with file.open("rb") as source:
            data = source.read(4 * LIMIT + 1)
        if len(data) > 4 * LIMIT:
            raise ConfigError("it is too large for a configuration", file=str(file))
        text = decoded(data)
    except FileNotFoundError:
        raise ConfigError(f"there is no such file: {file}", file=str(file)) from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"{file}: it cannot be read: {getattr(error, 'strerror', None) or error}", file=str(file)
        ) from None
    shared = _comes_with_a_project(file) if is_project is None else is_project
    try:
        return read_config(text, str(file), is_project=shared, folder=str(Path.cwd()), may_be_another=may_be_another)
    except ConfigError as error:
        place = f"{file}:{error.line}" if error.line else str(file)
        raise ConfigError(
            f"{place}: {error.message}", file=str(file), line=error.line, field=error.field, hint=error.hint
        ) from None


def _comes_with_a_project(file: Path) -> bool:
    """Tell by where a file lies, or what it is a link to; one's own files may be links to whatever one likes."""
    user = home()
    if is_own_file(str(file), user):
        return False
    return any(is_project_file(str(each), user) for each in (file, file.resolve()))


def decoded(data: bytes) -> str:
    """Decode a file: UTF-8, or UTF-16 where it says so by its first bytes, as some editors on Windows write it."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16")
    return data.decode("utf-8-sig")


def stamp(file: Path) -> Stamp:
    """Look at a file from outside; None where there is none."""
    try:
        facts = file.stat()
    except OSError:
        return None
    return facts.st_mtime_ns, facts.st_size, facts.st_ino
