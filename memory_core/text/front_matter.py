"""Read and write the YAML front matter of a Markdown file, and small YAML files.

Only texts and lists of texts are read: plain, quoted and block scalars, and lists of both kinds.
Backlog.md and users write nothing else.  A YAML parser is too slow for hooks, and may not be
installed.  Values with nested keys are skipped.
"""

from __future__ import annotations

import re

from memory_core.text import markdown_lines

Value = str | list[str]
Fields = dict[str, Value]

RULE = "---\n"

# A scalar of these characters needs no quotes.
PLAIN_CHARS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/- ")
RESERVED_WORDS = ("y", "n", "yes", "no", "on", "off", "true", "false", "null")

# YAML's escapes in double quotes for one character; Backlog.md writes a no-break space as `\_`.
ESCAPES = {
    **dict(zip("0abtnvfre", "\0\a\b\t\n\v\f\r\x1b", strict=True)),
    **dict(zip("N_LP", "\x85\xa0\u2028\u2029", strict=True)),
    **{char: char for char in ' \t"/\\'},
}
_KEY = re.compile(r"""([^\s:#'"[{-][^:]*):(\s.*)?""", re.DOTALL)
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.DOTALL)
_UNWRITABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_SINGLE_QUOTED = re.compile(r"'((?:[^']|'')*)")
_FLOW_ITEM = re.compile(r"""((?:[^],'"]|'[^']*'|"[^"]*")*)([],])""")
_DOUBLE_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*\\?)', re.DOTALL)


def read_fields(text: str) -> Fields:
    """Return the fields of a text's front matter, {} if it has none."""
    lines, end = _split(text)
    return parse_mapping(lines[1 : end - 1]) if end else {}


def read_body(text: str) -> str:
    """Return a text without its front matter."""
    lines, end = _split(text)
    return "".join(lines[end:])


def _split(text: str) -> tuple[list[str], int]:
    """Return the lines of a text, and the number of lines of its front matter."""
    lines = markdown_lines.split_lines(text.removeprefix(markdown_lines.BOM))
    return lines, markdown_lines.count_front_matter(lines)


def parse_mapping(lines: list[str]) -> Fields:
    """Return texts and lists of texts by key; if a key appears twice, the first one counts."""
    fields: Fields = {}
    for at, key, rest in _find_keys(lines):
        value = _parse_value(rest, _find_lines_below(lines, at + 1))
        if value is not None:
            fields.setdefault(key, value)
    return fields


def _find_keys(lines: list[str]) -> list[tuple[int, str, str]]:
    """Return (line number, key, rest of the line) of each key without indentation."""
    matches = ((at, _KEY.fullmatch(line.rstrip("\r\n"))) for at, line in enumerate(lines))
    return [(at, key[1].rstrip(), (key[2] or "").strip()) for at, key in matches if key]


def _find_lines_below(lines: list[str], begin: int) -> list[str]:
    """Return the lines of a key: indented lines, list items, and blank lines between them."""
    end = begin
    for at in range(begin, len(lines)):
        line = lines[at]
        if not line.strip():
            continue
        if not line[0].isspace() and not line.startswith("- "):
            break
        end = at + 1
    return [line.rstrip("\r\n") for line in lines[begin:end]]


def _parse_value(rest: str, below: list[str]) -> Value | None:
    parts = [rest, *(line.strip() for line in below)]
    if rest[:1] in ("|", ">"):
        margin = min((len(line) - len(line.lstrip()) for line in below if line.strip()), default=0)
        return ("\n" if rest[0] == "|" else " ").join(line[margin:] for line in below).strip()
    if rest.startswith("["):
        return _parse_flow_list(" ".join(parts))
    if not rest and any(part.startswith("- ") for part in parts):
        return [_parse_scalar(part[2:].strip()) for part in parts if part.startswith("- ")]
    if rest.startswith("{") or (not rest and below):
        return None
    return _parse_scalar(" ".join(parts).strip())


def _parse_scalar(text: str) -> str:
    if text[:1] == "'":
        return str(_SINGLE_QUOTED.findall(text)[0]).replace("''", "'")
    if text[:1] == '"':
        value = _ESCAPE.sub(_unescape, _DOUBLE_QUOTED.findall(text)[0])
        # Other writers may use two escapes for one character, like JSON.
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    text = text.partition(" #")[0].rstrip()
    return "" if text in ("null", "~") else text


def _unescape(escape: re.Match[str]) -> str:
    """Return the character of an escape; an invalid one stays as it is."""
    kind, digits = escape[1][0], escape[1][1:]
    try:
        return chr(int(digits, 16)) if digits else ESCAPES.get(kind, escape[0])
    except (ValueError, OverflowError):
        return escape[0]


def _parse_flow_list(text: str) -> list[str]:
    """Return the texts of a list in brackets."""
    values, at = list[str](), 1
    while item := _FLOW_ITEM.match(text, at):
        values.append(_parse_scalar(item[1].strip()))
        at = item.end() if item[2] == "," else len(text)
    return [value for value in values if value]


# Writing.


def set_fields(text: str, values: Fields) -> str:
    """Return a text whose front matter has these values; other lines stay unchanged."""
    bom = markdown_lines.BOM if text.startswith(markdown_lines.BOM) else ""
    lines, end = _split(text)
    head, rest = (lines[1 : end - 1], lines[end:]) if end else ([], ["\n", *lines])
    return bom + "".join([RULE, *_replace_values(head, values), RULE, *rest])


def _replace_values(lines: list[str], values: Fields) -> list[str]:
    keys = _find_keys(lines)
    first_lines = {key: at for at, key, _rest in reversed(keys)}
    after = list(lines)
    for at, key, _rest in reversed(keys):
        if key in values:  # a second line of the same key, which a merge may leave, is removed
            new = _render_field(key, values[key]) if at == first_lines[key] else []
            after[at : at + 1 + len(_find_lines_below(lines, at + 1))] = new
    missing = {key: value for key, value in values.items() if key not in first_lines}
    return [*after, format_yaml(missing)]


def format_yaml(values: Fields) -> str:
    """Return a small YAML file."""
    return "".join(line for key, value in values.items() for line in _render_field(key, value))


def _render_field(key: str, value: Value) -> list[str]:
    if isinstance(value, str):
        return [f"{key}: {quote_scalar(value)}\n" if value else f"{key}:\n"]
    if not value:
        return [f"{key}: []\n"]
    return [f"{key}:\n", *(f"  - {quote_scalar(text)}\n" for text in value)]


def quote_scalar(value: str) -> str:
    """Write a text as a scalar of one line, without characters that YAML cannot hold."""
    value = " ".join(_UNWRITABLE.sub(" ", value).split())
    is_plain = value[:1].isalpha() and PLAIN_CHARS.issuperset(value)
    if is_plain and value.lower() not in RESERVED_WORDS:
        return value
    return "'" + value.replace("'", "''") + "'"
