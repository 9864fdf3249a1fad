"""The commands that use what a server offers: call, read, get, complete."""

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from dragoman.cli.blocks import Folder, save, show
from dragoman.cli.connecting import connected
from dragoman.cli.convert import arguments, check_required, read_json, read_words
from dragoman.cli.failures import Exit, NoSuch, no_such
from dragoman.cli.given import text_of_file, text_of_input
from dragoman.cli.nearest import suggestion
from dragoman.cli.safe import as_json, one_line
from dragoman.cli.screen import Screen
from dragoman.errors import InvalidParams, McpError, ProtocolError, ResourceNotFound, UsageError
from dragoman.types import (
    CallToolResult,
    GetPromptResult,
    JsonObject,
    Prompt,
    PromptReference,
    ReadResourceResult,
    ResourceTemplateReference,
    TextContent,
    is_object,
)

if TYPE_CHECKING:
    from dragoman import Client

__all__ = ["call", "complete", "get", "read"]


def call(asked: Namespace, screen: Screen) -> Exit:
    """Call a tool and show what it answers."""
    words = read_words(asked.pairs)
    whole = None if asked.args is None else _whole_arguments(asked.args)
    folder = None if asked.save is None else Folder(Path(asked.save))
    with connected(asked, screen) as client:
        # Servers say in four ways that they have no such tool, one of them a success: so their list is looked at first.
        listed = client.list_tools()
        tool = listed.get(asked.name)
        if tool is None:
            raise no_such("tool", asked.name, [each.name for each in listed], client.name)
        given = {**(whole or {}), **arguments(words, tool.input_schema)}
        if whole is None:
            check_required(given, tool.input_schema)
        result = client.call_tool(tool, given, retry_elicitation=screen.can_ask)
    return _show_result(result, screen, folder)


def _whole_arguments(text: str) -> JsonObject:
    """Read what `--args` names; it is sent as it stands, so that a server can be tried with what it should refuse."""
    if text == "-":
        text, what = text_of_input(), "the input"
    elif text.startswith("@"):
        text, what = text_of_file(text[1:]), text[1:]
    else:
        what = "--args"
    value = read_json(text, what)
    if not is_object(value):
        raise UsageError(f"{what} is no JSON object", hint='write {"key": value}')
    return value


def _show_result(result: CallToolResult, screen: Screen, folder: Folder | None) -> Exit:
    for violation in result.violations:
        screen.warn(f"the result breaks the tool's own output schema: {one_line(str(violation))}")
    code = Exit.FAILED if result.is_error else Exit.OK
    if not screen.wants_json and not result.is_error:
        _show_content(result, screen, folder)
        return code
    if screen.wants_json:
        screen.document(result.raw)
    else:
        screen.err.line(("the tool failed: ", "bold red"), result.text or as_json(result.structured))
    if folder is not None:
        for block in result.content:
            save(block, screen, folder)
    return code


def _show_content(result: CallToolResult, screen: Screen, folder: Folder | None) -> None:
    for block in result.content:
        show(block, screen, folder)
    has_text = any(isinstance(block, TextContent) for block in result.content)
    if result.has_structured and not has_text:
        screen.out.write(as_json(result.structured) + "\n")


def read(asked: Namespace, screen: Screen) -> Exit:
    """Read a resource and write it out."""
    with connected(asked, screen) as client:
        try:
            result = client.read_resource(asked.uri)
        except (ResourceNotFound, InvalidParams) as error:
            raise _no_such_resource(asked.uri, client) from error
    if asked.output is not None:
        _write_file(asked.output, _all_bytes(result, client.name))
    if screen.wants_json:
        screen.document(result.raw)
    elif asked.output is None:
        _show_contents(result, client.name, screen)
    return Exit.OK


def _no_such_resource(uri: str, client: "Client") -> NoSuch:
    try:
        known = [resource.uri for resource in client.list_resources()]
    except McpError:
        known = []
    return no_such("resource", uri, known, client.name)


