"""Remove the characters that show nothing, and those that change how other text is shown.

They can hide words from a reader, a tag from a check, and data in an emoji.  What languages and
emoji need stays: joiners inside words of Arabic, Indic and similar scripts, joined emoji, and the
selector behind an emoji.  Flags of parts of a country, with Unicode's tags, lose them.
"""

from __future__ import annotations

import re
from unicodedata import category

# They show nothing, although Unicode calls them letters, marks or symbols: fillers, the grapheme
# joiner, vowels of Khmer, the variation selectors of Mongolian, and a braille cell without dots.
INVISIBLE_CHARS = "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2065\u2800\u3164\uffa0"

# From each of these characters to the next one: variation selectors, unassigned characters that
# are reserved for invisible ones, Unicode's tags and more selectors.
HIDDEN_RANGES = (("\ufe00", "\ufe0f"), ("\ufff0", "\ufff8"), ("\U000e0000", "\U000e0fff"))

# Format characters that show something: signs of Arabic and Syriac numbers and verses.
VISIBLE_FORMATS = "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd"

# They join or separate letters of some scripts, and the parts of emoji.
JOINERS = "\u200c\u200d"

# It chooses the picture of the sign before it, and the key of a digit.
EMOJI_SELECTOR = "\ufe0f"
KEY_CAP = "\u20e3"

# Escape sequences of terminals; none is longer than 80 characters, except titles.
_ESCAPE = re.compile(r"\x1b(?:\[[^@-~\x1b]{0,78}[@-~]|\][^\x07\x1b]*\x07|[^\x1b]?)")

# What is left of these characters depends on their neighbours.
DEPENDENT_SIGNS = (*JOINERS, EMOJI_SELECTOR)


def clean(text: str) -> str:
    """Return the visible characters of a text, with its line breaks and tabs.

    Terminal escapes are removed, other control characters and all kinds of blanks become a blank,
    and a lone surrogate (a byte that was not UTF-8) the replacement character.
    """
    if _is_plain(text):
        return text
    text = text.replace("\r\n", "\n").replace("\x9b", "\x1b[")
    return _replace_hidden(_ESCAPE.sub("", text), "", " ")


def show_hidden(text: str) -> str:
    """Return a text with a replacement character for each one that `clean` removes."""
    return text if _is_plain(text) else _replace_hidden(text, "\ufffd", "\ufffd")


def _replace_hidden(text: str, sign: str, control: str) -> str:
    """Replace what is not visible by `sign`, and control characters by `control`."""
    text = text.translate({ord(char): _show(char, sign, control) for char in set(text)})
    has_joiners = any(one in text for one in DEPENDENT_SIGNS)
    return _replace_loose_joiners(text, sign) if has_joiners else text


def _is_plain(text: str) -> bool:
    return text.isascii() and text.replace("\n", " ").replace("\t", " ").isprintable()


def is_hidden(char: str) -> bool:
    """Say whether a character shows nothing, although Unicode does not call it a format."""
    is_in_range = char >= "\ufe00" and any(first <= char <= last for first, last in HIDDEN_RANGES)
    return is_in_range or char in INVISIBLE_CHARS


def _show(char: str, sign: str, control: str) -> str:
    """Return what takes the place of a character; that of joiners depends on their neighbours."""
    if char in "\n\t" or char in DEPENDENT_SIGNS or char in VISIBLE_FORMATS:
        return char
    if is_hidden(char):
        return sign
    kind = category(char)
    if kind == "Cc":
        return control
    if kind in ("Cs", "Co"):
        return "\ufffd"
    return sign if kind == "Cf" else " " if kind[0] == "Z" else char


def _replace_loose_joiners(text: str, sign: str) -> str:
    """Replace joiners and emoji selectors where neither a language nor an emoji needs them."""
    shown, before = list[str](), ""
    for char, after in zip(text, f"{text[1:]} ", strict=True):
        kept = sign if char in DEPENDENT_SIGNS and _is_loose(char, before, after) else char
        shown.append(kept)
        before = kept or before
    return "".join(shown)


def _is_loose(char: str, before: str, after: str) -> bool:
    if char in JOINERS:
        return not (_joins(before) and _joins(after) and after != EMOJI_SELECTOR)
    is_key = before in tuple("0123456789#*") and after == KEY_CAP
    return not (is_key or _is_emoji(before))


def _joins(char: str) -> bool:
    """Check for a part of an emoji, or a letter of a script whose words have joiners.

    These scripts follow Latin, Greek, Cyrillic and Hebrew, and precede Chinese and its neighbours.
    """
    is_letter = "\u0600" <= char <= "\u1cff" or "\ua800" <= char <= "\uabff"
    return (
        is_letter
        or "\U00010a00" <= char <= "\U0001fbff"
        or _is_emoji(char)
        or char == EMOJI_SELECTOR
    )


def _is_emoji(char: str) -> bool:
    is_symbol = "\u203c" <= char <= "\u3299" and char not in JOINERS
    return is_symbol or "\U0001f000" <= char <= "\U0001fbff" or char in ("\u00a9", "\u00ae")
