"""Undo what hides words from a reader or a search: look-alikes, spaced letters, encodings."""

from __future__ import annotations

from memory_core.text import sanitize

# Letters of other scripts that look like Latin ones (Unicode TR39, confusables), lower case.
LOOK_ALIKES = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0445\u0443\u0456\u0458\u0455\u0501\u04bb\u051b\u051d\u0261"
    "\u03bf\u03b1\u03b5\u03b9\u03bd\u03c5\u03c1\u03c4\u03ba\u03c7\u043a\u043c\u0442\u043d\u0432"
    "\u0131\u0251\u1d0f\u0299\u029f\u0280\ua731\u1d07",
    "aeopcxyijsdhqwgoaeivuptkxkmthbiaoblrse",
)
LEET = str.maketrans("013457@$", "oieastas")

SEPARATORS = ".-_*~|\u00b7"

# Tags are invisible copies of ASCII; nobody types them.
FIRST_TAG, LAST_TAG = "\U000e0020", "\U000e007e"

# Characters that only turn the direction of writing around.
OVERRIDES = "\u202d\u202e"

# Encodings inside encodings that are looked at, and characters of a text that is.
MAX_DEPTH = 2
MAX_LENGTH = 20_000

# The shortest run of letters, one by one, that is a word: "U S A" is not.
MIN_SPACED = 4

MIN_ENCODED = 16
BASE64 = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_=")
HEX = frozenset("0123456789abcdefABCDEF")


def list_readings(text: str, depth: int = MAX_DEPTH) -> list[str]:
    """Return the text as a reader sees it, and what is encoded in it, all in lower case.

    The first one is the text itself, without invisible characters, accents and look-alikes.
    """
    text = text[:MAX_LENGTH]
    hidden = "".join([chr(ord(char) - 0xE0000) for char in text if FIRST_TAG <= char <= LAST_TAG])
    folded = fold(text)
    readings = [folded]
    if depth:
        parts = [part for part in (hidden, *_decode(text)) if part and part.lower() != folded]
        readings += [reading for part in parts for reading in list_readings(part, depth - 1)]
        readings += [folded[::-1]] if "reversed" in folded or "backward" in folded else []
        readings += [_turn(folded)] if "rot13" in folded or "rot 13" in folded else []
        leet = " ".join(map(_fold_digits, folded.split(" ")))
        readings += [leet] if leet != folded else []
    return list(dict.fromkeys(readings))


def fold(text: str) -> str:
    """Return a text in lower case, without invisible characters, accents and look-alikes."""
    if text.isascii():
        return _join_spaced(sanitize.join_visible(text).lower())
    from unicodedata import normalize

    text = normalize("NFKD", sanitize.join_visible(text))
    text = normalize("NFC", "".join([char for char in text if not "\u0300" <= char <= "\u036f"]))
    text = text.lower()
    latin = sum("a" <= char <= "z" for char in text)
    if latin > sum("\u0370" <= char <= "\u052f" for char in text):
        text = text.translate(LOOK_ALIKES)
    return _join_spaced(text)


def has_hidden(text: str) -> bool:
    """Check for characters whose only use is to hide text from a reader."""
    is_tagged = sum(FIRST_TAG <= char <= LAST_TAG for char in text) > 6  # flags have up to 6
    is_split = text.count("\u200b") > 2 or is_spaced(text)
    return is_tagged or is_split or any(char in text for char in OVERRIDES)


def is_spaced(raw: str) -> bool:
    """Check for many letters that stand alone, which hide words from a search."""
    run = 0
    for word in raw.split():
        run = run + 1 if len(word) == 1 and word.isalnum() else 0
        if run >= 10:
            return True
    return False


