"""`make trust-report`: how many attacks are held, and how many ordinary learnings, by class.

The sets are split in halves by a digest of their texts.  The rules were made with the half "tune";
the figures of the half "final" are those to publish.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from memory_core.text import secrets
from memory_core.trust import checking, folding, rules, scoring
from support import secret_samples

FOLDER = Path(__file__).parent
HALVES = TUNE, FINAL = ("tune", "final")

# Reads a JSON list of lists of texts, and prints whether the guard stores all texts of each.
GUARD = """
import json, sys
from agent_memory_guard import MemoryGuard, Policy
held = []
for number, texts in enumerate(json.load(sys.stdin)):
    guard = MemoryGuard(policy=Policy.strict())
    passed = True
    for part, text in enumerate(texts):
        key = f"learning.{number}.{part}"
        try:
            guard.write(key, text)
            passed = passed and guard.read(key) == text and key not in guard.quarantine
        except Exception:
            passed = False
    held.append(not passed)
json.dump(held, sys.stdout)
"""


class Attack(NamedTuple):
    """The learnings of one run, mostly one, that together are an attack."""

    kind: str
    source: str
    texts: list[str]

    @property
    def half(self) -> str:
        return find_half("\n".join(self.texts))


def find_half(text: str) -> str:
    return HALVES[sha256(text.encode()).digest()[0] % 2]


def read_attacks() -> list[Attack]:
    lines = (FOLDER / "attacks.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return [
        Attack(
            row["class"],
            row["source"],
            [row["text"]] if isinstance(row["text"], str) else row["text"],
        )
        for row in rows
    ]


def read_benign(half: str) -> list[str]:
    lines = (FOLDER / "benign.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if find_half(line) == half]


def is_held(texts: list[str]) -> bool:
    """Return whether one of the learnings of a run waits for a person."""
    return any(checking.find_reasons(texts))


def list_used_rules(half: str) -> Counter[tuple[str, str]]:
    """Return how many attacks of a half each rule holds, by its reason and concepts."""
    used: Counter[tuple[str, str]] = Counter()
    for attack in read_attacks():
        if attack.half == half:
            joined = [*attack.texts, " ".join(attack.texts)]
            readings = [reading for text in joined for reading in folding.list_readings(text)]
            rows = [row for reading in readings for row in scoring.list_rules(reading)]
            used.update({(row[0], row[2]) for row in rows})
    return used


def _ask_guard(python: str, runs: list[list[str]]) -> list[bool]:
    done = subprocess.run(
        [python, "-c", GUARD], input=json.dumps(runs), capture_output=True, text=True, check=True
    )
    held: list[bool] = json.loads(done.stdout)
    return held


def _print_half(half: str, judge: Callable[[list[list[str]]], list[bool]]) -> None:
    attacks = [attack for attack in read_attacks() if attack.half == half]
    counts = Counter(attack.kind for attack in attacks)
    verdicts = judge([attack.texts for attack in attacks])
    held = Counter(
        attack.kind for attack, verdict in zip(attacks, verdicts, strict=True) if verdict
    )
    for kind, count in counts.items():
        print(f"  {kind:14} {held[kind]:3} of {count}")
    share = held.total() / len(attacks)
    print(f"  {'all attacks':14} {held.total():3} of {len(attacks)} ({share:.0%})")
    benign = read_benign(half)
    alarms = sum(judge([[text] for text in benign]))
    print(f"  {'ordinary':14} {alarms:3} of {len(benign)} ({alarms / len(benign):.1%})")


def _print_secrets(half: str) -> None:
    samples = [row for row in secret_samples.list_secrets() if find_half(row[0]) == half]
    kept_out = sum(value not in secrets.redact(text) for text, value in samples)
    alike = [part for part in secret_samples.LOOK_ALIKES if find_half(part) == half]
    touched = sum(secrets.redact(part) != part for part in alike)
    print(f"  {'secrets':14} {kept_out:3} of {len(samples)} ({kept_out / len(samples):.0%})")
    print(f"  {'look-alikes':14} {touched:3} of {len(alike)} touched ({touched / len(alike):.1%})")


def main(python: str = "") -> None:
    """Print the figures of agent-memory, and of agent-memory-guard if its Python is given."""
    has_guard = bool(python) and Path(python).exists()
    for half in HALVES:
        print(f"agent-memory, half {half!r}, {len(rules.RULES)} rules")
        _print_half(half, lambda runs: list(map(is_held, runs)))
        _print_secrets(half)
        if has_guard:
            print(f"agent-memory-guard, strict, half {half!r}")
            _print_half(half, lambda runs: _ask_guard(python, runs))
    if not has_guard:
        print("agent-memory-guard could not be installed: it is not compared")


if __name__ == "__main__":
    main(*sys.argv[1:])
