"""Show everything that a server offers, as in `python explore.py uvx mcp-server-git`."""

import sys

from dragoman import Client

command = sys.argv[1:] or [sys.executable, "-m", "dragoman.demo.modern"]

# Not strict: what a server does not offer is an empty list.
with Client.connect(command, strict=False) as client:
    server = client.server
    print(f"{server.title or server.name} {server.version}, protocol {client.protocol_version}")
    if client.instructions:
        print(client.instructions)

    print("\nTools")
    for tool in client.list_tools():
        arguments = ", ".join(tool.input_schema.get("properties", {}))
        print(f"  {tool.name}({arguments})  {tool.description or ''}")

    print("\nResources")
    for resource in client.list_resources():
        print(f"  {resource.uri}  {resource.description or resource.title or ''}")
    for template in client.list_resource_templates():
        print(f"  {template.uri_template}")

    print("\nPrompts")
    for prompt in client.list_prompts():
        arguments = ", ".join(argument.name for argument in prompt.arguments or ())
        print(f"  {prompt.name}({arguments})  {prompt.description or ''}")
