"""The packages of memory_core ("wings") and who may import whom; names; the layout of the tests.

Every import counts: at the top of a module, inside a function, and for type checking only.
"""

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from support.code import list_code_lines
from support.paths import REPO
from support.tables import for_each

PACKAGE = REPO / "memory_core"

BELOW_MEMORY = "text secrets files claude_code document learning history selection storage origin"
CORE = f"{BELOW_MEMORY} memory tasks git"

# Each wing, and the other wings that it may import.  docs/design.md explains them.
WINGS = {
    "text": "",
    "secrets": "text",
    "files": "text",
    "claude_code": "text files",
    "document": "text",
    "learning": "text secrets document",
    "history": "text secrets document",
    "selection": "text secrets document history",
    "storage": "text secrets files claude_code document history",
    "origin": "text secrets files claude_code document history selection storage",
    "memory": BELOW_MEMORY,
    "tasks": f"{BELOW_MEMORY} memory",
    "git": f"{BELOW_MEMORY} memory tasks",
    "monitor": CORE,
    "curation": f"{CORE} monitor",
    "delegation": f"{CORE} monitor",
    "setup": f"{CORE} monitor curation",
    "doctor": f"{CORE} monitor curation delegation setup",
    "hook": f"{CORE} monitor curation delegation",
    "api": f"{CORE} monitor curation delegation",
    "events": f"{CORE} monitor",
    "cli": f"{CORE} monitor curation delegation setup doctor",
    "mcp_server": f"{CORE} monitor curation delegation setup doctor",
    "dashboard": f"{CORE} monitor curation delegation",
}

DOORS = {"hook", "api", "events", "cli", "mcp_server", "dashboard"}

# A command starts a server: the only imports from one door to another.
SERVER_STARTERS = {
    "memory_core.cli.mcp": "mcp_server",
    "memory_core.cli.look.dashboard": "dashboard",
    "memory_core.cli.setup.demo": "dashboard",
}

# The only places that may import a library.
LIBRARIES = {
    "yaml": {"storage.config_yml.config_file"},
    "pydantic": {
        *("storage.config_yml.config_models", "storage.record_models"),
        *("storage.config_yml.config_file", "mcp_server"),
    },
    "typer": {"cli"},
    "rich": {"cli"},
    "mcp": {"mcp_server"},
    "mcp_types": {"mcp_server"},
    "anyio": {"mcp_server", "dashboard"},
    **{name: {"dashboard"} for name in ("starlette", "uvicorn")},
    **{name: {"dashboard.rendering"} for name in ("jinja2", "markupsafe")},
}

MOST_AT_THE_TOP = 12
MOST_LINES_OF_A_MODULE, MOST_LINES_OF_A_CLASS = 400, 250  # of code
# Commands of typer and the public interface have as many parameters as their users need.
MOST_PARAMETERS = 7
WIDE = ("review", "record_task")
MOST_IN_A_WING = 16


