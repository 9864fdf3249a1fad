"""What may be called, with whose leave."""

from time import sleep
from typing import Any

import pytest

from dragoman import AsyncClient, ToolFailed
from dragoman.aio.runner import AsyncToolRunner
from dragoman.host.policy import Act, Policy, Rule, Verdict
from dragoman.models.calls import ToolCall
from dragoman.models.functions import tool
from dragoman.types import ToolAnnotations
from tests.aio.client.support import failure
from tests.servers.scripts.play import Puppet, Puppeteer, structured, text
from tests.servers.scripts.play import tool as listed

TOKEN = "ghp_" + "a1B2" * 9


@pytest.fixture
def house(puppet: Puppeteer) -> Puppet:
    return puppet(
        tools=[
            listed("look", annotations={"readOnlyHint": True}),
            listed("burn", annotations={"destructiveHint": True}),
        ],
        on={"tools/call look": [structured({"token": TOKEN, "rooms": 3})], "tools/call burn": [text("burnt")]},
    )


@tool(annotations=ToolAnnotations(destructive_hint=True))
def burn_here() -> str:
    """Burn something here."""
    return "burnt here"


@tool(annotations=ToolAnnotations(destructive_hint=True))
def house_fire() -> str:
    """Burn everything."""
    return "burnt down"


class Asked:
    def __init__(self, answer: Any) -> None:
        self.acts: list[Act] = []
        self._answer = answer

    async def __call__(self, act: Act) -> Any:
        self.acts.append(act)
        return self._answer


@pytest.mark.feature(138)
async def test_what_may_destroy_is_asked_for_wherever_it_is(house: Puppet) -> None:
    asked = Asked(True)
    async with AsyncClient.connect(house.command, name="house") as client:
        runner = AsyncToolRunner(client, burn_here, policy=Policy.careful(), approve=asked)
        texts = [(await runner.call(name)).text for name in ("look", "burn", "burn_here")]

    assert texts[1:] == ["burnt", "burnt here"]
    assert [(act.server, act.name) for act in asked.acts] == [("house", "burn"), ("this program", "burn_here")]


@pytest.mark.feature(138)
@pytest.mark.parametrize("approve", [Asked(False), Asked("never"), None])
async def test_what_is_not_allowed_does_not_run_and_the_model_is_told(house: Puppet, approve: Any) -> None:
    async with AsyncClient.connect(house.command, name="house") as client:
        runner = AsyncToolRunner(client, policy=Policy.careful(), approve=approve)
        response = await runner.call("burn")
        stern = AsyncToolRunner(client, policy=Policy.careful(), approve=approve, handle_tool_errors=False)
        error = await failure(stern.call, "burn")

    assert house.called("burn") == 0
    assert response.text == "house: burn was not allowed (it may destroy something)"
    assert isinstance(error, ToolFailed)


async def test_dry_run_says_what_would_be_done(house: Puppet) -> None:
    policy = Policy((Rule(Verdict.DRY_RUN),))
    async with AsyncClient.connect(house.command, name="house") as client:
        response = await AsyncToolRunner(client, policy=policy).call("burn", {"what": "paper"})

    assert house.called("burn") == 0
    assert response.text == 'Dry run: this would call burn of house with {"what":"paper"}.'


async def test_secrets_are_taken_out_of_what_goes_and_comes(house: Puppet) -> None:
    policy = Policy((Rule(Verdict.REDACT),))
    async with AsyncClient.connect(house.command) as client:
        response = await AsyncToolRunner(client, policy=policy).call("look", {"note": f"with {TOKEN}"})

    assert house.params("tools/call") == [{"name": "look", "arguments": {"note": "with ***"}}]
    assert response.structured == {"token": "***", "rooms": 3}
    assert TOKEN not in response.message


async def test_denied_is_denied(house: Puppet) -> None:
    asked = Asked(True)
    async with AsyncClient.connect(house.command) as client:
        runner = AsyncToolRunner(client, policy=Policy((Rule(Verdict.DENY, tool="look"),)), approve=asked)
        responses = [(await runner.call(name)).is_error for name in ("look", "burn")]

    assert responses == [True, False]
    assert asked.acts == []


async def test_runner_tells_beforehand_what_somebody_would_be_asked_about(house: Puppet) -> None:
    async with AsyncClient.connect(house.command, name="house") as client:
        runner = AsyncToolRunner(client, policy=Policy.careful())

        assert [await runner.asks(name) for name in ("look", "burn", "nothing")] == [False, True, False]
        assert not await runner.asks("burn", "no object")
        assert not await AsyncToolRunner(client).asks("burn")


async def test_one_question_is_asked_at_a_time() -> None:
    asking: list[str] = []
    most = 0

    def approve(act: Act) -> bool:
        nonlocal most
        asking.append(act.name)
        most = max(most, len(asking))
        # Other threads get their turn here, if one of them may ask.
        sleep(0.01)
        asking.remove(act.name)
        return True

    runner = AsyncToolRunner(burn_here, house_fire, policy=Policy.careful(), approve=approve)
    run = await runner.run([ToolCall.scripted("burn_here"), ToolCall.scripted("house_fire")])

    assert [each.text for each in run.responses] == ["burnt here", "burnt down"]
    assert most == 1
