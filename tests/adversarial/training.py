"""`make word-weights`: make memory_core/origin/word_weights.bin out of lists in the git history.

The lists of the commit COMMIT had 17 MB.  The folder `lists` has those of them that measure the
weights; all others made these, so `git` must have the whole history.

A logistic regression over the words of `word_weights`, by stochastic gradient descent: each text
moves the weights of its words towards its side, the more the worse it is judged.  Every step also
makes these weights smaller, so that a few frequent words do not decide alone.  A word of only two
texts gets no weight, since it says little.  The heaviest words are trained once more by themselves.
"""

import hashlib
import io
import math
import random
import subprocess
import tarfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from adversarial import report
from memory_core.origin import word_weights

COMMIT = "e384f9e9a3fcef187f450aafe4113fd820975d6f"

# The commit of the lists, and the digest of the weights that were made of them.
DIGEST = Path(__file__).with_name("weights.sha256")

MIN_COUNT, EPOCHS = 3, 10
RATE, DECAY, SHRINKING = 0.15, 0.5, 0.16

# What a text weighs before its first word: it is ordinary unless its words say otherwise.
PRIOR = -0.75

# The byte of the weight 1.0.
SCALE = 64

SEED = 1


class Sample(NamedTuple):
    """The hashes of the words of a text, and whether it is an attack."""

    hashes: list[int]
    is_attack: bool


def read_old_lists() -> Iterator[report.TextList]:
    """Yield all lists of COMMIT."""
    command = ["git", "archive", COMMIT, "lists"]
    tar = subprocess.run(command, cwd=report.FOLDER, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(tar)) as archive:
        for member in archive:
            if file := archive.extractfile(member):
                yield report.parse_list(Path(member.name).stem, file.read().decode())


def make_samples() -> list[Sample]:
    unseen = {text for texts in report.read_unseen() for text in texts.ordinary}
    samples = []
    for texts in (*report.read_halves(), *read_old_lists()):
        if texts.name not in report.UNSEEN:
            samples += [(" ".join(attack.texts), True) for attack in texts.attacks]
            samples += [(text, False) for text in texts.ordinary if text not in unseen]
    return [
        Sample(sorted({hashed for word in word_weights.list_hashes(text) for hashed in word}), kind)
        for text, kind in samples
    ]


def fit(samples: list[Sample], words: list[int]) -> dict[int, float]:
    """Return the weights of these hashes; equal samples give equal weights, up to rounding."""
    places = {value: place for place, value in enumerate(words)}
    rows = [
        ([places[value] for value in sample.hashes if value in places], sample.is_attack)
        for sample in samples
    ]
    weights = [0.0] * len(words)
    order = random.Random(SEED)
    for epoch in range(EPOCHS):
        order.shuffle(rows)
        rate = RATE / (1 + epoch * DECAY)
        for row, is_attack in rows:
            total = PRIOR + sum(map(weights.__getitem__, row))
            mistake = 1 / (1 + math.exp(-max(-30.0, min(30.0, total)))) - is_attack
            for place in row:
                weights[place] -= rate * (mistake + SHRINKING * weights[place])
    return dict(zip(words, weights, strict=True))


def pack(weights: dict[int, float]) -> bytes:
    """Return weights in the form of `word_weights.bin`."""
    scaled = (max(-128, min(127, round(weights[value] * SCALE))) for value in sorted(weights))
    hashes = b"".join(value.to_bytes(4, "little") for value in sorted(weights))
    return hashes + bytes(weight & 0xFF for weight in scaled)


def make_digest() -> str:
    """Return the line of DIGEST."""
    return f"{COMMIT} {hashlib.sha256(Path(word_weights.PATH).read_bytes()).hexdigest()}\n"


def main() -> None:
    samples = make_samples()
    counts = Counter(value for sample in samples for value in sample.hashes)
    frequent = [value for value, count in counts.items() if count >= MIN_COUNT]
    weights = fit(samples, frequent)
    heaviest = sorted(weights, key=lambda value: (-abs(weights[value]), value))
    kept = heaviest[: word_weights.COUNT]
    Path(word_weights.PATH).write_bytes(pack(fit(samples, kept)))
    DIGEST.write_text(make_digest())


if __name__ == "__main__":
    main()
