"""Find secrets in a text, and replace each by its kind: `[redacted: aws-access-key]`.

Hooks check each text, so this module scans without regular expressions, which take longer to
import than a whole text takes to scan.  Older versions wrote `[secret: AWS key]`; such a mark
stays.
"""

from __future__ import annotations

from memory_core.text import secret_rules as rules
from memory_core.text.secret_rules import ALNUM, BASE64, DIGITS, WORD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Place = tuple[int, int, str]

# Why a learning waits, and why a command refuses a text.
REASON = "a secret was removed from it"

# A value begins within this number of characters behind its name.
REACH = 100

# A value without quotes is longer only if it is a key.
MAX_BARE, MAX_COOKIE, MAX_KEY = 300, 4000, 20_000

# With its prefix; texts have few longer words, so few places are searched.
SHORTEST_TOKEN = 20

# No value is near a name without one of these characters.
LETTERS = rules.LETTERS
HINTS = rules.MARKS | frozenset("=:：>\"'`→|<")

# The first characters of `secret_rules.SIGNS`.
SIGN_STARTS = "=:：→|-"

PAIR_SIGNS = frozenset(":/.")
STOPS = frozenset(".,;?!/(\n")  # behind a name; only `value` may follow some of them
SIGN_TAILS = frozenset(" \t*")
AZURE_CHARS = WORD | frozenset("~.")
FIELD_CHARS = WORD | frozenset(". ")
BLANKS = frozenset(" \t")
QUOTES = "\"'`"
ENDS = frozenset(" \t\n\r\"'`<|\u3000，。；、）」")  # of a value without quotes
CLOSERS = frozenset("\"'`\\])*")  # between a name and a sign
TRAILING = ")]}>.:,;&*\\"

# How a value follows its name: `the password is printed as X`, `password X`, `the password is X`,
# `password: X`, `--password X`, `password=X`.
FAR, DIRECT, SAID, SPACED, OPTION, ASSIGNED = range(6)

PEM, PEM_START, PEM_END, PUTTY = "PRIVATE KEY", "-----BEGIN", "-----END", "private-lines:"


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
    low = text.lower()
    if len(low) != len(text):  # few letters have two in lower case
        low = "".join([char.lower()[:1] for char in text])
    by_form = (_find_tokens, _find_keys, _find_urls, _find_forms)
    scans = (*by_form, _find_named, _find_fields, _find_logins)
    places = [
        (start, rank, end, kind)
        for rank, scan in enumerate(scans)
        for start, end, kind in scan(text, low)
    ]
    places.sort()
    chosen: list[tuple[int, int, int, str]] = []
    for place in places:
        if not chosen or chosen[-1][2] <= place[0]:
            chosen.append(place)
        elif place[1] < chosen[-1][1]:  # the earlier scans know the form of the value itself
            chosen[-1] = place
    return [(start, end, kind) for start, _rank, end, kind in chosen]


def _skip(text: str, at: int, chars: frozenset[str], most: int = MAX_KEY) -> int:
    """Return the position behind the characters of an alphabet, at most so many."""
    last = min(len(text), at + most)
    while at < last and text[at] in chars:
        at += 1
    return at


def _list_at(text: str, part: str) -> Iterator[int]:
    """Yield the positions of a part in a text."""
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + len(part))


def _read_tokens() -> list[tuple[str, str, str]]:
    """Return (prefix, form, kind) of each token."""
    return [
        (prefix, form, kind) for kind, form, prefixes in rules.TOKENS for prefix in prefixes.split()
    ]


_TOKENS = _read_tokens()


def _find_tokens(text: str, _low: str) -> Iterator[Place]:
    long_words = " ".join([word for word in text.split() if len(word) >= SHORTEST_TOKEN])
    for prefix, form, kind in _TOKENS:
        if prefix not in long_words:
            continue
        at = text.find(prefix)
        while at >= 0:
            body = at + len(prefix)
            end = _skip(text, body, rules.ALPHABETS[form[0]])
            is_start = not at or text[at - 1] not in WORD or form[0] == "p" or prefix[0] == "."
            value = text[body:end].rstrip(".")
            if is_start and _is_token(value, form, text[end : end + 1]):
                yield body if form[0] == "p" else at, body + len(value), kind
            at = text.find(prefix, end)


