"""Choose passages while selection is off: all that fit, in their order."""

from __future__ import annotations

from collections.abc import Iterable

from memory_core.selection import choosing
from memory_core.selection.choosing import Choice
from memory_core.selection.passages import Passage, PassageIndex, render_passages
from memory_core.selection.scoring import Scores


def select_all(index: PassageIndex, task: str, room: int) -> list[Choice]:
    """Return a decision about each passage in their order; all are chosen that fit.

    `room` is in characters.  If not all fit, what is wished comes first, then what shares words
    with the task.
    """
    choices = choosing.make_choices(index, range(len(index)), Scores(index, task))
    is_enough, given = _fits(index, room), list[Passage]()
    for choice in sorted(choices, key=choosing.order):
        choice.is_chosen = is_enough or _fits([*given, choice.passage], room)
        choice.reason = choosing.ALL if choice.is_chosen else choosing.FULL
        given += [choice.passage] if choice.is_chosen else []
    return choices


def _fits(passages: Iterable[Passage], room: int) -> bool:
    return len(render_passages(passages, has_ids=False)) <= room
