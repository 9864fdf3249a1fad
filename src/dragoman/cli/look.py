"""The commands that look at a server: info, tools, resources, templates, prompts, ping."""

import shlex
from argparse import Namespace
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from dragoman.cli.connecting import connected
from dragoman.cli.failures import Exit, no_such
from dragoman.cli.safe import as_json, one_line
from dragoman.cli.schemas import Schema, kinds
from dragoman.cli.screen import Piece, Screen
from dragoman.types import JsonObject, Prompt, Tool, is_object

if TYPE_CHECKING:
    from dragoman import Client

__all__ = ["info", "ping", "prompts", "resources", "templates", "tools"]

_NAME = "bold cyan"
# A schema may refer to itself, and to many things a thousand times.
_DEEPEST_FIELDS = 2
_MOST_ROWS = 500


def info(asked: Namespace, screen: Screen) -> Exit:
    """Show who the server is and what it can do."""
    with connected(asked, screen) as client:
        capabilities = client.capabilities.raw
        if screen.wants_json:
            screen.document(
                {
                    "protocolVersion": client.protocol_version,
                    "era": client.era,
                    "server": client.server.raw,
                    "capabilities": capabilities,
                    "instructions": client.instructions,
                }
            )
        else:
            _show_server(client, capabilities, screen)
    return Exit.OK


def _show_server(client: "Client", capabilities: Any, screen: Screen) -> None:
    server, out = client.server, screen.out
    titled = f"{server.title} ({server.name})" if server.title else server.name or client.name
    out.line((one_line(titled), _NAME), f" {one_line(server.version)}")
    for text in (server.description, server.website_url):
        if text:
            out.line(text)
    out.line(("protocol:      ", "bold"), f"{client.protocol_version} ({client.era})")
    out.line(("offers:        ", "bold"), ", ".join(_offers(capabilities)) or "nothing")
    if client.instructions:
        out.line(("instructions:  ", "bold"), client.instructions.strip().replace("\n", "\n               "))


def _offers(capabilities: Any) -> Iterable[str]:
    """Name what a server can do, each with its details: `resources (subscribe, listChanged)`."""
    for name, details in (capabilities if is_object(capabilities) else {}).items():
        known = [key for key, value in (details if is_object(details) else {}).items() if value not in (None, False)]
        yield one_line(f"{name} ({', '.join(known)})" if known else name)


def ping(asked: Namespace, screen: Screen) -> Exit:
    """Show how long the server takes to answer."""
    with connected(asked, screen) as client:
        milliseconds = round(client.ping() * 1000, 3)
        if screen.wants_json:
            screen.document({"milliseconds": milliseconds})
        else:
            name = one_line(client.server.name or client.name)
            screen.out.line((name, _NAME), f" answered in {milliseconds:.1f} ms")
    return Exit.OK


def tools(asked: Namespace, screen: Screen) -> Exit:
    """List the tools, or show one in detail."""
    with connected(asked, screen, strict=False) as client:
        listed = client.list_tools()
        if asked.name is not None:
            return _one_tool(asked, client, listed.get(asked.name), [each.name for each in listed], screen)
        rows = [((tool.name, _NAME), _signature(tool), _about(tool.title, tool.description)) for tool in listed]
        _list("tools", [tool.raw for tool in listed], ("tool", "arguments", "what it does"), rows, screen)
        if rows and screen.out.is_terminal and not screen.wants_json:
            screen.note("The same command with a tool's name behind it shows how to call that tool.")
    return Exit.OK


def _one_tool(asked: Namespace, client: "Client", tool: Tool | None, known: list[str], screen: Screen) -> Exit:
    if tool is None:
        raise no_such("tool", asked.name, known, client.name)
    if screen.wants_json:
        screen.document({"tools": [tool.raw]})
        return Exit.OK
    screen.out.line((one_line(tool.name), _NAME), *_hints(tool))
    if tool.description:
        screen.out.line(tool.description.strip())
    schema = Schema.of(tool.input_schema)
    rows = list(islice(_arguments(schema), _MOST_ROWS))
    if rows:
        screen.out.table(("argument", "type", "", "what it is"), rows)
    files = "".join(f" --config {_quoted(file)}" for file in asked.config)
    screen.note(f"To call it: dragoman call {_quoted(asked.server)} {_example(tool.name, schema)}{files}")
    return Exit.OK


