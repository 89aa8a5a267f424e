"""Rows of the hooks in a project with a thousand Backlog.md tasks, and in one without tasks."""

from __future__ import annotations

import os
from collections.abc import Iterator

import samples
import scene
from ours import LIFE, Maker, Row
from scene import Broken, Case, Scene

TASKS = 1000
STATUSES = ("To Do", "Done", "To Do", "To Do", "Done")
OPEN = "project/backlog/tasks"
MOVED = f"{OPEN}/task-7 - Improve part 7.md"
MEMORY = "project/backlog/memory/task-7.md"

FILE = """\
---
id: TASK-{number}
title: Improve part {number}
status: {status}
assignee: []
created_date: '2026-11-01 10:00'
labels: []
dependencies: []
---

## Description

<!-- SECTION:DESCRIPTION:BEGIN -->
{text}
<!-- SECTION:DESCRIPTION:END -->
"""


def rows() -> Iterator[Row]:
    with_tasks = f"{TASKS:,} tasks"
    name = "PostToolUse of Bash"
    yield _shell(f"{name}, no word of backlog, no tasks", "make test", 0)
    yield _shell(f"{name}, no word of backlog, {with_tasks}", "make test", TASKS)
    yield _shell(f"{name}, `backlog`, no tasks", "backlog task list", 0)
    yield _shell(f"{name}, `backlog`, {with_tasks}, none moved", "backlog task list", TASKS)
    yield _moved(f"{name}, `backlog`, {with_tasks}, one moved")
    yield _start(f"SubagentStart, no receipt, 8 KB memory, {with_tasks}")


def _shell(name: str, command: str, count: int) -> Row:
    def row(maker: Maker) -> Case:
        place = _project(maker, count)
        place.put("event", _event(place, command))
        place.freeze()
        return Case(name, maker.hook("post_tool_use"), place, scene.silent)

    return row


def _moved(name: str) -> Row:
    def row(maker: Maker) -> Case:
        place = _project(maker, TASKS)
        path = os.path.join(place.folder, MOVED)
        text = place.read(MOVED).replace("status: To Do", "status: In Progress")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        place.put("event", _event(place, "backlog task edit 7 -s 'In Progress'"))
        place.freeze()
        return Case(name, maker.hook("post_tool_use"), place, _begun)

    return row


def _start(name: str) -> Row:
    def row(maker: Maker) -> Case:
        place = _project(maker, TASKS)
        place.put("event", samples.subagent_start(place.project))
        place.freeze()
        return Case(name, maker.hook("subagent_start"), place, scene.context_with_memory)

    return row


def _project(maker: Maker, count: int) -> Scene:
    """Return a project that has seen a delegation, and in which its tasks were looked at."""
    place = maker.scene()
    for number in range(count):
        status, text = STATUSES[number % len(STATUSES)], samples.prose(500)
        content = FILE.format(number=number, status=status, text=text)
        place.add(f"{OPEN}/task-{number} - Improve part {number}.md", content)
    maker.play(place, LIFE, earlier=True)
    return place


def _event(place: Scene, command: str) -> dict:
    return {
        "session_id": samples.SESSION,
        "cwd": place.project,
        "hook_event_name": "PostToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": command, "description": "run it"},
        "tool_response": {"stdout": "fine", "stderr": "", "interrupted": False},
        "tool_use_id": samples.TOOL_USE_ID,
    }


def _begun(place: Scene) -> None:
    scene.silent(place)
    place.wait_for_merges()  # the worker reads the tasks
    if "# task-7: Improve part 7" not in place.read(MEMORY):
        raise Broken("the memory of the task that was moved was not begun")
