"""Find secrets in a text, and replace each by its kind: `[redacted: aws-access-key]`.

`forms.txt` has the forms; `values` decides whether the value behind a name is a secret.  The time
grows linearly with the text: no pattern repeats without a limit in front of something else.
Older versions wrote `[secret: AWS key]`; such a mark stays.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from memory_core.secrets import values

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    Place = tuple[int, int, str]

# Why a learning waits, and why a command refuses a text.
REASON = "a secret was removed from it"

# Characters of a text whose result is remembered, as that of a line; longer ones are files.
MAX_REMEMBERED = 500

PATH = Path(__file__).with_name("forms.txt")

# Marks, and names of resources at AWS, which have words such as `secret` in them.
_KNOWN = re.compile(r"\[(?:redacted|secret): [^\]\n]{1,40}\]|\barn:aws[\w:/.*+=@-]{0,300}")

_ENDS = r"\s\u3000\"'`<|，。；、）」"
# In quotes, or up to a blank, or to a comma in front of a blank or of another name.  The outer
# group keeps what it has found: a pattern around it tries no shorter value.
_VALUE = (
    r"""(?=(?P<value>(?P<quote>\\?["'`])[^\n]{0,20000}?(?P=quote)"""
    rf"""|\\?["'`]?(?:[^{_ENDS},;&]|[,;&](?![\w. -]{{0,40}}(?:[=:]|\Z)|[{_ENDS}])){{1,300}}"""
    r"))(?P=value)"
)
_KEY_REST = re.compile(r"[\w+/=]*", re.A)
_QUOTES = "\\\"'`"
_VALUE_HERE = re.compile(_VALUE, re.A)
_TRAILING = ")]}>.:,;&*\\"

# Before a token; few words are long.
_LONG_WORD = re.compile(r"(?<![\w-])(?=[\w./~:$+-]{20})", re.A)

# The words with which a form begins, up to the first sign of a pattern.
_BEGINNING = re.compile(r"(?:\(\?:([\w :-]+(?:\|[\w :-]+)*)\)|([\w :-]+))(?![?*+{])")

# What stands between a name and its value, in small letters.
_LINK = re.compile(
    r"""
    ["'`\\\])*]{0,8}
    (?:[\s"',-]{1,20} value ["'`\\\])*]{0,8})?                      # name: PASSWORD, value: X
    (?:
        [ \t]* (?P<type> :[ ]?[a-z][\w \[\].|]{0,30}=[ ]?(?=["']))  # password: str = "X"
      | [ \t]* (?: ={2,3} | \| ) [ \t]*                             # | DB_PASSWORD | X |
      | [ \t]* (?P<sign> := | => | -> | [=:：→] ) (?P<gap> [ \t*]* )
      | (?P<tag> > )
      | \( (?=["'`])
      | (?P<blank> [ \t]+ ) (?: is[ ] )?
    )
    (?: (?<=[=: \t]) ["']? (?: bearer|basic|token|apikey|ssws|digest|key )[ ] )?
    """,
    re.A | re.X,
)

# The rest of the word in front of a name, or the word before it.
_OWNER = re.compile(r"""[\w-]+\Z|[\w-]*[ "]\Z""", re.A)

# With such a word in front of it a token or a key is not secret, nor is a key with an article.
_OTHER_OWNER = re.compile(
    "(?:public|pub|publishable|cache|idempotency|s3|object|redis|gpg|pgp|ssh|host|kms|site"
    "|partition|primary|foreign|sort|shard|row|dedup|dedupe|fingerprint|next|page|csrf|xsrf"
    "|pagination|continuation|cursor|sync|max|unexpected|starting|forward|backward|request|change"
    r"|dummy|fake|mock|example|sample)[ _-]*\Z"
)
_NO_OWNER = re.compile(
    "(?:an?|the|this|that|each|every|our|your|its|my|and|or|of|by|with|as|per|same|no|new|old)?"
    "[ _-]*"
)

# What may follow a name without changing its meaning.
_SUFFIX = (
    r"[_-]{0,3}(?:\d{1,9}|live|test|prod|production|staging|dev|base|value|old|new|default)?"
    "[_-]{0,3}"
)


class Form(NamedTuple):
    """A block of `forms.txt`."""

    kind: str
    page: str
    example: str
    patterns: list[str]

    @property
    def is_token(self) -> bool:
        """Whether all of a match is the secret."""
        return not any(sign in self.patterns[0] for sign in ("(?P<value>", "VALUE", "= "))


class _Table(NamedTuple):
    """The forms as patterns; `tokens` and `names` have one group for each of their kinds.

    Of `values` there are the words with which a match begins, one of which a text must have, the
    pattern and its kind.
    """

    tokens: str
    token_kinds: list[str]
    values: list[tuple[list[str], str, str]]
    names: re.Pattern[str]
    name_kinds: list[str]


def redact(text: str) -> str:
    """Return a text with `[redacted: KIND]` in place of each secret."""
    pieces, at = [], 0
    for start, end, kind in find(text):
        pieces += [text[at:start], f"[redacted: {kind}]"]
        at = end
    return "".join([*pieces, text[at:]]) if at else text


def refuse(text: str) -> str:
    """Return why a command refuses a text with a secret, "" for a text without one."""
    kinds = ", ".join(dict.fromkeys(kind for _start, _end, kind in find(text)))
    return kinds and f"the text has a secret ({kinds}): name the place of the secret instead"


def redact_values(value: Any) -> Any:
    """Return a JSON value with all its texts redacted."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {key: redact_values(part) for key, part in value.items()}
    return [redact_values(part) for part in value] if isinstance(value, list) else value


def find(text: str) -> list[Place]:
    """Return (start, end, kind) of the secrets in a text, in its order, none inside another."""
    return _find_in_line(text) if len(text) <= MAX_REMEMBERED else _find(text)


def _find(text: str) -> list[Place]:
    """Find secrets; what is found is masked for the next patterns.

    The form of a value says more than its name.
    """
    table = _read_table()
    places: list[Place] = []
    text = _KNOWN.sub(lambda match: "*" * len(match[0]), text)
    if _LONG_WORD.search(text):
        text = _compile(table.tokens).sub(partial(_mask, places, table.token_kinds), text)
    for words, pattern, kind in table.values:
        if any(word in text for word in words):
            text = _compile(pattern).sub(partial(_mask, places, [kind]), text)
    places += _find_named(table, text)
    return sorted(places)


# A command asks up to eight times about each line of a memory.
_find_in_line = lru_cache(maxsize=1024)(_find)


def read_forms() -> list[Form]:
    """Return the blocks of the table.  Raises OSError."""
    blocks = PATH.read_text(encoding="utf-8").strip().split("\n\n")[1:]
    rows = [block.split("\n") for block in blocks]
    return [Form(kind, page, example, rest) for kind, page, example, *rest in rows]


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    """Compile a pattern when a text may have a match: few texts need many of them."""
    return re.compile(pattern, re.A)


@lru_cache(maxsize=1)
def _read_table() -> _Table:
    forms = read_forms()
    tokens = [(pattern, form.kind) for form in forms if form.is_token for pattern in form.patterns]
    others = [(form.patterns[0], form.kind) for form in forms if not form.is_token]
    names = [(pattern[2:], kind) for pattern, kind in others if pattern.startswith("= ")]
    values = [
        (_list_beginnings(pattern), pattern, kind)
        for pattern, kind in ((whole.replace("VALUE", _VALUE), kind) for whole, kind in others)
        if not pattern.startswith("= ")
    ]
    any_token = "|".join(f"({pattern})" for pattern, _kind in tokens)
    any_name = "|".join(f"({pattern})" for pattern, _kind in names)
    return _Table(
        rf"{_LONG_WORD.pattern}(?:{any_token})",
        [kind for _pattern, kind in tokens],
        values,
        re.compile(rf"(?:{any_name})s?(?![a-z]){_SUFFIX}(?![\w-])", re.A),
        [kind for _pattern, kind in names],
    )


def _list_beginnings(pattern: str) -> list[str]:
    """Return the words with which a match of a form begins, [""] if they are not written out."""
    match = _BEGINNING.match(pattern)
    return (match[1] or match[2]).split("|") if match else [""]


def _is_token(value: str) -> bool:
    return not values.is_placeholder(value) and not values.is_wordy(value)


def _is_cookie(value: str) -> bool:
    """Check whether a cookie has a value like `sid=8fJ2kQ0vT7wLx3Zr`."""
    parts = [part.partition("=")[2].strip() for part in value.split(";", 20)]
    return any(values.is_random(part[:300], 16) for part in parts)


# What a value must be, by its kind, if the pattern alone does not show that it is a secret.
_CHECKS: dict[str, Callable[[str], bool]] = {
    "private-key": bool,
    "session-cookie": _is_cookie,
    "url-password": lambda value: not values.is_harmless(value),
    "url-token": lambda value: values.is_random(value, 20) and not values.is_hex(value),
    "password": lambda value: len(value) >= 3 and not values.is_harmless(value),
    "credential": lambda value: values.is_random(value, 32),
}


def _mask(places: list[Place], kinds: list[str], match: re.Match[str]) -> str:
    """Note a secret; return the match with `*` in place of it."""
    has_value = "value" in match.re.groupindex
    start, end = match.span("value" if has_value else 0)
    kind = kinds[0 if has_value else (match.lastindex or 0) - 1]
    value = _trim(match.string[start:end])
    end = start + len(value)
    if not _CHECKS.get(kind, _is_token)(value.strip(_QUOTES)):
        return match[0]
    places.append((start, end, kind))
    at = match.start()
    return match[0][: start - at] + "*" * (end - start) + match[0][end - at :]


def _find_named(table: _Table, text: str) -> Iterator[Place]:
    """Yield the values of names such as `password`, `API_KEY` or `session_id`."""
    low = text.lower()
    if len(low) != len(text):  # few letters have two in lower case
        low = "".join([char.lower()[:1] for char in text])
    at = 0
    while match := table.names.search(low, at):
        at = match.start() + 1
        index = match.lastindex or 0
        owner = _OWNER.search(low, max(match.start() - 60, 0), match.start())
        name = (owner[0] if owner else "", match[index])
        kind = table.name_kinds[index - 1]
        link = _LINK.match(low, match.end())
        if link and _names_secret(kind, *name):
            how = _judge_link(link, name[0])
            start, value = link.end(), _VALUE_HERE.match(text, link.end())
            end = start + len(_trim(value["value"])) if value else start
            if _is_value(kind, "".join(name), text[start:end], how):
                rest = _KEY_REST.match(text, end) if end - start > 290 else None
                at = rest.end() if rest else end
                yield start, at, kind


def _names_secret(kind: str, owner: str, name: str) -> bool:
    if kind == "password":
        return name != "pw" or not owner[-1:].isalpha()
    if kind != "credential":
        return True
    if _OTHER_OWNER.search(owner) or (name == "auth" and owner[-1:] not in ('"', "_")):
        return False
    return name != "key" or not _NO_OWNER.fullmatch(owner)


def _judge_link(link: re.Match[str], owner: str) -> str:
    """Return `=`, `:` for most signs, `|` in a table, `--` for an option, " " for the next word."""
    if link["blank"]:
        return "--" if owner.startswith("-") else " "
    if link["tag"] or ("=" in (link["sign"] or "") and not link["gap"]):
        return "="
    return ":" if link["sign"] or link["type"] else "|"


def _trim(value: str) -> str:
    """Return a value without the signs of the text around it."""
    return value if value[:1] in _QUOTES else value.rstrip(_TRAILING)


def _is_value(kind: str, name: str, text: str, how: str) -> bool:
    """Check whether the value of a name is a secret."""
    value = text.strip(_QUOTES)
    is_quoted = value != text and text[-1] in _QUOTES
    is_other_option = how in (" ", "--") and value.startswith("-")
    if not value or is_other_option or values.is_harmless(value):
        return False
    if kind == "password":
        is_odd = name.endswith("pass") and how in values.WEAK_LINKS  # tests pass 12
        return values.is_likely(value) if is_odd else values.is_password(value, is_quoted, how)
    if kind == "credential":
        return values.is_credential(value, is_quoted, how, name)
    if kind == "authorization":
        is_long = len(value) >= 12 and (values.is_mixed(value) or value.endswith("="))
        is_enough = is_long if how in values.WEAK_LINKS else len(value) >= 6
        return is_enough and not values.is_wordy(value)
    return how == "=" and values.is_random(value, 16)
