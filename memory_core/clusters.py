"""Which items of a memory say the same, and what a new wording of old ones adds or loses.

A person looks at a diff before anything of this comes about, so it goes further than
`similarity`: of two items one may be told in more words.  But none of these words may be
a fact (a number, a path, a version, an identifier), a negation or a restriction, nor stand
where more words claim less: behind "not", "all", "if", "can".  The item that stays is one
of those that were there, and is held against each that leaves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from memory_core import markdown, preferences, similarity
from memory_core.similarity import Folded


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# What stands under such a title is not to be done: the same words elsewhere say the opposite.
_AVOIDING = _words("""
    avoid mistake mistakes anti-pattern anti-patterns antipattern antipatterns pitfall pitfalls
    never not dont don't donts don'ts
""")

# As in `similarity`: of fewer words, or with a smaller share, too much is new.
SHORTEST = 3
SHARE = 2 / 3
LONGEST = 1000

# Where the first word that is more may stand.  In front of the verb stands of what a sentence
# is true, and more words there are true of less; a call to do something begins with the verb.
FIRST = 2
_CALLS = _words("use keep add put make create prefer define wrap handle return")

# Behind these, more words claim less, as they do behind a negation.
_NARROWING = _words("""
    all any every each only solely exclusively can could may might if when whenever while until
    before after during once most least than
""")

# Negations of other languages, in which the rest of `similarity` is not at home.
_ELSEWHERE = _words("""
    nicht nichts nie niemals kein keine keinen keiner keines keinem ohne ne pas jamais sans nunca
    jamas jamás nao não nem sin sem niet geen nooit zonder non mai senza inte aldrig utan ikke
    aldri uden uten ei ni eivät älä nie bez не ни нет без никогда nem nikdy
""")

# What takes a part of the claim back, or says that it holds for some of it only.
_DOUBTFUL = _words("""
    supposedly allegedly reportedly pretend pretended theoretically officially wrongly incorrectly
    incorrect invalid inactive incomplete illegal impossible obsolete outdated stale expired
    archived abandoned empty fake optional optionally temporarily temporary previously currently
    planned nightly daily weekly monthly hourly hundred thousand million dozen partially nearly
    almost wrong experimental alternative alternatively
""")
_DENYING_STARTS = ("un", "non", "dis", "mis", "anti", "mal")

# A language of which the words above are known.  Not "in", "on" or "an": others have them.
_ENGLISH = _words("""
    the are is be been has have with and of to for from through by should must shall their its
    that this use uses run runs keep keeps return returns write writes call calls add put set
    make create prefer define wrap handle
""")

_REASONS = ("because", "so")

# Words that a new wording may have where no original has them, and do without.
_LINKING = _words("and of to for in on with as by through which that it its them their")

# What comes behind these is what a sentence turns on.
_DIRECTIONS = _words("""
    from into before after over under above below than instead until if when unless without
    during except
""")

SHORTEST_WORD = 4

# So much of an original must be in what takes its place.
KEPT = 1 / 2

# Words of this length have a stem, and endings.
_STEMMED = 4


class Item(NamedTuple):
    """An item with the title of its section, and the lines that are nested in it."""

    text: str
    section: str
    nested: str = ""


class Cluster(NamedTuple):
    """Items of which one, `best`, says all that the `others` say; in their order."""

    best: Item
    others: list[Item]


def clusters(items: Iterable[Item]) -> list[Cluster]:
    """Find the items that can leave since another one says all of it; each is in one cluster."""
    sides: dict[bool, list[Item]] = {}
    for item in items:
        if item.text and not preferences.is_title(item.section):
            sides.setdefault(warns(item.section), []).append(item)
    return [found for side in sides.values() for found in _clusters(side)]


def warns(section: str) -> bool:
    """Say whether a section's items are what is not to be done."""
    return not _AVOIDING.isdisjoint(markdown.title_key(section).split())


def _clusters(items: list[Item]) -> Iterator[Cluster]:
    read = [Folded(item.text) for item in items]
    held = _held(items, read)
    places = range(len(items))
    taken: set[int] = set()
    found: dict[int, list[int]] = {}
    for at in sorted(places, key=lambda at: (-len(held[at]), -len(read[at].tokens), at)):
        others = [each for each in held[at] if each not in taken]
        if others and at not in taken:
            taken.update([at, *others])
            found[at] = others
    for at in sorted(found):
        yield Cluster(items[at], [items[each] for each in found[at]])


