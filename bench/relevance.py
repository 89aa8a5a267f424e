#!/usr/bin/env python3
"""Measure whether agents receive the items that help with their tasks.

    python bench/relevance.py FILE            tables for the runs and tasks in FILE
    python bench/relevance.py FILE --json     the same as JSON
    python bench/relevance.py FILE --tokens TOKENIZER.json   characters per token

FILE has `sessions` {id, repo, issue, final, files} and later `tasks` {id, repo, prompt, files,
related: ids of sessions}.  For each repository the reports of its sessions are learned by the
functions of the hooks, and each task is asked for as a hook asks.  tests/cases/relevance.json is a
small synthetic FILE.

    hit@1, hit@5   an item among the first 1 or 5 of the block comes from a related session
    MRR            the mean of 1 / the place of the first such item
    named          an item of the block names a file of the fix that the prompt does not name
    unrelated      the share of 2,000 tokens that a task receives without a related session
    other          the same for tasks of another repository

An item of several sessions counts if half of them are related.  Only memories of 2,000 characters
or more count, with `whole_below_tokens: 0`.  Another row has ten rules of a person in each memory,
which come first; its figures are those of the other items.  Behind each figure is its interval
(95 %, by bootstrap over the tasks).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import re
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from math import log
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from memory_core.learning import blocks, extraction, run_subject
from memory_core.memory import recall, remember
from memory_core.selection import choosing
from memory_core.selection.indexing import add_passage, compare_words
from memory_core.selection.passages import Passage, PassageIndex, estimate_tokens
from memory_core.storage.project import find_project

AGENT = "engineer"
MAX_ITEM = 100
MIN_MEMORY = 2000
HIT_TOKENS, SHARE_TOKENS = 400, 2000
SAMPLES = 1000

# Limits as large as the largest repository needs.
CONFIG = "memory: {limits: {default_size_kb: 1024, max_items_per_section: 1000}}\n"

Ranking = Callable[[PassageIndex, str, int], list[Passage]]


class Memory(NamedTuple):
    """What was learned of one repository: its passages, and the sessions of each item."""

    passages: PassageIndex
    sessions: dict[str, set[str]]


def list_findings(session: dict[str, Any]) -> list[str]:
    """Return one to three items of a session's final message: what was wrong, done, and where."""
    lines = [
        line.strip().lstrip("-*#>0123456789. ").strip() for line in session["final"].split("\n")
    ]
    sentences = [line for line in lines if len(line) > 30 and not line.endswith(":")]
    files = [name for name in session["files"] if not name.startswith("./")] or session["files"]
    where = f"{files[0]}: {sentences[-1]}" if files and sentences else ""
    count = 1 + int(hashlib.sha256(session["id"].encode()).hexdigest(), 16) % 3
    findings = [*sentences[: count - 1], where or (sentences or [session["issue"]])[0]]
    return [finding[:MAX_ITEM].replace("\n", " ") for finding in findings]


def learn(sessions: Iterable[dict[str, Any]], folder: Path) -> Memory:
    """Let an agent learn from the reports of a repository's sessions."""
    (folder / ".claude-mpm").mkdir(parents=True)
    (folder / ".claude-mpm" / "config.yml").write_text(CONFIG, encoding="utf-8")
    environ = {"HOME": str(folder), "XDG_STATE_HOME": str(folder / "state")}
    project = find_project(str(folder), environ)
    origins: dict[str, set[str]] = defaultdict(set)
    for session in sessions:
        written = [
            f"# Add To Memory:\nType: context\nContent: {finding}\n#"
            for finding in list_findings(session)
        ]
        report = "\n\n".join([session["final"], *written])
        learned = extraction.judge_blocks(blocks.find_blocks(report)[0], 300)
        if learned:
            about = run_subject.describe_run(session["issue"], session["final"])
            lesson = remember.make_lesson(learned, session["id"], "bench", about=about)
            remember.merge_lesson(project, AGENT, lesson)
    passages = recall.read_ready(project, AGENT).passages
    for record in project.store.history(AGENT).read():
        if record.get("run") and record["kind"] in ("learned", "reinforced", "merged"):
            origins[record["id"]].add(record["run"])
    return Memory(passages, origins)


