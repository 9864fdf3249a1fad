"""`dragoman demo` shows everything, in a pipe; tests/cli/test_terminal.py is asked by it."""

from tests.cli.command import dragoman


def test_demo_shows_everything_on_both_eras_and_ends_well() -> None:
    outcome = dragoman("demo")

    assert (outcome.code, outcome.err) == (0, "")
    for shown in (
        "dragoman-demo-{era} speaks ",
        "10 tools, 3 resources, 3 prompts",
        "arrived after 5 stages, 5 reports of progress on the way",
        '{{"origin": "Cairo", "destination": "Samarkand", "kilometres": 3405}}',
        "from Cairo to Samarkand 3405 km, Venice ",
        "a tower room for Ibn Battuta, 3 nights, with breakfast",
        "good day in Persian: dorud",
        "demo://note now reads: The {era} road is open.",
        "is_error=True: the bridge is out",
        "OutcomeUnknown: the process exited with code 3",
        "back again after ",
    ):
        for era in ("modern", "legacy"):
            assert f"   {era:7} {shown.format(era=era)}" in outcome.out
    _, _, next_lines = outcome.out.partition("What to type next:\n")
    assert '-m dragoman.demo.modern" book_room\n' in next_lines
    assert "dragoman" in next_lines.splitlines()[0]
