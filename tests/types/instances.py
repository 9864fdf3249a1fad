"""One full instance of every type, as a server or a client would write it on the wire."""

from typing import Any

from dragoman import types

ICON = {"src": "https://tools.example/icon.png", "mimeType": "image/png", "sizes": ["48x48", "96x96"], "theme": "dark"}
ANNOTATIONS = {"audience": ["user", "assistant"], "priority": 0.25, "lastModified": "2026-02-03T04:05:06Z"}
META = {"example.org/trace": ["a", 1, None]}
TEXT = {"type": "text", "text": "grüß Gott\u2028", "annotations": ANNOTATIONS, "_meta": META}
IMAGE = {"type": "image", "data": "AAEC", "mimeType": "image/gif", "annotations": ANNOTATIONS, "_meta": META}
AUDIO = {"type": "audio", "data": "AwQF", "mimeType": "audio/ogg", "annotations": ANNOTATIONS, "_meta": META}
CONTENTS = {"uri": "note:///1", "mimeType": "text/plain", "text": "one", "blob": "b25l", "_meta": META}
RESOURCE = {
    "uri": "note:///1",
    "name": "one",
    "title": "The First",
    "description": "A note",
    "mimeType": "text/plain",
    "size": 3,
    "annotations": ANNOTATIONS,
    "icons": [ICON],
    "_meta": META,
}
LINK = {"type": "resource_link", **RESOURCE}
EMBEDDED = {"type": "resource", "resource": CONTENTS, "annotations": ANNOTATIONS, "_meta": META}
TOOL_USE = {"type": "tool_use", "id": "u1", "name": "weigh", "input": {"grams": 5}, "_meta": META}
TOOL_RESULT = {
    "type": "tool_result",
    "toolUseId": "u1",
    "content": [TEXT, LINK],
    "structuredContent": {"grams": 5},
    "isError": True,
    "_meta": META,
}
TEMPLATE = {
    "uriTemplate": "note:///{number}",
    "name": "notes",
    "title": "Notes",
    "description": "All notes",
    "mimeType": "text/plain",
    "annotations": ANNOTATIONS,
    "icons": [ICON],
    "_meta": META,
}
HINTS = {
    "title": "Weigh!",
    "readOnlyHint": True,
    "destructiveHint": False,
    "idempotentHint": True,
    "openWorldHint": False,
}
TOOL = {
    "name": "weigh",
    "inputSchema": {"type": "object", "properties": {"grams": {"type": "number"}}},
    "title": "Weigh",
    "description": "Puts a thing on the scales",
    "outputSchema": {"type": "object", "required": ["grams"]},
    "annotations": HINTS,
    "icons": [ICON],
    "execution": {"taskSupport": "optional"},
    "_meta": META,
}
ARGUMENT = {"name": "city", "title": "City", "description": "Where", "required": True}
PROMPT = {
    "name": "greet",
    "title": "Greet",
    "description": "Says hello",
    "arguments": [ARGUMENT],
    "icons": [ICON],
    "_meta": META,
}
PROGRAM = {
    "name": "scales",
    "version": "2.1",
    "title": "Scales",
    "description": "Weighs",
    "websiteUrl": "https://scales.example",
    "icons": [ICON],
}
TASKS: dict[str, Any] = {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}
CLIENT = {
    "roots": {"listChanged": True},
    "sampling": {"context": {}, "tools": {}},
    "elicitation": {"form": {}, "url": {}},
    "tasks": TASKS,
    "experimental": {"x": {}},
    "extensions": {"y": {}},
}
SERVER = {
    "tools": {"listChanged": True},
    "resources": {"subscribe": True, "listChanged": False},
    "prompts": {"listChanged": True},
    "completions": {},
    "logging": {},
    "tasks": TASKS,
    "experimental": {"x": {}},
    "extensions": {"y": {}},
}
TASK = {
    "taskId": "t1",
    "status": "working",
    "createdAt": "2026-02-03T04:05:06Z",
    "lastUpdatedAt": "2026-02-03T04:05:07Z",
    "ttl": None,
    "pollInterval": 500,
    "statusMessage": "half done",
}
RESULT = {"_meta": META, "resultType": "complete"}
CACHEABLE = {**RESULT, "ttlMs": 60000, "cacheScope": "private"}
PAGE = {**CACHEABLE, "nextCursor": "page 2"}
ANSWERS = {"inputResponses": {"who": {"action": "decline"}}, "requestState": "s", "_meta": META}
FORM = {
    "message": "Who are you?",
    "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
    "mode": "form",
    "task": {"ttl": 1000},
    "_meta": META,
}
LINKED = {
    "mode": "url",
    "message": "Sign in",
    "url": "https://login.example/1",
    "elicitationId": "e1",
    "task": {},
    "_meta": META,
}
MESSAGE = {"role": "user", "content": [TEXT, TOOL_RESULT], "_meta": META}
PREFERENCES = {
    "hints": [{"name": "small"}],
    "costPriority": 1,
    "speedPriority": 0.5,
    "intelligencePriority": 0,
}
SAMPLE = {
    "messages": [MESSAGE, {"role": "assistant", "content": TOOL_USE}],
    "maxTokens": 100,
    "systemPrompt": "Be brief",
    "modelPreferences": PREFERENCES,
    "includeContext": "none",
    "temperature": 0.5,
    "stopSequences": ["END"],
    "metadata": {"a": 1},
    "tools": [TOOL],
    "toolChoice": {"mode": "auto"},
    "task": {},
    "_meta": META,
}
FILTER = {
    "toolsListChanged": True,
    "promptsListChanged": False,
    "resourcesListChanged": True,
    "resourceSubscriptions": ["note:///1"],
}
FIELD = {"title": "T", "description": "D"}
LISTENING = {"_meta": {types.SUBSCRIPTION_ID_KEY: 7}}

