"""Judge what a report teaches: its learnings, and those that a person has to review.

docs/learnings.md shows with examples which blocks are learned or rejected.  `blocks` finds them,
and `marker_blocks` and `json_blocks` read one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from memory_core.document.merge_learnings import Learning
from memory_core.learning import blocks, type_names
from memory_core.learning.blocks import LearningBlock
from memory_core.learning.lines import NESTED, Draft
from memory_core.secrets import scanner
from memory_core.text.sanitize import clean_line, shorten

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
