"""The models of events: what hooks and commands really write, older logs, and the page."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memory_core.history import item_history
from memory_core.monitor import event_models
from support.events import (
    BLOCK,
    FACT,
    LEARNED,
    make_post_event,
    make_pre_event,
    make_start_event,
    make_stop_event,
)
from support.paths import REPO
from support.sandbox import Sandbox

PAGE = REPO / "docs" / "events.md"


def cause_many_events(sandbox: Sandbox) -> None:
    """Let agents learn, use, contradict and reject items, and let hooks fail."""
    sandbox.write_memory("engineer", FACT)
    sandbox.write_memory("PM", FACT)
    sandbox.run_hook("session_start", {"hook_event_name": "SessionStart", "session_id": "s1"})
    call = make_pre_event()
    call["tool_input"]["prompt"] = "Add a retry to the services on the event bus."
    prompt = sandbox.run_hook("pre_tool_use", call).reply["updatedInput"]["prompt"]
    sandbox.run_hook("subagent_start", make_start_event())
    sandbox.run_hook("subagent_stop", make_stop_event())
    sandbox.run_hook("post_tool_use", make_post_event(prompt))
    sandbox.run_hook("pre_tool_use", {**call, "tool_use_id": "toolu_2"})
    sandbox.run_hook("subagent_start", make_start_event("a2"))
    key = item_history.id_of(FACT)
    report = f"{BLOCK}\nUsed: {key}\nWrong: {key} because it changed\n"
    sandbox.run_hook("subagent_stop", make_stop_event("a2", report))
    long = BLOCK.replace(LEARNED, "long " * 80)
    sandbox.run_hook("subagent_stop", make_stop_event("a3", long))
    sandbox.run_hook("post_tool_use", b"no JSON")


def test_what_hooks_write_has_the_documented_keys(sandbox: Sandbox) -> None:
    sandbox.switch_selection_on()
    cause_many_events(sandbox)
    logged = sandbox.read_log()
    names = {event["event"].removeprefix("agent.memory.") for event in logged}
    wanted = {"loaded", "delivered", "learned", "reinforced", "used", "wrong", "held", "hook.error"}
    assert wanted <= names, wanted - names
    for event in logged:
        assert event_models.parse_event(event).model_extra == {}, event


@pytest.mark.parametrize("setting", ["true", "false"])
def test_texts_are_logged_only_on_request(sandbox: Sandbox, setting: str) -> None:
    sandbox.configure(f"memory: {{log_text: {setting}}}")
    cause_many_events(sandbox)
    text = (sandbox.state / "events.jsonl").read_text(encoding="utf-8")
    assert (LEARNED in text) == (setting == "true")
    events = [event_models.parse_event(event) for event in sandbox.read_log()]
    items = [event for event in events if isinstance(event, event_models.ItemsChanged)]
    assert items
    for event in items:
        assert event.model_extra == {}
        if event.texts:
            assert len(event.texts) == len(event.ids) == event.items


OLDER = [
    {"event": "agent.memory.loaded", "agent_id": "qa", "memory_source": "qa.md", "memory_size": 7,
     "route": "prompt", "session": "s1", "run": None, "call": "t1"},
    {"event": "agent.memory.learned", "agent_id": "qa", "learned": 1, "known": 0, "rejected": 0,
     "evicted": 2, "wrong": None, "run": "a1", "session": "s1", "source": "agent"},
    {"event": "agent.memory.error", "hook": "PostToolUse", "error": "ValueError: x"},
    {"event": "task.memory.begun", "task_id": "task-1"},
]  # fmt: skip


@pytest.mark.parametrize("event", OLDER, ids=[str(event["event"]) for event in OLDER])
def test_events_of_older_versions_are_valid(event: dict[str, Any]) -> None:
    assert event_models.parse_event({**event, "timestamp": "2026-11-20T22:10:05.123Z"})


@pytest.mark.parametrize("event", [{}, {"event": "agent.memory.x"}, {"event": 5}, OLDER[0]])
def test_other_values_are_refused(event: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"unknown event|timestamp"):
        event_models.parse_event(event)


def format_table(model: type[event_models.LoggedEvent]) -> str:
    inherited = event_models.LoggedEvent.model_fields
    names = ", ".join(f"`{name}`" for name in model.names)
    own = {name: field for name, field in model.model_fields.items() if name not in inherited}
    rows = [f"| `{name}` | {field.description} |" for name, field in own.items()]
    head = [f"{model.__doc__}", "", f"{names}", "", "| key | meaning |", "| --- | --- |"]
    return "\n".join([*head, *rows])


@pytest.mark.parametrize("model", event_models.MODELS, ids=lambda model: model.__name__)
def test_the_page_has_the_table(model: type[event_models.LoggedEvent]) -> None:
    assert format_table(model) in PAGE.read_text(encoding="utf-8"), format_table(model)


def test_the_example_of_the_page_is_valid() -> None:
    example = PAGE.read_text(encoding="utf-8").split("```json\n")[1].split("```")[0]
    assert event_models.parse_event(json.loads(example)).model_extra == {}