def _join_spaced(text: str) -> str:
    """Join letters that stand alone: "i g n o r e", "i.g.n.o.r.e"; two blanks end a word."""
    words: list[str] = []
    run: list[str] = []
    for word in [*text.split(" "), "end"]:
        if not word or (len(word) == 1 and word.isalnum() and word.isascii()):
            run.append(word or " ")
            continue
        many = len("".join(run).replace(" ", "")) >= MIN_SPACED
        words += ["".join(run)] if many else run
        run = []
        words.append(_join_separated(word))
    return " ".join(" ".join(words[:-1]).split())


def _join_separated(word: str) -> str:
    for sign in SEPARATORS:
        if word[1:2] == sign and word[3:4] in (sign, "") and word.isascii():
            letters = word.split(sign)
            if len(letters) > 1 and all(len(letter) == 1 for letter in letters):
                return "".join(letters)
    return word


def _fold_digits(word: str) -> str:
    """Return a word whose letters are partly digits, "1gn0re", as a word of letters.

    A word with a dot inside is a file, a host or a version, and two digits at the end are a number.
    """
    if word.isalpha():
        return word
    inside = word.rstrip(".,:;!?)\"'`")
    if inside[-2:].isdecimal():
        inside = inside.rstrip("0123456789")
    if "." in inside or not any(ord(sign) in LEET for sign in inside):
        return word
    letters = sum(map(str.isalpha, word))
    return word.translate(LEET) if 2 <= letters < len(word) <= 2 * letters + 1 else word


def _turn(text: str) -> str:
    low = "abcdefghijklmnopqrstuvwxyz"
    return text.translate(str.maketrans(low, low[13:] + low[:13]))


def _decode(text: str) -> list[str]:
    """Return the texts that are encoded in a text."""
    texts = [_decode_signs(text)] if any(sign in text for sign in ("%", "\\", "&#")) else []
    signs = "\"'`()[]{}<>,;:|="
    for word in text.translate(dict.fromkeys(map(ord, signs), " ")).split():
        word = word.removeprefix("0x").rstrip(".")
        if len(word) >= MIN_ENCODED and BASE64.issuperset(word):
            if HEX.issuperset(word) and len(word) % 2 == 0:
                texts.append(_read(bytes.fromhex(word)))
            else:
                texts.append(_decode_base64(word))
    return [text for text in texts if text]


def _decode_base64(word: str) -> str:
    import binascii

    word = word.translate({45: "+", 95: "/"}).rstrip("=")
    try:
        return _read(binascii.a2b_base64(word + "=" * (-len(word) % 4)))
    except ValueError:
        return ""


def _read(data: bytes) -> str:
    """Return bytes as text, "" if they are not one."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return ""
    is_text = text.replace("\n", " ").replace("\t", " ").isprintable()
    return text if is_text and sum(map(str.isalpha, text)) > len(text) // 3 else ""


def _decode_signs(text: str) -> str:
    """Return a text with its escapes such as %20, \\x20, \\u0020 and &#32; read; "" without any."""
    out, at, count = bytearray(), 0, 0
    while at < len(text):
        number, length = _read_escape(text, at)
        if length and number < 0x110000:
            out += bytes([number]) if text[at] == "%" else chr(number).encode("utf-8", "replace")
            count += 1
        else:
            length = 1
            out += text[at].encode("utf-8", "replace")
        at += length
    return out.decode("utf-8", "replace") if count > 2 else ""


def _read_escape(text: str, at: int) -> tuple[int, int]:
    """Return the number of the character of an escape, and its length; 0 for other text."""
    for sign, digits in (("%", 2), ("\\x", 2), ("\\u", 4)):
        code = text[at + len(sign) : at + len(sign) + digits]
        if text.startswith(sign, at) and len(code) == digits and HEX.issuperset(code):
            return int(code, 16), len(sign) + digits
    if text.startswith("&#", at):
        code = text[at + 2 : at + 12].partition(";")[0]
        base = 16 if code[:1] in ("x", "X") else 10
        number = code[1:] if base == 16 else code
        if number and (HEX.issuperset(number) if base == 16 else number.isdecimal()):
            return int(number, base), len(code) + 3
    return 0, 0