def _is_token(value: str, form: str, after: str) -> bool:
    """Check what follows a prefix against its form (see `secret_rules.TOKENS`)."""
    least = int(form[1:].rstrip("="))
    if len(value) < least or (form[-1] == "=" and (len(value) > least or after in ALNUM)):
        return False
    if form[0] == "d" and not any(len(part) >= 16 for part in value.split(".")[1:]):
        return False
    return not rules.is_placeholder(value) and not (form[0] in "wdp" and rules.is_wordy(value))


def _find_keys(text: str, low: str) -> Iterator[Place]:
    """Yield private keys in the form of PEM, which a report may quote or nest, and of PuTTY."""
    for at in _list_at(text, PEM):
        start = text.rfind(PEM_START, max(at - 60, 0), at)
        head_end = text.find("-----", at, at + 60)
        if start >= 0 and head_end >= 0:
            limit = _find_before(text, PEM_START, at, at + MAX_KEY)
            last = _find_before(text, PEM_END, at, limit)
            end = _skip_key(text, head_end + 5, last)
            tail = text.find("-----", last + 8, last + 60) if end == last else -1
            if end:
                yield start, max(end, tail + 5), "private-key"
    for at in _list_at(low, PUTTY):
        start = _skip(text, at + len(PUTTY), DIGITS | frozenset(" \n"))
        end = _skip(text, start, BASE64 | frozenset(" \n"))
        if end - start >= 40:
            yield start, end, "private-key"


def _skip_key(text: str, at: int, last: int) -> int:
    """Return the position behind the lines of a key, 0 if only its header is there."""
    body = text[at:last].replace("\\r", "  ").replace("\\n", " \n").replace("\\", " ")
    end = size = longest = 0
    for line in body.split("\n"):
        words = line.strip(" \t\r>|\"'`,-").split()
        is_header = not size and len(words) > 1 and words[0][-1:] == ":"  # Proc-Type: 4,ENCRYPTED
        if not is_header:
            if not all(BASE64.issuperset(word.strip("\"'`,|>")) for word in words):
                break
            size = size + len(words[0]) if len(words) == 1 else -MAX_KEY if words else size
            longest = max(longest, *map(len, words), 0)
        end += len(line) + 1
    is_whole = end > len(body) and text.startswith(PEM_END, last)
    return min(at + end, at + len(body)) if longest >= 20 or (is_whole and size >= 4) else 0


def _find_urls(text: str, _low: str) -> Iterator[Place]:
    """Yield passwords and tokens in addresses: `scheme://user:password@host`."""
    for at in _list_at(text, "://"):
        start = at + 3
        limit = _find_before(text, "://", start, start + MAX_BARE)
        if text.find("@", start, limit) < 0:
            continue
        end = _find_end(text, start, limit)
        host = text.find("/", start, end)
        close = text.rfind("@", start, host if host >= 0 else end)
        user, colon, password = text[start:close].partition(":") if close >= 0 else ("", "", "")
        if colon and password not in ("", user) and not _is_port(password):
            if not rules.is_harmless(password) and not text.startswith("@sha", close):
                yield start + len(user) + 1, close, "url-password"
        elif not colon and rules.is_random(user, 20) and not rules.is_hex(user):
            yield start, close, "url-password"


def _is_port(value: str) -> bool:
    """Check for a port with a query, in which an `@` may be: `https://host:443?next=me@shop`."""
    return value[0] in DIGITS and value[_skip(value, 0, DIGITS) :][:1] in ("?", "#")


def _find_forms(text: str, _low: str) -> Iterator[Place]:
    """Yield tokens of Telegram, Azure and Discord."""
    for at in _list_at(text, ":AA"):
        start = at
        while start and at - start < 11 and text[start - 1] in DIGITS:
            start -= 1
        end = _skip(text, at + 1, WORD)
        if 8 <= at - start <= 10 and end - at == 36:
            yield start, end, "telegram-token"
    for at in _list_at(text, "Q~"):
        end = _skip(text, at, AZURE_CHARS, 40)
        if at >= 4 and text[at - 1] in DIGITS and 33 <= end - at <= 38:
            yield at - 4, end, "azure-client-secret"
    for at in _list_at(text, "."):  # an id, six signs of a time, and a signature
        if text[at + 7 : at + 8] == "." and at >= 24:
            start = at
            while start and at - start < 29 and text[start - 1] in WORD:
                start -= 1
            end = _skip(text, at + 8, WORD)
            if 24 <= at - start <= 28 and 27 <= end - at - 8 <= 38 and text[start] in "MNO":
                yield start, end, "discord-token"


