"""The rows of agent-memory: each installed hook, with the events of a delegation."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import samples
import scene
from scene import Case, Scene
from timing import Spawner

from memory_core.delegation.collecting import MAX_STRIPPED
from memory_core.history import item_history
from memory_core.text.times import format_utc

HOOKS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "hooks")
FULL, ROOMY, ITEM = 8192, 6000, 98  # bytes of a full memory, one with room, and one item
ALL = "memory: {selection: off}\n"
LARGE = "memory: {limits: {default_size_kb: 1024, max_items_per_section: 5000}}\n"
FIND_PROJECT = """
import os, sys
from memory_core.storage.project import find_project
find_project(sys.argv[1], os.environ)
"""
DAY = 86400
INJECT = "inject, 8 KB memory"
CAPTURE = "capture (PostToolUse), 10 KB, two learnings"
START = "SubagentStart, receipt present"
STOP = "capture (SubagentStop), 10 KB, two learnings"
LARGE_COUNTS = (200, 2_000, 10_000)
LIFE = ("pre_tool_use", "subagent_start", "subagent_stop", "post_tool_use")
# As x of a bare interpreter: with a memory; without one, and each capture; one of 1 MB.
INJECT_LIMIT, SMALL_LIMIT, LARGE_LIMIT = 1.5, 1.4, 2.5


class Maker:
    """Makes cases for one interpreter: every case has a new folder and has run once."""

    def __init__(self, python: str, folder: str, spawner: Spawner, hooks: str = HOOKS) -> None:
        self.python = python
        self.spawner = spawner
        self.folder = folder
        self.hooks = hooks
        self._count = 0
        self._prompt = ""

    def hook(self, name: str) -> list[str]:
        return [self.python, "-I", "-S", os.path.join(self.hooks, f"{name}.py")]

    def scene(self, size: int | None = FULL, folder: bool = True, config: str = "") -> Scene:
        """Return a project whose engineer has a memory of `size` bytes, or None, and a PM."""
        memories = {"PM.md": samples.memory("PM", FULL), "qa.md": samples.memory("qa", 2000)}
        if size:
            text = memories["engineer.md"] = samples.memory("engineer", size)
            memories["history/engineer.jsonl"] = make_history("engineer", text)
        self._count += 1
        folder_name = os.path.join(self.folder, f"scene-{self._count}")
        place = Scene(folder_name, memories if folder else None)
        for name in samples.FILES:
            place.add(f"project/{name}", "")
        if config:
            place.add("project/.claude-mpm/config.yml", config)
            self.compile_settings(place)
        return place

    def compile_settings(self, place: Scene) -> None:
        """Compile config.yml as the commands of this clone do; its hooks lack yaml."""
        subprocess.run(
            [sys.executable, "-c", FIND_PROJECT, place.project],
            cwd=os.path.dirname(self.hooks),  # from where `python -c` imports first
            env={"HOME": os.path.join(place.folder, "home")},
            check=True,
        )

    def play(self, place: Scene, steps: tuple[str, ...], earlier: bool = False) -> None:
        """Run hooks with the events of this delegation, or of an earlier one, without timing.

        The earlier delegation confirms all items of the memory, so all have a history.
        """
        confirmed = tuple(samples.items_of(place.memory_line())[:1]) if earlier else ()
        report = samples.result(1000, confirmed) if confirmed else "Done."
        make = {
            "pre_tool_use": lambda: samples.pre_tool_use(place.project),
            "subagent_start": lambda: samples.subagent_start(place.project),
            "subagent_stop": lambda: samples.subagent_stop(place.project, report),
            "session_start": lambda: samples.session_start(place.project),
            "post_tool_use": lambda: samples.post_tool_use(place.project, self.prompt(), "Done."),
        }
        for step in steps:
            event = make[step]()
            place.put("event", samples.earlier(event) if earlier else event)
            self.spawner.run(place.job(self.hook(step)))

    def prompt(self) -> str:
        """Return the task with the memory in it, as the client hands it to the later events."""
        if not self._prompt:
            place = self.scene()
            place.put("event", samples.pre_tool_use(place.project))
            self.spawner.run(place.job(self.hook("pre_tool_use")))
            try:
                self._prompt = place.reply()["updatedInput"]["prompt"]
            except (KeyError, TypeError, ValueError, OSError):
                self._prompt = samples.TASK
        return self._prompt


Row = Callable[[Maker], Case]


def make_history(agent: str, memory: str) -> str:
    """Return a history in which each run has learned two items, one run a day up to now."""
    lines = []
    for at, text in enumerate(samples.items_of(memory)):
        number = at // 2
        moment = format_utc(time.time() - DAY * number)
        fields = {"agent": agent, "change": f"{moment}-bench", "run": f"r{number}"}
        lines.append(
            item_history.make_record(
                "learned", moment, text, section="Work", source="agent", **fields
            )
        )
    return "".join(f"{json.dumps(line)}\n" for line in reversed(lines))


def rows() -> Iterator[Row]:
    yield from (_inject, _inject_all)
    yield from map(_inject_many, LARGE_COUNTS)
    yield from (_inject_nothing, _inject_no_folder, _other_tool)
    yield from (_start_with_receipt, _start_without, _session)
    for size, label in ((10_000, "10 KB"), (1_000_000, "1 MB")):
        yield _capture(f"capture (PostToolUse), {label}, nothing to learn", size)
        yield _capture(f"capture (PostToolUse), {label}, two learnings", size, ROOMY)
    yield _capture("capture (PostToolUse), 10 KB, two learnings, memory full", 10_000, FULL)
    yield from map(_capture_many, LARGE_COUNTS)
    yield from (
        _stop(STOP, samples.LEARNED),
        _stop("capture (SubagentStop), 10 KB, nothing to learn", ()),
    )


def _case(
    maker: Maker, name: str, hook: str, place: Scene, event: dict, check, before=(), **more
) -> Case:
    """Return a case in a project that has seen a delegation, and this one as far as `before`."""
    maker.play(place, LIFE, earlier=True)
    maker.play(place, before)
    place.put("event", event)
    place.freeze()
    return Case(name, maker.hook(hook), place, check, **more)


def _inject(maker: Maker) -> Case:
    place = maker.scene()
    event = samples.pre_tool_use(place.project)
    check = scene.prompt_with_memory
    return _case(maker, INJECT, "pre_tool_use", place, event, check, limit=INJECT_LIMIT)


def _inject_all(maker: Maker) -> Case:
    place = maker.scene(config=ALL)
    event, name = samples.pre_tool_use(place.project), f"{INJECT}, all of it (`selection: off`)"
    return _case(maker, name, "pre_tool_use", place, event, scene.prompt_with_all)


def _inject_many(count: int) -> Row:
    def row(maker: Maker) -> Case:
        place = maker.scene(count * ITEM, config=LARGE)
        event, name = samples.pre_tool_use(place.project), f"inject, memory of {count:,} items"
        return _case(maker, name, "pre_tool_use", place, event, scene.prompt_with_memory)

    return row


def _capture_many(count: int) -> Row:
    def row(maker: Maker) -> Case:
        place = maker.scene(count * ITEM, config=LARGE)
        event = samples.subagent_stop(place.project, samples.result(10_000, samples.LEARNED))
        name = f"capture (SubagentStop), two learnings, memory of {count:,} items"
        return _case(maker, name, "subagent_stop", place, event, scene.taught, LIFE[:2])

    return row


def _inject_nothing(maker: Maker) -> Case:
    place = maker.scene(size=None)
    event = samples.pre_tool_use(place.project)
    name, check = "inject, agent without memory", scene.prompt_with_note
    return _case(maker, name, "pre_tool_use", place, event, check, limit=SMALL_LIMIT)


def _inject_no_folder(maker: Maker) -> Case:
    place = maker.scene(folder=False)
    place.put("event", samples.pre_tool_use(place.project))
    place.freeze()  # not warmed up: this is a project's first delegation
    name, argv = "inject, no memory folder at all", maker.hook("pre_tool_use")
    return Case(name, argv, place, scene.prompt_with_note, limit=INJECT_LIMIT)


def _other_tool(maker: Maker) -> Case:
    place = maker.scene()
    event = samples.pre_tool_use(place.project, "Bash")
    return _case(maker, "other tool (Bash)", "pre_tool_use", place, event, scene.silent)


def _start_with_receipt(maker: Maker) -> Case:
    place = maker.scene()
    event = samples.subagent_start(place.project)
    check, before = scene.silent, LIFE[:1]
    return _case(maker, START, "subagent_start", place, event, check, before)


def _start_without(maker: Maker) -> Case:
    place = maker.scene()
    event, name = samples.subagent_start(place.project), "SubagentStart, no receipt, 8 KB memory"
    check = scene.context_with_memory
    return _case(maker, name, "subagent_start", place, event, check, limit=INJECT_LIMIT)


def _session(maker: Maker) -> Case:
    place = maker.scene()
    event, name = samples.session_start(place.project), "SessionStart, 8 KB memory of the PM"
    before = ("session_start",)
    return _case(maker, name, "session_start", place, event, scene.context_of_pm, before)


def _capture(name: str, size: int, memory: int | None = None) -> Row:
    """Return a row of the foreground; it learns when the `memory` to learn into is given."""
    learnings = samples.LEARNED if memory else ()
    # The main agent reads a larger report whole.
    is_whole = size <= MAX_STRIPPED
    taught = scene.taught_and_stripped if is_whole else scene.taught
    limit = SMALL_LIMIT if is_whole else LARGE_LIMIT
    check = taught if memory else scene.untaught

    def row(maker: Maker) -> Case:
        place, text = maker.scene(memory or FULL), samples.result(size, learnings)
        event = samples.post_tool_use(place.project, maker.prompt(), text)
        return _case(maker, name, "post_tool_use", place, event, check, LIFE[:2], limit=limit)

    return row


def _stop(name: str, learnings: tuple[str, ...]) -> Row:
    check = scene.taught if learnings else scene.untaught

    def row(maker: Maker) -> Case:
        place = maker.scene(ROOMY)
        event = samples.subagent_stop(place.project, samples.result(10_000, learnings))
        return _case(maker, name, "subagent_stop", place, event, check, LIFE[:2], limit=SMALL_LIMIT)

    return row


def make_case(maker: Maker, row: Row) -> Case:
    """Return the row's case after one run that did its work."""
    case = row(maker)
    case.before()
    case.after(maker.spawner.run(case.job()).status)
    return case
