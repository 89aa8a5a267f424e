"""Whether the value of a name is a secret: no placeholder, ordinary word, reference or id."""

from __future__ import annotations

import re

# A value in a table, or one that only stands behind its name, must look more like a secret.
WEAK_LINKS = ("|", " ")

# What documentation writes for a value, and at last documented values of GitHub, Stripe, jwt.io,
# Azurite, Cosmos DB, RFC 7617 and RFC 6750, in parts, so that no scanner takes them for a leak.
_PLACEHOLDER = re.compile(
    r"example|placeholder|change[-_]?me|your|redacted|xxxx|\*{4}|\.{3}|dummy|fake|sample|insert"
    r"|replace|todo|16c7e42f292c6912e7710c838347|4ec39hqlyjwdarjtt1zd|bqokikjovbii2hlwgh4o"
    r"|zdwiioiixmjm0nty3odkwi|eby8vdm02xnocqflquw|c2y6ydjf5/r\+ob0n8a7cgv30"
    r"|qwxhzgrpbjpvcgvuihnlc2ft|mf_9\.b5f-4\.1jqm|jbswy3dpehpk3pxp",
    re.I,
)

# A long key may have any word somewhere in it; a placeholder has one here.
_HEAD = 100

# Values that say what is expected, or that an installation has at first.
_PLAIN_WORD = re.compile(
    "password|passwd|pass|passphrase|pwd|secrets?|token|key|api-?key|value|string|str|text|bytes"
    "|number|int|integer|boolean|bool|true|false|yes|no|on|off|none|null|nil|undefined|unset|empty"
    "|blank|missing|required|optional|hidden|masked|hashed|encrypted|plaintext|invalid|valid|wrong"
    "|bad|correct|incorrect|expired|tests?|testing|foo|bar|baz|qux|admin|administrator|guest|root"
    "|user|username|postgres|mysql|mariadb|mongo|redis|rabbitmq|minio|sa|default|any|prompt|ask|env"
    "|vault|file|path|stdin|field|column|input|label|name|type",
    re.I,
)

# A variable, a template, a call, and the beginnings of what names an algorithm, a hash or a place.
_REFERENCE = re.compile(
    r"""\$(?:[{(]|[a-z_]\w*\Z|[256a]) | [\[<{] | %[sd(] | [^\n]{0,300}?\{\{ | [a-z_][\w.]*\(
    | sha[1235] | md5 | argon | bcrypt | pbkdf2 | scrypt | hmac | [her]s256 | aes | rsa | utf
    | oauth2 | base64- | (?:arn|vault|file|ssm|env): | op:// | http
    | (?:os|process|env|config|settings|self|this|secrets)\. | .*%\Z""",
    re.I | re.X,
)

_NAME = re.compile(r"[^\W\d][^\W\d.-]*(?:[.-][^\W\d]+)*")
_NAME_PART = re.compile("passw|secret|token|key|pwd|cred", re.I)
_PARTS = re.compile(r"[^\W_]+")
_WORD = re.compile(r".{1,3}|\d{1,4}|[^\W\d_]{1,19}|[a-z]+")
_PLAIN_ID = re.compile(r"\D+|[^a-zA-Z]+|(?=.{1,15}\Z)[^\W\d_]+\d*")
_UUID = re.compile(r"\w{8}-\w{4}-\w{4}-\w{4}-\w{12}")
_FINGERPRINT = re.compile(r"[\dA-F]+")
_HEX = re.compile(r"[\da-fA-F]+")
# The value of such a key need not look random.
_STRONG_NAME = re.compile(
    "(?:api|access|secret|private|master|encryption|signing|account|auth|app|storage|admin)"
    "[ _-]*(?:key|token)"
)
_LETTER = re.compile("[a-zA-Z]")
_SIGN = re.compile(r"[\d!#$%^&*?~@+]")
_SPELLED = re.compile(r"[a-zA-Z]*\d*")
_LIKELY = re.compile(
    r"""
    (?=.*\d) .* (?: [#$%^&*~@+] | [!?].*[^!?] )   # gra#fana7
    | (?=.{8}) \d*\D .* \d[a-z]                   # Tr1cycle
    | (?=.{8}) (?=.*[A-Z]) .* \d[\d!?*] \Z        # Maple-harbor42
    """,
    re.X,
)