# The ways to choose: each returns the passages of a block of so many tokens, the first one first.


def choose_ours(passages: PassageIndex, task: str, budget: int) -> list[Passage]:
    chosen = [choice for choice in choosing.select(passages, task, budget) if choice.is_chosen]
    sections = list(dict.fromkeys(choice.passage.section for choice in chosen))
    chosen.sort(key=lambda choice: sections.index(choice.passage.section))  # as it is printed
    return [choice.passage for choice in chosen]


def choose_bm25(passages: PassageIndex, task: str, budget: int) -> list[Passage]:
    """Choose as a textbook does: k1 = 1.2, b = 0.75, words of letters and digits."""
    documents = [Counter(re.findall(r"\w+", passage.text.lower())) for passage in passages]
    lengths = [sum(document.values()) for document in documents]
    usual = mean(lengths) if lengths else 1.0
    scores = dict.fromkeys(range(len(passages)), 0.0)
    for word in set(re.findall(r"\w+", task.lower())):
        having = [at for at, document in enumerate(documents) if word in document]
        worth = log(1 + (len(passages) - len(having) + 0.5) / (len(having) + 0.5))
        for at in having:
            count = documents[at][word]
            scores[at] += worth * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * lengths[at] / usual))
    ranking = sorted((at for at in scores if scores[at]), key=lambda at: (-scores[at], at))
    return fill((passages[at] for at in ranking), budget)


def choose_newest(passages: PassageIndex, _task: str, budget: int) -> list[Passage]:
    return fill(reversed(list(passages)), budget)


def choose_all(passages: PassageIndex, _task: str, _budget: int) -> list[Passage]:
    return list(passages)


def fill(passages: Iterable[Passage], budget: int) -> list[Passage]:
    chosen, spent = [], 0
    for passage in passages:
        tokens = estimate_tokens(passage.text) + choosing.ITEM_TOKENS
        if spent + tokens <= budget:
            chosen.append(passage)
            spent += tokens
    return chosen


# What a person wrote by hand, for the second row.
RULES = [
    "Ask before you add a dependency",
    "Keep functions short and name them as verbs",
    "Write a test for each bug before you fix it",
    "Error messages say what the user can do",
    "Public functions have a docstring with an example",
    "No print in library code; use the logger",
    "Type hints everywhere, no bare Any",
    "Deprecate for two releases before you remove something",
    "One change, one commit, with the reason in its message",
    "Run the whole suite before you say that you are done",
]
WITH_RULES = "ours, with ten rules of a person"


def choose_beside_rules(passages: PassageIndex, task: str, budget: int) -> list[Passage]:
    chosen = choose_ours(passages, task, budget)
    return [passage for passage in chosen if passage.index not in passages.own]


def add_rules(passages: PassageIndex) -> None:
    for text in RULES:
        passage = Passage("Implementation Guidelines", f"- {text}", text, origin="hand")
        add_passage(passages, passage)
    compare_words(passages)


RANKINGS: dict[str, Ranking] = {
    "ours": choose_ours,
    "plain BM25": choose_bm25,
    "newest first": choose_newest,
    "everything": choose_all,
}


# Figures


def is_hit(memory: Memory, passage: Passage, related: set[str]) -> bool:
    sessions = memory.sessions.get(passage.id, set())
    return 2 * len(sessions & related) >= max(1, len(sessions))


def names_file(passages: Iterable[Passage], task: dict[str, Any]) -> bool:
    """Return whether a passage names a file of the fix that the prompt does not name."""
    names = {path.rpartition("/")[2] for path in task["files"]}
    wanted = [name for name in names if name not in task["prompt"]]
    return any(name in passage.text for name in wanted for passage in passages)


