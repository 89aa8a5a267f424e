"""Only memory_core/files opens, lists, replaces or deletes files below a project.

A repository may have a link, a pipe or a huge file in any place, so all other modules go through
`SafeFiles`.  The modules below have paths that no repository chooses.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

from support.paths import REPO

OS_CALLS = {
    *("open", "replace", "rename", "renames", "unlink", "remove", "removedirs", "listdir"),
    *("scandir", "walk", "fwalk", "mkdir", "makedirs", "rmdir", "stat", "lstat", "truncate"),
    *("symlink", "link", "readlink", "mkfifo", "chmod", "chown", "lchown", "utime"),
}
PATH_CHECKS = {"exists", "lexists", "isfile", "isdir", "islink", "ismount", "getsize", "getmtime"}
PATH_CHECKS |= {"getctime", "samefile"}
# Those of pathlib.Path whose names nothing else has.
PATH_METHODS = {
    *("read_text", "read_bytes", "write_text", "write_bytes", "iterdir", "glob", "rglob"),
    *("is_file", "is_dir", "is_symlink", "unlink", "rmdir"),
    *("symlink_to", "hardlink_to", "lchmod", "mkdir", "lstat"),
}
# A terminal and PATH are no files of a project.
SHUTIL = frozenset({"which", "get_terminal_size"})

# Methods of `SafeFiles` that have the names of methods of Path.
SAFE_NAMES = frozenset({"read_text", "is_file"})

# Module or module.function: why it may use the calls, whose paths are not below a project.
ALLOWED: dict[str, str] = {
    "files": "the one place",
    # The way to a project, and the folder of a project itself.
    "storage.paths.is_folder": "looks for the project; a link is refused later",
    "files.project_roots._is_own": "looks for the project, upwards from the current folder",
    "files.project_roots._is_own_repository": "looks for the project",
    "files.project_roots._mode": "looks for the project",
    "api.Memories.__init__": "the project's folder itself",
    "mcp_server.served_project.ServedProject": "the project's folder itself",
    "dashboard.site.Site": "the project's folder itself, and the installed program",
    "curation.cleaning._find_orphans": "the home directory itself",
    # Files of this machine and of the user.
    "delegation.background": "the null device",
    "origin.word_weights._read": "the installed program",
    "origin.checking.read_forms": "the installed program",
    "storage.config_yml.default_settings._read_table": "the installed program",
    "storage.database.state_db": "the database in the state folder, which sqlite opens by its path",
    "storage.state_owner": "the state folder, and the inode of the project's folder itself",
    "claude_code.transcripts.list_all": "transcripts in ~/.claude",
    "claude_code.settings_files.list_transcript_folders": "transcripts in ~/.claude",
    "claude_code.acting": "the processes of this machine",
    "origin.reading": "whether and since when files exist; nothing is opened",
    "files.git_log": "looks for git's folder and what is in it; nothing is opened",
    "claude_code.settings_files._find_problem": "the installed program; nothing is opened",
    "claude_code.settings_files._find_in_place": "plugins in ~/.claude",
    "doctor.path_checks.check_state": "the state folder",
    "cli.setup.config": "whether places exist; nothing is opened",
    "doctor.hook_checks.check_program": "the home folder",
    "doctor.hook_checks._report_unusable": "whether a settings file is a link",
    "monitor.gone_projects.list_gone": "whether folders of other projects exist",
    "setup.hook_runner.read_template": "the installed program",
    "setup.activation": "the installed program",
    "setup.builder": "the installed program, or a temporary folder",
    "setup.packages": "the packages of the running program",
    "setup.upgrade": "the installed program, or a temporary folder",
    "setup.program": "the installed program, the list of projects, and the state of all of them",
    "setup.installation.uninstall": "whether the program and the state of the project exist",
    "setup.demo": "a temporary folder",
    "cli.setup.demo": "a temporary folder",
    "setup.installation._find_target": "the project's root itself, which the user names",
    "setup.installation._find_new_target": "the project's root itself, which the user names",
    "setup.installation.write_settings": "the empty .claude that the installation created",
    "setup.plugin": "the environment of the plugin",
    "setup.plugin_environment": "the environment of the plugin",
    "setup.hook_runner": "our own hooks, in a temporary folder",
    "git.merge_driver._find_program": "the installed program",
    # Temporary folders, terminals, and what the user names.
    "git.three_way._order": "a temporary folder",
    "cli.change.edit": "a temporary folder for the editor, and a backup in it",
    "cli.common.inputs.read_input": "a file that the user names",
    "cli.entry._discard_unwritable": "the output",
}

PACKAGE = REPO / "memory_core"


def name_of(node: ast.expr) -> str:
    """Return the dotted name of an expression, "" for any other."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        before = name_of(node.value)
        return f"{before}.{node.attr}" if before else f"?.{node.attr}"
    return "?"


def is_access(name: str) -> bool:
    """Check whether the name of something used is that of a way to reach a file."""
    before, _, last = name.rpartition(".")
    if before in ("os", "posix"):
        return last in OS_CALLS
    if before == "os.path":
        return last in PATH_CHECKS
    if before == "shutil":
        return last not in SHUTIL
    return name == "open" or (bool(before) and last in PATH_METHODS - SAFE_NAMES)


def list_access(tree: ast.AST, where: str) -> Iterator[tuple[str, str, int]]:
    """Yield (module.function, name, line) of all that reaches files without SafeFiles."""
    for node in ast.iter_child_nodes(tree):
        inner = where
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            inner = f"{where}.{node.name}"
        if isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from ((where, name, node.lineno) for name in names if is_access(name))
        elif isinstance(node, (ast.Name, ast.Attribute)) and is_access(name_of(node)):
            yield where, name_of(node), node.lineno
            continue
        yield from list_access(node, inner)


ACCESS: dict[Path, list[tuple[str, str, int]]] = {}
for module in sorted(PACKAGE.rglob("*.py")):
    name = ".".join(module.relative_to(PACKAGE).with_suffix("").parts)
    ACCESS[module] = list(list_access(ast.parse(module.read_text(encoding="utf-8")), name))


def is_allowed(where: str) -> bool:
    parts = where.split(".")
    names = {".".join(parts[:count]) for count in range(1, len(parts) + 1)}
    return not names.isdisjoint(ALLOWED)


def test_files_are_reached_through_safe_files() -> None:
    for path, found in ACCESS.items():
        wrong = [access for access in found if not is_allowed(access[0])]
        assert wrong == [], path


def test_every_exception_is_needed() -> None:
    used = {where for found in ACCESS.values() for where, _, _ in found}
    for name in ALLOWED:
        assert any(f"{where}.".startswith(f"{name}.") for where in used), name


WAYS = ["open('x')", "os.open('x', 0)", "os.path.isfile('x')", "shutil.rmtree('x')"]
WAYS += ["from os import unlink", "from shutil import rmtree", "Path('x').unlink()"]
WAYS += ["list(map(os.stat, []))", "def f():\n    with open('x') as file:\n        pass"]
NO_WAYS = ["files.open('x', 0)", "files.read_text('x')", "os.path.join('x')", "os.getpid()"]
NO_WAYS += ["text.replace('a', 'b')", "files.remove('x')", "os.close(3)", "status.st_mtime"]


def test_each_way_to_a_file_is_seen() -> None:
    assert [code for code in WAYS if not list(list_access(ast.parse(code), "m"))] == []
    assert [code for code in NO_WAYS if list(list_access(ast.parse(code), "m"))] == []