def module_name(path: Path) -> str:
    parts = path.relative_to(REPO).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def imported_names(path: Path) -> Iterator[str]:
    """Yield the full name of everything that a file imports."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path} has a relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def imported_modules(name: str) -> set[str]:
    """Return the modules of memory_core that importing this name loads."""
    modules = set()
    for full in imported_names(MODULES[name]):
        base = full.rpartition(".")[0]
        modules |= {next((module for module in (full, base) if module in MODULES), "")}
    return modules - {"", name, "memory_core"}


IMPORTS = {name: imported_modules(name) for name in MODULES}


def wing(name: str) -> str:
    """Return the wing or door of a module: its folder or file in memory_core."""
    return f"{name}.".split(".")[1]


def test_wings_import_only_what_the_table_allows() -> None:
    violations = set()
    for name, used in IMPORTS.items():
        if name == "memory_core":
            continue
        allowed = {wing(name), *WINGS[wing(name)].split(), SERVER_STARTERS.get(name, "")}
        violations |= {(name, other) for other in used if wing(other) not in allowed}
    assert violations == set()


def test_every_module_is_in_a_wing() -> None:
    assert {wing(name) for name in MODULES if name != "memory_core"} == set(WINGS)


def test_the_design_page_has_the_same_table() -> None:
    page = (REPO / "docs" / "design.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| [^|]+ \| ([\w, ]+) \|$", page, re.M)
    names = [name for name, _cell in rows]
    for place, (name, cell) in enumerate(rows):
        words, _, left_out = cell.replace(",", "").replace("nothing", "").partition(" but ")
        words = words.replace("all above", " ".join(names[:place])).replace("core", CORE)
        allowed = [word for word in words.split() if word not in left_out.split()]
        assert (name, allowed) == (name, WINGS[name].split())
    assert names == [*WINGS]


def test_the_wing_origin_is_behind_one_module() -> None:
    used = {other for name in MODULES if wing(name) != "origin" for other in IMPORTS[name]}
    front = {other for other in used if wing(other) == "origin"}
    assert front == {"memory_core.origin.text_origins"}


def test_no_import_cycles() -> None:
    TopologicalSorter(IMPORTS).prepare()  # raises CycleError


def test_only_its_own_place_imports_a_library() -> None:
    wrong = []
    for name, path in MODULES.items():
        place = name.removeprefix("memory_core.")
        for library in {full.split(".")[0] for full in imported_names(path)} & set(LIBRARIES):
            if not {place, place.split(".")[0]} & set(LIBRARIES[library]):
                wrong.append(f"{name} imports {library}")
    assert wrong == []


# Names of packages, by those of their modules that are called differently or come with others.
PACKAGES = {"markupsafe": "jinja2", "mcp_types": "mcp"}


def test_an_installation_has_all_libraries() -> None:
    project = (REPO / "pyproject.toml").read_text(encoding="utf-8")
    required = project.partition("dependencies = [")[2].partition("]")[0]
    imported = {
        PACKAGES.get(library, library)
        for name, path in MODULES.items()
        for library in (full.split(".")[0] for full in imported_names(path))
        if library not in sys.stdlib_module_names and wing(name) != "mcp_server"
    }
    assert imported - {"memory_core"} == set(re.findall(r'"([a-z0-9]+)[.>=]', required))


def folders() -> list[Path]:
    return sorted({path.parent for path in MODULES.values()} - {PACKAGE})


def test_the_top_folder_is_small() -> None:
    assert len(list(PACKAGE.glob("*.py"))) <= MOST_AT_THE_TOP


@for_each("folder", folders())
def test_a_wing_is_small(folder: Path) -> None:
    packages = [path for path in folder.iterdir() if (path / "__init__.py").exists()]
    modules = [path for path in folder.glob("*.py") if path.name != "__init__.py"]
    assert len(packages + modules) <= MOST_IN_A_WING


@for_each("name", MODULES)
def test_a_module_is_short(name: str) -> None:
    lines = list_code_lines(MODULES[name])
    assert len(lines) <= MOST_LINES_OF_A_MODULE
    for node in ast.walk(ast.parse(MODULES[name].read_text(encoding="utf-8"))):
        if isinstance(node, ast.ClassDef):
            own = lines.intersection(range(node.lineno, (node.end_lineno or 0) + 1))
            assert len(own) <= MOST_LINES_OF_A_CLASS, node.name
        elif isinstance(node, ast.FunctionDef) and node.name not in WIDE:
            names = [arg.arg for arg in (*node.args.args, *node.args.kwonlyargs)]
            assert len(names) - (names[:1] == ["self"]) <= MOST_PARAMETERS, node.name


@for_each("folder", [folder for folder in folders() if folder.name not in DOORS])
def test_the_init_of_a_wing_is_only_a_docstring(folder: Path) -> None:
    """Hooks pay for every import, so a wing re-exports nothing."""
    tree = ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))
    assert len(tree.body) == 1
    text = ast.get_docstring(tree) or ""
    assert len(re.findall(r"\.(?=\s|$)", text)) == 2, text


# Names in the code: a class name has one meaning, and vague names are not used.

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


# The tests: code that several files share is in tests/support.


def test_no_file_imports_a_test_file() -> None:
    imports = re.compile(r"^ *(from|import) .*\b(test_\w+|conftest)\b", re.M)
    paths = (REPO / "tests").rglob("*.py")
    assert [path for path in paths if imports.search(path.read_text(encoding="utf-8"))] == []


def test_a_table_in_one_test_names_every_wrong_row() -> None:
    @for_each(("one", "two"), [(1, 1), (1, 2), (3, 4)])
    def check(one: int, two: int) -> None:
        assert one == two

    with pytest.raises(AssertionError, match=r"2 of 3 rows[^3]*'two': 2(.|\n)*'two': 4"):
        check()


def test_an_empty_table_fails() -> None:
    with pytest.raises(AssertionError, match="empty"):
        for_each("one", [])(lambda one: None)()
