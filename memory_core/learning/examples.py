"""Recognise a fenced or quoted block that the line before it calls an example."""

from __future__ import annotations

from memory_core.learning import lines

_NAMES = {"example", "examples", "format", "formats", "template", "templates"}

# The end of a line that introduces a block.
_ENDS = (":", "\uff1a", "\u2014", ">")

# Characters of a line that are read, from its end.
_REACH = 300

_PUNCTUATION = str.maketrans(dict.fromkeys("!\"#'()*,-.:;<=>?[]_`{}\uff1a", " "))


def announces_example(line: str) -> bool:
    """Check whether a heading, a tag, or a line with a colon at its end names an example."""
    line = line[-_REACH:].lstrip(lines.INDENT).rstrip()
    if not lines.is_heading(line) and not line.rstrip("*_` ").endswith(_ENDS):
        return False
    words = line.rpartition(". ")[2].lower().translate(_PUNCTUATION).split()
    return not _NAMES.isdisjoint(words)


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
        is_set_off = self.in_fence or row[:1] in tuple(lines.INDENT)
        return announces_example(before or (self.above if is_set_off else "")) or (
            is_set_off and (self._opened[-1][1] or self._quotes_example is True)
        )
