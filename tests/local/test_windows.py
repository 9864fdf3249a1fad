"""Running scripts on Windows, as far as it can be told from elsewhere."""

import pytest

from dragoman.local.windows import Job, batch_line, command_for

ENVIRONMENT = {"Path": r"C:\nodejs", "ComSpec": r"C:\Windows\System32\cmd.exe"}


def found(path: str | None):  # type: ignore[no-untyped-def]
    def which(command: str, path: str | None = None, *, result: str | None = path) -> str | None:
        assert path == r"C:\nodejs"
        return result

    return which


@pytest.mark.edge("B19")
def test_program_is_run_by_its_whole_path() -> None:
    command = command_for(["node", "x y"], ENVIRONMENT, found(r"C:\nodejs\node.EXE"))

    assert command == [r"C:\nodejs\node.EXE", "x y"]


@pytest.mark.edge("B19")
def test_batch_file_is_run_by_its_interpreter() -> None:
    command = command_for(["npx", "-y", "@scope/server"], ENVIRONMENT, found(r"C:\nodejs\npx.cmd"))

    assert command == (r'"C:\Windows\System32\cmd.exe" /d /e:on /v:off /s /c ""C:\nodejs\npx.cmd" -y @scope/server"')


@pytest.mark.edge("B19")
def test_missing_command_is_a_missing_file() -> None:
    with pytest.raises(FileNotFoundError):
        command_for(["npx"], ENVIRONMENT, found(None))


@pytest.mark.parametrize(
    ("argument", "quoted"),
    [
        ("plain-1.2", "plain-1.2"),
        ("", '""'),
        ("two words", '"two words"'),
        ("a&calc", '"a&calc"'),
        ("a|b>c<d^e!", '"a|b>c<d^e!"'),
        ('say "hi"', '"say ""hi"""'),
        ("%PATH%", '"%%cd:~,%PATH%%cd:~,%"'),
        ("end\\ \\", '"end\\ \\\\"'),
        ('a\\"b', '"a\\\\""b"'),
    ],
)
def test_argument_of_a_batch_file_cannot_become_a_command(argument: str, quoted: str) -> None:
    assert batch_line("cmd.exe", "x.cmd", [argument]) == f'"cmd.exe" /d /e:on /v:off /s /c ""x.cmd" {quoted}"'


def test_argument_with_a_line_break_is_refused() -> None:
    with pytest.raises(OSError, match="line break"):
        batch_line("cmd.exe", "x.cmd", ["a\nb"])


class Kernel:
    """Stands in for Windows, which is not here: records what it is asked."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, int]] = []

    def TerminateJobObject(self, handle: int, code: int) -> None:  # noqa: N802 - Windows' name
        self.calls.append(("terminate", handle))

    def CloseHandle(self, handle: int) -> None:  # noqa: N802 - Windows' name
        self.calls.append(("close", handle))

    def QueryInformationJobObject(self, handle: int, *_: object) -> None:  # noqa: N802 - Windows' name
        self.calls.append(("query", handle))


def test_job_is_ended_and_closed_once() -> None:
    kernel = Kernel()
    job = Job(kernel, 7)
    job.terminate()
    assert job.is_empty()
    job.close()
    job.close()
    job.terminate()

    assert kernel.calls == [("terminate", 7), ("query", 7), ("close", 7)]
    assert job.is_empty()
