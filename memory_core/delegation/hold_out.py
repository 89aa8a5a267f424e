"""Withhold the memory from some runs, so that people can compare runs with and without memory.

A hash of an id decides, so the decision needs no state and is the same if a hook runs again.  It is
made where the memory would be added, with the id that is known there: the id of the call if the
memory is added to the prompt, else the id of the run.  The receipt hands it on to the run's record.

Only runs for which the memory has something take part: the two groups differ in nothing else.
"""

from __future__ import annotations

from memory_core.memory import recall
from memory_core.memory.recall import MemoryBlock
from memory_core.storage.project import Project
from memory_core.text import digests

# The values of `experiment` in a record, as in `performance`, which hooks do not load.
GIVEN, HELD_OUT = "memory", "held_out"

# For an agent that gets no recording note: it does not learn, and an empty prompt has no receipt.
PLACEHOLDER = "No memory is given to this run."


def assign_group(
    project: Project, agent: str, key: str, block: MemoryBlock
) -> tuple[str, MemoryBlock]:
    """Return the group of a run, "" for none, and the block that it receives.

    `key` is the id of the call or of the run; without an id a run takes no part.
    """
    if not key or not block.size:
        return "", block
    if not is_held_out(key, project.config["experiment"]["hold_out"]):
        return GIVEN, block
    is_short = block.memory is not None and block.memory.has_recorded
    note = recall.format_note(project, agent, is_short) or [PLACEHOLDER]
    text = recall.wrap_body(project.paths.state.read_key(), agent, "", "", note)
    return HELD_OUT, MemoryBlock(text=text, choices=block.choices, memory=block.memory)


def is_held_out(key: str, share: float) -> bool:
    """Return whether the run of this id is one of the share that gets no memory."""
    digits = digests.hash_text(f"experiment {key}")
    return bool(int(digits, 16) < share * 16 ** len(digits))
