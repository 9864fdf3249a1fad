"""Find the configurations of this machine's applications."""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path

from msgspec import Struct

from dragoman.errors import ConfigError
from dragoman.files.places import home
from dragoman.files.reading import read_file
from dragoman.host.config import Config, merge
from dragoman.host.discovery import PlaceOfConfig, well_known
from dragoman.host.entries import Problem

__all__ = ["Discovered", "discover", "existing"]

log = logging.getLogger("dragoman.files")


class Discovered(Struct, frozen=True):
    """A configuration that was found, and whose it is."""

    place: PlaceOfConfig
    config: Config


def existing(project: Path | None = None) -> tuple[PlaceOfConfig, ...]:
    """Give the well-known files that are there, the user's own before the project's."""
    folder = str((project or Path.cwd()).absolute())
    places = well_known(sys.platform, home(), folder, os.environ)
    return tuple(place for place in places if Path(place.path).is_file())


def discover(project: Path | None = None) -> tuple[tuple[Discovered, ...], Config]:
    """Read all well-known files: each one, and what they say together.

    One that cannot be read is told of among the problems, and costs the others nothing. To be found is not to be
    trusted: what belongs to a project starts nothing without leave.
    """
    found: list[Discovered] = []
    for place in existing(project):
        try:
            config = read_file(Path(place.path), may_be_another=True, is_project=place.is_project)
        except ConfigError as error:
            log.debug("%s: %s", place.path, error)
            config = Config(problems=(Problem(error.message, error.hint, place.path, error.line),))
        found.append(Discovered(place, config))
    return tuple(found), merge(each.config for each in found)