def _hints(tool: Tool) -> list[Piece]:
    hints = tool.hints
    said = [
        *(["read-only"] if hints.is_read_only else []),
        *(["destructive"] if hints.destructive_hint is True and not hints.is_read_only else []),
        *(["idempotent"] if hints.is_idempotent else []),
    ]
    return [(f"  {', '.join(said)}", "dim")] if said else []


def _arguments(schema: Schema, within: str = "", depth: int = 0) -> Iterator[Sequence[Piece]]:
    """Give a row for each argument, and for each field of an object behind it, as they are typed: `where.city`."""
    for name, each in schema.properties.items():
        yield _argument(within + name, each, name in schema.required)
        if depth < _DEEPEST_FIELDS:
            yield from _arguments(each, f"{within}{name}.", depth + 1)


def _argument(name: str, schema: Schema, is_required: bool) -> Sequence[Piece]:
    default = schema.value.get("default")
    standing = "required" if is_required else "" if default is None else f"[{as_json(default, indent=None)}]"
    about = schema.value.get("description") or schema.value.get("title") or ""
    return (name, _NAME), kinds(schema), (standing, "bold" if is_required else "dim"), str(about)


def _signature(tool: Tool) -> str:
    """Write the names of a tool's arguments, those in brackets that may be left out."""
    schema = Schema.of(tool.input_schema)
    return " ".join(name if name in schema.required else f"[{name}]" for name in schema.properties)


def _example(name: str, schema: Schema) -> str:
    return " ".join([_quoted(one_line(name)), *(_quoted(f"{one_line(each)}=...") for each in schema.required)])


def _quoted(word: str) -> str:
    """Write a word as a shell takes it, in double quotes where these do, since most of the examples have them."""
    quoted = shlex.quote(word)
    return f'"{word}"' if quoted != word and not any(sign in word for sign in '"$`\\!') else quoted


def resources(asked: Namespace, screen: Screen) -> Exit:
    """List the resources."""
    with connected(asked, screen, strict=False) as client:
        listed = client.list_resources()
        rows = [
            ((each.uri, _NAME), each.mime_type or "", _about(each.title or each.name, each.description))
            for each in listed
        ]
        _list("resources", [each.raw for each in listed], ("uri", "type", "what it is"), rows, screen)
    return Exit.OK


def templates(asked: Namespace, screen: Screen) -> Exit:
    """List the resource templates."""
    with connected(asked, screen, strict=False) as client:
        listed = client.list_resource_templates()
        rows = [
            ((each.uri_template, _NAME), each.mime_type or "", _about(each.title or each.name, each.description))
            for each in listed
        ]
        raw = [each.raw for each in listed]
        _list("resourceTemplates", raw, ("uri template", "type", "what it is"), rows, screen, "resource templates")
    return Exit.OK


def prompts(asked: Namespace, screen: Screen) -> Exit:
    """List the prompts."""
    with connected(asked, screen, strict=False) as client:
        listed = client.list_prompts()
        rows = [((each.name, _NAME), _words(each), _about(each.title, each.description)) for each in listed]
        _list("prompts", [each.raw for each in listed], ("prompt", "arguments", "what it is"), rows, screen)
    return Exit.OK


def _words(prompt: Prompt) -> str:
    arguments = prompt.arguments or ()
    return " ".join(each.name if each.required else f"[{each.name}]" for each in arguments)


def _about(title: str | None, description: str | None) -> str:
    """Say in a line what a thing is: the beginning of its description, or its title."""
    first = (description or "").strip().partition("\n")[0]
    return first or title or ""


def _list(
    key: str,
    raw: list[JsonObject],
    headings: Sequence[str],
    rows: Sequence[Sequence[Piece]],
    screen: Screen,
    plural: str = "",
) -> None:
    if screen.wants_json:
        screen.document({key: raw})
    elif rows:
        screen.out.table(headings, rows)
    else:
        screen.note(f"The server offers no {plural or key}.")
