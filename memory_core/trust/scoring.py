"""Score how likely a text was written to mislead agents that read it later.

A learning describes a project.  An attack makes its reader act against the people it works for: it
orders an action on something sensitive, often with a place outside the project, a wish to hide it,
or a claim that it is allowed.  So a rule names concepts that stand close together, and weak signals
add to it.  docs/security.md has the kinds of orders, and `make trust-report` measures how many are
recognised.
"""

from __future__ import annotations

from memory_core.trust import concepts, folding, forms, rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Score = tuple[float, list[str]]
    Places = dict[str, list[int]]

# The concepts of a rule are together: characters from the first one to the last one.
MAX_SPAN = 120

# A negation is so close to the action that it denies.
MAX_BEFORE, MAX_BEHIND = 34, 42

# Characters of two learnings that are read as one text.
JOINED_PART = 160

# Shorter words say little about whether two learnings belong together.
MAX_COMMON = 3

# What an encoding adds: nobody hides an ordinary text.
ENCODED = 0.4

CLAUSE_ENDS = frozenset(",:;()!?\u2192\u2013\u2014\u3002\uff01\uff1f\uff1b\uff0c\u3001\uff1a")
PASSIVES = frozenset(("be", "get", "gets", "being"))

# Chinese and Japanese have no blanks.
FIRST_WIDE = "\u2e80"


def score(text: str) -> Score:
    """Return the score of a text and the reasons; 0.0 and [] for ordinary text."""
    is_hidden = folding.has_hidden(text)
    plain, *others = folding.list_readings(text)
    best, reasons = _score_reading(plain)
    for reading in others:
        total, hits = _score_reading(reading)
        if new := [f"{reason}, encoded" for reason in hits if reason not in reasons]:
            best, reasons = max(best, total + ENCODED), reasons + new
    hidden = ["has hidden words"] if is_hidden else []
    return best + is_hidden, list(dict.fromkeys(hidden + reasons))


def score_all(texts: Sequence[str]) -> list[Score]:
    """Return the scores of the learnings of one run.

    Two neighbours that belong together are also read as one text: if only both together are an
    attack, both have its score.
    """
    scores = list(map(score, texts))
    for at in range(len(texts) - 1):
        first, second = texts[at : at + 2]
        goes_on = not second[:1].isupper()
        if max(scores[at][0], scores[at + 1][0]) >= rules.THRESHOLD or not (
            goes_on or _share_word(first, second)
        ):
            continue
        total, reasons = score(f"{first[-JOINED_PART:]} {second[:JOINED_PART]}")
        if total >= (rules.THRESHOLD if goes_on else rules.JOINED_THRESHOLD):
            reasons = [f"{reason}, in two parts" for reason in reasons]
            scores[at] = scores[at + 1] = (total, reasons)
    return scores


def _share_word(first: str, second: str) -> bool:
    """Check whether the second learning takes up a word of the first one."""
    words = [{*_split_words(text.lower())} for text in (first, second)]
    return any(len(word) > MAX_COMMON for word in words[0] & words[1])


def list_rules(reading: str) -> list[rules.Row]:
    """Return the rules that apply to a folded text."""
    places = find_concepts(reading)
    return [row for row, names, _penalties in _ROWS if _applies(names, places)]


def _score_reading(reading: str) -> Score:
    """Return the weight of the strongest rule with the signals, and the reasons."""
    places = find_concepts(reading)
    if not places:
        return 0.0, []
    weights: dict[str, float] = {}
    strongest, used = 0.0, ""
    for (reason, weight, text, *_rest), names, penalties in _ROWS:
        if _applies(names, places):
            weight -= rules.PENALTY * sum(name in places for name in penalties)
            weights[reason] = max(weight, weights.get(reason, 0.0))
            if weight > strongest:
                strongest, used = weight, text
    own = used.split(", ")
    signals = [rules.SIGNALS[name] for name in places if name in rules.SIGNALS and name not in own]
    return strongest + rules.SECOND * max(len(weights) - 1, 0) + sum(signals), list(weights)


def find_concepts(reading: str) -> Places:
    """Return where the concepts of a folded text are; "~ask" is a denied "ask".

    A form without a place, such as a foreign URL, is at -1: it is close to everything.
    """
    raw = reading.replace("'", " ").replace("\u2019", " ").replace("log in", "login")
    raw = raw.replace(". ", " ; ").replace("\n", " ; ")
    words = " ".join([word for word in raw.split(" ") if "://" not in word]).replace("--no-", "--")
    plain = f" {' '.join(_make_active(_split_words(words)))} "
    hits: Places = {}
    for at in _list_starts(plain):
        for names in _list_concepts(plain, at):
            for name in names:
                if name not in rules.VERBS or not _is_noun(plain, at):
                    hits.setdefault(name, []).append(at)
    for sign, names in _SIGNS:
        if sign in raw:
            for name in names:
                hits.setdefault(name, []).append(raw.index(sign))
    hits.update({name: [-1] for name, is_there in forms.FORMS.items() if is_there(raw)})
    _deny(hits, plain)
    return hits


