"""Validation of Claude Code events, and the reports in them."""

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest

from memory_core.claude_code import events, run_fields
from support.events import name_kind, read_recorded_events, spoil
from support.paths import EVENTS
from support.tables import for_each


def test_there_is_a_recorded_event_of_each_kind() -> None:
    assert {name_kind(value) for value in read_recorded_events()} == set(events.EVENTS)


@for_each("path", EVENTS)
def test_a_recorded_event_is_read_without_loss(path: Path) -> None:
    value = json.loads(path.read_text(encoding="utf-8"))
    is_read = name_kind(value) in events.EVENTS
    assert events.validate(copy.deepcopy(value), "") == (value if is_read else None)


def read_all(value: dict[str, Any]) -> None:
    """Call every function that a hook may call for an event of this kind."""
    events.report_texts(value)
    events.edit_report(value, str.upper)
    run_fields.totals(value)
    events.called_run(value)
    run_fields.cause(value)
    if events.is_delegation(value):
        events.called_agent(value)
        events.prompt(value)
        run_fields.description(value)


def test_every_valid_event_can_be_read() -> None:
    chance = random.Random(2)
    originals = read_recorded_events()
    verdicts = {True: 0, False: 0}
    for _ in range(20_000):
        value = spoil(chance.choice(originals), chance)
        has_name = isinstance(value.get("hook_event_name"), str)
        if has_name and name_kind(value) in events.EVENTS:
            is_valid = True
            try:
                events.validate(value, "")
            except events.InvalidEvent:
                is_valid = False
            if is_valid:
                read_all(value)
            verdicts[is_valid] += 1
    assert min(verdicts.values()) > 2_000, verdicts


def test_a_mistake_is_named() -> None:
    value = {"hook_event_name": "PreToolUse", "tool_name": "Agent", "tool_input": {"prompt": 3}}
    with pytest.raises(events.InvalidEvent, match=r"PreToolUse: tool_input\.prompt is a int"):
        events.validate(value, "")


def test_the_hook_can_supply_the_name_of_an_event() -> None:
    value = {"tool_name": "Task", "tool_input": {"prompt": "p"}}
    assert events.validate(value, "PreToolUse") is value


A, B = ({"type": "text", "text": text} for text in "ab")
REPORTS: list[tuple[Any, list[str]]] = [
    ({"content": [A, B]}, ["a", "b"]),
    ({"content": "a"}, ["a"]),
    ({"content": [], "handbackReport": {"text": "h"}}, ["h"]),
    ({"content": [3, {"type": "chart"}, A]}, ["a"]),  # of a later version
    ({"status": "async_launched", "prompt": "p"}, []),
    ([], []),
    (None, []),
]


@for_each(("response", "texts"), REPORTS)
def test_reports_are_the_texts_of_the_agent(response: Any, texts: list[str]) -> None:
    event = {"hook_event_name": "PostToolUse", "tool_name": "Agent", "tool_response": response}
    assert events.report_texts({**event, "tool_input": {"prompt": "given"}}) == texts


@for_each("value", read_recorded_events())
def test_no_prompt_is_ever_a_report(value: dict[str, Any]) -> None:
    prompt = value.get("tool_input", {}).get("prompt")
    assert prompt is None or prompt not in events.report_texts(value)