def is_placeholder(value: str) -> bool:
    """Return whether a value is a documented example, or says where a value belongs."""
    return len(set(value[-16:].lower())) < 3 or bool(_PLACEHOLDER.search(value[:_HEAD]))


def is_harmless(value: str) -> bool:
    """Return whether a value is a placeholder, an ordinary word, or stands for another one."""
    is_path = "/" in value and is_wordy(value)
    if value.startswith(("/", "./", "../", "~/")):
        is_path = all(len(part) <= 15 for part in _PARTS.findall(value))
    is_dotted = "." in value and value.replace(".", "_").isidentifier()
    is_dotted = is_dotted and (is_wordy(value) or bool(_NAME_PART.search(value)))
    is_reference = is_path or is_dotted or bool(_REFERENCE.match(value))
    return is_reference or bool(_PLAIN_WORD.fullmatch(value)) or is_placeholder(value)


def is_wordy(value: str) -> bool:
    """Return whether a value consists of words and short numbers: `shop-db-v2`."""
    return all(map(_WORD.fullmatch, _PARTS.findall(value)))


def is_name(value: str) -> bool:
    """Return whether a value is a name in code: `db_password`, `PASSWORD`, `user-token`."""
    is_joined = "_" in value or "." in value or bool(_NAME_PART.search(value))
    return bool(_NAME.fullmatch(value)) and (value.isupper() or is_joined)


def is_hex(value: str) -> bool:
    return bool(_HEX.fullmatch(value))


def is_random(value: str, least: int) -> bool:
    """Return whether a value is long, and no word, path, reference, number or UUID."""
    if len(value) < least or is_harmless(value) or set("({[<$ ") & set(value):
        return False
    if _UUID.fullmatch(value) or _FINGERPRINT.fullmatch(value):
        return False
    parts = _PARTS.findall(value)
    return any(len(part) >= 10 and not _PLAIN_ID.fullmatch(part) for part in parts)


def is_mixed(value: str) -> bool:
    """Return whether a value has a letter, and a digit or a symbol."""
    return bool(_LETTER.search(value) and _SIGN.search(value))


def is_likely(value: str) -> bool:
    """Return whether a word can hardly be anything but a password: `Tr1cycle88`, `gra#fana7`."""
    if not 6 <= len(value) <= 100 or not value.isascii() or not is_mixed(value):
        return False
    parts = _PARTS.findall(value)
    is_spelled = len(parts) > 1 and all(map(_SPELLED.fullmatch, parts))
    if is_wordy(value) or is_harmless(value) or is_hex(value) or _UUID.fullmatch(value):
        return False
    if is_name(value) or (is_spelled and not set("!$%^&*?~+") & set(value)):
        return False
    return bool(_LIKELY.match(value))


def is_password(value: str, is_quoted: bool, link: str) -> bool:
    """Return whether the value of a password's name is one; `link` says how it follows."""
    if not is_quoted and is_name(value):
        return False
    if link == "=":
        return len(value) >= 3
    if is_quoted and link in (":", "--"):
        has_word = bool(_LETTER.search(value)) or value.isdecimal()
        return has_word and len(value) >= 3 and not (" " in value and is_wordy(value))
    if " " in value or not is_mixed(value) or len(value) < 5:
        return value.isdecimal() and len(value) >= 6 and link != " "
    if link == " " and not is_quoted:
        return is_likely(value) or is_random(value, 20)
    if link == "|" and len(value) >= 10 and not (value.islower() or value.isupper()):
        return True  # Harbor-42-maple
    return link == "--" or (is_quoted and not is_name(value)) or not is_wordy(value)


def is_credential(value: str, is_quoted: bool, link: str, name: str) -> bool:
    """Return whether the value of a name such as `api_key` or `token` is a secret."""
    if " " in value or (not is_quoted and is_name(value)):
        return False
    is_strong = bool(_STRONG_NAME.search(name))
    if _UUID.fullmatch(value):
        return is_strong or name.startswith("x-") or "secret" in name
    if name.endswith("_pat") or link in WEAK_LINKS:
        return is_random(value, 16)
    if name.endswith("key") and not is_strong:
        return is_random(value, 20)
    is_word = is_wordy(value) and not set("!#$%^&*?~@+") & set(value)
    return len(value) >= 8 and not is_word and not _PLAIN_ID.fullmatch(value)
