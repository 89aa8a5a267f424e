"""Find the parts of a memory file that agents do not receive before a person has decided."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cache

from memory_core.document import edits, markdown, template
from memory_core.document.block_reader import Item
from memory_core.document.markdown import Document
from memory_core.history import rights
from memory_core.history.rights import Origins
from memory_core.origin import checking
from memory_core.selection import splitting

# Why agents do not receive a text with these settings.
STRICT_REASON, OUTSIDE_REASON = "trust: strict", "hold_outside"


class Guard:
    """The check of an agent's texts by their origins on this machine.

    Texts on which a person decided here pass.  Of the others it stops those of other tiers than
    `given`, if there are any, and those that may be poisoned.  `has_news` returns whether the file
    has lines since the last look that git did not bring.
    """

    def __init__(
        self, origins: Origins, has_news: Callable[[], bool], given: Collection[str] = ()
    ) -> None:
        self.find_origin = origins.find
        self.given = given
        self._has_news: Callable[[], bool] = cache(has_news)

    def find_reason(self, text: str, nested: str = "") -> str:
        """Return why agents do not receive a text with its nested lines, "" if they may."""
        tier = self.find_tier(text, nested)
        if self.given and tier not in self.given:
            return OUTSIDE_REASON if rights.AGENT in self.given else STRICT_REASON
        if tier in rights.DECIDED:
            return ""
        is_known = self.find_origin(text, nested) in (rights.AGENT, rights.UNKNOWN)
        is_inside = is_known or self.is_new(text, nested)
        return checking.find_reason(f"{text}\n{nested}", not is_inside)

    def is_new(self, text: str, nested: str = "") -> bool:
        """Return whether a text came into the file since the last look, and not by git."""
        return self.find_origin(text, nested) == "" and self._has_news()

    def find_tier(self, text: str, nested: str = "", is_tainted: bool = False) -> str:
        """Return the tier of a text; `is_tainted`: its history says so."""
        return rights.find_tier(self.find_origin(text, nested), is_tainted)

    def list_held(self, document: Document) -> list[tuple[Item, str]]:
        """Return the items that agents do not receive before a person decides, with the reasons."""
        reasons = [(item, self.find_reason(item.text, item.nested)) for item in document.items]
        return [(item, reason) for item, reason in reasons if reason]

    def remove_held(self, document: Document) -> Document:
        """Return a document without the items that agents do not receive before a person decides.

        Its headings are those that agents receive, too.
        """
        waiting = [item for item, _reason in self.list_held(document)]
        return self.hide_headings(edits.remove_items(document, waiting))

    def hide_headings(self, document: Document) -> Document:
        """Return a document whose headings are those that agents receive."""
        lines = list(document.lines)
        for start, end, heading in reversed(splitting.list_headings(document)):
            if self._is_strange(heading):
                lines[start:end] = [f"{splitting.format_heading(template.OTHER_TITLE)}\n"]
        return document if lines == document.lines else markdown.parse_document("".join(lines))

    def name_section(self, title: str) -> str:
        """Return the title of a section as agents receive it."""
        if template.is_known(title) or not self._is_strange(splitting.format_heading(title)):
            return title
        return template.OTHER_TITLE

    def _is_strange(self, heading: str) -> bool:
        """Return whether a heading is from elsewhere, or held, and no person has accepted it."""
        is_inside = self.find_tier(heading) in rights.INSIDE or self.is_new(heading)
        return not is_inside or self.find_reason(heading) != ""
