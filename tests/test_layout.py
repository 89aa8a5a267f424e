"""Layout of the tests: code that several files share is in tests/support."""

from __future__ import annotations

import ast
from pathlib import Path

from support.paths import REPO

TESTS = REPO / "tests"
FILES = sorted(path.relative_to(TESTS) for path in TESTS.rglob("*.py"))


def list_imports(path: Path) -> set[str]:
    """Return each part of the names of the modules that a file imports."""
    names: list[str] = []
    for node in ast.walk(ast.parse((TESTS / path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names += [alias.name for alias in node.names]
        if isinstance(node, ast.ImportFrom):
            names.append(node.module or "")
    return {part for name in names for part in name.split(".")}


def test_no_file_imports_a_test_file() -> None:
    wrong = [
        f"{path} imports {name}"
        for path in FILES
        for name in list_imports(path)
        if name.startswith("test_") or name == "conftest"
    ]
    assert wrong == []
