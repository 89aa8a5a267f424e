"""Score how likely a text was written to mislead agents that read it later.

A learning describes a project.  An attack makes its reader act against the people it works for.
It is recognised by its words (`word_weights`), and by an order and commands that have no place in a
learning (`forms`).  docs/security.md explains it, and `make trust-report` measures it.
"""

from __future__ import annotations

from memory_core.text import sanitize
from memory_core.trust import folding, forms, word_weights

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Score = tuple[float, list[str]]

# At this score a learning waits for a person; at the lower one that of a run that read the web.
THRESHOLD, TAINTED_THRESHOLD = 1.0, 0.7

# Two learnings together need more, since most neighbours have nothing to do with each other.
JOINED_THRESHOLD = 1.4

# Hidden words are enough for a person to look at a text.
HIDDEN_WEIGHT = THRESHOLD

# Characters of two learnings that are read as one text, and of the words that are shown.
JOINED_PART, SHOWN = 160, 80

# Two learnings that share a word of so many letters belong together.
MIN_SHARED = 4


def score(text: str) -> Score:
    """Return the score of a text and the reasons; 0.0 and [] for most ordinary texts."""
    readings = folding.list_readings(text)
    plain, part = word_weights.weigh(readings[0])
    weight = max([plain, *(word_weights.weigh(reading)[0] for reading in readings[1:])])
    rows = [row for row in forms.FORMS if any(map(row[1], readings))]
    reasons = [reason for reason, *_rest in rows]
    total = weight + THRESHOLD * bool(rows)
    if folding.has_hidden(text):
        total += HIDDEN_WEIGHT
        reasons.append("has hidden words")
    # What was encoded is not shown: an agent that reads the reason must not receive it decoded.
    if weight > 2 * plain:
        reasons.append("has encoded words")
    elif plain:
        reasons.append(f'"{sanitize.shorten(part, SHOWN)}"')
    return total, reasons


def score_all(texts: Sequence[str]) -> list[Score]:
    """Return the scores of the learnings of one run.

    Two neighbours that belong together are also read as one text: if only both together are an
    attack, both have its score.
    """
    scores = list(map(score, texts))
    for at in range(len(texts) - 1):
        first, second = texts[at : at + 2]
        is_joined = not second[:1].isupper() or _share_word(first, second)
        if max(scores[at][0], scores[at + 1][0]) >= THRESHOLD or not is_joined:
            continue
        total, reasons = score(f"{first[-JOINED_PART:]} {second[:JOINED_PART]}")
        if total >= JOINED_THRESHOLD:
            scores[at] = scores[at + 1] = (total, [*reasons, "in two parts"])
    return scores


def _share_word(first: str, second: str) -> bool:
    """Check whether the second learning takes up a word of the first one."""
    words = [
        {text[word] for word in word_weights.split(text)}
        for text in (first.lower(), second.lower())
    ]
    return any(len(word) >= MIN_SHARED for word in words[0] & words[1])