def _show_contents(result: ReadResourceResult, server: str, screen: Screen) -> None:
    """Write text as text and bytes as bytes, but no bytes onto a terminal."""
    if not screen.out.is_terminal:
        screen.out.write_bytes(_all_bytes(result, server))
        return
    for contents in result.contents:
        if contents.text is None:
            kind = one_line(contents.mime_type or "data of unknown type")
            raise UsageError(f"{contents.uri} is no text but {kind}", hint="-o FILE writes it to a file")
        screen.result(contents.text)


def _all_bytes(result: ReadResourceResult, server: str) -> bytes:
    try:
        return b"".join(contents.bytes for contents in result.contents)
    except ValueError as error:
        raise ProtocolError(str(error), server=server, hint="--json shows it as it came") from error


def _write_file(name: str, data: bytes) -> None:
    try:
        Path(name).write_bytes(data)
    except OSError as error:
        raise UsageError(f"{name} cannot be written: {error.strerror}") from error


def get(asked: Namespace, screen: Screen) -> Exit:
    """Fill in a prompt and show its messages."""
    given = _texts(asked.pairs)
    folder = None if asked.save is None else Folder(Path(asked.save))
    with connected(asked, screen) as client:
        listed = client.list_prompts()
        prompt = listed.get(asked.name)
        if prompt is None:
            raise no_such("prompt", asked.name, [each.name for each in listed], client.name)
        _check_prompt(prompt, given)
        result = client.get_prompt(prompt.name, given)
    if not screen.wants_json:
        _show_messages(result, screen, folder)
        return Exit.OK
    screen.document(result.raw)
    if folder is not None:
        for message in result.messages:
            save(message.content, screen, folder)
    return Exit.OK


def _texts(pairs: list[str]) -> dict[str, str]:
    """Read `key=value` words whose values are texts, whatever they look like."""
    given: dict[str, str] = {}
    for word in read_words(pairs):
        if word.is_json:
            raise UsageError(f"{word.key!r} takes text", hint=f"write {word.key}=...")
        if word.key in given:
            raise UsageError(f"{word.key!r} is given more than once, but takes one value")
        given[word.key] = word.text
    return given


def _check_prompt(prompt: Prompt, given: dict[str, str]) -> None:
    names = [each.name for each in prompt.arguments or ()]
    for name in given:
        if name not in names:
            hint = suggestion(name, names, "arguments") or "it takes no arguments"
            raise UsageError(f"the prompt has no argument {name!r}", hint=one_line(hint))
    required = [each.name for each in prompt.arguments or () if each.required]
    check_required(dict(given), {"type": "object", "required": required})


def _show_messages(result: GetPromptResult, screen: Screen, folder: Folder | None) -> None:
    for message in result.messages:
        if screen.out.is_terminal:
            screen.out.line((f"{one_line(message.role)}:", "bold cyan"))
        show(message.content, screen, folder)


def complete(asked: Namespace, screen: Screen) -> Exit:
    """Show the values that could follow in an argument."""
    others = _texts(asked.others)
    with connected(asked, screen) as client:
        reference = _reference(asked, client)
        result = client.complete(reference, asked.argument, asked.value, context=others or None)
    if screen.wants_json:
        screen.document(result.raw)
        return Exit.OK
    for value in result.values:
        screen.out.line(one_line(value))
    if result.has_more or (result.total or 0) > len(result.values):
        screen.note(f"{len(result.values)} of {result.total or 'more'}")
    return Exit.OK


def _reference(asked: Namespace, client: "Client") -> PromptReference | ResourceTemplateReference:
    """Find out what a name means: a prompt that is listed, or else a template or a resource."""
    capabilities = client.capabilities
    prompts = [each.name for each in client.list_prompts()] if capabilities.prompts else []
    if asked.name in prompts:
        return PromptReference(name=asked.name)
    uris = [each.uri_template for each in client.list_resource_templates()] if capabilities.resources else []
    if asked.name in uris or "://" in asked.name:
        return ResourceTemplateReference(uri=asked.name)
    known = [*prompts, *uris]
    hint = suggestion(asked.name, known, "prompts and templates") or "it offers no prompts and no templates"
    raise NoSuch("prompt", asked.name, server=client.name, hint=hint)
