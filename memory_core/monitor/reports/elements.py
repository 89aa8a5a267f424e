"""Make HTML elements; all text in them is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from memory_core.text import sanitize

MOST_NAME = 60  # characters


class Html(str):
    """Text that is HTML already; all other text is escaped."""

    __slots__ = ()


def tag(name: str, *parts: str, **attributes: str) -> Html:
    """Return an element; an attribute `class_` is `class`, `aria_label` is `aria-label`."""
    names = {key: key.strip("_").replace("_", "-") for key in attributes}
    head = "".join(f' {names[key]}="{escape(attributes[key])}"' for key in attributes)
    return Html(f"<{name}{head}>{join(parts)}</{name}>")


def join(parts: Iterable[str]) -> Html:
    """Return texts after each other; of other text than HTML only visible characters are left."""
    return Html(
        "".join(
            part if isinstance(part, Html) else escape(sanitize.remove_invisible(part))
            for part in parts
        )
    )


def join_lines(parts: Iterable[Html]) -> Html:
    """Return elements, each on a line of its own."""
    return Html("\n".join(["", *parts, ""]))


def make_section(title: str, *parts: str) -> Html:
    """Return a section with a heading of level 2."""
    return tag("section", tag("h2", title), *parts)


def make_table(head: Sequence[tuple[str, str]], rows: Iterable[Sequence[Html]], label: str) -> Html:
    """Return a table in a box that scrolls.

    `head` has the title and the class of each column, "n" for numbers; the cells of `rows` are
    elements already.
    """
    columns = (
        tag("th", name, scope="col", **({"class_": kind} if kind else {})) for name, kind in head
    )
    body = join_lines(tag("tr", *row) for row in rows)
    return tag(
        "div",
        tag("table", tag("thead", tag("tr", *columns)), tag("tbody", body)),
        class_="scroll",
        role="region",
        aria_label=label,
        tabindex="0",
    )


def make_cell(text: str, kind: str = "") -> Html:
    return tag("td", text, class_=kind) if kind else tag("td", text)


def make_number(text: str) -> Html:
    return make_cell(text, "n")


def make_name(text: str) -> Html:
    """Return the first cell of a row; a long name is cut."""
    return tag("th", sanitize.shorten(text, MOST_NAME), scope="row")
