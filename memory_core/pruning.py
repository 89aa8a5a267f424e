"""What was not confirmed for long and is not sure goes to the archive, when a person says so."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import NamedTuple

from memory_core import log, memory, past, people, preferences, store, writing

# An item begins at 0.5 and loses 0.2 when it is called wrong: below this it was so twice.
BELOW = 0.3


class Pruned(NamedTuple):
    """What leaves, or would leave, one agent's memory; `used` are the times of last use."""

    agent: str
    items: list[people.Told]
    used: list[str]


def prune(
    project: memory.Project,
    held: store.Store,
    agents: Sequence[str],
    older_than: int,
    below: float = BELOW,
    write: bool = False,
    along: writing.Along = iter,
) -> list[Pruned]:
    """Move items to the archive that are less sure than `below`, and were last used long ago.

    `older_than` is in seconds.  A use is that a run taught an item again or a person
    confirmed it; one that never was is as old as it is there.  Preferences stay, and what
    the history knows nothing of.  All of it is one change.
    """
    # The times of versions may run ahead of the clock by some seconds: 0 means all.
    cutoff = log.utc(time.time() - older_than) if older_than else past.LATEST
    works = (writing.Memory(project, agent, held) for agent in along(agents))
    found = [each for each in (_weak(work, cutoff, below) for work in works) if each.items]
    if not write:
        return found
    change = writing.new_change("prune")
    writing.check_free(held, [each.agent for each in found])
    return [_pruned(project, held, each.agent, cutoff, below, change) for each in along(found)]


def _pruned(
    project: memory.Project, held: store.Store, agent: str, cutoff: str, below: float, change: str
) -> Pruned:
    def work(work: writing.Memory) -> Pruned:
        found = _weak(work, cutoff, below)
        work.take_out([each.text for each in found.items], "archived", source="person")
        return found

    return writing.changing(project, agent, work, held, change)


def _weak(work: writing.Memory, cutoff: str, below: float) -> Pruned:
    found = Pruned(work.agent, [], [])
    for each in people.told(work):
        known = work.past.get(each.id)
        if known is None or preferences.is_title(each.section):
            continue
        if known.used < cutoff and known.confidence < below:
            found.items.append(each)
            found.used.append(known.used)
    return found