def _find_fields(text: str, low: str) -> Iterator[Place]:
    """Yield passwords behind a name: `auth=("shop", "X")`, and in lines of .pgpass."""
    for at in (*_list_at(low, "auth("), *_list_at(low, "auth=(")):  # auth=("user", "password")
        start = text.find("(", at) + 1
        if text[start : start + 1] not in QUOTES or start == len(text):
            continue
        first = _read_value(text, start)[1]
        start, end = _read_value(text, _skip(text, first, rules.FIELD_BREAKS - set(QUOTES)))
        value = text[start:end].strip(QUOTES)
        if end - start > len(value) + 1 and len(value) > 3 and not rules.is_harmless(value):
            yield start, end, "password"
    for at in _list_at(text, ":5432:"):
        fields = text[at + 6 : _read_value(text, at + 6)[1]].split(":", 2)
        if len(fields) == 3 and not rules.is_harmless(fields[2]):
            start = at + 8 + len(fields[0]) + len(fields[1])
            yield start, start + len(fields[2]), "password"


def _read_value(text: str, at: int) -> tuple[int, int]:
    """Return the range of the value that begins at a position: in quotes, or up to a blank."""
    opener = text[at : at + 2] if text[at : at + 1] == "\\" else text[at : at + 1]
    line_end = _find_before(text, "\n", at, at + MAX_KEY)
    if opener and opener[-1] in QUOTES:
        close = text.find(opener, at + len(opener), line_end)
        if close >= 0:
            return at, close + len(opener)
        at += len(opener)
    end = _find_end(text, at, line_end, ",;&")
    while end > at and text[end - 1] in TRAILING:
        end -= 1
    return at, end


def _find_before(text: str, sign: str, at: int, last: int) -> int:
    """Return the position of a sign, or the end of the text or of the range without one."""
    place = text.find(sign, at, last)
    return place if place >= 0 else min(last, len(text))


def _find_end(text: str, at: int, last: int, separators: str = "") -> int:
    """Return the end of a value without quotes."""
    end = at
    last = min(last, len(text), at + MAX_BARE)
    while end < last:
        char = text[end]
        if char in ENDS or (char in separators and _is_separator(text, end)):
            break
        end += 1
    return end


def _is_separator(text: str, at: int) -> bool:
    """Return whether a sign ends a value: a blank or another field follows it."""
    end = _skip(text, at + 1, FIELD_CHARS, 40)
    return text[end : end + 1] in ("=", ":", "") or text[at + 1 : at + 2] in ENDS


def _find_named(text: str, low: str) -> Iterator[Place]:
    """Yield the values of names such as `password`, `API_KEY` or `session_id`."""
    roots = rules.ROOTS if text.isascii() else (*rules.ROOTS, *rules.OTHER_ROOTS)
    for root in roots:
        at = low.find(root)
        while at >= 0:
            end = at + len(root)
            if low[end : end + 1] in LETTERS:
                end = _skip(low, end, LETTERS, 20)
            word = low[at:end]
            name = word if word in rules.NAMES else word.removesuffix("s")
            place = None
            if name in rules.NAMES:
                place = _may_have_value(low, at, end) and _judge_name(text, low, at, end, name)
                place = place or _judge_before(text, low, at, name)
            if place:
                yield *place, rules.NAMES[name]
            at = low.find(root, max(*place, end) if place else end)


def _may_have_value(low: str, at: int, end: int) -> bool:
    """Return False for most names in ordinary sentences, without a closer look."""
    window = low[end : end + REACH]
    char = window[:1]
    if char in STOPS:
        return (char == "(" and window[1:2] in QUOTES) or "value" in window
    if char != " " or window[1:2] in SIGN_STARTS:
        return not HINTS.isdisjoint(window)
    window = window.partition("\n")[0].lstrip(" \t")
    if not rules.MARKS.isdisjoint(window):
        first, *words = window.split(" ", 3)[:3]
        words.append(first)
        is_begun = first in rules.STARTERS or first[:1] in ("(", "[")
        is_begun = is_begun or f"{first} " in rules.SCHEMES
        if is_begun or not rules.MARKS.isdisjoint(first):
            return True
        if any(word in rules.VERBS or word[:1] == "(" or word[-1:] == ":" for word in words):
            return True
    return "login " in low[max(at - REACH, 0) : at]  # of a .netrc


