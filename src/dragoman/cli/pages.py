"""The commands: what each is called, takes and does, with examples to copy. The help is made of this."""

from dataclasses import dataclass

__all__ = ["COMMANDS", "OVERVIEW", "Command", "Word"]


@dataclass(frozen=True)
class Word:
    """One positional argument; `count` is as in argparse: `?` for one or none, `*` for any number."""

    name: str
    shown: str
    help: str
    count: str | None = None
    default: str | tuple[str, ...] | None = None

    @property
    def usage(self) -> str:
        """How the word stands in a line of usage."""
        return {None: self.shown, "?": f"[{self.shown}]"}.get(self.count, f"[{self.shown} ...]")


@dataclass(frozen=True)
class Command:
    """One command.

    Attributes:
        name: what is typed. summary: what it does, in a few words.
        description: the same at more length. examples: whole command lines.
        words: its positional arguments.
        home: the module below `dragoman.cli` whose function of the command's name does it.
        connects: whether it talks to a server that the user names.
        has_servers: whether it is about the servers of a configuration.
    """

    name: str
    summary: str
    description: str
    examples: tuple[str, ...]
    words: tuple[Word, ...]
    home: str
    connects: bool = True
    has_servers: bool = False

    @property
    def uses(self) -> tuple[str, ...]:
        """The public names that are loaded before it begins, so that nothing interrupts that."""
        if self.name == "chat":
            return ("Chat", "Client", "Host")
        return ("Client",) if self.connects else ("Host",) if self.has_servers else ()


_SERVER = Word("server", "SERVER", "a URL, the command line that starts the server, in quotes, or a configured name")
_NAMES = Word("names", "SERVER", "configured servers; all of them by default", "*", ())
_AT_URL = Word("server", "SERVER", "a URL, or a configured name")
_PAIRS = Word("pairs", "key=value", "the arguments, each as its type wants it", "*", ())

