"""Texts of memory files, and what goes into them."""

from __future__ import annotations

from typing import NamedTuple

from support.paths import REPO

FORMAT = REPO / "docs" / "format.md"
FORMAT_CASES = REPO / "tests" / "cases" / "format.md"
NOW = "2026-11-21 08:00:00"


class Learning(NamedTuple):
    """What an agent learned."""

    type: str
    content: str


def make_section(title: str, *texts: str) -> str:
    """Return a section with these items."""
    return f"## {title}\n" + "".join(f"- {text}\n" for text in texts) + "\n"


def make_conflict(ours: str, theirs: str, base: str = "||||||| base\n- base\n") -> str:
    """Return the lines that git writes where two sides differ."""
    return f"<<<<<<< HEAD\n{ours}{base}=======\n{theirs}>>>>>>> other\n"


def read_format_pairs() -> list[dict[str, str]]:
    """Return the pairs of docs/format.md and tests/cases/format.md.

    A pair goes from a first block to the next first block.

    A pair has its fenced blocks by the second word of their info string.
    """
    pairs: list[dict[str, str]] = []
    text = "\n".join(path.read_text(encoding="utf-8") for path in (FORMAT, FORMAT_CASES))
    for part in text.split("\n```"):
        info, _, body = part.partition("\n")
        kind = info.partition(" ")[2]
        if kind in ("before", "conflict"):
            pairs.append({})
        if kind and info.split()[0] in ("markdown", "text"):
            pairs[-1][kind] = body + "\n"
    return pairs
