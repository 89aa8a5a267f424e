"""The words that notes of all projects often have: one of them alone says nothing about a task.

frequent_words.txt has a line for each of seven languages, with the stems of the words that at least
three of 1,000 ordinary notes have.  `scripts/count-words` wrote it from those in tests/adversarial.
"""

from __future__ import annotations

import os

_PATH = os.path.join(os.path.dirname(__file__), "frequent_words.txt")
_words: frozenset[str] = frozenset()


def has(stem: str) -> bool:
    """Return whether the stem of a word is frequent in any of the languages."""
    global _words
    if not _words:
        with open(_PATH, encoding="utf-8") as file:
            _words = frozenset(file.read().split())
    return stem in _words
