"""Split Markdown into lines; recognise front matter, fenced code and git's conflict markers."""

from __future__ import annotations

from io import StringIO

BOM = "\ufeff"
SECTION_START = "## "
CONFLICT_MARKERS = frozenset(("<<<<<<<", "|||||||", "=======", ">>>>>>>"))


def split_lines(text: str) -> list[str]:
    """Split after \\n, \\r\\n and \\r only; `str.splitlines` splits at eight more characters."""
    return list(StringIO(text, newline=""))


def find_line_end(text: str) -> str:
    """Return how the first line of a text ends."""
    first = next(iter(split_lines(text)), "")
    return first[len(first.rstrip("\r\n")) :] or "\n"


def count_front_matter(lines: list[str]) -> int:
    """Return the number of lines of the YAML front matter, 0 without one."""
    if begins_front_matter(lines):
        for at in range(1, len(lines)):
            if lines[at].rstrip() == "---":
                return at + 1
            if lines[at].startswith(SECTION_START):
                break
    return 0


def begins_front_matter(lines: list[str]) -> bool:
    """Check for pairs below the first line, because a rule looks the same."""
    if len(lines) < 2 or lines[0].rstrip() != "---":
        return False
    first = next((line for line in lines[1:5] if not read_marker(line)), "")
    return ":" in first or first.rstrip() == "---"


def read_marker(line: str) -> str:
    """Return the sign of a line that looks like one of git's conflict markers, else ""."""
    is_marker = line[:7] in CONFLICT_MARKERS and line[7:8] in ("", " ", "\r", "\n")
    return line[0] if is_marker else ""


def read_fence(line: str) -> tuple[str, int, str] | None:
    """Read a line that may open code: the sign of its fence, their number, and the info string.

    The line has no indentation and no line end.
    """
    sign = line[:1]
    if sign not in ("`", "~"):
        return None
    info = line.lstrip(sign)
    length = len(line) - len(info)
    return None if length < 3 or (sign == "`" and sign in info) else (sign, length, info)


def closes_fence(line: str, sign: str, length: int) -> bool:
    """Check whether a line closes code whose fence has this many signs."""
    rest = line.lstrip(" ")
    signs = rest.rstrip(" \r\n")
    return len(line) - len(rest) < 4 and len(signs) >= length and not signs.strip(sign)
