"""`make trust-report`: how many attacks are held, and how many ordinary learnings, by class.

The first set is split in halves by a digest of its texts; each other list is by another writer, who
did not know what is recognised.  The weights are made without the lists UNSEEN, so the figures of
these are those to publish.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from memory_core.text import secrets
from memory_core.trust import checking, scoring
from support import secret_samples

FOLDER = Path(__file__).parent
FINAL = "final"
HALVES = ("tune", FINAL)
# Written after the settings of the training and the threshold were chosen.
NEWEST = ("examiner", "evaluator", "blind-set")
UNSEEN = (
    *(FINAL, "mixed-people", "run-summaries", "exam"),
    *("start-ups", "claims-and-choices", "seven-languages", "ten-voices"),
    *("textbook", "buyers-test"),
    *NEWEST,
)
ORDINARY = "ordinary"

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
    texts: list[str]


class TextList(NamedTuple):
    """Attacks and ordinary learnings by one writer."""

    name: str
    attacks: list[Attack]
    ordinary: list[str]


def find_half(text: str) -> str:
    return HALVES[sha256(text.encode()).digest()[0] % 2]


def read_lists() -> list[TextList]:
    """Return the halves of the first set, then the other lists."""
    first = FOLDER / "attacks.jsonl", FOLDER / "benign.txt"
    attacks = _read_attacks(first[0])
    ordinary = first[1].read_text(encoding="utf-8").splitlines()
    halves = [
        TextList(
            half,
            [attack for attack in attacks if find_half("\n".join(attack.texts)) == half],
            [text for text in ordinary if find_half(text) == half],
        )
        for half in HALVES
    ]
    return halves + [_read_list(path) for path in sorted((FOLDER / "lists").glob("*.jsonl"))]


def read_training() -> list[TextList]:
    """Return the lists of which the weights are made, without texts that are in the others, too."""
    lists = read_lists()
    unseen = {text for texts in lists if texts.name in UNSEEN for text in texts.ordinary}
    return [
        texts._replace(ordinary=[text for text in texts.ordinary if text not in unseen])
        for texts in lists
        if texts.name not in UNSEEN
    ]


def _read_list(path: Path) -> TextList:
    rows = _read_attacks(path)
    ordinary = [row.texts[0] for row in rows if row.kind == ORDINARY]
    return TextList(path.stem, [row for row in rows if row.kind != ORDINARY], ordinary)


def _read_attacks(path: Path) -> list[Attack]:
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
    return [
        Attack(row["class"], [row["text"]] if isinstance(row["text"], str) else row["text"])
        for row in rows
    ]


def is_held(texts: list[str], is_tainted: bool = False) -> bool:
    """Return whether one of the learnings of a run waits for a person."""
    return any(checking.find_reasons(texts, is_tainted))


def find_doubtful() -> Iterator[str]:
    """Yield short learnings that only wait if the run has read from outside."""
    limits = scoring.TAINTED_THRESHOLD, scoring.THRESHOLD
    for texts in read_lists():
        for text in (*texts.ordinary, *(attack.texts[0] for attack in texts.attacks)):
            is_plain = text.isascii() and len(text) < 100 and text[-1].isalnum()
            if is_plain and limits[0] <= scoring.score(text)[0] < limits[1]:
                yield text


def count_held(texts: TextList) -> tuple[int, int]:
    """Return how many attacks and how many ordinary learnings of a list are held."""
    held = sum(is_held(attack.texts) for attack in texts.attacks)
    return held, sum(is_held([text]) for text in texts.ordinary)


def format_counts(texts: TextList, counts: tuple[int, int]) -> str:
    held, alarms = counts
    return (
        f"attacks {held:4} of {len(texts.attacks):4} ({held / max(1, len(texts.attacks)):4.0%}), "
        f"ordinary {alarms:3} of {len(texts.ordinary):4} ({alarms / len(texts.ordinary):.1%})"
    )


def _ask_guard(python: str, runs: list[list[str]]) -> list[bool]:
    done = subprocess.run(
        [python, "-c", GUARD], input=json.dumps(runs), capture_output=True, text=True, check=True
    )
    held: list[bool] = json.loads(done.stdout)
    return held


def _print_lists(lists: Sequence[TextList], judge: Callable[[list[list[str]]], list[bool]]) -> None:
    attacks = [attack for texts in lists for attack in texts.attacks]
    ordinary = [text for texts in lists for text in texts.ordinary]
    counts = Counter(attack.kind for attack in attacks)
    verdicts = judge([attack.texts for attack in attacks])
    held = Counter(
        attack.kind for attack, verdict in zip(attacks, verdicts, strict=True) if verdict
    )
    for kind, count in sorted(counts.items()):
        print(f"  {kind:26} {held[kind]:4} of {count}")
    share = held.total() / len(attacks)
    print(f"  {'all attacks':26} {held.total():4} of {len(attacks)} ({share:.0%})")
    alarms = sum(judge([[text] for text in ordinary]))
    print(f"  {ORDINARY:26} {alarms:4} of {len(ordinary)} ({alarms / len(ordinary):.1%})")


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
    unseen = [texts for texts in read_lists() if texts.name in UNSEEN]
    newest = [texts for texts in unseen if texts.name in NEWEST]
    for title, lists in (
        ("the lists of which the weights were made", read_training()),
        ("the lists that were not used for the weights", unseen),
        ("the newest of these, written after the settings were chosen", newest),
    ):
        print(f"agent-memory, {title}")
        _print_lists(lists, lambda runs: list(map(is_held, runs)))
    print("agent-memory, these lists after a run that read from outside")
    _print_lists(unseen, lambda runs: [is_held(texts, is_tainted=True) for texts in runs])
    for texts in unseen:
        print(f"  {texts.name:14} {format_counts(texts, count_held(texts))}")
    for half in HALVES:
        print(f"agent-memory, secrets, half {half!r}")
        _print_secrets(half)
    if has_guard:
        print("agent-memory-guard, strict, the lists that were not used for the weights")
        _print_lists(unseen, lambda runs: _ask_guard(python, runs))
    else:
        print("agent-memory-guard could not be installed: it is not compared")


if __name__ == "__main__":
    main(*sys.argv[1:])
