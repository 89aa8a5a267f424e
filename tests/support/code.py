"""Find the code of a file."""

import ast
from pathlib import Path


def list_code_lines(path: Path) -> set[int]:
    """Return the numbers of the lines that are not blank, comments or docstrings."""
    text = path.read_text(encoding="utf-8")
    starts = [line.lstrip()[:1] for line in text.splitlines()]
    lines = {number for number, start in enumerate(starts, 1) if start not in ("", "#")}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            lines -= set(range(node.lineno, (node.end_lineno or 0) + 1))
    return lines
