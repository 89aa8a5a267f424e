"""Names with letters that are not ASCII: fold them, and write them as names of files."""

from __future__ import annotations

from unicodedata import category, normalize

from memory_core.text import characters

# Signs that mean the same to every file system and are common in names: "c++", "node.js".
LITERAL = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-.+#@")

# File systems allow 255 bytes; suffixes of our own, and a file system that
# stores letters decomposed, want their share.
STEM_BYTES = 120
_CUT_BYTES = 100


def fold(name: str) -> str:
    """Fold case and Unicode form; separators of words become blanks."""
    # Folding case can undo the normal form, and a dropped character can let
    # its neighbours combine: an id must be what its own folding gives.
    before = ""
    while name != before:
        before = name
        name = "".join([_fold_char(char) for char in normalize("NFKC", name.casefold())])
    return name


def _fold_char(char: str) -> str:
    kind = category(char)
    if kind == "Cf" or characters.is_hidden(char):
        return ""
    if kind == "Cs":
        return "\ufffd"
    return " " if kind[0] == "Z" or kind in ("Cc", "Pc", "Pd") else char


def encode_stem(agent: str) -> str:
    """Return an id as a file name of limited length, safe on every file system."""
    stem = _encode_edges("".join(map(_encode_unsafe, agent)))
    # A mark behind one of our own letters would melt into it.
    if normalize("NFC", stem) != stem:
        signs = (char if char in LITERAL else _encode_char(char) for char in agent)
        stem = _encode_edges("".join(signs))
    return stem if len(stem.encode()) <= STEM_BYTES else _cut(stem)


def _encode_edges(stem: str) -> str:
    """Encode a first "." or "-" and a last ".": they hide files or look like options."""
    if stem[0] in ".-":
        stem = _encode_char(stem[0]) + stem[1:]
    return stem[:-1] + _encode_char(".") if stem[-1] == "." else stem


def _encode_unsafe(char: str) -> str:
    """Return a character in a form that is safe in a file name."""
    if char in LITERAL:
        return char
    if char == ":":
        return "--"  # an id has no two hyphens in a row
    if char.isascii():
        return _encode_char(char)
    # Where two characters have one capital, a file system that ignores case
    # takes them for one; only the one that the capital leads back to is kept.
    stable = char.lower() == char == char.upper().lower()
    kind = category(char)
    return char if stable and (kind[0] in "LMN" or kind == "So") else _encode_char(char)


def _encode_char(char: str) -> str:
    return "".join([f"={byte:02x}" for byte in char.encode()])


def _cut(stem: str) -> str:
    start = stem.encode()[:_CUT_BYTES].decode("utf-8", "ignore")
    from hashlib import sha256  # slow to import, and few names are so long

    return f"{start}=h{sha256(stem.encode()).hexdigest()[:16]}"
