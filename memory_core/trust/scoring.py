"""Score how likely a text was written to mislead agents that read it later.

Agents record facts; a poisoned note gives orders.  docs/security.md has the kinds of orders, and
`make trust-report` measures how many are recognised.
"""

from __future__ import annotations

from memory_core.trust import folding, rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# The words of a rule are together: characters from the first one to the last one.
MAX_SPAN = 110

# Characters of two learnings that are read as one sentence, and ends of one that goes on.
JOINED_PART = 80
OPEN_SIGNS = (",", ":", "-", "\u2026", "\u3001", "\uff0c", "\uff1a")
_OPEN_ENDS = (
    "a about all and any as at by every for from in into of on or previous run send that the their"
    " this to with your der die das den dem und el la los las de le les des et"
)
OPEN_ENDS = frozenset(_OPEN_ENDS.split())

# A warning is so close to what it warns of.
MAX_WARNING = 30

# Stands for "|" in `rules`, where "|" separates texts.
PIPE = "¦"

SENTENCE_ENDS = (". ", "; ", "! ", "? ", "\u3002", "\uff01", "\uff1f", "\uff1b")

# Reserved for examples and private networks: RFC 2606, 6761 and 1918.
LOCAL_ENDS = (".local", ".localhost", ".internal", ".corp", ".lan", ".test", ".example", ".invalid")
LOCAL_HOSTS = ("localhost", "example.com", "example.org", "127.", "10.", "192.168.", "172.", "0.")

# The top-level domains with the most abuse by registrations (Interisle, Phishing Landscape).
ODD_DOMAINS = (".top", ".xyz", ".cc", ".tk", ".icu", ".click", ".cfd", ".sbs", ".buzz", ".zip")

# What shows that a sentence talks about attacks.
ABOUT_ATTACKS = (
    " test",
    "filter",
    "payload",
    "fixture",
    "detect",
    "prompt injection",
    "scanner",
)  # Their rules are not those of agents.
ABOUT_TOOLS = (
    "lint",
    "ruff",
    "mypy",
    "prettier",
    "rubocop",
    "gitignore",
    "dockerignore",
    "css",
    "tsconfig",
)

_SIGNS = str.maketrans(dict.fromkeys("\"'`,", " ") | {")": " )"})

Score = tuple[float, list[str]]


class _Sentence:
    """A sentence with the places of the concepts in it, which are searched when they are needed."""

    def __init__(self, text: str) -> None:
        self.text = text
        signs = " ".join(text.translate(_SIGNS).split())
        self.raw = f" {signs.replace(' |', '|').replace('| ', '|').replace('|', PIPE)} "
        words = "".join([char if char.isalnum() else " " for char in text]).split()
        self.plain = f" {' '.join(words)} ".replace(" user facing ", " ")
        self._places: dict[str, list[int]] = {}

    def find(self, concept: str) -> list[int]:
        """Return the places of a concept, [] if the sentence lacks it.

        Those of signs are -1 minus the place in the text, since they may be anywhere.
        """
        if concept not in self._places:
            self._places[concept] = self._search(concept)
        return self._places[concept]

    def _search(self, concept: str) -> list[int]:
        places = []
        for stem in list_stems(concept):
            if stem[0] in "=@":
                at = self.raw.find(stem[1:]) if stem[0] == "=" else _TESTS[stem](self.raw) - 1
                places += [-1 - at] if at >= 0 else []
                continue
            at = self.plain.find(stem)
            while at >= 0:
                places.append(at)
                at = self.plain.find(stem, at + 1)
        return places

    def has_together(self, concepts: Sequence[str]) -> bool:
        """Check whether all concepts occur, and some of their places are close to each other."""
        if not all(map(self.find, concepts)):
            return False
        placed = [places for places in map(self.find, concepts) if min(places) >= 0]
        if len(placed) < 2:
            return True
        return any(
            all(any(abs(other - start) <= MAX_SPAN for other in places) for places in placed[1:])
            for start in placed[0]
        )

    def list_rules(self) -> list[rules.Row]:
        """Return the rules that apply."""
        return [
            rule
            for rule in rules.RULES
            if self.has_together(concepts := rule[2].split(", "))
            and not _is_ordinary(self, concepts, rule[3])
        ]

    def is_warning(self, concepts: Sequence[str]) -> bool:
        """Check whether the sentence warns of what the concepts say."""
        if self.find("warning"):
            return True
        first = min(at if at >= 0 else -1 - at for name in concepts for at in self.find(name))
        return any(0 <= first - at <= MAX_WARNING for at in self.find("warning before"))


def score(text: str) -> Score:
    """Return the score of a text and the reasons; 0.0 and [] for ordinary text."""
    weights: dict[str, float] = {}
    if folding.has_hidden(text):
        weights["has hidden characters"] = 1.0
    for number, reading in enumerate(folding.list_readings(text)):
        suffix = ", encoded" if number else ""
        for sentence in _split(reading):
            for reason, weight, *_rest in sentence.list_rules():
                weights[reason + suffix] = max(weight, weights.get(reason + suffix, 0.0))
    return sum(weights.values()), list(weights)


