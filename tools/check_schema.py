"""Hold `dragoman.types` against the specification's schemas and its published examples.

    python tools/check_schema.py SCHEMA_DIR

SCHEMA_DIR is the `schema` folder of a checkout of the specification's repository. For every version in it, each
definition's properties have to be fields of our type, and each example has to come out of our type as it went in.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from dragoman import types

# Definitions whose name here is another one. A request or notification stands for its params, an answer for its result.
OURS: dict[str, Any] = {
    "Annotated": types.TextContent,
    "Annotations": types.Annotations,
    "AudioContent": types.AudioContent,
    "BlobResourceContents": types.ResourceContents,
    "BooleanSchema": types.BooleanSchema,
    "CallToolRequest": types.CallToolParams,
    "CallToolResult": types.CallToolResult,
    "CancelledNotification": types.CancelledParams,
    "CancelTaskRequest": types.TaskParams,
    "CancelTaskResult": types.TaskResult,
    "CacheableResult": types.CacheableResult,
    "ClientCapabilities": types.ClientCapabilities,
    "CompleteRequest": types.CompleteParams,
    "CompleteResult": types.CompleteResult,
    "CreateMessageRequest": types.CreateMessageParams,
    "CreateMessageResult": types.CreateMessageResult,
    "CreateTaskResult": types.CreateTaskResult,
    "DiscoverRequest": types.DiscoverParams,
    "DiscoverResult": types.DiscoverResult,
    "ElicitRequest": types.ElicitFormParams,
    "ElicitRequestForm": types.ElicitFormParams,
    "ElicitRequestURL": types.ElicitUrlParams,
    "ElicitResult": types.ElicitResult,
    "ElicitationCompleteNotification": types.ElicitationCompleteParams,
    "EmbeddedResource": types.EmbeddedResource,
    "EmptyResult": types.EmptyResult,
    "EnumSchema": types.SelectSchema,
    "Error": types.ErrorObject,
    "GetPromptRequest": types.GetPromptParams,
    "GetPromptResult": types.GetPromptResult,
    "GetTaskPayloadRequest": types.TaskParams,
    "GetTaskPayloadResult": types.EmptyResult,
    "GetTaskRequest": types.TaskParams,
    "GetTaskResult": types.TaskResult,
    "Icon": types.Icon,
    "Icons": types.Implementation,
    "ImageContent": types.ImageContent,
    "Implementation": types.Implementation,
    "InitializeRequest": types.InitializeParams,
    "InitializeResult": types.InitializeResult,
    "InitializedNotification": types.InitializedParams,
    "InputRequiredResult": types.InputRequiredResult,
    "InputResponseRequest": types.InputParams,
    "InternalError": types.ErrorObject,
    "InvalidParamsError": types.ErrorObject,
    "InvalidRequestError": types.ErrorObject,
    "LegacyTitledEnumSchema": types.SelectSchema,
    "ListPromptsRequest": types.ListParams,
    "ListPromptsResult": types.ListPromptsResult,
    "ListResourceTemplatesRequest": types.ListParams,
    "ListResourceTemplatesResult": types.ListResourceTemplatesResult,
    "ListResourcesRequest": types.ListParams,
    "ListResourcesResult": types.ListResourcesResult,
    "ListRootsRequest": types.ListRootsParams,
    "ListRootsResult": types.ListRootsResult,
    "ListTasksRequest": types.ListParams,
    "ListTasksResult": types.ListTasksResult,
    "ListToolsRequest": types.ListParams,
    "ListToolsResult": types.ListToolsResult,
    "LoggingMessageNotification": types.LogMessage,
    "MethodNotFoundError": types.ErrorObject,
    "ModelHint": types.ModelHint,
    "ModelPreferences": types.ModelPreferences,
    "Notification": types.NotificationParams,
    "NumberSchema": types.NumberSchema,
    "PaginatedRequest": types.ListParams,
    "PaginatedResult": types.ListToolsResult,
    "ParseError": types.ErrorObject,
    "PingRequest": types.PingParams,
    "ProgressNotification": types.ProgressParams,
    "Prompt": types.Prompt,
    "PromptArgument": types.PromptArgument,
    "PromptListChangedNotification": types.ListChangedParams,
    "PromptMessage": types.PromptMessage,
    "PromptReference": types.PromptReference,
    "ReadResourceRequest": types.ReadResourceParams,
    "ReadResourceResult": types.ReadResourceResult,
    "RelatedTaskMetadata": types.RelatedTask,
    "Request": types.RequestParams,
    "Resource": types.Resource,
    "ResourceContents": types.ResourceContents,
    "ResourceLink": types.ResourceLink,
    "ResourceListChangedNotification": types.ListChangedParams,
    "ResourceReference": types.ResourceTemplateReference,
    "ResourceRequest": types.ReadResourceParams,
    "ResourceTemplate": types.ResourceTemplate,
    "ResourceTemplateReference": types.ResourceTemplateReference,
    "ResourceUpdatedNotification": types.ResourceUpdatedParams,
    "Result": types.Result,
    "Root": types.Root,
    "RootsListChangedNotification": types.RootsListChangedParams,
    "SamplingMessage": types.SamplingMessage,
    "ServerCapabilities": types.ServerCapabilities,
    "SetLevelRequest": types.SetLevelParams,
    "StringSchema": types.StringSchema,
    "SubscribeRequest": types.SubscribeParams,
    "SubscriptionFilter": types.SubscriptionFilter,
    "SubscriptionsAcknowledgedNotification": types.SubscriptionsAcknowledgedParams,
    "SubscriptionsListenRequest": types.ListenParams,
    "SubscriptionsListenResult": types.ListenResult,
    "Task": types.Task,
    "TaskAugmentedRequest": types.CallToolParams,
    "TaskMetadata": types.TaskMetadata,
    "TaskStatusNotification": types.TaskStatusParams,
    "TextContent": types.TextContent,
    "TextResourceContents": types.ResourceContents,
    "TitledMultiSelectEnumSchema": types.MultiSelectSchema,
    "TitledSingleSelectEnumSchema": types.SelectSchema,
    "Tool": types.Tool,
    "ToolAnnotations": types.ToolAnnotations,
    "ToolChoice": types.ToolChoice,
    "ToolExecution": types.ToolExecution,
    "ToolListChangedNotification": types.ListChangedParams,
    "ToolResultContent": types.ToolResultContent,
    "ToolUseContent": types.ToolUseContent,
    "UnsubscribeRequest": types.UnsubscribeParams,
    "UntitledMultiSelectEnumSchema": types.MultiSelectSchema,
    "UntitledSingleSelectEnumSchema": types.SelectSchema,
}

# Definitions without a type of ours, and why.
ENVELOPE = "the JSON-RPC envelope, which the protocol layer takes apart"
UNION = "a union of other definitions, each of which is checked"
PLAIN = "plain JSON: a string, a number, an object or an array"
KEYS = "names under _meta, which are constants"
ELSEWHERE: dict[str, str] = {
    **dict.fromkeys(["BaseMetadata"], "a part of other definitions, each of which is checked"),
    **dict.fromkeys(
        [
            *("JSONRPCBatchRequest", "JSONRPCBatchResponse", "JSONRPCError", "JSONRPCErrorResponse", "JSONRPCMessage"),
            *("JSONRPCNotification", "JSONRPCRequest", "JSONRPCResponse", "JSONRPCResultResponse"),
        ],
        ENVELOPE,
    ),
    **dict.fromkeys(
        [
            *("ClientNotification", "ClientRequest", "ClientResult", "ContentBlock", "ElicitRequestParams"),
            *("InputRequest", "InputResponse", "MultiSelectEnumSchema", "PrimitiveSchemaDefinition"),
            *("SamplingMessageContentBlock", "ServerNotification", "ServerRequest", "ServerResult"),
            "SingleSelectEnumSchema",
        ],
        UNION,
    ),
    **dict.fromkeys(
        [
            *("Cursor", "InputRequests", "InputResponses", "JSONArray", "JSONObject", "JSONValue", "LoggingLevel"),
            *("ProgressToken", "RequestId", "ResultType", "Role", "TaskStatus"),
        ],
        PLAIN,
    ),
    **dict.fromkeys(
        [
            *("MetaObject", "NotificationMetaObject", "RequestMetaObject", "ResultMetaObject"),
            "SubscriptionsListenResultMetaObject",
        ],
        KEYS,
    ),
}

# Errors are whole answers in the schema; ours are the data inside.
ERROR_DATA: dict[str, Any] = {
    "HeaderMismatchError": None,
    "MissingRequiredClientCapabilityError": types.MissingClientCapabilityData,
    "URLElicitationRequiredError": types.UrlElicitationRequiredData,
    "UnsupportedProtocolVersionError": types.UnsupportedProtocolVersionData,
}

# Read by a function that looks which of several types it is.
READERS: dict[str, Any] = {
    "ElicitRequest": types.read_elicit_params,
    "InputRequests": msgspec.json.Decoder(dict[str, types.InputRequest]).decode,
}


def our_type(name: str) -> Any:
    """Give our type for a definition, under its own name or the one of its request."""
    for known in (name, name.removesuffix("Params"), name.removesuffix("Response")):
        if known in OURS:
            return OURS[known]
    return None


def payload(name: str, example: Any) -> Any:
    """Take the part of an example that our type stands for out of its envelope."""
    if name in ERROR_DATA:
        return example["error"].get("data", {})
    if name.endswith("Response"):
        return example["result"]
    if name.endswith(("Request", "Notification")):
        return example.get("params", {})
    return example


def wire_names(kind: Any) -> set[str]:
    """Give the names that a type of ours has on the wire, its tag included."""
    config = kind.__struct_config__
    tag = {config.tag_field} if config.tag_field else set()
    return {field.encode_name for field in msgspec.structs.fields(kind)} | tag


def properties(name: str, definition: Any) -> set[str]:
    """Give the properties of a definition that our type has to have."""
    stated = definition.get("properties", {})
    if name in ERROR_DATA:
        data = definition["properties"]["error"]["allOf"][1]["properties"].get("data", {})
        return set(data.get("properties", {}))
    if name.endswith("ResultResponse"):
        return set()
    if name.endswith(("Request", "Notification")):
        return set(stated.get("params", {}).get("properties", {}))
    return set(stated)


def definitions(folder: Path) -> dict[str, Any]:
    """Read all definitions of a version."""
    schema = json.loads((folder / "schema.json").read_text("utf-8"))
    found: dict[str, Any] = schema.get("$defs") or schema["definitions"]
    return found


def missing_fields(folder: Path) -> Iterator[str]:
    """Say what a version's definitions have and our types have not."""
    for name, definition in definitions(folder).items():
        kind = ERROR_DATA.get(name) or our_type(name)
        if kind is None:
            if name not in ELSEWHERE and name not in ERROR_DATA:
                yield f"{folder.name}: {name} has no type, nor a reason for having none"
            continue
        lacking = properties(name, definition) - wire_names(kind)
        if lacking:
            yield f"{folder.name}: {kind.__name__} lacks {', '.join(sorted(lacking))} of {name}"


