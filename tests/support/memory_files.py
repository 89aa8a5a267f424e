"""Build texts of memory files, and read the example pairs of docs/format.md."""

import base64
import json
import zlib
from collections.abc import Iterable
from pathlib import Path

from memory_core.document import merge_learnings, template
from memory_core.document.merge_learnings import Learning
from support.paths import REPO

FORMAT = REPO / "docs" / "format.md"
FORMAT_CASES = REPO / "tests" / "cases" / "format.md"
LIMITS = template.Limits()
NOW = "2026-11-21 08:00:00"


def merge(
    text: str, *learned: tuple[str, ...], limits: template.Limits = LIMITS
) -> merge_learnings.MergeResult:
    """Merge learnings of the agent engineer, of type and content, into the text of a memory."""
    new = [Learning(*each) for each in learned]
    return merge_learnings.merge_learnings(text, new, limits, NOW, "engineer")


def make_section(title: str, *texts: str) -> str:
    """Return a section with these items."""
    return f"## {title}\n" + "".join(f"- {text}\n" for text in texts) + "\n"


def pack_history(path: Path, kept: int = 0) -> None:
    """Pack all lines but the last ones into two lines, as older versions did."""
    lines = path.read_text().splitlines()
    old, rest = (lines[:-kept], lines[-kept:]) if kept else (lines, [])
    runs = [line for line in old if '"kind": "task"' in line or '"kind": "error"' in line]
    items = [line for line in old if line not in runs]
    packed = [pack_lines(part, of) for of, part in (("items", items), ("runs", runs)) if part]
    path.write_text("\n".join([*packed, *rest, ""]))


def pack_lines(lines: Iterable[str], of: str) -> str:
    data = zlib.compress("".join(f"{line}\n" for line in lines).encode())
    return json.dumps({"v": 1, "of": of, "packed": base64.b64encode(data).decode()})


def make_conflict(ours: str, theirs: str, base: str = "||||||| base\n- base\n") -> str:
    """Return the conflict lines that git writes for two different sides."""
    return f"<<<<<<< HEAD\n{ours}{base}=======\n{theirs}>>>>>>> other\n"


def read_format_pairs() -> list[dict[str, str]]:
    """Return the example pairs of docs/format.md and tests/cases/format.md.

    A block of the kind `before` or `conflict` starts a pair. A pair maps the kind of each of its
    fenced blocks, the second word of the info string, to the text of the block.
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
