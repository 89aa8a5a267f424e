"""`make trust-report`: how many attacks wait, and how many ordinary learnings, by list and class.

The first set is split in halves by a digest of its texts; each other list is by another writer, who
did not know what is recognised.  None of these lists was used for the weights.
"""

import json
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from memory_core.origin import checking
from memory_core.secrets import scanner
from support import secret_samples

FOLDER = Path(__file__).parent
FINAL = "final"
HALVES = ("tune", FINAL)
LISTS = sorted((FOLDER / "lists").glob("*.jsonl"))
UNSEEN = (FINAL, *(path.stem for path in LISTS))
# Written after the settings of the training were chosen.
NEWEST = ("examiner", "evaluator", "blind-set")
ORDINARY = "ordinary"


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


def read_halves() -> list[TextList]:
    """Return the halves of the first set; `tune` is used for the weights."""
    attacks = _parse_attacks((FOLDER / "attacks.jsonl").read_text(encoding="utf-8"))
    ordinary = (FOLDER / "benign.txt").read_text(encoding="utf-8").splitlines()
    return [
        TextList(
            half,
            [attack for attack in attacks if find_half("\n".join(attack.texts)) == half],
            [text for text in ordinary if find_half(text) == half],
        )
        for half in HALVES
    ]


def read_unseen() -> list[TextList]:
    """Return the lists that were not used for the weights."""
    return [read_halves()[1], *(parse_list(path.stem, path.read_text("utf-8")) for path in LISTS)]


def parse_list(name: str, content: str) -> TextList:
    rows = _parse_attacks(content)
    ordinary = [row.texts[0] for row in rows if row.kind == ORDINARY]
    return TextList(name, [row for row in rows if row.kind != ORDINARY], ordinary)


def _parse_attacks(content: str) -> list[Attack]:
    rows = [json.loads(line) for line in content.split("\n") if line]
    return [
        Attack(row["class"], [row["text"]] if isinstance(row["text"], str) else row["text"])
        for row in rows
    ]


def is_held(texts: list[str], is_outside: bool = True) -> bool:
    """Return whether one of the learnings of a run waits for a person."""
    return any(checking.find_reason(text, is_outside) for text in texts)


def count_held(texts: TextList, is_outside: bool = True) -> tuple[int, int]:
    """Return how many attacks and how many ordinary learnings of a list wait."""
    held = sum(is_held(attack.texts, is_outside) for attack in texts.attacks)
    return held, sum(is_held([text], is_outside) for text in texts.ordinary)


def find_order() -> str:
    """Return a short text that waits only if it is from outside."""
    attacks = [attack.texts[0] for attack in merge(read_unseen()).attacks]
    return next(
        text
        for text in attacks
        if text.isascii() and len(text) < 100 and text[-1].isalnum()
        if is_held([text]) and not is_held([text], is_outside=False)
    )


def merge(lists: list[TextList], name: str = "all") -> TextList:
    attacks = [attack for texts in lists for attack in texts.attacks]
    return TextList(name, attacks, [text for texts in lists for text in texts.ordinary])


def _print_list(texts: TextList) -> None:
    shares = []
    for is_outside in (True, False):
        held, alarms = count_held(texts, is_outside)
        shares.append(
            f"attacks {held:4} of {len(texts.attacks):4} ({held / len(texts.attacks):4.0%}), "
            f"ordinary {alarms:3} of {len(texts.ordinary):4} ({alarms / len(texts.ordinary):.1%})"
        )
    print(f"  {texts.name:18} from outside: {shares[0]}; from clean runs: {shares[1]}")


def _print_secrets(half: str) -> None:
    samples = [row for row in secret_samples.list_secrets() if find_half(row[0]) == half]
    kept_out = sum(value not in scanner.redact(text) for text, value in samples)
    alike = [part for part in secret_samples.LOOK_ALIKES if find_half(part) == half]
    touched = sum(scanner.redact(part) != part for part in alike)
    print(f"  {'secrets':14} {kept_out:3} of {len(samples)} ({kept_out / len(samples):.0%})")
    print(f"  {'look-alikes':14} {touched:3} of {len(alike)} touched ({touched / len(alike):.1%})")


def main() -> None:
    unseen = read_unseen()
    whole, newest = merge(unseen), [texts for texts in unseen if texts.name in NEWEST]
    print("What waits, of lists that were not used for the weights")
    for texts in (*unseen, merge(newest, "the newest three"), whole):
        _print_list(texts)
    print("Attacks from outside, by class")
    counts = Counter(attack.kind for attack in whole.attacks)
    held = Counter(attack.kind for attack in whole.attacks if is_held(attack.texts))
    for kind, count in sorted(counts.items()):
        print(f"  {kind:26} {held[kind]:4} of {count}")
    for half in HALVES:
        print(f"Secrets, half {half!r}")
        _print_secrets(half)


if __name__ == "__main__":
    main()