_ALL = (
    Command(
        "info",
        "who a server is and what it can do",
        "Show who a server is, which version of the protocol it speaks, and what it can do.",
        ('dragoman info "uvx mcp-server-git"', "dragoman info https://example.com/mcp --json"),
        (_SERVER,),
        "look",
    ),
    Command(
        "tools",
        "the tools, or one of them in detail",
        "List a server's tools; with the name of one, show its arguments and how to call it.",
        ('dragoman tools "uvx mcp-server-git"', 'dragoman tools "uvx mcp-server-git" git_log'),
        (_SERVER, Word("name", "TOOL", "show this one in detail", "?")),
        "look",
    ),
    Command(
        "resources",
        "what can be read",
        "List a server's resources. `dragoman read` reads one.",
        ('dragoman resources "npx -y @modelcontextprotocol/server-everything"',),
        (_SERVER,),
        "look",
    ),
    Command(
        "templates",
        "families of resources",
        "List a server's resource templates: URIs with {variables} to fill in. `dragoman complete` suggests values.",
        ('dragoman templates "npx -y @modelcontextprotocol/server-everything"',),
        (_SERVER,),
        "look",
    ),
    Command(
        "prompts",
        "the prompts, with their arguments",
        "List a server's prompts. `dragoman get` fills one in.",
        ('dragoman prompts "npx -y @modelcontextprotocol/server-everything"',),
        (_SERVER,),
        "look",
    ),
    Command(
        "call",
        "call a tool",
        "Call a tool and print what it answers: text as it is, anything else as JSON.\n\n"
        "Values become what the tool's schema says: `id=0123` stays text where text is wanted, `n=3` is a number,\n"
        '`o={"a":1}` an object, `tag=a tag=b` a list, `where.city=Cairo` a field within an object. `key:=JSON` is sent as\n'
        "it stands, and so is --args. If the tool reports an error, its text goes to standard error and the exit code is 5.",
        (
            'dragoman call "uvx mcp-server-git" git_log repo_path=. max_count=3',
            'dragoman call "uvx mcp-server-time" convert_time --args @request.json',
            'echo \'{"timezone": "UTC"}\' | dragoman call "uvx mcp-server-time" get_current_time --args -',
        ),
        (_SERVER, Word("name", "TOOL", "the tool's name"), _PAIRS),
        "use",
    ),
    Command(
        "read",
        "read a resource",
        "Read a resource and write it to standard output, or to a file.",
        (
            'dragoman read "python -m dragoman.demo.modern" demo://guide',
            'dragoman read "python server.py" img://logo -o logo.png',
        ),
        (_SERVER, Word("uri", "URI", "which one, as `dragoman resources` lists it")),
        "use",
    ),
    Command(
        "get",
        "fill in a prompt",
        "Get a prompt, filled in with arguments, and print its messages.",
        ('dragoman get "python -m dragoman.demo.modern" greeting name=Leila language=Persian',),
        (_SERVER, Word("name", "PROMPT", "the prompt's name"), _PAIRS),
        "use",
    ),
    Command(
        "complete",
        "suggest values for an argument",
        "Print the values that could follow in an argument of a prompt, or a variable of a resource template.",
        (
            'dragoman complete "python -m dragoman.demo.modern" greeting language P',
            'dragoman complete "python -m dragoman.demo.modern" "demo://cities/{city}" city Is',
            'dragoman complete "python -m dragoman.demo.modern" day_plan interest --with city=Venice',
        ),
        (
            _SERVER,
            Word("name", "NAME", "a prompt's name or a template's URI, as `prompts` and `templates` list them"),
            Word("argument", "ARGUMENT", "which of its arguments"),
            Word("value", "VALUE", "its beginning, as far as it is known", "?", ""),
        ),
        "use",
    ),
    Command(
        "ping",
        "whether a server answers, and how fast",
        "Ask a server for a sign of life and tell how long it took.",
        ('dragoman ping "uvx mcp-server-time"', "dragoman ping https://example.com/mcp --timeout 2"),
        (_SERVER,),
        "look",
    ),
    Command(
        "watch",
        "what changes, as it changes",
        "Print what a server tells by itself until Ctrl-C: tools, resources and prompts that come, go or change, log\n"
        "messages, and the new contents of the resources named.",
        (
            'dragoman watch "python -m dragoman.demo.modern" demo://clock',
            'dragoman watch "python server.py" --log-level debug --for 10s',
        ),
        (_SERVER, Word("uris", "URI", "resources to watch", "*", ())),
        "watching",
    ),
    Command(
        "servers",
        "how all configured servers do",
        "Connect to the servers of the configuration, all at once, and show how each does. Without --config it is what the\n"
        "applications of this machine have: Claude, VS Code, Cursor, Codex and others, yours before the project's.",
        ("dragoman servers", "dragoman servers --config mcp.json --watch", "dragoman servers github --json"),
        (_NAMES,),
        "servers",
        connects=False,
        has_servers=True,
    ),
    Command(
        "doctor",
        "what is wrong with a server, and what to do",
        "Examine a server, or all that are configured: configuration, launch, negotiation, authorization, schemas,\n"
        "conduct, latency, and what its tools cost a model. Each gets a grade, from A to F, and advice.",
        ('dragoman doctor "uvx mcp-server-git"', "dragoman doctor github --config mcp.json", "dragoman doctor --json"),
        (Word("server", "SERVER", "which one; all that are configured by default", "?"),),
        "doctor",
    ),
    Command(
        "config",
        "check, show or import configurations",
        "check: tell what is wrong, with file, line and field. show: list the servers, without secrets. import: copy servers\n"
        "of other applications into one's own file. schema: print the JSON Schema of a configuration, for editors.",
        ("dragoman config check mcp.json", "dragoman config show", "dragoman config import --into mcp.json"),
        (Word("action", "ACTION", "check, show, import or schema"), Word("names", "FILE", "which files", "*", ())),
        "configs",
        connects=False,
        has_servers=True,
    ),
    Command(
        "lock",
        "pin what servers say of themselves",
        "Write a lockfile of all tools, prompts, resources and instructions. Whatever is different later is found by\n"
        "`dragoman diff`, and blocked by a host that is opened with the lockfile.",
        ("dragoman lock", "dragoman lock github --config mcp.json"),
        (_NAMES,),
        "pins",
        connects=False,
        has_servers=True,
    ),
    Command(
        "diff",
        "what is not as it was pinned",
        "Compare what servers say now with the lockfile. The exit code is 8 if anything is different.",
        ("dragoman diff", "dragoman diff github --json"),
        (_NAMES,),
        "pins",
        connects=False,
        has_servers=True,
    ),
    Command(
        "approve",
        "give leave to a project's servers",
        "Show all that a server of a project's file does, and let it be used. Leave ends when anything of it is different.",
        ("dragoman approve", "dragoman approve github --yes"),
        (_NAMES,),
        "pins",
        connects=False,
        has_servers=True,
    ),
    Command(
        "login",
        "log in at a server",
        "Log in at a server in your browser, once for all programs that use dragoman. What is given is kept where only you\n"
        "can read it, and renewed without asking. With --headless, or where there is no browser, the address is shown:\n"
        "open it anywhere, and paste the address that the browser ends at.",
        (
            "dragoman login https://example.com/mcp",
            'dragoman login https://example.com/mcp --scope "read write" --headless',
            "dragoman login https://example.com/mcp --client-id me --client-secret @secret.txt",
        ),
        (_AT_URL,),
        "account",
        connects=False,
        has_servers=True,
    ),
    Command(
        "logout",
        "forget what a server has given",
        "Remove all that is stored for a server: tokens, and who this program is there. The server is not told.",
        ("dragoman logout https://example.com/mcp",),
        (_AT_URL,),
        "account",
        connects=False,
        has_servers=True,
    ),
    Command(
        "auth",
        "what is stored, and what a server wants",
        "Show what is stored for a server and when it ends, what the server asks for, and each step of finding out who\n"
        "gives tokens for it. Without SERVER, show for which servers anything is stored.",
        ("dragoman auth https://example.com/mcp", "dragoman auth --json"),
        (Word("server", "SERVER", "a URL, or a configured name", "?"),),
        "account",
        connects=False,
        has_servers=True,
    ),
    Command(
        "chat",
        "talk with a model that uses tools",
        "Talk with a model that uses the tools of servers. You are asked before each call that may change something,\n"
        "and see how long it takes. Keys are in ANTHROPIC_API_KEY, OPENAI_API_KEY and GEMINI_API_KEY.",
        (
            'dragoman chat --model anthropic:claude-sonnet-4-5 "uvx mcp-server-git"',
            "dragoman chat --model openai:llama3.2@http://localhost:11434/v1 --config mcp.json",
            'dragoman chat --model gemini:gemini-2.5-pro --once "What changed today?" --json "uvx mcp-server-git"',
        ),
        (Word("names", "SERVER", "URLs, command lines, or configured names", "*", ()),),
        "chat",
    ),
    Command(
        "demo",
        "see it all at work",
        "Show dragoman at work with two small servers of its own, one for each era of the protocol.\n"
        "Needs no network and no key, and takes a few seconds.",
        ("dragoman demo",),
        (),
        "tour",
        connects=False,
    ),
    Command(
        "completion",
        "have Tab complete commands and options",
        "Write what a shell needs in order to complete the words of `dragoman` when Tab is pressed.",
        (
            'eval "$(dragoman completion bash)"    # in ~/.bashrc; zsh likewise in ~/.zshrc',
            "dragoman completion fish > ~/.config/fish/completions/dragoman.fish",
        ),
        (Word("shell", "SHELL", "bash, zsh or fish"),),
        "completion",
        connects=False,
    ),
)

