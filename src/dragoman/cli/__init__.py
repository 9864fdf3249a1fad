"""The command `dragoman`: a user of the package's public names, and nothing more.

entry       begins, and ends with an exit code     parser · pages   the grammar, and what its help says
look        info, tools, resources, templates, prompts, ping
use         call, read, get, complete              convert · schemas   `key=value` to what a schema wants
                                                   given               files and the input as arguments
watching    watch                                  tour             demo
chat        chat                                   telling          what is shown of a chat, and leave for its calls
account     login, logout, auth                    apart      a wait that Ctrl-C ends
connecting  from options to a client               forms · fields   the server's questions to the user
screen      standard output and error              blocks · progress · logs   what is shown there
endings     signals that end the command           completion       what Tab completes
failures    exit codes, failures told              safe · nearest   text of servers, and slips of users
eras        what is remembered between runs
"""

from collections.abc import Sequence

__all__ = ["main"]


def main(words: Sequence[str] | None = None) -> int:
    """Do what the command line says; gives the exit code."""
    try:
        from dragoman.cli.entry import main as begin
    except KeyboardInterrupt:  # in the first instant, and no reason for a traceback
        return 130
    return begin(words)
