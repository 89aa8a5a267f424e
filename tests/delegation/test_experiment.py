"""An experiment through the real hooks: some runs get no memory, and it is recorded which."""

import itertools

import pytest

from memory_core.delegation.delivering import is_held_out
from memory_core.text import memory_echoes
from support.calls import SESSION, answer, call_agent, end_agent, start_agent
from support.events import FACT, LEARNED, make_failed_call
from support.runs import list_runs
from support.sandbox import Sandbox

SHARE = 0.5
KEYS = [f"toolu_{number}" for number in range(40)]
RUNS = [f"a{number}" for number in range(40)]
HELD_OUT = [key for key in KEYS if is_held_out(key, SHARE)]
GIVEN = [key for key in KEYS if key not in HELD_OUT]
RUNS_HELD_OUT = [run for run in RUNS if is_held_out(run, SHARE)]
RUNS_GIVEN = [run for run in RUNS if run not in RUNS_HELD_OUT]


@pytest.fixture
def shop(shop: Sandbox) -> Sandbox:
    """Return a project with an experiment, whose agent has one item."""
    shop.configure("memory:\n  experiment: {hold_out: 50%}\n")
    return shop


def list_groups(shop: Sandbox) -> dict[str, str]:
    """Return the group of each finished run by its id."""
    return {run["run"]: run["experiment"] for run in list_runs(shop.paths)}


@pytest.mark.parametrize("in_background", [False, True])
def test_a_held_out_run_gets_the_note_and_still_teaches(shop: Sandbox, in_background: bool) -> None:
    prompt = call_agent(shop, HELD_OUT[0])
    assert "# Add To Memory:" in prompt
    assert memory_echoes.has_block(prompt)
    assert FACT not in prompt
    assert "Recorded" not in prompt
    assert start_agent(shop) == ""
    if in_background:
        answer(shop, prompt, "", call=HELD_OUT[0], status="async_launched", isAsync=True)
    end_agent(shop)
    if not in_background:
        answer(shop, prompt, call=HELD_OUT[0])
    assert LEARNED in shop.read_memory("engineer")
    assert list_groups(shop) == {"a1": "held_out"}
    assert [event["memory_size"] for event in shop.read_log("agent.memory.loaded")] == [0]
    assert len(shop.read_log("agent.memory.delivered")) == 1


@pytest.mark.parametrize("run", [RUNS_HELD_OUT[0], RUNS_GIVEN[0]])
def test_without_a_receipt_the_start_decides_once(shop: Sandbox, run: str) -> None:
    """In auto mode the call changes no prompt."""
    assert call_agent(shop, HELD_OUT[0], permission_mode="auto") == ""
    block = start_agent(shop, run)
    assert "# Add To Memory:" in block
    assert (FACT in block) == (run in RUNS_GIVEN)
    assert start_agent(shop, run) == "", "it is resumed"
    answer(shop, run=run, call=HELD_OUT[0])
    assert list_groups(shop) == {run: "memory" if run in RUNS_GIVEN else "held_out"}


def test_runs_that_start_in_another_order_keep_their_group(shop: Sandbox) -> None:
    """The second run claims the receipt of the first call."""
    calls = {"a1": HELD_OUT[0], "a2": GIVEN[0]}
    prompts = {run: call_agent(shop, key) for run, key in calls.items()}
    for run in ("a2", "a1"):
        assert start_agent(shop, run) == ""
    for run, key in calls.items():
        answer(shop, prompts[run], run=run, call=key)
    assert list_groups(shop) == {"a1": "held_out", "a2": "memory"}


def test_a_failed_run_keeps_its_group(shop: Sandbox) -> None:
    call_agent(shop, HELD_OUT[0])
    start_agent(shop)
    shop.run_hook("post_tool_use", make_failed_call("API Error: 500", HELD_OUT[0]))
    assert list_groups(shop) == {"a1": "held_out"}


def test_a_run_whose_memory_was_lost_is_in_no_group(shop: Sandbox) -> None:
    call_agent(shop, GIVEN[0])
    start_agent(shop)
    answer(shop, "Another hook's prompt", call=GIVEN[0])
    assert list_groups(shop) == {"a1": ""}


@pytest.mark.parametrize("has_memory", [False, True])
def test_without_memory_or_experiment_no_run_has_a_group(shop: Sandbox, has_memory: bool) -> None:
    if has_memory:
        shop.configure("memory:\n  experiment: {hold_out: off}\n")
    else:
        (shop.memories / "engineer.md").unlink()
    prompt = call_agent(shop, HELD_OUT[0])
    assert (FACT in prompt) == has_memory
    start_agent(shop)
    answer(shop, prompt, "Done.", call=HELD_OUT[0])
    assert list_groups(shop) == {"a1": ""}


def test_an_agent_that_does_not_learn_takes_part(shop: Sandbox) -> None:
    """Its block has no note, but the receipt needs a block."""
    shop.configure("memory:\n  learning: off\n  experiment: {hold_out: 0.5}\n")
    prompt = call_agent(shop, HELD_OUT[0])
    assert FACT not in prompt
    assert "Add To Memory" not in prompt
    assert start_agent(shop) == ""
    answer(shop, prompt, "Done.", call=HELD_OUT[0])
    assert list_groups(shop) == {"a1": "held_out"}
    assert shop.read_log("agent.memory.lost") == []


def test_the_main_session_always_gets_its_memory(shop: Sandbox) -> None:
    shop.write_memory("PM", FACT)
    for number in range(8):
        event = {**SESSION, "session_id": f"s{number}"}
        assert FACT in shop.run_hook("session_start", event).stdout.decode()


@pytest.mark.parametrize("share", [0.01, 0.1, 0.3, 0.5])
def test_the_share_of_runs(share: float) -> None:
    keys = [f"{kind}{at}" for kind, at in itertools.product(("toolu_", "a"), range(5000))]
    held = sum(is_held_out(key, share) for key in keys)
    assert held / len(keys) == pytest.approx(share, abs=0.015)


def test_a_larger_share_holds_out_the_same_runs_and_more() -> None:
    assert all(is_held_out(key, 0.5) for key in KEYS if is_held_out(key, 0.1))
    assert not any(is_held_out(key, 0) for key in KEYS)
