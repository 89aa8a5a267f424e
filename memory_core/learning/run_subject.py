"""Describe in few words what a run was about, so that its learnings are found for like tasks.

A learning of 100 characters has few words; the report and the prompt of its run have plenty.
"""

from __future__ import annotations

from collections import Counter

from memory_core.secrets import scanner
from memory_core.text import sanitize, subject_words

MAX_WORDS = 40

MAX_PROMPT_LINE = 150
MAX_WORD_LENGTH = 60

# A longer report has its subject in its first part, too, and a hook has to end.
MAX_REPORT = 20_000

# A word with so many digits is a number, a date or a key; none of them is a subject.
MAX_DIGITS = 4


def describe_run(prompt: str, report: str) -> str:
    """Return the first line of a run's prompt and the words of its report that say most.

    Of the words, identifiers and paths come first, then the most frequent ones.
    """
    line = next(filter(None, map(str.strip, prompt.split("\n"))), "")
    asked = scanner.redact(sanitize.join_visible(line))
    words = _choose_words(scanner.redact(report[:MAX_REPORT]))
    return " ".join([sanitize.shorten(asked, MAX_PROMPT_LINE), *words]).strip()


def _choose_words(report: str) -> list[str]:
    counts = Counter(subject_words.split_words(sanitize.join_visible(report)))
    ranked = [word for word, _count in counts.most_common() if _is_usual(word)]
    kinds = {word: subject_words.is_code(word) for word in ranked}
    codes = [word for word in kinds if kinds[word]]
    plain = [word for word in kinds if not kinds[word] and not subject_words.is_common(word)]
    return (codes + plain)[:MAX_WORDS]


def _is_usual(word: str) -> bool:
    return len(word) <= MAX_WORD_LENGTH and sum(map(str.isdigit, word)) <= MAX_DIGITS
