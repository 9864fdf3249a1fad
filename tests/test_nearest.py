"""Did you mean."""

from typing import Any

import pytest

from dragoman.nearest import nearest


@pytest.mark.parametrize(
    ("name", "known", "expected"),
    [
        ("Repo_Path", ["x", "repo_path"], "repo_path"),
        ("openai-agent", ["openai", "openai-text", "openai-agents"], "openai-agents"),
        ("gti_log", ("git_status", "git_log"), "git_log"),
        ("echo", iter(["Echo", "ECHO"]), "Echo"),
        ("zzz", ["repo_path"], None),
        ("zzz", {}, None),
    ],
)
def test_what_is_nearest_of_all_was_meant(name: str, known: Any, expected: str | None) -> None:
    assert nearest(name, known) == expected