def changed_examples(folder: Path) -> Iterator[str]:
    """Say which of a version's examples do not come out of our types as they went in."""
    for path in sorted(folder.glob("examples/*/*.json")):
        name = path.parent.name
        example = payload(name, json.loads(path.read_text("utf-8")))
        try:
            yield from (f"{path}: {fault}" for fault in faults(name, example))
        except msgspec.MsgspecError as error:
            yield f"{path}: {error}"


def faults(name: str, example: Any) -> Iterator[str]:
    """Decode an example and write it again, as remembered and from its fields."""
    data = json.dumps(example).encode()
    if name == "InputResponses":
        params = types.decode(b'{"inputResponses":' + data + b"}", types.InputParams)
        if params.input_responses != example:
            yield "answers are changed"
        return
    value = read(name, data)
    if isinstance(value, types.Wire) and json.loads(types.dump(value)) != example:
        yield "dump() changes it"
    if defaults(value) | json.loads(types.encode(value)) != defaults(value) | example:
        yield f"encode() makes it {types.encode(value)!r}"


def defaults(value: Any) -> dict[str, Any]:
    """Give the defaults of a value, which need not be written."""
    if not isinstance(value, types.Wire):
        return {}
    return {field.encode_name: field.default for field in msgspec.structs.fields(value)}


def read(name: str, data: bytes) -> Any:
    """Decode an example into our type."""
    for known in (name, name.removesuffix("Params")):
        if known in READERS:
            return READERS[known](data)
    kind = ERROR_DATA.get(name) or (types.EmptyResult if name in ERROR_DATA else our_type(name))
    return types.decode(data, kind)


def main(arguments: list[str]) -> int:
    """Check every version and print what is wrong."""
    if len(arguments) != 1:
        print(__doc__)
        return 2
    folders = sorted(path.parent for path in Path(arguments[0]).glob("*/schema.json"))
    found = [fault for folder in folders for check in (missing_fields, changed_examples) for fault in check(folder)]
    counted = sum(len(list(folder.glob("examples/*/*.json"))) for folder in folders)
    print(*found, sep="\n")
    print(f"{len(folders)} versions, {counted} examples, {len(found)} faults")
    return 1 if found or not folders else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
