"""Rows of a hook that learns into hundreds of similar items, while nothing or much waits."""

from __future__ import annotations

import os
from collections.abc import Iterator

import samples
import scene
from ours import LARGE, LIFE, Maker, Row
from scene import Case

from memory_core.storage import spool
from memory_core.storage.paths import LevelPaths

# The memory file is just not so large that it is changed in the background.
ITEMS, WAITING = 900, 256
SECTIONS = ("Coding Patterns Learned", "Project Architecture")


def rows() -> Iterator[Row]:
    name = f"capture (SubagentStop), two learnings, {ITEMS:,} similar items"
    yield _row(f"{name}, nothing waits", 0)
    yield _row(f"{name}, {WAITING} learnings wait", WAITING)


def _row(name: str, waiting: int) -> Row:
    def row(maker: Maker) -> Case:
        place = maker.scene(config=LARGE)
        place.add(f"project/{scene.MEMORIES}/engineer.md", _memory())
        env = {"HOME": os.path.join(place.folder, "home")}
        maker.play(place, LIFE, earlier=True)
        maker.play(place, LIFE[:2])
        _let_wait(LevelPaths(place.project, env), waiting)
        report = samples.result(10_000, samples.LEARNED)
        place.put("event", samples.subagent_stop(place.project, report))
        place.freeze()
        return Case(name, maker.hook("subagent_stop"), place, scene.taught)

    return row


def _fact(number: int) -> str:
    return f"Service {number} reads its retry limit from the settings"


def _memory() -> str:
    half = ITEMS // len(SECTIONS)
    sections = (
        f"\n## {title}\n" + "".join(f"- {_fact(part * half + n)}\n" for n in range(half))
        for part, title in enumerate(SECTIONS)
    )
    return "# Engineer Memory\n" + "".join(sections)


def _let_wait(paths: LevelPaths, count: int) -> None:
    """Put the learnings of other runs into the spool, as hooks do that do not get the lock."""
    for number in range(count):
        ids = {"agent": "engineer", "run": f"r{number}", "session": "s1", "source": "agent"}
        learnings = [["guideline", _fact(ITEMS + number), ""]]
        spool.add(paths, "engineer", {**ids, "learnings": learnings, "rejected": []})
