"""Names in the code: a class name has one meaning, and vague names are not used."""

import ast
from collections import Counter
from collections.abc import Iterator

from support.paths import REPO

TREES = {
    path.relative_to(REPO): ast.parse(path.read_text(encoding="utf-8"))
    for folder in ("memory_core", "hooks")
    for path in sorted((REPO / folder).rglob("*.py"))
}

# These names were once used for nearly everything, so they said nothing.
RETIRED = {"told", "found", "known", "held", "made", "each"}


def list_names(tree: ast.AST) -> Iterator[str]:
    """Yield the names that a module gives to functions, classes, arguments and variables."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr


def test_class_names_are_unique() -> None:
    counts = Counter(
        node.name
        for tree in TREES.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    )
    assert [name for name, count in counts.items() if count > 1] == []


def test_no_retired_names() -> None:
    users = {str(path): RETIRED & set(list_names(tree)) for path, tree in TREES.items()}
    assert {path: names for path, names in users.items() if names} == {}
