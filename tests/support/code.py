"""Find the code of a file."""

import ast
import tokenize
from pathlib import Path

NO_CODE = (
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE),
    *(tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER),
)


def list_code_lines(path: Path) -> set[int]:
    """Return the numbers of the lines that are not blank, comments or docstrings."""
    with path.open(encoding="utf-8") as file:
        tokens = list(tokenize.generate_tokens(file.readline))
    lines = {
        line
        for token in tokens
        if token.type not in NO_CODE
        for line in range(token.start[0], token.end[0] + 1)
    }
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            lines -= set(range(node.lineno, (node.end_lineno or 0) + 1))
    return lines