def _judge_name(text: str, low: str, at: int, end: int, name: str) -> tuple[int, int] | None:
    """Return the range of the secret value of a name, None without one."""
    kind, owner = rules.NAMES[name], _read_owner(low, at)
    end = _skip_suffix(low, end, kind)
    if not end or not _is_secret_name(name, kind, owner):
        return None
    for start, link in _list_starts(low, at, end, owner):
        place = _judge(text, start, link, kind, owner + name)
        if place:
            before = low[max(at - REACH, 0) : at]
            is_mark = before[before.rfind("[") :].startswith(("[redacted:", "[secret:"))
            return None if is_mark or "arn:" in before.rpartition(" ")[2] else place
    return None


def _judge_before(text: str, low: str, at: int, name: str) -> tuple[int, int] | None:
    """Return the range of a secret value that stands before its name: "use X as the password"."""
    first = max(at - 40, 0)
    verb = max(low.rfind(" as ", first, at), low.rfind(" is ", first, at))
    if verb < 0 or rules.NAMES[name] not in ("password", "credential"):
        return None
    start = low.rfind(" ", 0, verb) + 1
    start = max(start, low.rfind("\n", start, verb) + 1)
    value = text[start:verb].strip(QUOTES)
    if rules.MARKS.isdisjoint(value):
        return None
    is_secret = rules.is_likely(value) or (rules.is_random(value, 20) and not rules.is_hex(value))
    is_other = any(word.endswith(rules.OTHER_OWNERS) for word in low[verb:at].split())
    return (start, verb) if is_secret and not is_other else None


def _skip_suffix(low: str, at: int, kind: str) -> int:
    """Return the position behind `_2` or `_PROD`, 0 in another name: `token_url`."""
    end = _skip(low, at, WORD, 60)
    tail = low[at:end].strip("_-")
    is_suffix = not tail or tail.isdecimal() or tail in rules.SUFFIXES
    return end if is_suffix or (kind == "session-cookie" and tail in ("id", "token")) else 0


def _read_owner(low: str, at: int) -> str:
    """Return what stands before a name: `aws_secret_access_`, or a word with its blank."""
    start = at
    while start and at - start < 60 and low[start - 1] in WORD:
        start -= 1
    if start == at and low[at - 1 : at] in (" ", '"'):
        while start and at - start < 40 and (low[start - 1] in WORD or start == at):
            start -= 1
    return low[start:at]


def _is_secret_name(name: str, kind: str, owner: str) -> bool:
    if kind == "password":
        return name != "pw" or not owner[-1:].isalpha()
    if kind != "credential":
        return True
    words = owner.rstrip(" _-")
    if words.endswith(rules.OTHER_OWNERS) or (name == "auth" and owner[-1:] not in ('"', "_")):
        return False
    return name != "key" or (bool(words) and words not in rules.ARTICLES)


def _list_starts(low: str, at: int, end: int, owner: str) -> Iterator[tuple[int, int]]:
    """Yield (position, link) where the value of a name may begin."""
    close = _skip(low, end, CLOSERS)
    after = _skip(low, close, BLANKS)
    field = _skip(low, close, rules.FIELD_BREAKS)
    if low.startswith("value", field) and field > close:  # name: PASSWORD, value: X
        after = _skip(low, _skip(low, field + 5, CLOSERS), BLANKS)
    sign = ""
    if low[after : after + 1] in SIGN_STARTS and after < len(low):
        sign = next((sign for sign in rules.SIGNS if low.startswith(sign, after)), "")
    if sign:
        start = _skip(low, after + len(sign), SIGN_TAILS)
        is_attached = start == after + len(sign) and "=" in sign
        is_vague = sign in ("|", "==", "===")  # of a table, or of a comparison
        yield start, SAID if is_vague else ASSIGNED if is_attached else SPACED
        equals = low.find("=", start, start + 30)  # password: str = "X"
        if sign == ":" and equals >= 0 and low[start:equals].strip(" |").isidentifier():
            yield _skip(low, equals + 1, BLANKS), SPACED
    elif low[end : end + 1] == ">":
        yield end + 1, ASSIGNED
    elif low[end : end + 1] == "(" and low[end + 1 : end + 2] in QUOTES:
        yield end + 1, SAID
    elif after > close:
        is_option = owner[:1] == "-" and low[after : after + 1] != "-"
        before = low[max(at - REACH, 0) : at]
        is_netrc = "login " in before and before.split()[-2:-1] == ["login"]
        yield after, ASSIGNED if is_netrc else OPTION if is_option else DIRECT
        yield from _list_said(low, after)
    elif not low[at:end].isascii():
        yield _skip(low, close, rules.COPULAS), SAID


