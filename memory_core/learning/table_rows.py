"""The rows of a table in a marker block: each is a learning."""

from __future__ import annotations

from memory_core.learning.lines import FIELDS, NESTED, Draft
from memory_core.learning.type_names import type_of


def read_drafts(rows: list[str], kind: str) -> tuple[list[Draft], bool]:
    """Return the learnings of a table, and whether they have all its words.

    The first row names the columns.  `kind` is the type of a row without one.
    """
    first, *others = rows
    columns = [name.strip("*_` ").lower() for name in _split_row(first)]
    cells = [_split_row(row) for row in others if row.strip("|:- ")]
    drafts = [_read_row(columns, row, kind) for row in cells]
    return drafts, set(columns) <= set(FIELDS)


def _split_row(row: str) -> list[str]:
    cells = row.strip("|").replace("\\|", "\0").split("|")
    return [cell.strip().replace("\0", "|") for cell in cells]


def _read_row(columns: list[str], cells: list[str], kind: str) -> Draft:
    """Return the learning of a row: without a column "content" its longest cell counts."""
    fields = dict(zip(columns, cells, strict=False))
    nested = {key: text for key in NESTED if (text := fields.pop(key, ""))}
    kinds = (cell for cell in cells if cell and type_of(cell))
    kind = fields.pop("type", "") or next(kinds, kind)
    return kind, fields.get("content") or max(fields.values(), key=len, default=""), "", nested
