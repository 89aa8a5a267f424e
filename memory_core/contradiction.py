"""Whether a learning of type `mistake` says of an item that it is wrong.

To be called wrong makes an item less sure, and costs it its place sooner.  So in doubt
nothing is contradicted: the learning names the item by its id, or it has a sentence that
is the item's own, word for word, but for one denial:

    in it           Services do not talk through the bus
    in front of it  It is wrong that services talk through the bus.  Never use tabs
    behind it       "Use tabs" is outdated

What says more, or of something less (in the frontend, directly, but not), denies nothing.
"""

from __future__ import annotations

from memory_core import similarity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# Fewer words name no item: they stand in many a sentence.
_SHORTEST = 3

_NOT = ("not", "never", "no-longer")
_FALSE = (
    *("wrong", "false", "incorrect", "outdated", "obsolete", "untrue", "stale", "mistaken"),
    *("invalid", "not-true", "not-right", "not-correct", "not-valid", "no-longer-true"),
    *("no-longer-right", "no-longer-correct", "no-longer-valid"),
)
_DENIALS = (*_NOT, *_FALSE)

# What a sentence may hold beside the item and its denial.
_DO = ("do", "does")
_FRONT = frozenset(
    ("it", "is", "was", "the", "item", "note", "memory", "that", "to", "we", "you", "now", ":")
)
_BEHIND = frozenset(("is", "was", "are", "were", "now", "simply", "today", "here"))
_REASONS = ("because", "since", "as", "but", "instead")

_SHORT_FORMS = {
    **{f"{verb}nt": f"{verb} not" for verb in ("do", "does", "is", "are", "was", "were", "must")},
    "cant": "can not",
    "cannot": "can not",
    "wont": "will not",
    "shouldnt": "should not",
}
_ADJECTIVES = ("true", "right", "correct", "valid")

_END, _COLON = ".", ":"  # as words of their own
_SILENT = str.maketrans({**dict.fromkeys('()[]"`“”„', " "), **dict.fromkeys("'’", None)})
_PAUSES = str.maketrans({**dict.fromkeys(".!?;", f" {_END} "), ",": " , ", _COLON: f" {_COLON} "})


def contradicted(mistake: str, items: Iterable[tuple[str, str]]) -> list[str]:
    """Return the texts among (id, text) which the content of a `mistake` says to be wrong."""
    words = _words(mistake)
    return [text for key, text in items if key in words or _denies(words, _words(text))]


def _words(text: str) -> list[str]:
    """Return the words; a pause is one where it parts words, a dot in a name is none."""
    plain = similarity.fold(text).translate(_SILENT)
    parts = [part if _is_name(part) else part.translate(_PAUSES) for part in plain.split()]
    words = " ".join(_SHORT_FORMS.get(word, word) for word in " ".join(parts).split())
    words = words.replace("no longer", "no-longer")
    for adjective in _ADJECTIVES:
        words = words.replace(f"not {adjective}", f"not-{adjective}")
        words = words.replace(f"no-longer {adjective}", f"no-longer-{adjective}")
    found = words.split()
    return found[:-1] if found[-1:] == [_END] else found


def _is_name(part: str) -> bool:
    """Say whether all pauses in a word are inside of it, as in a file's name."""
    return part.strip(".!?;:,") == part


def _denies(words: list[str], item: list[str]) -> bool:
    if len(item) < _SHORTEST:
        return False
    extra = sum(word in _DENIALS for word in words) - sum(word in _DENIALS for word in item)
    if extra != 1:
        return False
    return any(_is_denied_at(words, at, item) for at in range(len(words)))


def _is_denied_at(words: list[str], at: int, item: Sequence[str]) -> bool:
    """Say whether the item stands here, and it is this what the one denial is about."""
    end, is_inside = _matched(words, at, item)
    if not end:
        return False
    front, behind = _sentence(words, at, end)
    if is_inside:
        return _FRONT.issuperset(front) and _is_over(behind)
    if any(word in _DENIALS for word in behind):
        return _FRONT.issuperset(front) and _is_called_false(behind)
    return _is_denied_in_front(front) and _is_over(behind)


def _matched(words: list[str], at: int, item: Sequence[str]) -> tuple[int, bool]:
    """Return where the item ends that begins here, 0 for none, and whether a denial is in it."""
    is_inside = False
    for number, wanted in enumerate(item):
        denial = [] if is_inside or not number else _denial(words[at : at + 2], wanted)
        is_inside, at = is_inside or bool(denial), at + len(denial)
        if at >= len(words) or not _is_word(words[at], wanted, denial[:1] == ["does"]):
            return 0, False
        at += 1
    return at, is_inside


def _denial(words: list[str], wanted: str) -> list[str]:
    """Return what denies the wanted word: `not`, `do not` and the like, or nothing."""
    if wanted in _NOT or wanted in _DO:
        return []
    if words[1:] and words[0] in _DO and words[1] in _NOT:
        return words
    return words[:1] if words[:1] and words[0] in _NOT else []


def _is_word(word: str, wanted: str, has_done: bool) -> bool:
    """Compare words; behind `does not` a verb has lost its ending."""
    return word == wanted or (has_done and wanted in (f"{word}s", f"{word}es"))


def _sentence(words: list[str], at: int, end: int) -> tuple[list[str], list[str]]:
    """Return what stands in the same sentence in front of the words [at, end), and behind them."""
    begins = [number + 1 for number in range(at) if words[number] == _END]
    ends = [number for number in range(end, len(words)) if words[number] in (_END, _COLON)]
    return words[max(begins, default=0) : at], words[end : min(ends, default=len(words))]


def _is_over(behind: list[str]) -> bool:
    """Say whether the sentence says nothing more that is a part of what it denies."""
    rest = behind
    while rest and rest[0] in ("any", "more", "anymore", "now", "today"):
        rest = rest[1:]
    return not rest or rest[0] in (",", *_REASONS)


def _is_called_false(behind: list[str]) -> bool:
    at = next(number for number, word in enumerate(behind) if word in _DENIALS)
    return behind[at] in _FALSE and _BEHIND.issuperset(behind[:at]) and _is_over(behind[at + 1 :])


def _is_denied_in_front(front: list[str]) -> bool:
    """Say whether only the denial, and what leads to it and on from it, stands in front."""
    at = next((number for number, word in enumerate(front) if word in _DENIALS), -1)
    if at < 0:
        return False
    leads = [word for word in front[:at] if word not in _DO]
    on = front[at + 1 :]
    if front[at] in _NOT:
        return not on and _FRONT.issuperset(leads)
    return _FRONT.issuperset(leads) and set(on) <= {"that", "to", "we", "you", _COLON}
