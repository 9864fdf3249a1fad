"""One list of what many servers offer."""

from typing import Any

from dragoman.host.catalog import Changes, HostPrompt, HostResource, HostTemplate, HostTool, changes
from dragoman.types import Prompt, PromptArgument, Resource, ResourceTemplate, Tool, ToolAnnotations


def test_a_tool_of_a_host_is_a_tool_with_another_name() -> None:
    tool = Tool.define(
        "search",
        {"type": "object"},
        output_schema={"type": "string"},
        title="Search",
        description="Finds.",
        annotations=ToolAnnotations(read_only_hint=True),
    )
    found = HostTool.of("b_search", "b", tool)

    assert (found.name, found.server, found.tool.name) == ("b_search", "b", "search")
    assert (found.title, found.display_name, found.description) == ("Search", "Search", "Finds.")
    assert (found.input_schema, found.output_schema) == ({"type": "object"}, {"type": "string"})
    assert found.annotations == found.hints == ToolAnnotations(read_only_hint=True)
    assert isinstance(found, Tool)
    assert found.raw == {**tool.raw, "name": "b_search"}


def test_resources_and_prompts_know_their_server() -> None:
    resource = HostResource("a", Resource(uri="mem://a", name="x"))
    template = HostTemplate("a", ResourceTemplate(uri_template="mem://{x}", name="y"))
    prompt = HostPrompt(
        "a_greet", "a", Prompt(name="greet", description="Greets.", arguments=(PromptArgument(name="who"),))
    )

    assert (resource.uri, resource.name) == ("mem://a", "x")
    assert (template.uri_template, template.name) == ("mem://{x}", "y")
    assert (prompt.description, [each.name for each in prompt.arguments]) == ("Greets.", ["who"])
    assert HostPrompt("x", "a", Prompt(name="x")).arguments == ()


def test_changes_between_two_lists_are_found() -> None:
    def key(item: tuple[str, int]) -> Any:
        return item[0]

    found = changes([("a", 1), ("b", 1), ("c", 1)], [("a", 1), ("b", 2), ("d", 1)], key)

    assert found == Changes((("d", 1),), (("c", 1),), ((("b", 1), ("b", 2)),))
    assert found
    assert not changes([("a", 1)], [("a", 1)], key)
