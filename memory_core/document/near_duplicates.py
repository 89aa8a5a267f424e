"""Find items with the same meaning, and facts that a new wording adds or loses.

A user reviews each proposal as a diff, so this module accepts more than `similarity`: one of two
items may have extra words.  An extra word must not be a fact (a number, a path, a version, an
identifier), a negation or a restriction.  It must not narrow the claim either, as words do after
"not", "all", "if", "can".  The remaining item is one of the originals.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from memory_core.document import markdown, preferences
from memory_core.text import english, similarity
from memory_core.text.similarity import ParsedText


def _split_words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# A token of `similarity`: the key to compare, the word, and whether it negates the sentence.
Token = tuple[str, str, bool]

# Titles of sections of things to avoid; the same words elsewhere mean the opposite.
AVOID_TITLES = _split_words("""
    avoid mistake mistakes anti-pattern anti-patterns antipattern antipatterns pitfall
    pitfalls never not dont don't donts don'ts
""")

# With a shorter text, or a smaller share of the longer text's words, too many words are new.
MIN_WORDS = 3
MIN_WORD_SHARE = english.MIN_OVERLAP
MAX_CHARACTERS = 1000

# The first position of an extra word.  The subject comes before the verb, and extra words
# there narrow the claim; an imperative sentence begins with the verb.
FIRST_EXTRA_WORD = 2
IMPERATIVES = _split_words("use keep add put make create prefer define wrap handle return")

# After these words, extra words narrow the claim, as after a negation.
NARROWING = _split_words("""
    all any every each only solely exclusively can could may might if when whenever while
    until before after during once most least than
""")

# Negations of languages that `similarity` does not cover.
FOREIGN_NEGATIONS = _split_words("""
    nicht nichts nie niemals kein keine keinen keiner keines keinem ohne ne pas jamais sans
    nunca jamas jamás nao não nem sin sem niet geen nooit zonder non mai senza inte aldrig
    utan ikke aldri uden uten ei ni eivät älä nie bez не ни нет без никогда nem nikdy
""")

# Words that weaken the claim, or restrict it to a part.
DOUBTFUL = _split_words("""
    supposedly allegedly reportedly pretend pretended theoretically officially wrongly
    incorrectly incorrect invalid inactive incomplete illegal impossible obsolete outdated
    stale expired archived abandoned empty fake optional optionally temporarily temporary
    previously currently planned nightly daily weekly monthly hourly hundred thousand million
    dozen partially nearly almost wrong experimental alternative alternatively
""")
DENYING_STARTS = ("un", "non", "dis", "mis", "anti", "mal")

# Words that show that a text is English, which the lists above cover.  Not "in", "on" or
# "an": other languages have them.
ENGLISH = _split_words("""
    the are is be been has have with and of to for from through by should must shall their its
    that this use uses run runs keep keeps return returns write writes call calls add put set
    make create prefer define wrap handle
""")

REASON_WORDS = ("because", "so")

# The first words of a detail at the end.  Not "for", which says for whom alone the claim holds.
DETAIL_WORDS = _split_words("in on at to from with by as via through inside using")

# Words that a new wording may add or lose.
LINKING = _split_words("and of to for in on with as by through which that it its them their")

# Words that give the next word a direction, so the pair must stay together.
DIRECTIONS = _split_words("""
    from into before after over under above below than instead until if when unless without
    during except
