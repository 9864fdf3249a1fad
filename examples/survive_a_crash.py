"""Go on when the server dies in the middle of a call."""

import sys

from dragoman import Client, OutcomeUnknown, ServerExited, State


def tell(state: State) -> None:
    print(f"    the connection is {state.phase}")


with Client.connect([sys.executable, "-m", "dragoman.demo.legacy"], on_state=tell) as inn:
    print(inn.call_tool("echo", {"text": "All is well."}).text)
    try:
        inn.call_tool("crash")
    except OutcomeUnknown as error:
        # The tool may have done its work before the end, so it was not called again.
        print("nobody knows whether it ran:", error.method)
        if isinstance(error.__cause__, ServerExited):
            print("exit code", error.__cause__.exit_code, "and last words:", error.__cause__.stderr.splitlines()[-1])

    print(inn.call_tool("echo", {"text": "All is well again."}).text)
