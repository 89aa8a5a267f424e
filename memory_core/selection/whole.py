"""Choose passages while selection is off: all that fit, in their order."""

from __future__ import annotations

from memory_core.selection import choosing
from memory_core.selection.choosing import Choice
from memory_core.selection.passages import Passage, PassageIndex
from memory_core.selection.scoring import Scores

# What surrounds the title of a section, in characters.
HEADING = len("## \n\n")

# The sign of a quotation in front of a paragraph, and the blank lines around it.
QUOTATION = 4


def select_all(index: PassageIndex, task: str, room: int) -> list[Choice]:
    """Return a decision about each passage in their order; all are chosen that fit.

    `room` is in characters.  If not all fit, what is wished comes first, then what shares words
    with the task.
    """
    longest = sum(len(passage.section) + HEADING + _measure(passage) for passage in index)
    scores = Scores(index, task if longest > room else "")
    choices = choosing.make_choices(index, range(len(index)), scores)
    titles = set[str]()
    for choice in sorted(choices, key=choosing.order):
        title = choice.passage.section
        heading = 0 if title in titles else len(title) + HEADING
        size = _measure(choice.passage) + heading
        choice.is_chosen = size <= room
        choice.reason = choosing.ALL if choice.is_chosen else choosing.FULL
        if choice.is_chosen:
            room -= size
            titles.add(title)
    return choices


def _measure(passage: Passage) -> int:
    """Return the characters of a passage in a block; other text than items is quoted."""
    is_quoted = not (passage.item or passage.is_list)
    return len(passage.text) + 1 + is_quoted * (2 * passage.text.count("\n") + QUOTATION)
