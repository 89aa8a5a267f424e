"""Layout of the tests: code that several files share is in tests/support."""

import ast
from pathlib import Path

import pytest

from support.paths import REPO
from support.tables import for_each

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


def test_a_table_in_one_test_names_every_wrong_row() -> None:
    @for_each(("one", "two"), [(1, 1), (1, 2), (3, 4)])
    def check(one: int, two: int) -> None:
        assert one == two

    with pytest.raises(AssertionError, match=r"2 of 3 rows[^3]*'two': 2(.|\n)*'two': 4"):
        check()


def test_an_empty_table_fails() -> None:
    with pytest.raises(AssertionError, match="empty"):
        for_each("one", [])(lambda one: None)()