COMMANDS = {command.name: command for command in _ALL}


def _row(name: str) -> str:
    command = COMMANDS[name]
    words = " ".join(word.usage for word in command.words)
    return f"  {name:<10} {words:<34} {command.summary}"


_GROUPS = {
    "look": ("info", "tools", "resources", "templates", "prompts", "ping"),
    "use": ("call", "read", "get", "complete"),
    "talk": ("chat",),
    "stay": ("watch",),
    "many servers": ("servers", "doctor", "config", "lock", "diff", "approve"),
    "by your leave": ("login", "logout", "auth"),
    "start here": ("demo", "completion"),
}

OVERVIEW = (
    "usage: dragoman COMMAND SERVER ...\n\n"
    "Talk to any server of the Model Context Protocol. SERVER is a URL, the command line that starts it, in quotes,\n"
    "or the name that it has in a configuration.\n\n"
    + "\n\n".join(f"{title}:\n" + "\n".join(map(_row, names)) for title, names in _GROUPS.items())
    + """

options:
  --help, --version

examples:
  dragoman demo
  dragoman tools "uvx mcp-server-git"
  dragoman call "uvx mcp-server-git" git_log repo_path=. max_count=3

`dragoman COMMAND --help` tells more. Exit codes: 0 done, 2 usage, 3 no connection, 4 authorization, 5 the tool or server
reported an error, 6 no such tool, resource or prompt, 7 time-out, 8 not allowed, 130 interrupted.
"""
)
