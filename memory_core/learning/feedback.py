"""Read what a report says about given items; the reason why one is wrong is a text without secrets.

The reason is the text behind "because", else the text behind the ids with which the line begins.
Ids in a reason are not wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from memory_core.learning.feedback_lines import USED, WRONG
from memory_core.secrets import scanner
from memory_core.text import sanitize

if TYPE_CHECKING:
    from memory_core.learning.feedback_lines import Judgement

MAX_REASON = 200  # characters

_BECAUSE = "because "
_IDS = r"(?:(?:\band\W{1,3})?\b[0-9a-f]{4,}\W{1,5}){1,9}"  # in front of their reason
_AROUND = " *_`:;,.-=\u2013\u2014\u2713])(["  # a reason


def read_judgements(judgements: Iterable[Judgement]) -> tuple[list[str], dict[str, str]]:
    """Return the whole ids of the items that helped, and of the wrong ones with their reasons.

    A reason is "" if the report has none.
    """
    used: dict[str, None] = {}
    wrong: dict[str, str] = {}
    for key, value, ids in (part for whole in judgements for part in _split_keys(whole)):
        if key == USED:
            used |= dict.fromkeys(ids)
            continue
        begin = rf".*?{_BECAUSE}|\W*{_IDS}|"
        end = next(re.finditer(begin, f"{value} ", re.IGNORECASE)).end()
        before = [one for one in ids if ids[one] <= end]
        start = end if before else max(ids.values(), default=0)
        for one in before or ids:
            reason = scanner.redact(sanitize.join_visible(value[start:]).strip(_AROUND))
            wrong.setdefault(one, sanitize.shorten(reason, MAX_REASON))
    return list(used), wrong


def _split_keys(judgement: Judgement) -> list[Judgement]:
    """Split a line in which ids follow both keys, or a second reason its own ids.

    "Wrong: none. Used: 17e4", "Wrong: 17e4 because of this, c0de because of that"
    """
    key, value, ids = judgement
    other = WRONG if key == USED else USED
    first = value.lower().find(_BECAUSE)
    for part in re.finditer(rf"\b{other}[*_`]*:|{_IDS}{_BECAUSE}", value, re.IGNORECASE):
        at, is_key = part.start(), part[0].endswith(":")
        before = {one: end for one, end in ids.items() if end <= at}
        behind = {one: end - at for one, end in ids.items() if end > at}
        is_second = -1 < first < at and min(behind.values(), default=at) < len(part[0])
        if is_second or (is_key and behind):
            rest = (other if is_key else key, value[at:], behind)
            return [(key, value[:at], before), *_split_keys(rest)]
    return [judgement]