def _list_said(low: str, at: int) -> Iterator[tuple[int, int]]:
    """Yield the position behind "for the staging database is now", and others of this kind."""
    line_end = _find_before(low, "\n", at, at + REACH)
    is_phrase = is_change = False
    for number in range(10):
        space = low.find(" ", at, line_end)
        word = low[at : space if space >= 0 else line_end]
        if not number:
            is_change = word in rules.CHANGES
            is_phrase = is_change or word in rules.PREPOSITIONS or word[:1] in ("(", "[")
        if word[:1] == "(":
            yield at + 1, SAID
        if space < 0:
            return
        if word in rules.VERBS or word[-1:] == ":" or (is_change and word == "to"):
            link = SAID if word in rules.VERBS or is_phrase else DIRECT
            at = _skip_fillers(low, space + 1, line_end)
            yield at, link
            yield from ((after, FAR) for after in _list_words(low, at, line_end))
            return
        if not number and word == "to":  # set PASSWORD to X
            yield space + 1, DIRECT
        if (not is_phrase and number > 1) or word[-1:] in ".;!?":
            return
        at = space + 1


def _list_words(low: str, at: int, line_end: int) -> Iterator[int]:
    """Yield the positions of the next words, which may have a value: "is printed as X"."""
    for _number in range(3):
        space = low.find(" ", at, line_end)
        if space < 0 or not low[at:space].isalpha():
            break
        at = space + 1
        yield at


def _skip_fillers(low: str, at: int, line_end: int) -> int:
    for _number in range(4):
        space = low.find(" ", at, line_end)
        if space < 0 or low[at:space] not in rules.FILLERS:
            break
        at = space + 1
    return at


def _judge(text: str, at: int, link: int, kind: str, name: str) -> tuple[int, int] | None:
    """Return the range of a value if it is a secret."""
    if kind == "authorization" or link in (SPACED, ASSIGNED):
        at = _skip_scheme(text, at)
    if kind in ("session-cookie", "azure-signature"):
        return _judge_cookie(text, at, link, name)
    start, end = _read_value(text, at)
    value = text[start:end]
    bare = value.strip("\\\"'`")
    if link not in (SPACED, ASSIGNED) and rules.MARKS.isdisjoint(bare):
        return None
    if not bare or rules.is_harmless(bare) or (link == FAR and rules.is_hex(bare)):
        return None
    is_quoted = bare != value
    if kind == "password" and name.endswith("pass") and link < SPACED:
        is_secret = rules.is_likely(bare)
    elif kind == "password":
        is_secret = _is_password(bare, is_quoted, link)
    elif kind == "credential":
        is_secret = _is_credential(bare, is_quoted, link, name)
    else:
        is_direct = len(bare) >= 12 and (not DIGITS.isdisjoint(bare) or bare[-1] == "=")
        is_secret = is_direct if link < SPACED else len(bare) >= 6
        is_secret = is_secret and not rules.is_wordy(bare)
    end = _skip(text, end, BASE64) if end - start > MAX_BARE - 10 else end
    return (start, end) if is_secret else None


def _skip_scheme(text: str, at: int) -> int:
    """Return the position behind `Bearer `, also in quotes."""
    start = at + 1 if text[at : at + 1] in ("'", '"') else at
    head = text[start : start + 8].lower()
    scheme = next((scheme for scheme in rules.SCHEMES if head.startswith(scheme)), "")
    return start + len(scheme) if scheme else at


def _is_password(value: str, is_quoted: bool, link: int) -> bool:
    if not is_quoted and rules.is_name(value):
        return False
    if link == ASSIGNED:
        return len(value) >= 3
    if is_quoted and link in (SPACED, OPTION):
        has_word = not rules.LETTERS.isdisjoint(value) or value.isdecimal()
        return has_word and len(value) >= 3 and not (" " in value and rules.is_wordy(value))
    if " " in value or not rules.is_mixed(value) or len(value) < 5:
        return value.isdecimal() and len(value) >= 6 and link > DIRECT
    if link == FAR or (link == DIRECT and not is_quoted):
        return value[0] != "-" and (rules.is_likely(value) or rules.is_random(value, 20))
    if link == SAID and len(value) >= 10 and not (value.islower() or value.isupper()):
        return True  # Harbor-42-maple
    return link == OPTION or (is_quoted and not rules.is_name(value)) or not rules.is_wordy(value)


