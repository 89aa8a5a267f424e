"""The YAML in front of a Markdown file, and small YAML files: texts and lists of texts by key.

Read is what Backlog.md writes and what people write in its place: plain, quoted and block
scalars, lists of both kinds.  A hook has no time for a YAML parser, and where the package runs
on the standard library alone there is none.  What is nested deeper is passed over.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    Value = str | list[str]
    Fields = dict[str, Value]

BOM = "\ufeff"
BLOCK_SIGNS = ("|", ">")

# Where these occur, the reader of Markdown says where the front matter ends.
UNUSUAL_MARKS = ("\r", "\n...", "\n#", "\n---", "\n<", "\n>", "\n=", "\n|")

# What a plain scalar may hold here without being read as something else.
PLAIN_CHARS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/- ")
# YAML's escapes in double quotes: for one character, and by the number of digits.
ESCAPES = {
    **dict(zip("0abtnvfre", "\0\a\b\t\n\v\f\r\x1b", strict=True)),
    **dict(zip("N_LP", "\x85\xa0\u2028\u2029", strict=True)),
    **{char: char for char in ' \t"/\\'},
}
ESCAPE_DIGITS = {"x": 2, "u": 4, "U": 8}

RESERVED_WORDS = ("y", "n", "yes", "no", "on", "off", "true", "false", "null")


def read_fields(text: str) -> Fields:
    """Return what the front matter of a text says; {} where there is none."""
    text = text.removeprefix(BOM)
    head = _head(text)
    if head is not None:
        return parse_mapping(head.splitlines())
    lines, end = _parted(text)
    return parse_mapping(lines[1 : end - 1]) if end else {}


def _head(text: str) -> str | None:
    """Return what stands between the rules of a file as most are; None where that is not plain."""
    end = text.find("\n---\n", 3)
    if not text.startswith("---\n") or end < 0:
        return None
    head = text[4 : end + 1]
    is_plain = ":" in head.partition("\n")[0]
    return head if is_plain and not any(odd in head for odd in UNUSUAL_MARKS) else None


def _parted(text: str) -> tuple[list[str], int]:
    """Return the lines of a text, and how many of them are its front matter."""
    from memory_core.document import markdown  # dear, and a small YAML file does without

    lines = markdown.split_lines(text)
    return lines, markdown.count_front_matter(lines)


def read_body(text: str) -> str:
    """Return a text without its front matter."""
    if _head(text) is not None:
        return text[text.find("\n---\n", 3) + 5 :]
    lines, end = _parted(text)
    return "".join(lines[end:])


def parse_mapping(lines: list[str]) -> Fields:
    """Return texts and lists of texts by key; what is neither is left out, of twins the first."""
    found: Fields = {}
    for at, key, rest in _keys(lines):
        below = _below(lines, at + 1)
        value = _value(rest, below)
        if value is not None:
            found.setdefault(key, value)
    return found


def _keys(lines: list[str]) -> list[tuple[int, str, str]]:
    """Return (line, key, rest of the line) of each key at the margin."""
    found = []
    for at, line in enumerate(lines):
        key, colon, rest = line.rstrip("\r\n").partition(":")
        is_key = colon and key and not key[0].isspace() and key[0] not in "#-'\"[{"
        if is_key and (not rest or rest[0].isspace()):
            found.append((at, key.rstrip(), rest.strip()))
    return found


def _below(lines: list[str], begin: int) -> list[str]:
    """Return the lines that belong to a key: indented ones, blank ones between, and `- item`."""
    end = begin
    for at in range(begin, len(lines)):
        line = lines[at]
        if not line.strip():
            continue
        if not line[0].isspace() and not line.startswith("- "):
            break
        end = at + 1
    return [line.rstrip("\r\n") for line in lines[begin:end]]


def _value(rest: str, below: list[str]) -> Value | None:
    if rest[:1] in BLOCK_SIGNS and rest[:1]:
        return _block(rest[0], below)
    if rest.startswith("["):
        return _flow(" ".join([rest, *(line.strip() for line in below)]))
    if not rest and any(line.lstrip().startswith("- ") for line in below):
        items = (line.strip() for line in below)
        return [_scalar(item[2:].strip()) for item in items if item.startswith("- ")]
    if rest.startswith("{") or (not rest and below):
        return None
    return _scalar(" ".join([rest, *(line.strip() for line in below)]).strip())


def _block(kind: str, below: list[str]) -> str:
    """Return a block scalar: with its line breaks behind `|`, folded behind `>`."""
    margin = min((len(line) - len(line.lstrip()) for line in below if line.strip()), default=0)
    lines = [line[margin:] for line in below]
    return ("\n" if kind == "|" else " ").join(lines).strip()


def _scalar(text: str) -> str:
    if text[:1] == "'":
        return _single(text)
    if text[:1] == '"':
        return _double(text)
    text = text.partition(" #")[0].rstrip()
    return "" if text in ("null", "~") else text


def _single(text: str) -> str:
    end = 1
    while end < len(text) and (text[end] != "'" or text[end + 1 : end + 2] == "'"):
        end += 2 if text[end] == "'" else 1
    return text[1:end].replace("''", "'")


def _double(text: str) -> str:
    found, at = "", 1
    while at < len(text) and text[at] != '"':
        if text[at] == "\\":
            char, at = _escaped(text, at + 1)
        else:
            char, at = text[at], at + 1
        found += char
    # Halves of a pair, as JSON has them: other writers' YAML may be that.
    return found.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _escaped(text: str, at: int) -> tuple[str, int]:
    """Return what an escape stands for, and where it ends; one that is none stays."""
    kind = text[at : at + 1]
    end = at + 1 + ESCAPE_DIGITS.get(kind, 0)
    try:
        return (ESCAPES[kind] if kind in ESCAPES else chr(int(text[at + 1 : end], 16))), end
    except (ValueError, OverflowError):
        return "\\", at


def _flow(text: str) -> list[str]:
    """Return the texts of a list in brackets."""
    found, part, quote = list[str](), "", ""
    for char in text[1:]:
        if quote or char in "'\"":
            quote = "" if char == quote else quote or char
        elif char in ",]":
            found.append(_scalar(part.strip()))
            part = ""
            if char == "]":
                break
            continue
        part += char
    return [each for each in found if each]


# Writing.


def set_fields(text: str, values: Fields) -> str:
    """Return a text whose front matter says these values; every other line stays as it is."""
    bom = BOM if text.startswith(BOM) else ""
    lines, end = _parted(text.removeprefix(BOM))
    head, rest = (lines[1 : end - 1], lines[end:]) if end else ([], ["\n", *lines])
    return bom + "".join(["---\n", *_changed(head, values), "---\n", *rest])


def _changed(lines: list[str], values: Fields) -> list[str]:
    keys = _keys(lines)
    places = {key: at for at, key, _rest in reversed(keys)}
    after = list(lines)
    for at, key, _rest in reversed(keys):
        if key in values:  # a twin, as a merge may leave it, goes
            new = _line(key, values[key]) if at == places[key] else []
            after[at : at + 1 + len(_below(lines, at + 1))] = new
    new = [line for key, value in values.items() if key not in places for line in _line(key, value)]
    return after + new


def format_yaml(values: Fields) -> str:
    """Return a small YAML file."""
    return "".join(line for key, value in values.items() for line in _line(key, value))


def _line(key: str, value: Value) -> list[str]:
    if isinstance(value, str):
        return [f"{key}: {quote_scalar(value)}\n" if value else f"{key}:\n"]
    if not value:
        return [f"{key}: []\n"]
    return [f"{key}:\n", *(f"  - {quote_scalar(each)}\n" for each in value)]


def quote_scalar(value: str) -> str:
    """Write a text as a scalar of one line that every YAML reader takes for that text."""
    value = " ".join(value.split())
    is_plain = (
        value[:1].isalpha()
        and PLAIN_CHARS.issuperset(value)
        and value.lower() not in RESERVED_WORDS
    )
    if is_plain:
        return value
    # What cannot stand as it is goes by the escapes of double quotes.
    if value.isprintable():
        return "'" + value.replace("'", "''") + "'"
    return '"' + "".join(map(_escape, value)) + '"'


def _escape(char: str) -> str:
    if char in '"\\':
        return "\\" + char
    return char if char.isprintable() else f"\\U{ord(char):08X}"
