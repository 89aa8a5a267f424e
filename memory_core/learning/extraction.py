"""Judge what a report teaches: its learnings, those that a person has to review, wrong items.

docs/learnings.md shows with examples which blocks are learned or rejected.  `blocks` finds them,
and `marker_blocks` and `json_blocks` read one; `feedback_lines` finds the lines about given items.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from memory_core.document.merge_learnings import Learning
from memory_core.learning import blocks, type_names
from memory_core.learning.blocks import LearningBlock
from memory_core.learning.feedback_lines import USED, WRONG, Judgement
from memory_core.learning.lines import NESTED, Draft
from memory_core.secrets import scanner
from memory_core.text.sanitize import clean_line, join_visible, shorten

# The reason for rejecting a block that only shows the format.
EXAMPLE_REASON = "is called an example in the line before it"

# A report with more examples quotes a manual: they would hide other learnings in the review.
MAX_EXAMPLES = 10


def judge_blocks(unjudged: Iterable[LearningBlock], max_length: int) -> list[Learning]:
    """Return the learnings of blocks, examples last; one longer than `max_length` is rejected."""
    learnings, examples = list[Learning](), dict[Learning, None]()
    for block in unjudged:
        judged = [_judge_draft(draft, max_length) for draft in block.drafts]
        if block.is_example:
            examples |= {one._replace(reason=EXAMPLE_REASON): None for one in judged}
        else:
            learnings += judged
    return learnings + list(examples)[:MAX_EXAMPLES]


def check_one(kind: str, content: str, max_length: int) -> Learning:
    """Check one learning from a command or another program; its content becomes one line."""
    line = clean_line(content)
    reason = check_learning(clean_line(kind), line, max_length)
    if not reason and type_names.is_placeholder(content):
        reason = "the content is a placeholder"
    if not reason and _NOTHING.match(line):
        reason = EMPTY_REASON
    return Learning(clean_type(kind), line, reason=reason)


def clean(learning: Learning) -> Learning:
    """Return a learning as it is saved: without secrets, and not too long for the review.

    It is rejected if it had a secret.
    """
    words = f"{learning.content}\n{learning.nested}"
    masked = scanner.redact(words)
    reason = learning.reason or (scanner.REASON if masked != words else "")
    line, *below = (shorten(text, blocks.MAX_REVIEW_LENGTH) for text in masked.split("\n"))
    return Learning(learning.type, line, "\n".join(below), reason)


def _judge_draft(draft: Draft, max_length: int) -> Learning:
    kind, content, reason, nested = draft
    line = clean_line(remove_quotes(content))
    below = [
        clean_line(NESTED.get(key, "") + remove_quotes(value))
        for key, value in nested.items()
        if key not in NESTED or not (_NOTHING.match(value) or type_names.is_placeholder(value))
    ]
    reason = reason or check_report(kind, [line, *below], max_length)
    lines_below = "\n".join(f"  - {text}" for text in below)
    return Learning(clean_type(kind), line, lines_below, reason)


# A denial that is the first clause or soon speaks of findings, and names no code.
_NO = r"(no(ne|thing)?|([\w-]+ ){1,2}(did|ha[sv]e?)(n.t| not) \w+ any(thing)?)"  # of this run
_END = r"(\W*$|[.,;:] | [-\u2013\u2014] | \()"  # of a clause
_NOTHING = re.compile(
    r"(?!.*[`\d_])\W*(there (is|are|was|were) )?("
    r"(n/a|no|none|nothing)( new)?\W*$"
    rf"|(n/a|none|nothing)( (from|for) this \w+)?{_END}"
    rf"|{_NO} ([\w-]+ ){{0,3}}(worth \w+ing|noteworthy)\b"
    rf"|{_NO} ([\w-]+ ){{0,3}}(finding|learning|lesson|insight|memory update|knowledge)s?"
    rf"(( was| were) \w+| \w+ed)?({_END}| (from|in|for|this|to|beyond|worth)\b)"
    rf"|nothing ([\w-]+ ){{0,3}}to (record|remember|add|report|note|save)"
    rf"({_END}| (for|from|in|this)\b))",
    re.IGNORECASE,
)
EMPTY_REASON = "it may say nothing about the project"

_QUOTES = (('"', '"'), ("'", "'"), ("\u201c", "\u201d"), ("**", "**"), ("_", "_"), ("[", "]"))

# Characters of an unknown type.
_MAX_NAME = 80


def remove_quotes(text: str) -> str:
    """Remove quotation marks, bold type or square brackets around all of a text."""
    bare = text.removesuffix(".")
    for opening, closing in _QUOTES:
        inner = bare.removeprefix(opening).removesuffix(closing)
        is_around = len(inner) == len(bare) - len(opening + closing)
        if is_around and (closing not in inner or opening in inner.partition(closing)[0]):
            return inner
    return text


def clean_type(name: str) -> str:
    """Return the type for a name, or an unknown name itself, as a short line."""
    line = clean_line(name).strip(type_names.DECORATION)
    return type_names.type_of(line) or shorten(line, _MAX_NAME)


def check_learning(name: str, content: str, max_length: int) -> str:
    """Return the reason for rejecting a learning, "" if it is valid."""
    length = len(content)
    if not type_names.type_of(name):
        return f"unknown type {name[:_MAX_NAME]!r}"
    if not length:
        return "no content"
    if length <= type_names.TOO_SHORT:
        return f"too short: at least {type_names.TOO_SHORT + 1} characters are required"
    return f"{length} characters: at most {max_length} are allowed" if length > max_length else ""


def check_report(kind: str, texts: list[str], max_length: int) -> str:
    """Return the reason for rejecting a content with its nested lines, "" if it is valid."""
    if not type_names.type_of(kind) and type_names.is_bracketed(kind.strip("`*_ ")):
        return "the type is a placeholder"
    if (texts[0].isascii() and texts[0].isupper()) or _NOTHING.match(texts[0]):
        return EMPTY_REASON
    return check_learning("", max(texts, key=len) if texts[0] else "", max_length)


# What it says about given items

MAX_REASON = 200  # characters

_BECAUSE = "because "
_IDS = r"(?:(?:\band\W{1,3})?\b[0-9a-f]{4,}\W{1,5}){1,9}"  # in front of their reason
_AROUND = " *_`:;,.-=\u2013\u2014\u2713])(["  # a reason


def read_judgements(judgements: Iterable[Judgement]) -> tuple[list[str], dict[str, str]]:
    """Return the whole ids of the items that helped, and of the wrong ones with their reasons.

    The reason is the text behind "because", else the text behind the ids with which the line
    begins, without secrets; "" if there is none.  Ids in a reason are not wrong.
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
            reason = scanner.redact(join_visible(value[start:]).strip(_AROUND))
            wrong.setdefault(one, shorten(reason, MAX_REASON))
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