def _held(items: list[Item], read: list[Folded]) -> list[list[int]]:
    """Return for each item which others it takes."""
    by_word: dict[str, list[int]] = {}
    for at, each in enumerate(read):
        for word in (each.fold, *each.sketch):
            by_word.setdefault(word, []).append(at)
    held: list[list[int]] = [[] for _ in items]
    for other, each in enumerate(read):
        # What holds it has half of its words at least, so one of any other half and one more.
        rare = sorted(each.sketch, key=lambda word: len(by_word[word]))[: len(each.sketch) // 2 + 1]
        near = {at for word in (each.fold, *rare) for at in by_word[word]}
        for at in near - {other}:
            if _takes(items, read, at, other):
                held[at].append(other)
    return held


def _takes(items: list[Item], read: list[Folded], at: int, other: int) -> bool:
    nested = items[other].nested.strip()
    return nested in ("", items[at].nested.strip()) and holds(read[at], read[other])


def holds(one: Folded, other: Folded) -> bool:
    """Say whether the first text says all that the second one says, and nothing against it."""
    if similarity.same_folded(one, other):
        return len(one.tokens) >= len(other.tokens)
    # Nearly all pairs end here.
    if 2 * len(one.sketch & other.sketch) < len(other.sketch):
        return False
    if max(len(one.text), len(other.text)) > LONGEST or len(other.tokens) < SHORTEST:
        return False
    more = _more(one.tokens, other.tokens)
    turning = [one.tokens[at][0] for at in more if _turns(one.tokens[at])]
    if not more or not _LINKING.issuperset(turning):
        return False
    return _is_reason(one.tokens, more) or (not turning and _is_elaborate(one, other, more))


def _more(tokens: list[similarity.Token], others: list[similarity.Token]) -> list[int]:
    """Return where the first words are more than the others; empty where they are not."""
    more = []
    found = 0
    for at, token in enumerate(tokens):
        if found < len(others) and _alike(token, others[found]):
            found += 1
        else:
            more.append(at)
    return more if found == len(others) else []


def _alike(token: similarity.Token, other: similarity.Token) -> bool:
    return token[0] == other[0] or token[1] == other[1]


def _turns(token: similarity.Token) -> bool:
    return token[2] or token[0] in _ELSEWHERE


def _is_reason(tokens: list[similarity.Token], more: list[int]) -> bool:
    is_tail = more[-1] - more[0] + 1 == len(more) and more[-1] == len(tokens) - 1
    return is_tail and tokens[more[0]][0] in _REASONS


def _is_elaborate(one: Folded, other: Folded, more: list[int]) -> bool:
    """Say whether the words that are more only tell in more detail what the text says."""
    first = 1 if one.tokens[0][0] in _CALLS else FIRST
    if more[0] < first or len(other.tokens) < SHARE * len(one.tokens):
        return False
    if any(similarity.denies(token) for token in one.tokens):
        return False
    said = {word.strip(".,;:()") for word in one.text.casefold().split()}
    said |= {token[0] for token in one.tokens}
    if not _NARROWING.isdisjoint(said) or _ENGLISH.isdisjoint(said):
        return False
    return all(_is_plain(one.tokens[at][1]) for at in more)


def _is_plain(word: str) -> bool:
    if not (word.isascii() and word.isalpha() and word.islower()) or word in _DOUBTFUL:
        return False
    # Shorter ones deny in some language.
    if len(word) < SHORTEST_WORD and word not in _LINKING:
        return False
    return not word.startswith(_DENYING_STARTS) and not word.endswith("less")


# What a new wording adds, and what it loses.


def new_facts(proposal: str, originals: Sequence[str]) -> list[str]:
    """Return the words by which a proposed wording says what none of its originals says.

    Words that only link others are free, and so is the form of a word: "retried", "retry".
    What follows a negation or a direction ("from", "before") must follow it in an original.
    """
    read = [Folded(text).tokens for text in originals]
    known = {word for tokens in read for token in tokens for word in token[:2]}
    stems = {_stem(token) for tokens in read for token in tokens}
    tokens = Folded(proposal).tokens
    told = [
        token[1]
        for token in tokens
        if known.isdisjoint(token[:2])
        and token[0] not in _LINKING
        and (_turns(token) or _stem(token) not in stems)
    ]
    turns = [turn for each in read for turn, _words in _turning(each)]
    told += [words for turn, words in _turning(tokens) if turn not in turns]
    return list(dict.fromkeys(told))


def lost_facts(proposal: str, originals: Sequence[str]) -> list[str]:
    """Return what of the originals a proposed wording does not say any more.

    These are facts, negations and restrictions, and their order, which can turn a sentence
    round.  Of an original of which too little is left, all of it.
    """
    tokens = Folded(proposal).tokens
    known = {word for token in tokens for word in token[:2]}
    stems = {_stem(token) for token in tokens}
    facts = [token for token in tokens if _is_fact(token)]
    told = []
    for text in originals:
        read = Folded(text).tokens
        gone = [each for each in read if known.isdisjoint(each[:2])]
        lost = [each[1] for each in gone if _turns(each) and each[0] not in _LINKING]
        kept = sum(_stem(each) in stems for each in read)
        own = [token for token in read if _is_fact(token)]
        if not lost and kept < KEPT * len(read):
            lost = [repr(text)]
        elif not lost and not _is_in_order(own, facts):
            lost = [f"the order of {', '.join(each[1] for each in own)}"]
        told += lost
    return list(dict.fromkeys(told))


def _is_in_order(tokens: list[similarity.Token], others: list[similarity.Token]) -> bool:
    """Say whether the first are among the others, one behind the other."""
    rest = iter(others)
    return all(any(_alike(token, other) for other in rest) for token in tokens)


def _is_fact(token: similarity.Token) -> bool:
    return token[2] and not (token[1].isalpha() and token[1].islower())


def _turning(tokens: list[similarity.Token]) -> Iterator[tuple[list[str], str]]:
    """Give what is denied, by two words, and where a direction leads, by one: stems and words."""
    counting = [token for token in tokens if token[0] not in _LINKING]
    for at, token in enumerate(counting):
        reach = 2 if similarity.denies(token) else 1 if token[0] in _DIRECTIONS else 0
        if reach:
            found = counting[at : at + 1 + reach]
            yield [_stem(each) for each in found], " ".join(each[1] for each in found)


def _stem(token: similarity.Token) -> str:
    """Return what the forms of a word have in common; of a fact, the fact."""
    word = token[0]
    if _is_fact(token) or not word.isalpha():
        return word
    for ending, other in _ENDINGS:
        rest = word.removesuffix(ending)
        if rest != word and len(rest) >= _STEMMED - 1:
            doubled = rest[-1] == rest[-2] and rest[-1] not in "sle" and not other
            return rest[:-1] if doubled else rest + other
    return word


_ENDINGS = (("ied", "y"), ("ies", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""), ("e", ""))
