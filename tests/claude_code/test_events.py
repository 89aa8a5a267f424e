"""The pydantic models and the hooks' own check agree about events of Claude Code."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from memory_core.claude_code import event_models, event_shapes, events
from support.events import name_kind, read_recorded_events, spoil
from support.paths import EVENTS


@pytest.mark.parametrize("name", event_models.EVENTS)
def test_there_is_a_recorded_event_of_each_kind(name: str) -> None:
    assert name in {name_kind(value) for value in read_recorded_events()}


@pytest.mark.parametrize("path", EVENTS, ids=lambda path: "-".join(path.parts[-3:]))
def test_a_recorded_event_is_read_without_loss(path: Path) -> None:
    value = json.loads(path.read_text(encoding="utf-8"))
    model = event_models.EVENTS.get(name_kind(value))
    if model is None:
        assert events.validate(value, "") is None
    else:
        assert model.model_validate(value).model_dump(exclude_unset=True) == value
        assert events.validate(value, "") == value


def test_the_generated_shapes_are_up_to_date() -> None:
    shapes = {name: event_models.build_shape(model) for name, model in event_models.EVENTS.items()}
    assert shapes == event_shapes.EVENTS


def test_the_generator_writes_these_shapes() -> None:
    namespace: dict[str, Any] = {}
    exec(event_models.render_shapes(), namespace)
    assert namespace["EVENTS"] == event_shapes.EVENTS


def accepted_by_models(value: dict[str, Any]) -> bool:
    model = event_models.EVENTS[name_kind(value)]
    try:
        return model.model_validate(value).model_dump(exclude_unset=True) == value
    except ValidationError:
        return False


def accepted_by_hook(value: dict[str, Any]) -> bool:
    try:
        return events.validate(value, "") is value
    except events.InvalidEvent:
        return False


def test_hook_and_models_agree_on_20000_mutated_events() -> None:
    chance = random.Random(2)
    originals = read_recorded_events()
    verdicts = {True: 0, False: 0}
    for _ in range(20_000):
        value = spoil(chance.choice(originals), chance)
        if (
            not isinstance(value.get("hook_event_name"), str)
            or name_kind(value) not in event_models.EVENTS
        ):
            continue
        verdict = accepted_by_models(value)
        assert accepted_by_hook(value) == verdict, value
        verdicts[verdict] += 1
    assert min(verdicts.values()) > 2_000, verdicts


def test_a_mistake_is_named() -> None:
    value = {"hook_event_name": "PreToolUse", "tool_name": "Agent", "tool_input": {"prompt": 3}}
    with pytest.raises(events.InvalidEvent, match=r"PreToolUse: tool_input\.prompt is a int"):
        events.validate(value, "")


def test_the_name_of_an_event_may_be_left_to_the_hook() -> None:
    value = {"tool_name": "Task", "tool_input": {"prompt": "p"}}
    assert events.validate(value, "PreToolUse") is value


REPORTS = [
    (
        "text blocks of a foreground answer",
        {"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
        ["a", "b"],
    ),
    ("content as text", {"content": "a"}, ["a"]),
    ("handed back", {"content": [], "handbackReport": {"text": "h"}}, ["h"]),
    (
        "a later version's block",
        {"content": [3, {"type": "chart"}, {"type": "text", "text": "a"}]},
        ["a"],
    ),
    ("launched", {"status": "async_launched", "prompt": "p"}, []),
    ("a list", [], []),
    ("nothing", None, []),
]


@pytest.mark.parametrize(
    ("response", "texts"), [row[1:] for row in REPORTS], ids=[row[0] for row in REPORTS]
)
def test_a_report_is_what_the_agent_said(response: Any, texts: list[str]) -> None:
    value = {
        "hook_event_name": "PostToolUse",
        "tool_name": "Agent",
        "tool_input": {"prompt": "given"},
        "tool_response": response,
    }
    assert events.report_texts(value) == texts
    assert "given" not in json.dumps(events.report_texts(value))


@pytest.mark.parametrize("value", read_recorded_events(), ids=lambda value: name_kind(value))
def test_no_prompt_is_ever_a_report(value: dict[str, Any]) -> None:
    prompt = value.get("tool_input", {}).get("prompt")
    assert prompt is None or prompt not in events.report_texts(value)