def _is_credential(value: str, is_quoted: bool, link: int, name: str) -> bool:
    if " " in value or (not is_quoted and rules.is_name(value)):
        return False
    if name.endswith("_pat"):
        return rules.is_random(value, 16)
    owner = name.removesuffix("key").removesuffix("token").rstrip(" _-")
    if rules.is_uuid(value):
        is_header = name.startswith("x-")
        return is_header or "secret" in name or owner.endswith(rules.STRONG_OWNERS)
    if name.endswith("key") and not owner.endswith(rules.STRONG_OWNERS):
        return rules.is_random(value, 20)
    if link < SPACED:
        return rules.is_random(value, 16)
    is_wordy = rules.is_wordy(value) and rules.SYMBOLS.isdisjoint(value)
    return len(value) >= 8 and not is_wordy and not rules.is_plain_id(value)


def _judge_cookie(text: str, at: int, link: int, name: str) -> tuple[int, int] | None:
    if link < SPACED:
        return None
    start, end = _read_value(text, at)
    if not name.endswith("cookie"):
        is_secret = link == ASSIGNED and rules.is_random(text[start:end], 16)
        return (start, end) if is_secret else None
    start = at + 1 if text[at : at + 1] in QUOTES else at
    end = start + MAX_COOKIE
    for sign in ("\n", *QUOTES):
        end = _find_before(text, sign, start, end)
    parts = text[start : min(end, start + 5 * MAX_BARE)].split(";", 20)
    values = [part.partition("=")[2] for part in parts]
    is_secret = any(rules.is_random(value.strip()[:MAX_BARE], 16) for value in values)
    return (start, end) if is_secret else None


def _find_logins(text: str, low: str) -> Iterator[Place]:
    """Yield passwords behind a login: `log in as shop:X`, `creds shop / X`, `curl -u shop:X`."""
    for mark in rules.LOGINS:
        for at in _list_at(low, mark):
            end = at + len(mark)
            is_word = not low[end : end + 1].isalnum()
            if is_word and not rules.MARKS.isdisjoint(text[end : end + REACH]):
                yield from _find_pairs(text, end, _find_before(text, "\n", end, end + REACH))
    for option, commands in rules.OPTIONS.items():
        for at in _list_at(text, f" {option}"):
            before = low[max(at - MAX_BARE, 0) : at + 1].rpartition("\n")[2]
            if any(command in before for command in commands):
                yield from _judge_option(text, at + 1 + len(option), option)
    for mark in rules.PASSWORD_READERS:
        for at in _list_at(low, mark):
            echo = low.rfind("echo ", max(at - MAX_BARE, 0), at)
            start, end = _read_value(text, echo + 5)
            value = text[start:end].strip(QUOTES)
            if echo >= 0 and len(value) >= 5 and not rules.is_harmless(value):
                yield start, end, "password"


def _find_pairs(text: str, at: int, end: int) -> Iterator[Place]:
    before = ""
    for word in text[at:end].split(" ")[:10]:
        bare = word.strip("`'\"(,")
        user, colon, password = bare.partition(":" if ":" in bare else "/")
        offset = word.find(password) if colon else word.find(bare)
        is_pair = colon and user.replace(".", "").replace("@", "").replace("-", "_").isidentifier()
        value = password if is_pair else bare if before in ("/", "//", "with") else ""
        value = value.rstrip("`'\",.;)")
        if text.endswith("login ", 0, at) and rules.is_random(bare, 32):  # cargo login X
            yield at + offset, at + offset + len(bare), "credential"
        elif rules.is_likely(value) and PAIR_SIGNS.isdisjoint(value):
            yield at + offset, at + offset + len(value), "password"
        before = word
        at += len(word) + 1


def _judge_option(text: str, at: int, option: str) -> Iterator[Place]:
    is_attached = option == "-p" and text[at : at + 1] not in (" ", "=")
    start, end = _read_value(text, _skip(text, at, BLANKS | {"="}))
    value = text[start:end].strip(QUOTES)
    if option in ("-u", "--user", "-a") and ":" in value:
        user, _colon, value = value.partition(":")
        start = text.find(value, start + len(user))
        end = start + len(value)
    elif option in ("-u", "--user"):
        return
    is_clear = rules.is_mixed(value) or not (is_attached or option == "-p")
    if is_clear and len(value) >= 3 and not rules.is_harmless(value):
        yield start, end, "password"
