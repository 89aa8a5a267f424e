"""Recognise the line before a block that calls it an example, a format or a template."""

from __future__ import annotations

from memory_core.learning import lines

_NAMES = {"example", "examples", "format", "formats", "template", "templates"}

# The line says that the agent follows the format: "My learnings, in the required format:".
_FOLLOWS = (" my ", " i learned ", " requested ", " asked ", " specified ", " in the required ")

# A line of at most this many words is a title, even with a full stop.
_MAX_TITLE = 4

# Characters of a line that are read, from its end.
_REACH = 300

_PUNCTUATION = str.maketrans(dict.fromkeys("!\"#'()*,-.:;<=>?[]_`{}\uff1a", " "))


def announces_example(line: str) -> bool:
    """Check whether the last sentence of a line calls what follows an example."""
    line = line[-_REACH:].strip(lines.INDENT + "*_")
    sentence = line.rpartition(". ")[2]
    words = sentence.lower().translate(_PUNCTUATION).split()
    if _NAMES.isdisjoint(words):
        return False
    text = f" {' '.join(words)} "
    is_title = not sentence.endswith((".", "!", "?")) and line == lines.remove_bullet(line)
    is_title = is_title or len(words) <= _MAX_TITLE
    is_introduction = is_title or sentence.endswith((":", "\uff1a"))
    return is_introduction and not any(phrase in text for phrase in _FOLLOWS)


class Surroundings:
    """What is before and around the current line of a report."""

    def __init__(self, fences: dict[int, int]) -> None:
        self._fences = fences
        self._opened = [(-1, False)]  # the last line of each open fence; whether it is an example
        self._quotes_example: bool | None = None  # None outside of a quotation
        self.above = ""  # the last line that is not part of a block: it may introduce one

    def enter(self, number: int, row: str) -> bool:
        """Go to the next line; return False if it is the first or last line of a fence."""
        if not lines.is_quoted(row):
            self._quotes_example = None
        elif self._quotes_example is None:
            self._quotes_example = announces_example(self.above)
        if number in self._fences:
            is_example = self._opened[-1][1] or announces_example(self.above)
            self._opened.append((self._fences[number], is_example))
            return False
        if self._opened[-1][0] == number:
            self._opened.pop()
            return False
        return True

    @property
    def in_fence(self) -> bool:
        return len(self._opened) > 1

    def is_example(self, row: str, before: str) -> bool:
        """Check whether a block that begins in this line, after `before`, is an example."""
        if before:
            return announces_example(before)
        is_set_off = self.in_fence or row[:1] in tuple(lines.INDENT)
        return is_set_off and (
            self._opened[-1][1] or self._quotes_example is True or announces_example(self.above)
        )