def list_rules(text: str) -> list[tuple[str, str]]:
    """Return the reasons and the concepts of the rules that apply to a text, for measurements."""
    sentences = [one for reading in folding.list_readings(text) for one in _split(reading)]
    return [(rule[0], rule[2]) for sentence in sentences for rule in sentence.list_rules()]


def score_all(texts: Sequence[str]) -> list[Score]:
    """Return the scores of the learnings of one run.

    A sentence that goes on in the next learning counts as one: then both have its score.
    """
    scores = list(map(score, texts))
    for at in range(len(texts) - 1):
        first, second = texts[at : at + 2]
        alone = scores[at][0] + scores[at + 1][0]
        if alone < rules.THRESHOLD and _goes_on(first, second):
            total, reasons = score(f"{first[-JOINED_PART:]} {second[:JOINED_PART]}")
            if total >= rules.THRESHOLD:
                parts = total, [f"{reason}, in two parts" for reason in reasons]
                scores[at] = scores[at + 1] = parts
    return scores


def _goes_on(first: str, second: str) -> bool:
    """Check whether the second learning seems to go on with the sentence of the first one."""
    last = first.rpartition(" ")[2].lower()
    return not second[:1].isupper() or last in OPEN_ENDS or last[-1:] in OPEN_SIGNS


def _split(text: str) -> list[_Sentence]:
    for end in SENTENCE_ENDS:
        text = text.replace(end, "\n")
    return [_Sentence(part) for part in text.split("\n") if part]


def _is_ordinary(sentence: _Sentence, concepts: Sequence[str], forbidden: str) -> bool:
    """Check whether a sentence warns of something, talks about attacks, or names an installer."""
    if forbidden in ("warning", "local"):
        is_local = forbidden == "local" and sentence.find("local")
        return bool(is_local) or sentence.is_warning(concepts)
    if forbidden == "mentioned":
        if any(word in sentence.raw for word in ABOUT_TOOLS):
            return True
        is_quoted = any(sign in sentence.text for sign in "\"'`")
        return is_quoted and any(word in sentence.raw for word in ABOUT_ATTACKS)
    is_installer = forbidden == "installer"
    return is_installer and (_names_installer(sentence.text) or sentence.is_warning(concepts))


def list_stems(concept: str) -> list[str]:
    """Return the texts that stand for a concept, as they are searched in a sentence."""
    if concept not in _STEMS:
        text = concept if concept[0] == "@" else rules.CONCEPTS[concept]
        _STEMS[concept] = [_make_stem(part) for part in text.split("|")]
    return _STEMS[concept]


def _make_stem(part: str) -> str:
    if part[0] == "~":  # also inside of words
        return part[1:]
    if part[0] in "=@" or part[0] >= "\u2e80":  # Chinese and Japanese have no blanks
        return part
    return f" {part[:-1]} " if part[-1] == "$" else f" {part}"


_STEMS: dict[str, list[str]] = {}


def _list_urls(raw: str) -> list[tuple[str, str, str]]:
    """Return (protocol, host, path) of the URLs in a text."""
    urls = []
    for protocol in ("http", "https"):
        for part in raw.split(f"{protocol}://")[1:]:
            url = part.split()[0] if part.split() else ""
            host, _slash, path = url.partition("/")
            host = host.rpartition("@")[2].partition(":")[0].partition("?")[0]
            urls.append((protocol, host.strip("\"'`()<>[]{},;."), path))
    return urls


def _is_foreign(host: str) -> bool:
    is_local = host.startswith(LOCAL_HOSTS) or host.endswith(LOCAL_ENDS)
    return "." in host and not is_local


def _names_installer(raw: str) -> bool:
    """Check whether all URLs are those of well-known installers."""
    places = [stem[1:] for stem in list_stems("installer")]
    urls = _list_urls(raw)
    return bool(urls) and all(
        protocol == "https" and any(_is_below(f"{host}/{path}", place) for place in places)
        for protocol, host, path in urls
    )


def _is_below(url: str, place: str) -> bool:
    if place.startswith("/"):
        return url.startswith(f"raw.githubusercontent.com{place}")
    return url.startswith(f"{place}/")


def _has_url(raw: str) -> bool:
    return any(_is_foreign(host) for _protocol, host, _path in _list_urls(raw))


def _is_address(host: str) -> bool:
    return host.replace(".", "").isdecimal() and host.count(".") == 3 and _is_foreign(host)


def _has_odd_url(raw: str) -> bool:
    return any(
        _is_foreign(host)
        and (protocol == "http" or _is_address(host) or host.endswith(ODD_DOMAINS))
        for protocol, host, _path in _list_urls(raw)
    )


def _has_email(raw: str) -> bool:
    parts = [word.strip("<>()\"'`,;:.").partition("@") for word in raw.split()]
    return any(name and _is_foreign(host) for name, _at, host in parts)


_TESTS = {
    "@url": _has_url,
    "@odd url": _has_odd_url,
    "@email": _has_email,
}
