"""Find secrets in a text, and replace each by its kind: `[redacted: aws-access-key]`.

Hooks check each text, and nearly none has a secret, so `re` is imported only if the marks of a rule
are in the text.  Older versions wrote `[secret: AWS key]`; such a mark stays.
"""

from __future__ import annotations

from memory_core.text import secret_rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterable
    from typing import Any

# One of the signs of a mark follows it within this number of characters.
REACH = 60

# Why a learning waits, and why a command refuses a text.
REASON = "a secret was removed from it"

# These kinds are found by the name before a value, so the value needs a closer look.
BY_NAME = ("password", "credential", "url-password")

# A password of a sentence is shorter only if a sign assigns it.
# A long key may have any word somewhere in it; a placeholder has one here.
MAX_HEAD = 100

SHORTEST_WEAK, SHORTEST_CREDENTIAL = 5, 8


PLAIN_WORDS = frozenset(secret_rules.PLAIN_WORDS.split())

_WORD_START = "(?<![A-Za-z0-9_-])"


class Rule:
    """The form of one kind of secret; the pattern is compiled when it is needed first."""

    __slots__ = ("_pattern", "_text", "kind", "marks", "source", "starts_word")

    def __init__(
        self, kind: str, source: str, marks: Iterable[str], before: str, value: str
    ) -> None:
        self.kind, self.source = kind, source
        self.marks = [mark.partition(">") for mark in marks]
        self.starts_word = before == _WORD_START
        self._text = f"(?P<before>{before})(?P<value>{value})"
        self._pattern: re.Pattern[str] | None = None

    @property
    def pattern(self) -> re.Pattern[str]:
        if self._pattern is None:
            import re

            self._pattern = re.compile(self._text)
        return self._pattern

    def may_match(self, low: str) -> bool:
        """Return False for a text in lower case that certainly lacks this kind of secret."""
        return any(
            mark in low and (not (signs or self.starts_word) or self._find_mark(low, mark, signs))
            for mark, _arrow, signs in self.marks
        )

    def _find_mark(self, low: str, mark: str, signs: str) -> bool:
        at = low.find(mark)
        while at >= 0:
            end = at + len(mark)
            if signs:
                near = low[end : end + REACH]
                if any(sign in near for sign in signs.split(",")):
                    return True
            elif not (low[at - 1 : at].isalnum() and low[at - 1].isascii()):
                return True
            at = low.find(mark, end)
        return False


def _read_tokens(lines: list[str]) -> list[Rule]:
    heads = (line.split() for line in lines[::2])
    return [
        Rule(kind, source, marks, _WORD_START, form.strip())
        for (kind, source, *marks), form in zip(heads, lines[1::2], strict=True)
    ]


RULES = _read_tokens(secret_rules.TOKENS) + [Rule(*rule) for rule in secret_rules.CONTEXTS]


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


def find(text: str) -> list[tuple[int, int, str]]:
    """Return (start, end, kind) of the secrets in a text, in its order, none inside another."""
    low = text.lower()
    places: list[tuple[int, int, str]] = []
    for rule in RULES:
        if rule.may_match(low):
            for match in rule.pattern.finditer(text):
                start, end = match.span("value")
                is_new = all(end <= first or last <= start for first, last, _kind in places)
                if is_new and not _is_harmless(match["before"], match["value"], rule.kind):
                    places.append((start, end, rule.kind))
    return sorted(places)


def _is_harmless(before: str, value: str, kind: str) -> bool:
    """Return whether a value is a placeholder, an example, a reference or an ordinary word."""
    bare = value.strip("\\\"'`")
    low = bare.lower()
    head = low[:MAX_HEAD]
    if len(set(low[-16:])) < 3 or any(part in head for part in secret_rules.PLACEHOLDERS):
        return True
    if kind not in BY_NAME:
        return False
    if low in PLAIN_WORDS or _is_reference(bare, low):
        return True
    if value[:1] == "`" and " " in value:
        return True  # a command of a shell
    is_quoted = bare != value
    if not is_quoted and _is_name(bare, low):
        return True
    is_weak = before[-1:].isspace() and not is_quoted
    if kind == "credential":
        return len(bare) < SHORTEST_CREDENTIAL or _is_wordy(bare) or _is_plain_id(before, bare)
    return is_weak and (len(bare) < SHORTEST_WEAK or _is_wordy(bare))


def _is_reference(value: str, low: str) -> bool:
    """Return whether a value stands for another one: a variable, a template, a call, a path."""
    is_variable = value[:1] == "$" and (value[1:2] in "{(" or value[1:].isidentifier())
    is_template = value[:1] in "[<{" or value[:2] in ("%s", "%d", "%(") or "{{" in value
    is_call = "(" in value and value.partition("(")[0].replace(".", "").isidentifier()
    is_path = "/" in value and _is_wordy(value)
    is_other = low.startswith(secret_rules.OTHER_STARTS)
    return is_variable or is_template or is_call or is_path or is_other or value[-1:] == "%"


def _is_name(value: str, low: str) -> bool:
    """Return whether a value is a name in code: `db_password`, `PASSWORD`, `user.token`."""
    if not value.replace("_", "").replace(".", "").replace("-", "").isalpha():
        return False
    parts = ("_", ".", "passw", "secret", "token", "key", "pwd", "cred")
    return value.isupper() or any(part in low for part in parts)


def _is_wordy(value: str) -> bool:
    """Return whether a value consists of words and short numbers: `shop-db-v2`."""
    parts = "".join(char if char.isalnum() else " " for char in value).split()
    return all(
        part.isalpha() or len(part) <= 3 or (part.isdigit() and len(part) <= 4) for part in parts
    )


def _is_plain_id(before: str, value: str) -> bool:
    """Return whether a value may be a number, a word, or a UUID that is not a key."""
    word = value.rstrip("0123456789")
    if not any(map(str.isdigit, value)) or not word or (word.isalpha() and word.islower()):
        return True
    is_uuid = [len(part) for part in value.split("-")] == [8, 4, 4, 4, 12]
    return is_uuid and not any(name in before.lower() for name in ("secret", "key"))