def _split_words(raw: str) -> list[str]:
    """Return the words, and "," for what separates clauses."""
    signs = [
        char if char.isalnum() else " , " if char in CLAUSE_ENDS else " " for char in f"{raw} "
    ]
    return "".join(signs).split()


def _make_active(words: list[str]) -> list[str]:
    """Return words with "be deleted" as "be delete", the form in which orders are searched."""
    for at, word in enumerate(words[1:], 1):
        if word.endswith("ed") and words[at - 1] in PASSIVES:
            bases = [word[:end] for end in (-1, -2, -3) if f"{word[:end]} " in _INDEX]
            words[at] = bases[0] if bases else word
    return words


def _list_starts(plain: str) -> list[int]:
    """Return where words begin; each sign of Chinese and Japanese is a word."""
    last, starts = " ", []
    for at, char in enumerate(plain):
        if (last == " " and char != " ") or char >= FIRST_WIDE:
            starts.append(at)
        last = char
    return starts


def _list_concepts(plain: str, at: int) -> list[list[str]]:
    """Return the concepts of each text of `concepts` that begins at a place."""
    lengths = _LENGTHS.get(plain[at : at + 2]) or _LENGTHS.get(plain[at]) or []
    return [_INDEX[text] for size in lengths if (text := plain[at : at + size]) in _INDEX]


def _is_noun(plain: str, at: int) -> bool:
    """Check whether a verb is a noun here, "the merge", or part of a description, "we skip"."""
    return plain[:at].rstrip(" ").rpartition(" ")[2] in rules.NOUN_MARKS


def _deny(hits: Places, plain: str) -> None:
    """Move the places of denied actions to the name of the concept with "~"."""
    before = [at for at in hits.get("not", ()) if at not in hits.get("no negation", ())]
    behind = hits.get("not behind", [])
    if not before and not behind:
        return
    for name in [name for name in hits if name in rules.ACTIONS]:
        places = hits.pop(name)
        denied = [at for at in places if _is_denied(at, before, behind, plain)]
        rest = [at for at in places if at not in denied]
        hits.update({key: value for key, value in ((f"~{name}", denied), (name, rest)) if value})


def _is_denied(at: int, before: Iterable[int], behind: Iterable[int], plain: str) -> bool:
    """Check for a negation before or behind an action, in the same clause."""
    return any(
        0 <= at - place <= MAX_BEFORE and " , " not in plain[place:at] for place in before
    ) or any(0 < place - at <= MAX_BEHIND and " , " not in plain[at:place] for place in behind)


def _applies(names: Iterable[Sequence[str]], places: Places) -> bool:
    """Check whether of each name's alternatives one is there, and all are close together."""
    wanted = []
    for alternatives in names:
        hits = [at for name in alternatives for at in places.get(name, ())]
        if not hits:
            return False
        if hits[0] >= 0:
            wanted.append(hits)
    return len(wanted) < 2 or any(_is_near(at, wanted) for hits in wanted for at in hits)


def _is_near(start: int, wanted: Iterable[list[int]]) -> bool:
    """Check whether each concept has a place of its own behind `start`, not far from it."""
    near = [[at for at in places if 0 <= at - start <= MAX_SPAN] for places in wanted]
    return all(near) and _are_apart(near)


def _are_apart(near: list[list[int]], *taken: int) -> bool:
    """Check whether each list has a place that no other one needs."""
    return not near or any(
        _are_apart(near[1:], at, *taken) for at in dict.fromkeys(near[0]) if at not in taken
    )


def _make_index() -> dict[str, list[str]]:
    """Return the concepts of each text; a blank at its end ends a word."""
    index: dict[str, list[str]] = {}
    for names, text in concepts.WORDS.items():
        index.update(dict.fromkeys(text.replace("$", " ").split("|"), names.split(", ")))
    return index


def _list_lengths() -> dict[str, list[int]]:
    """Return by their first two characters how long the texts of the index are.

    A sign of Chinese or Japanese may be such a text, so it is one of any two characters, too.
    """
    signs = [text for text in _INDEX if len(text) == 1]
    lengths: dict[str, set[int]] = {sign: {1} for sign in signs}
    for text in _INDEX:
        lengths.setdefault(text[:2], {1} if text[0] in signs else set()).add(len(text))
    return {start: sorted(sizes) for start, sizes in lengths.items()}


def _split_rule(row: rules.Row) -> tuple[rules.Row, list[list[str]], list[str]]:
    """Return a rule with the alternatives of each concept, and those that take weight from it."""
    names = row[2].split(", ")
    wanted = [name.split("/") for name in names if name[0] != "-"]
    return row, wanted, [name[1:] for name in names if name[0] == "-"]


_INDEX = _make_index()
_LENGTHS = _list_lengths()
_SIGNS = [
    (sign.replace("\u00a6", "|"), names.split(", "))
    for names, text in concepts.SIGNS.items()
    for sign in text.split("|")
]
_ROWS = [_split_rule(row) for row in rules.RULES]
