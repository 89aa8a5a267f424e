#!/usr/bin/env python3
"""Measure whether the lines arrive that a sensible colleague would want for a task.

    python bench/ordinary.py [FILE] [--misses]

FILE (default: tests/cases/ordinary_memories.json) has 30 memories of 3 to 80 lines, written by two
people who had not read the code: `lines` by a person, an agent or from outside, ten `tasks`, and
for each task in `wanted` the numbers of the lines that they want given.  The settings are the
defaults.  A line from outside is one of a clone that nobody has reviewed.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from memory_core.selection import choosing
from memory_core.selection.indexing import index_passages
from memory_core.selection.passages import Passage
from memory_core.storage.config_yml.default_settings import DEFAULTS

FILE = Path(__file__).resolve().parents[1] / "tests" / "cases" / "ordinary_memories.json"
SETTINGS = DEFAULTS["selection"]
ORIGINS = {"person": "hand", "agent": "agent", "outside": "import"}


def choose(lines: list[dict[str, str]], task: str) -> set[int]:
    """Return the numbers of the lines that are given for a task."""
    index = index_passages(
        Passage("", f"- {line['text']}", line["text"], origin=ORIGINS[line["by"]]) for line in lines
    )
    budget, below = SETTINGS["budget_tokens"], SETTINGS["whole_below_tokens"]
    choices = choosing.select(index, task, budget, below)
    return {choice.passage.index for choice in choices if choice.is_chosen}


def measure(memories: list[dict[str, Any]], prints: bool) -> list[str]:
    """Return a table: of the wanted lines of each origin, how many are given."""
    wanted, given, total, shown = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    for memory in memories:
        for task, numbers in zip(memory["tasks"], memory["wanted"], strict=True):
            chosen = choose(memory["lines"], task)
            for at, line in enumerate(memory["lines"]):
                wanted[line["by"]] += at in numbers
                given[line["by"]] += at in numbers and at in chosen
                total[line["by"]] += at not in numbers
                shown[line["by"]] += at not in numbers and at in chosen
                if prints and at in numbers and at not in chosen:
                    print(f"{memory['name']}: {task[:70]} | {line['by']}: {line['text']}")
    rows = ["| lines of | wanted and given | not wanted, but given |", "| --- | --- | --- |"]
    for by in ORIGINS:
        share = given[by] / max(wanted[by], 1)
        rows.append(
            f"| {by} | {given[by]} of {wanted[by]} ({share:.0%}) | {shown[by]} of {total[by]} |"
        )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file", nargs="?", type=Path, default=FILE)
    parser.add_argument("--misses", action="store_true", help="print each wanted line not given")
    options = parser.parse_args()
    memories = json.loads(options.file.read_text(encoding="utf-8"))
    print(*measure(memories, options.misses), sep="\n")


if __name__ == "__main__":
    main()
