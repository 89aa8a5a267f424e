"""English words and their meaning, to compare the claims of two sentences.

Only similarity.py uses this module, and only for two texts that have many words in common.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    # A word in its compared form; as it is written; and whether a reason that holds it says more
    # than a reason: a fact, a negation, a restriction.
    Token = tuple[str, str, bool]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Of the longer text's words the shorter one must have this share: a reason behind a sentence of
# four words ("for flexibility") still leaves the same learning.  Three quarters would separate
# those pairs of the test table; at a half, the reason is most of what is said.
MIN_OVERLAP = 2 / 3

# Of two words, one more is half of what is said: "use tabs", "use hard tabs".
MIN_WORDS = 3

PAUSE = ".,;:"
FINAL = ".,;:!?"

# Words that add nothing, except behind a negation, which is about them: "not always".
FULL = _words("""
    all always also then simply absolutely certainly definitely
""")

# How a call to do something begins, in words that add nothing to it.
LEADS = (
    *("please ", "note that ", "remember that ", "remember to ", "ensure that ", "ensure "),
    *("make sure that ", "make sure to ", "make sure ", "be sure to ", "it is important to "),
    *("do not forget to ", "dont forget to ", "never forget to "),
)

# Phrases for one thing.
PHRASES = (
    *((" rather than ", " instead of "), (" prior to ", " before "), (" in order to ", " to ")),
    *(("pull request", "PR"), ("Pull request", "PR"), (" & ", " and ")),
)

# Words for one thing, by their stems.
ALIKE = {
    "db": "database",
    "repo": "repository",
    "config": "configuration",
    "env": "environment",
    "var": "variable",
    "vars": "variable",
    "dir": "directory",
    "folder": "directory",
    "func": "function",
    "arg": "argument",
    "param": "parameter",
    "msg": "message",
    "dev": "development",
    "prod": "production",
    "dep": "dependency",
    "app": "application",
    "docs": "documentation",
    "lib": "library",
    "async": "asynchronous",
    "utilize": "use",
    "utilise": "use",
    "execute": "run",
    "require": "need",
    "has": "have",
    "each": "every",
    "behaviour": "behavior",
    "colour": "color",
    "inside": "in",
    "via": "through",
    "cant": "cannot",
    # What it denies is the same; "cannot" and "need not" deny something else.
    **dict.fromkeys(_words("never no dont doesnt isnt arent shouldnt mustnt"), "not"),
    # Names of one thing in capitals or not, other than DEBUG and debug.
    **{word: word for word in _words("api ci cli cpu css csv dns html http https id json jwt")},
    **{word: word for word in _words("os pr sql ssh tls ui url utc uuid xml yaml")},
    "ids": "id",
    "prs": "pr",
}

# Words that deny what is around them.
DENYING = _words("""
    not cannot without nothing none nobody neither nor avoid stop forbid forbidden prevent
    refuse reject deny block skip ignore forget unless except hardly barely scarcely rarely
    seldom
""")

# Words behind which a reason says more than the reason: that the sentence does not
# hold, or no more, or when and where, or of which of several things.
TURNING = DENYING | _words("""
    remove drop delete disable disabled deprecate deprecated excluding barring besides apart non un
    instead rather than less more but however although though zero lack lacking missing
    until till while when whenever if else otherwise before after during once only even
    sometimes usually often mostly maybe perhaps may might could can would will cannot far
    long soon some few many most almost partly was were had former formerly anymore longer
    false wrong bad broken fail fails failing failed mistake obsolete or either both another
    other in on at from into onto under over above below between outside of by per as with
    against across first last next previous one two three four five six seven eight nine
    ten half twice second third new old legacy local remote internal external public
    private unit integration e2e test development production staging frontend backend
    client server read write input output sync synchronous asynchronous left right up down min
    max minimum maximum lower upper
""")

# How well something is done, which claims nothing of what is done.
HARMLESS = _words("carefully thoroughly diligently meticulously")

# What a "for" in front of it names as the reason; of anything else it says where a
# sentence holds.  Not "security" or "performance": labels and teams are for those.
REASONS = _words("""
    clarity consistency flexibility testability maintainability readability reusability
    scalability extensibility simplicity efficiency robustness portability convenience
    traceability reproducibility isolation brevity speed reuse and better improved
""")

PREPOSITIONS = _words("""
    in on at for from to with when whenever if before after during by under while until
    without instead because unless as through into
