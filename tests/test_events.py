"""Recorded events: read without loss by the models, and alike by the hooks' own check."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest
from conftest import EVENTS
from pydantic import ValidationError

from memory_core import events, models, shapes

# A mutated field becomes one of these.
STRANGE: list[Any] = [
    None,
    True,
    0,
    -1,
    1.5,
    "",
    "x" * 70_000,
    "\ud800",
    [],
    {},
    [[]],
    {"": 1},
    "\0",
]


def recorded() -> list[dict[str, Any]]:
    values = [json.loads(path.read_text(encoding="utf-8")) for path in EVENTS]
    return [value for value in values if key(value) in models.EVENTS]


def key(value: dict[str, Any]) -> str:
    return events._key(value["hook_event_name"], value)


@pytest.mark.parametrize("name", models.EVENTS)
def test_there_is_a_recorded_event_of_each_kind(name: str) -> None:
    assert name in {key(value) for value in recorded()}


@pytest.mark.parametrize("path", EVENTS, ids=lambda path: "-".join(path.parts[-3:]))
def test_a_recorded_event_is_read_without_loss(path: Path) -> None:
    value = json.loads(path.read_text(encoding="utf-8"))
    model = models.EVENTS.get(key(value))
    if model is None:
        assert events.checked(value, "") is None
    else:
        assert model.model_validate(value).model_dump(exclude_unset=True) == value
        assert events.checked(value, "") == value


def test_the_shapes_are_those_of_the_models() -> None:
    assert {name: models.shape(model) for name, model in models.EVENTS.items()} == shapes.EVENTS
    assert models.MemoryConfig().model_dump() == shapes.CONFIG


def mutated(value: Any, chance: random.Random) -> Any:
    """Return a copy with one field, somewhere, made strange, taken away or added."""
    copied = copy.deepcopy(value)
    place = copied
    while True:
        inner = [item for item in place.values() if isinstance(item, dict) and item]
        if not inner or chance.random() < 0.4:
            break
        place = chance.choice(inner)
    name = chance.choice([*place, "new_field"])
    if chance.random() < 0.25:
        place.pop(name, None)
    else:
        place[name] = copy.deepcopy(chance.choice(STRANGE))
    return copied


def accepted_by_models(value: dict[str, Any]) -> bool:
    model = models.EVENTS[key(value)]
    try:
        return model.model_validate(value).model_dump(exclude_unset=True) == value
    except ValidationError:
        return False


def accepted_by_hook(value: dict[str, Any]) -> bool:
    try:
        return events.checked(value, "") is value
    except events.Invalid:
        return False


def test_hook_and_models_agree_on_20000_mutated_events() -> None:
    chance = random.Random(2)
    originals = recorded()
    verdicts = {True: 0, False: 0}
    for _ in range(20_000):
        value = mutated(chance.choice(originals), chance)
        if not isinstance(value.get("hook_event_name"), str) or key(value) not in models.EVENTS:
            continue
        verdict = accepted_by_models(value)
        assert accepted_by_hook(value) == verdict, value
        verdicts[verdict] += 1
    assert min(verdicts.values()) > 2_000, verdicts


def test_a_mistake_is_named() -> None:
    value = {"hook_event_name": "PreToolUse", "tool_name": "Agent", "tool_input": {"prompt": 3}}
    with pytest.raises(events.Invalid, match=r"PreToolUse: tool_input\.prompt is a int"):
        events.checked(value, "")


def test_the_name_of_an_event_may_be_left_to_the_hook() -> None:
    value = {"tool_name": "Task", "tool_input": {"prompt": "p"}}
    assert events.checked(value, "PreToolUse") is value


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
    assert events.report(value) == texts
    assert "given" not in json.dumps(events.report(value))


@pytest.mark.parametrize("value", recorded(), ids=lambda value: key(value))
def test_no_prompt_is_ever_a_report(value: dict[str, Any]) -> None:
    prompt = value.get("tool_input", {}).get("prompt")
    assert prompt is None or prompt not in events.report(value)
