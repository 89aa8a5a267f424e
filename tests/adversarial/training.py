"""`make word-weights`: make memory_core/trust/word_weights.bin out of the lists of attacks.

    python -m adversarial.training           write the file
    python -m adversarial.training --check   print what is held of each writer's list by weights
                                             that were made without it: one fifth of the lists
                                             is left out at a time

The digests of the lists and of the file that was made of them are written to `weights.sha256`.

A logistic regression over the words of `word_weights`, by stochastic gradient descent: each text
moves the weights of its words towards its side, the more the worse it is judged.  Every step also
makes these weights smaller, so that a few frequent words do not decide alone.  A word of only one
text gets no weight, since it says little, and only the heaviest weights are written.
"""

from __future__ import annotations

import hashlib
import math
import random
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from adversarial import report
from memory_core.trust import folding, scoring, word_weights

DIGESTS = Path(__file__).with_name("weights.sha256")

EPOCHS = 10
RATE, DECAY, SHRINKING = 0.15, 0.5, 0.16

# What a text weighs before its first word: it is ordinary unless its words say otherwise.
PRIOR = -0.75

SEED = 1

# Of `--check`.
PARTS = 5


class Sample(NamedTuple):
    """The hashes of the words of a text, and whether it is an attack."""

    hashes: list[int]
    is_attack: bool


def make_sample(text: str, is_attack: bool) -> Sample:
    """Return the sample of a text; what is encoded in it is read with it."""
    reading = "\n".join(folding.list_readings(text))
    words = (reading[word] for word in word_weights.split(reading))
    return Sample(
        sorted({value for hashes in word_weights.list_hashes(words) for value in hashes}), is_attack
    )


def make_samples(lists: Iterable[report.TextList]) -> list[Sample]:
    samples = []
    for texts in lists:
        samples += [make_sample(" ".join(attack.texts), True) for attack in texts.attacks]
        samples += [make_sample(text, False) for text in texts.ordinary]
    return samples


def train(samples: list[Sample]) -> bytes:
    """Return the weights in the form of `word_weights.bin`.

    Equal samples give equal weights, up to rounding.
    """
    counts = Counter(value for sample in samples for value in sample.hashes)
    frequent = [value for value, count in counts.items() if count > 1]
    places = {value: place for place, value in enumerate(frequent)}
    rows = [
        ([places[value] for value in sample.hashes if value in places], sample.is_attack)
        for sample in samples
    ]
    weights = [0.0] * len(frequent)
    order = random.Random(SEED)
    for epoch in range(EPOCHS):
        order.shuffle(rows)
        rate = RATE / (1 + epoch * DECAY)
        for row, is_attack in rows:
            total = PRIOR + sum(map(weights.__getitem__, row))
            mistake = 1 / (1 + math.exp(-max(-30.0, min(30.0, total)))) - is_attack
            for place in row:
                weights[place] -= rate * (mistake + SHRINKING * weights[place])
    rounded = (max(-128, min(127, round(weight * word_weights.SCALE))) for weight in weights)
    return word_weights.pack(dict(zip(frequent, rounded, strict=True)))


def check(lists: list[report.TextList]) -> None:
    """Print for each list how much of it is held by weights that were made without it."""
    samples = [make_samples([texts]) for texts in lists]
    totals = Counter[str]()
    for part in range(PARTS):
        others = [row for at, rows in enumerate(samples) if at % PARTS != part for row in rows]
        word_weights.TABLE = word_weights.unpack(train(others))
        for texts in lists[part::PARTS]:
            counts = report.count_held(texts)
            print(f"{texts.name:26} {report.format_counts(texts, counts)}", flush=True)
            totals.update(held=counts[0], alarms=counts[1])
            totals.update(attacks=len(texts.attacks), ordinary=len(texts.ordinary))
    held, alarms, attacks, ordinary = (
        totals[name] for name in ("held", "alarms", "attacks", "ordinary")
    )
    print(f"attacks {held} of {attacks} ({held / attacks:.0%}), threshold {scoring.THRESHOLD}")
    print(f"ordinary {alarms} of {ordinary} ({alarms / ordinary:.1%})")


def list_digests() -> str:
    """Return the digests of the lists and of the weights, a line each."""
    lists = hashlib.sha256()
    for texts in report.read_training():
        lists.update(repr(texts).encode())
    weights = hashlib.sha256(Path(word_weights.PATH).read_bytes())
    return f"lists {lists.hexdigest()}\nweights {weights.hexdigest()}\n"


def main() -> None:
    lists = report.read_training()
    if "--check" in sys.argv:
        check(lists)
    else:
        Path(word_weights.PATH).write_bytes(train(make_samples(lists)))
        DIGESTS.write_text(list_digests())


if __name__ == "__main__":
    main()
