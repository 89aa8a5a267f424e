"""Links, pipes, folders and huge files in the place of each path that the program uses.

The paths are not listed here: a life of the project is recorded first.
"""

from __future__ import annotations

from typing import NamedTuple

import pytest

from support import life, traps
from support.life import Step
from support.traps import Scene, Trap

MEMORIES = ".claude-mpm/memories"
# Discovery must see at least these, or it does not work.
EXPECTED = {".claude-mpm", ".claude-mpm/config.yml", ".claude-mpm/locks/engineer.lock", "CLAUDE.md"}
NAMES = ("engineer.md", "archive/engineer.md", "history/engineer.jsonl")
EXPECTED |= {"backlog/memory/task-1.md", *(f"{MEMORIES}/{name}" for name in NAMES)}


class Discovery(NamedTuple):
    """A scene, the steps of a life in it, and for each path the steps that use it."""

    scene: Scene
    steps: list[Step]
    users: dict[str, set[str]]

    def spring_all(self, kind: str, steps: list[Step]) -> list[str]:
        """Return what goes wrong with a trap at each path, and the steps that use the path.

        Without a kind, each path gets one trap, of all kinds in turn.
        """
        problems = []
        for number, (path, users) in enumerate(sorted(self.users.items())):
            chosen = [step for step in steps if step.name in users]
            if chosen:
                trap = Trap(kind or traps.KINDS[number % len(traps.KINDS)], path)
                problems += self.scene.spring(trap, chosen)
        return problems


@pytest.fixture(scope="module")
def discovery(tmp_path_factory: pytest.TempPathFactory) -> Discovery:
    """Record a life."""
    scene = Scene(tmp_path_factory.mktemp("life"))
    steps = life.live(scene.root, "beta")
    users = scene.discover(steps)
    assert set(users) >= EXPECTED, EXPECTED - set(users)
    return Discovery(scene, steps, users)


OFTEN = (traps.LINK_FILE, traps.FIFO)


@pytest.mark.parametrize(
    "kind", [k if k in OFTEN else pytest.param(k, marks=pytest.mark.slow) for k in traps.KINDS]
)
def test_hooks_stay_in_the_project_and_lose_nothing(discovery: Discovery, kind: str) -> None:
    steps = [step for step in discovery.steps if step.is_hook]
    problems = discovery.spring_all(kind, steps)
    assert not problems, "\n".join(problems)


@pytest.mark.slow
def test_other_doors_stay_in_the_project(discovery: Discovery) -> None:
    """Each path with one kind of trap."""
    steps = [step for step in discovery.steps if not step.is_hook]
    problems = discovery.spring_all("", steps)
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("every", [8, pytest.param(1, marks=pytest.mark.slow)])
def test_commands_stay_in_the_project(discovery: Discovery, every: int) -> None:
    """Commands, with one trap at each path that they use: all kinds of traps in turn."""
    scene, problems, number = discovery.scene, [], 0
    for step in list(life.list_commands(scene.root))[::every]:
        scene.reset()
        users = scene.discover([step])
        assert users, step
        for path in sorted(users):
            trap = Trap(traps.KINDS[number % len(traps.KINDS)], path)
            problems += [f"{step.name}: {each}" for each in scene.spring(trap, [step])]
            number += 1
    assert not problems, "\n".join(problems)
