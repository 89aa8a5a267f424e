#!/usr/bin/env python3
"""Run the cases of PrecisionMemBench (github.com/tenurehq/precisionMemBench, MIT).

    python bench/precision.py FOLDER [--failures]

FOLDER is a clone of it, which is not a part of this repository.  A scope is an agent, and the notes
of its scope are items: the content, the canonical name and the aliases in one line.  Superseded and
resolved notes are archived.  Pinned notes and open questions are outside of the choice, as in the
benchmark's own adapters, and its personas always pass, because memory has none.  So only the choice
of the other notes is compared.  The first row has `whole_below_tokens: 0`, the second the default.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from statistics import mean
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from memory_core.selection import choosing
from memory_core.selection.indexing import index_passages
from memory_core.selection.passages import Passage
from memory_core.storage.config_yml.default_settings import DEFAULTS

USER = "test-user"
SETTINGS = DEFAULTS["selection"]


def list_notes(notes: list[dict[str, Any]], case: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the notes of a case's user and scope that are not superseded or resolved."""
    return [
        note
        for note in notes
        if note["user_id"] == case.get("userId", USER)
        and {*note["scope"]} & {*case["scope"]}
        and not (note["superseded_by"] or note["resolved_at"])
    ]


def choose(notes: list[dict[str, Any]], query: str, whole_below: int) -> list[str]:
    """Return the ids of the notes that are given for a query, best first."""
    if not query.strip():
        return []
    texts = [
        " ".join([note["content"], note["canonical_name"], *note["aliases"]]) for note in notes
    ]
    passages = [Passage("", f"- {text}", text) for text in texts]
    index = index_passages(passages)
    choices = choosing.select(index, query, SETTINGS["budget_tokens"], whole_below)
    return [notes[choice.passage.index]["_id"] for choice in choices if choice.is_chosen]


def find_failures(expected: dict[str, Any], given: list[str], pinned: set[str]) -> list[str]:
    """Return what a case of the benchmark expects of the chosen notes, and did not get."""
    known = {*given} | pinned
    failures = [
        f"missing {name}"
        for key in ("mustInclude", "shouldInclude")
        for name in expected.get(key, [])
        if name not in known
    ]
    failures += [f"forbidden {name}" for name in expected.get("mustExclude", []) if name in known]
    if (only := expected.get("shouldOnlyInclude")) is not None:
        failures += [f"unexpected {name}" for name in sorted({*given} - {*only})]
        failures += [f"missing {name}" for name in sorted({*only} - {*given})]
    if len(given) > expected.get("maxCount", len(given)):
        failures.append("too many")
    if len(given) < expected.get("minCount", 0):
        failures.append("too few")
    for first, second in expected.get("orderedBefore", []):
        places = [given.index(name) if name in given else -1 for name in (first, second)]
        if -1 in places or places[0] > places[1]:
            failures.append(f"order of {first} and {second}")
    return failures


def run(folder: Path, whole_below: int, prints: bool) -> str:
    notes = json.loads((folder / "fixtures" / "beliefs.seed.json").read_text(encoding="utf-8"))
    cases = json.loads((folder / "fixtures" / "retrieval.cases.json").read_text(encoding="utf-8"))
    passed, precisions, recalls = 0, list[float](), list[float]()
    for case in cases:
        known = list_notes(notes, case)
        pinned = {note["_id"] for note in known if note["pinned"]}
        loose = [one for one in known if not one["pinned"] and one["type"] != "open_question"]
        given = choose(loose, case["query"], whole_below)
        expected = case["expect"].get("relevantBeliefs", {})
        failures = find_failures(expected, given, pinned)
        passed += not failures
        if failures and prints:
            print(f"{case['caseId']}: {case['query']}: {'; '.join(failures)}")
        wanted = expected.get("shouldOnlyInclude", expected.get("mustInclude", []))
        wanted = {name for name in wanted if name not in pinned}
        hits = len(wanted & {*given})
        if given or wanted:
            precisions.append(hits / len(given) if given else 0.0)
        if wanted:
            recalls.append(hits / len(wanted))
    figures = f"{mean(precisions):.2f} | {mean(recalls):.2f}"
    return f"| {whole_below} | {passed} of {len(cases)} | {figures} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path, help="a clone of PrecisionMemBench")
    parser.add_argument("--failures", action="store_true", help="print the cases that failed")
    options = parser.parse_args()
    rows = [
        run(options.folder, whole_below, options.failures and not whole_below)
        for whole_below in (0, SETTINGS["whole_below_tokens"])
    ]
    print(
        "| whole_below_tokens | passed | precision | recall |",
        "| --- | --- | --- | --- |",
        sep="\n",
    )
    print(*rows, sep="\n")


if __name__ == "__main__":
    main()
