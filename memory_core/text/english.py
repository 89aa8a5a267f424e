"""English words and their meaning, to compare the claims of two sentences.

Only similarity.py uses this module, and only for two texts that have many words in common.
"""

from __future__ import annotations

from functools import lru_cache

# A word in its compared form; as it is written; and whether a reason that holds it says more
# than a reason: a fact, a negation, a restriction.
Token = tuple[str, str, bool]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Of the longer text's words the shorter one must have this share: a reason behind a sentence of
# four words ("for flexibility") still leaves the same learning.  Three quarters would separate
# those pairs of the test table; at a half, the reason is most of what is said.
MIN_OVERLAP = 2 / 3

PAUSE = ".,;:"

# Words that add nothing, except behind a negation, which is about them: "not always".
FULL = _words("""
    all always also then simply absolutely certainly definitely
""")

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

# What a "for" in front of it names as the reason; of anything else it says where a
# sentence holds.  Not "security" or "performance": labels and teams are for those.
REASONS = _words("""
    clarity consistency flexibility testability maintainability readability reusability
    scalability extensibility simplicity efficiency robustness portability convenience
    traceability reproducibility isolation brevity speed reuse and better improved
""")

# Words that are something else without their last s: "an hour" and "hours".
WHOLE = _words("https news times seconds minutes hours days weeks months years")


def read_tokens(words: list[str], noise: frozenset[str], naming: frozenset[str]) -> list[Token]:
    """Return the words that count.

    `words` have no emphasis and no quotes; code is one word in backticks.  Words of `noise` add
    nothing.  All words are compared literally if two of them would be one, as in "say folder, not
    directory", if one of `naming` says that a name follows, or "all" that there are several:
    "the service" and "services" may be one, but not "the service" and "all services".
    """
    if words[0].istitle():  # at the begin a capital means nothing
        words = [words[0].lower(), *words[1:]]
    tokens = [token for word in words for token in _read_word(word, noise)]
    keys = {key for key, _, _ in tokens}
    is_literal = "all" in keys or not naming.isdisjoint(keys)
    if len(keys) < len(tokens):
        is_literal = is_literal or len(keys) < len({_literal(token) for token in tokens})
    if DENYING.isdisjoint(keys) and not FULL.isdisjoint(keys):
        tokens = [token for token in tokens if token[0] not in FULL]
    if is_literal:
        return [(_literal(token), token[1], token[2]) for token in tokens]
    return tokens


@lru_cache(maxsize=50_000)
def _read_word(word: str, noise: frozenset[str]) -> list[Token]:
    core = word if word.isalpha() else _strip_punctuation(word)
    if "`" in core:
        return [(fact, fact, True) for fact in core.replace("`", "").split("\n")]
    is_word = core.replace("-", "").isalpha() and core[:1] != "-"
    if not is_word or ("-" in core and core[1:] != core[1:].lower()):
        return [(core, core, True)]
    parts = filter(None, core.split("-"))
    return [_token(part) for part in parts if part.casefold() not in noise or part in ("A", "IT")]


def _literal(token: Token) -> str:
    key, word, _ = token
    return word if key == word else word.casefold()


def _strip_punctuation(word: str) -> str:
    """Remove the punctuation around a word, except what belongs to a fact.

    `{id}`, `(id)` and `id` are three things, as are `valid?` and `valid` within a sentence.
    """
    if "`" not in word and "(" in word and ")" in word:
        return word.rstrip(PAUSE) or word
    return word.lstrip("(").rstrip(PAUSE + ")") or word


def _token(word: str) -> Token:
    lower = word.casefold()
    stem = lower if lower in TURNING or lower in ALIKE or lower in FULL else _stem(lower)
    key = ALIKE.get(stem, stem)
    is_known = stem in ALIKE or key in TURNING or key in FULL
    if not is_known and (word[1:] != lower[1:] or (len(word) == 1 and word != lower)):
        return word, word, True
    return key, word, key in TURNING or word != lower


def _stem(word: str) -> str:
    """Remove the endings of number and person, as far as that needs no dictionary."""
    if len(word) < 4 or word in WHOLE:
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("tches", "nches", "rches", "shes", "sses", "xes")):
        return word[:-2]
    return word[:-1] if word[-1] == "s" and word[-2] not in "sui" else word


def are_near(tokens: list[Token], others: list[Token]) -> bool:
    """Check whether the words are the same, by meaning or by spelling.

    One text may have a reason more at its end.
    """
    for one, two in zip(tokens, others, strict=False):
        if one[0] != two[0] and one[1] != two[1]:
            return False
    short, long = sorted((tokens, others), key=len)
    return bool(short) and (len(short) == len(long) or _is_reason(short, long[len(short) :]))


def _is_reason(short: list[Token], tail: list[Token]) -> bool:
    """Check whether a tail only says why, and is not most of the text."""
    if len(short) < MIN_OVERLAP * (len(short) + len(tail)):
        return False
    first, *keys = [key for key, _, _ in tail]
    if first in ("because", "so") or (first == "for" and keys[-1:] == ["reason"]):
        return not any(turns for _, _, turns in tail[1:])
    is_denied = any(key in DENYING for key, _, _ in short)
    return first == "for" and not is_denied and bool(keys) and REASONS.issuperset(keys)