""")

# Behind these, "merging" is what one does: "when you merge".
MOMENTS = _words("before after when while Before After When While")

# Words that are something else without their last s: "an hour" and "hours".
WHOLE = _words("https news times seconds minutes hours days weeks months years")


def read_tokens(
    words: list[str], is_shouted: bool, noise: frozenset[str], naming: frozenset[str]
) -> list[Token]:
    """Return the words that count.

    `words` have no emphasis and no quotes; code is one word in backticks.  `is_shouted`: the text
    is in capitals.  Words of `noise` add nothing; behind a word of `naming` stands a name.  If two
    words of a text would be one, as in "say folder, not directory", the text may be about their
    difference: then all words are compared literally.
    """
    words = _drop_phrases(words)
    tokens = list(_TokenReader(is_shouted, noise, naming).read(words))
    keys = {key for key, _, _ in tokens}
    if len(keys) < len({_literal(token) for token in tokens}):
        return [(_literal(token), token[1], token[2]) for token in tokens]
    return tokens


# The stems of the words that were read before, because the items of a memory repeat their words;
# under "" those of the words that add nothing.
_stems: dict[str, frozenset[str]] = {}
MAX_STEMS = 50_000


def list_stems(words: list[str], noise: frozenset[str]) -> frozenset[str]:
    """Return the stems of the words that may count, at a fifth of the cost of `read_tokens`.

    Words whose tokens may be equal have the same stem.  So of two near-equal texts, one has all
    stems of the other.
    """
    if len(_stems) > MAX_STEMS:
        _stems.clear()
    if "" not in _stems:
        _stems[""] = frozenset(map(_reduce, noise | FULL))
    stems: set[str] = set()
    for word in " ".join(_drop_phrases(words)).replace("`", "").casefold().split():
        if word not in _stems:
            parts = "".join([char if char.isalnum() else " " for char in word]).split()
            _stems[word] = frozenset(map(_reduce, parts))
        stems |= _stems[word]
    return frozenset(stems - _stems[""])


def _reduce(word: str) -> str:
    """Return the stem that a word shares with all words whose tokens may equal its own."""
    while True:
        stem = word if word in TURNING or word in ALIKE else _stem(word)
        shorter = ALIKE.get(stem, stem)
        if shorter == word:
            shorter = _infinitive(word)
        if shorter == word:
            return word
        word = shorter


def is_negation(token: Token) -> bool:
    """Check whether a token is a negation."""
    return token[0] in DENYING


def _literal(token: Token) -> str:
    key, word, _ = token
    return word if key == word else word.casefold()


def _drop_phrases(words: list[str]) -> list[str]:
    """Remove words that only call to do something, and replace phrases by their synonyms."""
    text = " ".join(words)
    while text[:30].casefold().startswith(LEADS):
        text = text[len(next(filter(text[:30].casefold().startswith, LEADS))) :]
    for phrase, other in PHRASES:
        text = text.replace(phrase, other)
    return text.split(" ")


class _TokenReader:
    """Reads word by word, and remembers the words before."""

    def __init__(self, is_shouted: bool, noise: frozenset[str], naming: frozenset[str]) -> None:
        self._is_shouted = is_shouted
        self._noise = noise
        self._naming = naming
        self._before = ""
        self._begins = True  # at the begin of a sentence a capital means nothing
        self._is_denied = False
        self._is_all = False

    def read(self, words: list[str]) -> Iterator[Token]:
        for word, following in zip(words, [*words[1:], ""], strict=True):
            is_name = self._before in self._naming
            core = word if word.isalpha() else _strip_punctuation(word, following, is_name)
            if facts := _find_facts(core, is_name):
                yield from [(fact, fact, True) for fact in facts]
            else:
                yield from self._plain(core, following)
            self._before, self._begins = core, word[-1:] in tuple(".:!?")

    def _plain(self, core: str, following: str) -> Iterator[Token]:
        if self._before in MOMENTS:
            core = _infinitive(core)
        for part in core.split("-"):
            if not part or self._is_noise(part, following):
                self._is_all = self._is_all or part.casefold() == "all"
                continue
            token = _token(part.casefold() if self._is_shouted else part, self._begins)
            self._is_denied = self._is_denied or token[0] in DENYING
            # "The service" and "services" may be one, but not "the service" and "all services".
            yield (_literal(token), token[1], token[2]) if self._is_all else token
            self._is_all = False

    def _is_noise(self, word: str, following: str) -> bool:
        if word == "a" or (word == "A" and self._begins):
            return following != "" and following not in PREPOSITIONS  # "rename a to b"
        lower = word.casefold()
        if word in ("A", "IT"):
            return False
        return lower in self._noise or (lower in FULL and not self._is_denied)


def _strip_punctuation(word: str, following: str, is_name: bool) -> str:
    """Remove the punctuation around a word, except what belongs to a fact.

    `{id}`, `(id)` and `id` are three things, as are `valid?` and `valid` within a sentence.
    """
    if "`" not in word and "(" in word and ")" in word:
        return word.rstrip(PAUSE) or word
    core = word.lstrip("(").rstrip(FINAL + ")")
    ends = (not following or following[0].isupper()) and not is_name
    if ("!" in word or "?" in word) and not (ends and core.replace("-", "").isalpha()):
        core = word.lstrip("(").rstrip(PAUSE + ")")
    return core or word


def _find_facts(core: str, is_name: bool) -> list[str]:
    """Return the parts that are compared literally: code, numbers, paths, identifiers, names."""
    if "`" in core:
        return core.replace("`", "").split("\n")
    is_word = core[:1] != "-" and core.replace("-", "").isalpha()
    is_plain = is_word and core[1:] == core[1:].lower()
    if is_name:
        return [core.casefold() if is_plain and len(core) > 1 else core]
    return [] if core.isalpha() or is_plain else [core]


def _token(word: str, begins: bool) -> Token:
    lower = word.casefold()
    stem = lower if lower in TURNING or lower in ALIKE else _stem(lower)
    key = ALIKE.get(stem, stem)
    if word == lower:
        return key, word, key in TURNING
    is_known = stem in ALIKE or key in TURNING
    if not is_known and (word[1:] != lower[1:] or (len(word) == 1 and not begins)):
        return word, word, True
    return key, lower if begins else word, key in TURNING or not begins


def _stem(word: str) -> str:
    """Remove the endings of number and person, as far as that needs no dictionary."""
    if len(word) < 4 or word in WHOLE:
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("tches", "nches", "rches", "shes", "sses", "xes")):
        return word[:-2]
    return word[:-1] if word[-1] == "s" and word[-2] not in "sui" else word


def _infinitive(word: str) -> str:
    rest = word.removesuffix("ing")
    if rest == word or set(rest).isdisjoint("aeiouy"):
        return word
    if rest[-1] == rest[-2:-1] and rest[-1] not in "sle":
        return rest[:-1]
    takes_e = rest[-1] in "cgvzu" or rest.endswith(("us", "rs", "as", "os", "is", "at"))
    return rest + "e" if takes_e and not rest.endswith("eat") else rest


def are_near(tokens: list[Token], others: list[Token]) -> bool:
    """Check whether two texts are near-equal."""
    short, long = sorted((tokens, others), key=len)
    if len(short) == len(long):
        return _are_equal(short, long) or _is_moved(short, long) or _is_moved(long, short)
    if len(short) < MIN_WORDS or len(short) < MIN_OVERLAP * len(long):
        return False
    return _adds_little(short, long)


def _are_equal(tokens: list[Token], others: list[Token]) -> bool:
    """Check whether the words are the same, by meaning or by spelling."""
    pairs = zip(tokens, others, strict=True)
    return bool(tokens) and all(one[0] == two[0] or one[1] == two[1] for one, two in pairs)


def _is_moved(tokens: list[Token], others: list[Token]) -> bool:
    """Check whether a clause at the end of one text stands in front in the other.

    "In tests, use fixtures" is "Use fixtures in tests"; "A calls B" is not "B calls A".
    """
    return any(
        tokens[place][0] in PREPOSITIONS and _are_equal(tokens[place:] + tokens[:place], others)
        for place in range(2, len(tokens))
    )


def _adds_little(short: list[Token], long: list[Token]) -> bool:
    """Check whether the longer text only adds a reason or harmless words."""
    denies = any(key in DENYING for key, _, _ in long)
    matched = 0
    for place, token in enumerate(long):
        if matched == len(short):
            return _is_reason(long[place:], denies)
        if _are_equal([token], [short[matched]]):
            matched += 1
        elif denies or token[0] not in HARMLESS:
            return False
    return True


def _is_reason(tail: list[Token], denies: bool) -> bool:
    """Check whether a tail only says why; behind a denial "for" may say what."""
    first, *keys = [key for key, _, _ in tail]
    if first in ("because", "so") or (keys[-1:] == ["reason"] and first == "for"):
        return not any(turns for _, _, turns in tail[1:])
    if first == "for" and not denies:
        return bool(keys) and REASONS.issuperset(keys)
    return not denies and HARMLESS.issuperset([first, *keys])