def measure(data: dict[str, Any], memories: dict[str, Memory], choose: Ranking) -> dict[str, Any]:
    """Return the values of each figure, a value for each task that it is about."""
    figures: dict[str, list[float]] = defaultdict(list)
    for task in data["tasks"]:
        for repo, memory in memories.items():
            if repo != task["repo"]:
                figures["other"].append(
                    share(choose(memory.passages, task["prompt"], SHARE_TOKENS))
                )
        if task["repo"] not in memories:
            continue
        memory, related = memories[task["repo"]], set(task["related"])
        if not related:
            chosen = choose(memory.passages, task["prompt"], SHARE_TOKENS)
            figures["unrelated"].append(share(chosen))
            continue
        block = choose(memory.passages, task["prompt"], HIT_TOKENS)
        hits = [at for at, passage in enumerate(block) if is_hit(memory, passage, related)]
        figures["hit@1"].append(bool(hits) and hits[0] == 0)
        figures["hit@5"].append(bool(hits) and hits[0] < 5)
        figures["MRR"].append(1 / (hits[0] + 1) if hits else 0)
        if names_file(memory.passages, task):
            figures["named"].append(names_file(block, task))
    return figures


def share(passages: list[Passage]) -> float:
    spent = sum(estimate_tokens(passage.text) + choosing.ITEM_TOKENS for passage in passages)
    return min(1.0, spent / SHARE_TOKENS)


def summarize(values: list[float]) -> list[float]:
    """Return the mean of the values and its interval, in percent."""
    draw = random.Random(0)
    means = sorted(mean(draw.choices(values, k=len(values))) for _ in range(SAMPLES))
    low, high = means[SAMPLES // 40], means[-SAMPLES // 40]
    return [round(100 * value) for value in (mean(values), low, high)]


FIGURES = ("hit@1", "hit@5", "MRR", "named", "unrelated", "other")


def run(data: dict[str, Any]) -> dict[str, Any]:
    """Return {ranking: {figure: [value, low, high]}} and the number of tasks of each figure."""
    by_repo: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for session in data["sessions"]:
        by_repo[session["repo"]].append(session)
    memories = {}
    with tempfile.TemporaryDirectory() as folder:
        for number, (repo, sessions) in enumerate(by_repo.items()):
            memory = learn(sessions, Path(os.path.realpath(folder), f"repo{number}"))
            if sum(len(passage.text) for passage in memory.passages) >= MIN_MEMORY:
                memories[repo] = memory
    measured = {name: measure(data, memories, choose) for name, choose in RANKINGS.items()}
    for memory in memories.values():
        add_rules(memory.passages)
    measured[WITH_RULES] = measure(data, memories, choose_beside_rules)
    return {
        "tasks": {figure: len(measured["ours"][figure]) for figure in FIGURES},
        "items": {repo: len(memory.passages) for repo, memory in memories.items()},
        "figures": {
            name: {figure: summarize(values[figure]) for figure in FIGURES if values[figure]}
            for name, values in measured.items()
        },
    }


def format_table(result: dict[str, Any]) -> str:
    lines = [
        f"| | {' | '.join(FIGURES)} |",
        f"| --- |{' --- |' * len(FIGURES)}",
        f"| tasks | {' | '.join(str(result['tasks'][figure]) for figure in FIGURES)} |",
    ]
    for name, figures in result["figures"].items():
        cells = (
            "{} ({}-{})".format(*figures[figure]) if figure in figures else "" for figure in FIGURES
        )
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def count_characters(data: dict[str, Any], tokenizer: str) -> str:
    """Return the characters of a token in the items, by a tokenizer of the package `tokenizers`."""
    from tokenizers import Tokenizer  # type: ignore[import-not-found]

    model = Tokenizer.from_file(tokenizer)
    items = [item for session in data["sessions"] for item in list_findings(session)]
    tokens = sum(len(model.encode(item).ids) for item in items)
    return f"{sum(map(len, items)) / tokens:.2f} characters per token in {len(items)} items"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("file", help="JSON with `sessions` and `tasks`")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--tokens", metavar="TOKENIZER", help="measure characters per token only")
    arguments = parser.parse_args()
    data = json.loads(Path(arguments.file).read_text(encoding="utf-8"))
    if arguments.tokens:
        print(count_characters(data, arguments.tokens))
        return
    result = run(data)
    print(json.dumps(result) if arguments.json else format_table(result))


if __name__ == "__main__":
    main()