INSTANCES: list[tuple[type[types.Wire], dict[str, Any]]] = [
    (types.Annotations, ANNOTATIONS),
    (types.AudioContent, AUDIO),
    (types.BooleanSchema, {"type": "boolean", **FIELD, "default": True}),
    (types.CacheableResult, CACHEABLE),
    (types.CallToolParams, {"name": "weigh", "arguments": {"grams": 5}, "task": {"ttl": 1}, **ANSWERS}),
    (
        types.CallToolResult,
        {
            "content": [TEXT, IMAGE, AUDIO, LINK, EMBEDDED],
            "structuredContent": [{"grams": 5}],
            "isError": True,
            **RESULT,
        },
    ),
    (types.CancelledParams, {"requestId": 3, "reason": "bored", "_meta": META}),
    (types.Choice, {"const": "r", "title": "Red"}),
    (types.ClientCapabilities, CLIENT),
    (
        types.CompleteParams,
        {
            "ref": {"type": "ref/prompt", "name": "greet"},
            "argument": {"name": "city", "value": "Wi"},
            "context": {"arguments": {"country": "AT"}},
            "_meta": META,
        },
    ),
    (types.CompleteResult, {"completion": {"values": ["Wien", "Wiener Neustadt"], "total": 2.0}, **RESULT}),
    (types.Completion, {"values": ["Wien"], "total": 9, "hasMore": True}),
    (types.CompletionArgument, {"name": "city", "value": ""}),
    (types.CompletionContext, {"arguments": {"country": "AT"}}),
    (types.CreateMessageParams, SAMPLE),
    (
        types.CreateMessageResult,
        {"content": [TEXT, TOOL_USE], "model": "m", "stopReason": "toolUse", "role": "assistant", "_meta": META},
    ),
    (types.CreateTaskResult, {"task": TASK, **RESULT}),
    (
        types.DiscoverResult,
        {
            "supportedVersions": ["2026-07-28"],
            "capabilities": SERVER,
            "instructions": "Be gentle",
            **CACHEABLE,
            "_meta": {types.SERVER_INFO_KEY: PROGRAM},
        },
    ),
    (types.DiscoverParams, {"_meta": META}),
    (types.ElicitFormParams, FORM),
    (types.ElicitResult, {"action": "accept", "content": {"name": "Ada", "colours": ["red"]}, "_meta": META}),
    (types.ElicitUrlParams, LINKED),
    (types.ElicitationCapability, {"form": {}, "url": {}}),
    (types.ElicitationCompleteParams, {"elicitationId": "e1", "_meta": META}),
    (types.EmbeddedResource, EMBEDDED),
    (types.EmptyResult, RESULT),
    (types.ErrorObject, {"code": -32000, "message": "no", "data": None}),
    (types.GetPromptParams, {"name": "greet", "arguments": {"city": "Wien"}, **ANSWERS}),
    (
        types.GetPromptResult,
        {"messages": [{"role": "user", "content": EMBEDDED}], "description": "Says hello", **RESULT},
    ),
    (types.Icon, ICON),
    (types.ImageContent, IMAGE),
    (types.Implementation, PROGRAM),
    (
        types.InitializeParams,
        {"protocolVersion": "2025-11-25", "capabilities": CLIENT, "clientInfo": PROGRAM, "_meta": META},
    ),
    (
        types.InitializeResult,
        {
            "protocolVersion": "2025-11-25",
            "capabilities": SERVER,
            "serverInfo": PROGRAM,
            "instructions": "Be gentle",
            **RESULT,
        },
    ),
    (types.InitializedParams, {"_meta": META}),
    (types.InputParams, ANSWERS),
    (types.InputRequest, {"method": "elicitation/create", "params": FORM}),
    (
        types.InputRequiredResult,
        {
            "inputRequests": {"who": {"method": "elicitation/create", "params": FORM}},
            "requestState": "s",
            **RESULT,
            "resultType": "input_required",
        },
    ),
    (types.ListChangedParams, LISTENING),
    (types.ListParams, {"cursor": "page 2", "_meta": META}),
    (types.ListPromptsResult, {"prompts": [PROMPT], **PAGE}),
    (types.ListResourceTemplatesResult, {"resourceTemplates": [TEMPLATE], **PAGE}),
    (types.ListResourcesResult, {"resources": [RESOURCE], **PAGE}),
    (types.ListRootsParams, {"_meta": META}),
    (types.ListRootsResult, {"roots": [{"uri": "file:///home", "name": "Home", "_meta": META}], "_meta": META}),
    (types.ListTasksResult, {"tasks": [TASK], **PAGE}),
    (types.ListToolsResult, {"tools": [TOOL], **PAGE}),
    (types.ListenParams, {"notifications": FILTER, "_meta": META}),
    (types.ListenResult, {**LISTENING, "resultType": "complete"}),
    (types.LogMessage, {"level": "notice", "data": [1], "logger": "db", "_meta": META}),
    (types.MissingClientCapabilityData, {"requiredCapabilities": {"elicitation": {}}}),
    (types.ModelHint, {"name": "small"}),
    (types.ModelPreferences, PREFERENCES),
    (
        types.MultiSelectSchema,
        {
            "type": "array",
            "items": {"anyOf": [{"const": "r", "title": "Red"}]},
            **FIELD,
            "minItems": 1,
            "maxItems": 2,
            "default": ["r"],
        },
    ),
    (types.NotificationParams, LISTENING),
    (types.NumberSchema, {"type": "integer", **FIELD, "minimum": 0, "maximum": 9.5, "default": 3}),
    (types.OtherSchema, {"type": "object", **FIELD, "default": {}}),
    (types.PingParams, {"_meta": META}),
    (types.ProgressParams, {"progressToken": "p", "progress": 0.5, "total": 1, "message": "half", "_meta": META}),
    (types.Prompt, PROMPT),
    (types.PromptArgument, ARGUMENT),
    (types.PromptMessage, {"role": "assistant", "content": AUDIO}),
    (types.PromptReference, {"type": "ref/prompt", "name": "greet", "title": "Greet"}),
    (types.PromptsCapability, {"listChanged": True}),
    (types.PromptsPage, {"prompts": [PROMPT, 5], **PAGE}),
    (types.ReadResourceParams, {"uri": "note:///1", **ANSWERS}),
    (types.ReadResourceResult, {"contents": [CONTENTS], **CACHEABLE}),
    (types.RelatedTask, {"taskId": "t1"}),
    (types.RequestParams, {"_meta": META}),
    (types.Resource, RESOURCE),
    (types.ResourceContents, CONTENTS),
    (types.ResourceLink, LINK),
    (types.ResourceTemplate, TEMPLATE),
    (types.ResourceTemplateReference, {"type": "ref/resource", "uri": "note:///{number}"}),
    (types.ResourceTemplatesPage, {"resourceTemplates": [TEMPLATE, None], **PAGE}),
    (types.ResourceUpdatedParams, {"uri": "note:///1", **LISTENING}),
    (types.ResourcesCapability, {"subscribe": True, "listChanged": True}),
    (types.ResourcesPage, {"resources": [RESOURCE, "x"], **PAGE}),
    (types.Result, RESULT),
    (types.Root, {"uri": "file:///home", "name": "Home", "_meta": META}),
    (types.RootsCapability, {"listChanged": False}),
    (types.RootsListChangedParams, {"_meta": META}),
    (types.SamplingCapability, {"context": {}, "tools": {}}),
    (types.SamplingMessage, MESSAGE),
    (
        types.SelectSchema,
        {"type": "string", **FIELD, "enum": ["r"], "enumNames": ["Red"], "oneOf": [], "default": "r"},
    ),
    (types.ServerCapabilities, SERVER),
    (types.SetLevelParams, {"level": "warning", "_meta": META}),
    (
        types.StringSchema,
        {
            "type": "string",
            **FIELD,
            "minLength": 1,
            "maxLength": 9,
            "format": "email",
            "pattern": ".",
            "default": "a",
        },
    ),
    (types.SubscribeParams, {"uri": "note:///1", "_meta": META}),
    (types.SubscriptionFilter, FILTER),
    (types.SubscriptionsAcknowledgedParams, {"notifications": FILTER, **LISTENING}),
    (types.Task, TASK),
    (types.TaskMetadata, {"ttl": 1000}),
    (types.TaskParams, {"taskId": "t1", "_meta": META}),
    (types.TaskResult, {**TASK, "_meta": META}),
    (types.TaskStatusParams, {**TASK, "_meta": META}),
    (types.TasksCapability, TASKS),
    (types.TasksPage, {"tasks": [TASK, []], **RESULT, "nextCursor": "page 2"}),
    (types.TextContent, TEXT),
    (types.Tool, TOOL),
    (types.ToolAnnotations, HINTS),
    (types.ToolChoice, {"mode": "required"}),
    (types.ToolExecution, {"taskSupport": "required"}),
    (types.ToolResultContent, TOOL_RESULT),
    (types.ToolUseContent, TOOL_USE),
    (types.ToolsCapability, {"listChanged": True}),
    (types.ToolsPage, {"tools": [TOOL, {}], **PAGE}),
    (types.UnsubscribeParams, {"uri": "note:///1", "_meta": META}),
    (types.UnsupportedProtocolVersionData, {"supported": ["2026-07-28"], "requested": "1999-01-01"}),
    (types.UrlElicitationRequiredData, {"elicitations": [LINKED]}),
]
