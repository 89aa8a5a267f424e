"""Read the lines that open and close fenced code in Markdown."""

from __future__ import annotations


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
