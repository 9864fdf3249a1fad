"""Show what results are made of: text as it is, a description of what is no text, files where they are asked for."""

import mimetypes
from pathlib import Path

from dragoman.cli.safe import one_line
from dragoman.cli.screen import Screen
from dragoman.errors import UsageError
from dragoman.types import (
    AudioContent,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceContents,
    ResourceLink,
    TextContent,
)

__all__ = ["Folder", "save", "show"]


class Folder:
    """Where the binary parts of a result are put, under names that are ours: a server does not choose them."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._count = 0

    def save(self, kind: str, mime_type: str | None, data: bytes) -> Path:
        """Write one part to a new file.

        Raises:
            UsageError: it cannot be written.
        """
        self._count += 1
        ending = mimetypes.guess_extension((mime_type or "").partition(";")[0].strip()) or ".bin"
        try:
            self._path.mkdir(parents=True, exist_ok=True)
            file = self._free_name(kind, ending)
            file.write_bytes(data)
        except OSError as error:
            raise UsageError(f"{self._path} cannot be written to: {error.strerror}") from error
        return file

    def _free_name(self, kind: str, ending: str) -> Path:
        while (file := self._path / f"{kind}-{self._count}{ending}").exists():
            self._count += 1
        return file


def show(block: ContentBlock, screen: Screen, folder: Folder | None = None) -> None:
    """Show one block: text and links on standard output, what else there is described on standard error."""
    match block:
        case TextContent(text=text):
            screen.result(text)
        case ResourceLink(uri=uri):
            screen.result(one_line(uri))
        case EmbeddedResource(resource=ResourceContents(text=str(text))):
            screen.result(text)
        case ImageContent() | AudioContent() | EmbeddedResource():
            save(block, screen, folder)
        case _:
            screen.note(f"[{one_line(block.type) or 'a block of no kind'}: --json shows it]")


def save(block: ContentBlock, screen: Screen, folder: Folder | None) -> None:
    """Put what is no text into the folder, if there is one, and describe it on standard error; nothing of text."""
    match block:
        case ImageContent(mime_type=mime_type):
            _keep("image", mime_type, block, screen, folder)
        case AudioContent(mime_type=mime_type):
            _keep("audio", mime_type, block, screen, folder)
        case EmbeddedResource(resource=ResourceContents(text=None) as resource):
            _keep("resource", resource.mime_type, resource, screen, folder)


def _keep(
    kind: str,
    mime_type: str | None,
    part: ImageContent | AudioContent | ResourceContents,
    screen: Screen,
    folder: Folder | None,
) -> None:
    what = f"{kind}, {one_line(mime_type or 'of unknown type')}"
    try:
        data = part.bytes
    except ValueError as error:
        screen.warn(f"{what}: {one_line(str(error))}")
        return
    if folder is None:
        screen.note(f"[{what}, {len(data):,} bytes: --save FOLDER keeps it]")
    else:
        screen.note(f"[{what}, {len(data):,} bytes: {folder.save(kind, mime_type, data)}]")