""")

# Minimum share of the words of each original that a new wording must keep.
MIN_KEPT_SHARE = 1 / 2

# Words longer than this are split into stem and ending.
MIN_STEM_LENGTH = 3
ENDINGS = (("ied", "y"), ("ies", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""), ("e", ""))


# Minimum share of common words of an item that a person may want to compare with a learning.
MIN_SIMILAR_SHARE = 1 / 2
FIRST_CHINESE = "\u2e80"  # from here on, a word has no blanks around it


class SectionItem(NamedTuple):
    """An item with the title of its section and its nested lines."""

    text: str
    section: str
    nested: str = ""


class Cluster(NamedTuple):
    """Items with the same meaning; `best` has all facts of the `others`."""

    best: SectionItem
    others: list[SectionItem]


def find_clusters(items: Iterable[SectionItem]) -> list[Cluster]:
    """Return clusters of items that one item makes superfluous; no item is in two of them."""
    sides: dict[bool, list[SectionItem]] = {}
    for item in items:
        if item.text and not preferences.is_title(item.section):
            sides.setdefault(is_avoid_section(item.section), []).append(item)
    return [cluster for side in sides.values() for cluster in _cluster(side)]


def find_similar(text: str, others: Iterable[str]) -> str:
    """Return the text that has most words in common with this one, "" if all have too few."""
    wanted, best, most = _list_parts(text), "", MIN_SIMILAR_SHARE
    for other in others:
        share = similarity.measure_overlap(wanted, _list_parts(other))
        if share > most or (share == most and not best):
            best, most = other, share
    return best


def _list_parts(text: str) -> frozenset[str]:
    """Return the words that count, and of Chinese and Japanese all pairs of signs."""
    parts: set[str] = set()
    for word in similarity.extract_words(text) - similarity.NOISE:
        ends = range(2, len(word) + 1) if word[0] >= FIRST_CHINESE else ()
        parts.update([word[end - 2 : end] for end in ends] or [word])
    return frozenset(parts)


def is_avoid_section(section: str) -> bool:
    """Say whether a section lists things to avoid."""
    return not AVOID_TITLES.isdisjoint(markdown.normalize_title(section).split())


def _cluster(items: list[SectionItem]) -> Iterator[Cluster]:
    parsed = [ParsedText(item.text) for item in items]
    places = range(len(items))
    covered = [
        [
            other
            for other in places
            if other != at
            and items[other].nested.strip() in ("", items[at].nested.strip())
            and covers(parsed[at], parsed[other])
        ]
        for at in places
    ]
    clusters: dict[int, list[int]] = {}
    taken: set[int] = set()
    for at in sorted(places, key=lambda at: (-len(covered[at]), -len(parsed[at].tokens), at)):
        others = [other for other in covered[at] if other not in taken]
        if others and at not in taken:
            taken.update([at, *others])
            clusters[at] = others
    for at in sorted(clusters):
        yield Cluster(items[at], [items[other] for other in clusters[at]])


def covers(one: ParsedText, other: ParsedText) -> bool:
    """Say whether the first text has the whole meaning of the second one without narrowing it."""
    # Nearly all pairs are rejected here.
    if 2 * len(one.sketch & other.sketch) < len(other.sketch):
        return False
    if similarity.is_same_parsed(one, other):
        return len(one.tokens) >= len(other.tokens)
    if not one.tokens or len(other.tokens) < MIN_WORDS:
        return False
    if max(len(one.text), len(other.text)) > MAX_CHARACTERS:
        return False
    extra = _find_extra(one.tokens, other.tokens)
    words = [one.tokens[at] for at in extra]
    turning = [token[0] for token in words if _is_turning(token)]
    is_tail = bool(extra) and extra[0] == len(other.tokens)
    if is_tail and words[0][0] in REASON_WORDS:
        return LINKING.issuperset(turning)
    first = 1 if one.tokens[0][0] in IMPERATIVES else FIRST_EXTRA_WORD
    is_detail = is_tail and words[0][0] in DETAIL_WORDS
    is_inside = not turning and len(other.tokens) >= MIN_WORD_SHARE * len(one.tokens)
    return (
        bool(extra)
        and extra[0] >= first
        and (is_detail or is_inside)
        and _may_be_longer(one)
        and all(_is_harmless(token[1]) for token in words)
    )


def _may_be_longer(one: ParsedText) -> bool:
    """Say whether a text is English, and claims no less because of its extra words."""
    if any(english.is_negation(token) for token in one.tokens):
        return False
    words = {word.strip(".,;:()") for word in one.text.casefold().split()}
    words |= {token[0] for token in one.tokens}
    return NARROWING.isdisjoint(words) and not ENGLISH.isdisjoint(words)


def _find_extra(tokens: list[Token], others: list[Token]) -> list[int]:
    """Return where the first text has words more; empty if it lacks a word of the second."""
    extra, matched = [], 0
    for at, token in enumerate(tokens):
        if matched < len(others) and _is_alike(token, others[matched]):
            matched += 1
        else:
            extra.append(at)
    return extra if matched == len(others) else []


def _is_alike(token: Token, other: Token) -> bool:
    return token[0] == other[0] or token[1] == other[1]


def _is_turning(token: Token) -> bool:
    return token[2] or token[0] in FOREIGN_NEGATIONS


def _is_harmless(word: str) -> bool:
    if not (word.isascii() and word.isalpha() and word.islower()) or word in DOUBTFUL:
        return False
    return not word.startswith(DENYING_STARTS) and not word.endswith("less")


# New wordings.


def find_new_facts(proposal: str, originals: Sequence[str]) -> list[str]:
    """Return the words of a proposed wording that none of its originals has.

    Linking words and other forms of a word ("retried", "retry") are allowed.  The words after a
    negation or a direction ("from", "before") must follow it in an original, too.
    """
    parsed = [ParsedText(text).tokens for text in originals]
    words = {word for tokens in parsed for token in tokens for word in token[:2]}
    stems = {_stem(token) for tokens in parsed for token in tokens}
    tokens = ParsedText(proposal).tokens
    new = [
        token[1]
        for token in tokens
        if words.isdisjoint(token[:2])
        and token[0] not in LINKING
        and (_is_turning(token) or _stem(token) not in stems)
    ]
    turns = [stems for original in parsed for stems, _phrase in _list_turns(original)]
    new += [phrase for stems, phrase in _list_turns(tokens) if stems not in turns]
    return list(dict.fromkeys(new))


def find_lost_facts(proposal: str, originals: Sequence[str]) -> list[str]:
    """Return the facts, negations and restrictions that a proposed wording does not keep.

    They must also keep their order.  If too few words of an original are kept, the whole original
    is returned.
    """
    tokens = ParsedText(proposal).tokens
    words = {word for token in tokens for word in token[:2]}
    stems = {_stem(token) for token in tokens}
    facts = [token for token in tokens if _is_fact(token)]
    lost = []
    for text in originals:
        parsed = ParsedText(text).tokens
        own_facts = [token for token in parsed if _is_fact(token)]
        missing = [
            token[1]
            for token in parsed
            if words.isdisjoint(token[:2]) and _is_turning(token) and token[0] not in LINKING
        ]
        if missing:
            lost += missing
        elif sum(_stem(token) in stems for token in parsed) < MIN_KEPT_SHARE * len(parsed):
            lost.append(repr(text))
        elif not _is_in_order(own_facts, facts):
            lost.append(f"the order of {', '.join(fact[1] for fact in own_facts)}")
    return list(dict.fromkeys(lost))


def _is_in_order(tokens: list[Token], others: list[Token]) -> bool:
    """Say whether the second list has all tokens of the first one, in the same order."""
    rest = iter(others)
    return all(any(_is_alike(token, other) for other in rest) for token in tokens)


def _is_fact(token: Token) -> bool:
    return token[2] and not (token[1].isalpha() and token[1].islower())


def _list_turns(tokens: list[Token]) -> Iterator[tuple[list[str], str]]:
    """Yield each negation with the next two words, and each direction with the next word.

    Each result is (stems, phrase).
    """
    counting = [token for token in tokens if token[0] not in LINKING]
    for at, token in enumerate(counting):
        reach = 2 if english.is_negation(token) else 1 if token[0] in DIRECTIONS else 0
        if reach:
            phrase = counting[at : at + 1 + reach]
            yield [_stem(part) for part in phrase], " ".join(part[1] for part in phrase)


def _stem(token: Token) -> str:
    """Return the common stem of all forms of a word; facts are returned unchanged."""
    word = token[0]
    if _is_fact(token) or not word.isalpha():
        return word
    for ending, other in ENDINGS:
        rest = word.removesuffix(ending)
        if rest != word and len(rest) >= MIN_STEM_LENGTH:
            is_doubled = rest[-1] == rest[-2] and rest[-1] not in "sle" and not other
            return rest[:-1] if is_doubled else rest + other
    return word
