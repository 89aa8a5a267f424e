"""Search what agent-memory has written for secrets, and the git history of the memories."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from typing import NamedTuple

from memory_core.doctor import places
from memory_core.files import tree
from memory_core.files.safe_files import SafeFiles
from memory_core.git import merge_driver
from memory_core.memory import item_index
from memory_core.memory.project import Project
from memory_core.storage import history_file, paths
from memory_core.tasks import backlog_folder
from memory_core.text import secrets

# Of one file; a memory, a history and an index are smaller.
MAX_BYTES = 64_000_000

GIT_LOG = ("log", "--all", "--no-color", "--no-ext-diff", "--no-textconv", "-p", "-U0")

# Where the lines that a commit added begin in the new file.
HUNK = re.compile(r"@@ -\S+ \+(\d+)")

# A line of a file, and its number from 1.
Lines = list[tuple[int, str]]


class Leak(NamedTuple):
    """A secret: its file, its line from 1, its kind, and the commit that added it, or ""."""

    path: str
    line: int
    kind: str
    commit: str


class Audit(NamedTuple):
    """The secrets, and sentences about what could not be read."""

    leaks: list[Leak]
    unread: list[str]


def search(project: Project, has_git: bool = False) -> Audit:
    """Search memories, histories, archives, tasks and state; with `has_git` also all commits."""
    audit = Audit([], [])
    for files, top in _list_roots(project):
        for folder, names in tree.walk(files, top, lambda error: audit.unread.append(str(error))):
            if not top and folder == item_index.FOLDER:
                continue  # of the state: it has redacted texts only, and in binary form
            for name in names:
                path = os.path.join(folder, name)
                shown = project.paths.relative(path)
                try:
                    text = files.read(path, MAX_BYTES).decode("utf-8", "replace")
                except OSError as error:
                    audit.unread.append(f"{shown}: {error.strerror or error}")
                    continue
                lines = list(enumerate(text.split("\n"), 1))
                audit.leaks.extend(Leak(shown, at, kind, "") for at, kind, _ in _find(lines))
    if has_git:
        audit.leaks.extend(_search_commits(project, audit.unread))
    return audit


def _list_roots(project: Project) -> Iterator[tuple[SafeFiles, str]]:
    """Yield the folders to search, each with the object that opens its files."""
    for level in places.list_levels(project):
        files = level.store.files
        yield files, paths.FOLDER_NAME
        if not files.relative(level.store.folder).startswith(f"{paths.FOLDER_NAME}/"):
            yield files, files.relative(level.store.folder)
        yield level.store.paths.state, ""
    backlog = backlog_folder.Folder(project.paths.files)
    if backlog.exists:
        yield project.paths.files, backlog.relative(backlog.memory)


def _find(lines: Lines) -> Iterator[tuple[int, str, str]]:
    """Yield (line, kind, value) of each secret, also of those in packed lines of a history."""
    text = "\n".join(_unescape(line) for _number, line in lines)
    for start, end, kind in secrets.find(text):
        yield lines[text.count("\n", 0, start)][0], kind, text[start:end]
    for number, line in lines:
        unpacked = history_file.unpack_line(line)
        for start, end, kind in secrets.find(unpacked):
            yield number, kind, unpacked[start:end]


def _unescape(line: str) -> str:
    """Return a JSON object with its characters as such: secrets are found by the words before."""
    if not (line.startswith("{") and "\\u" in line):
        return line
    try:
        return json.dumps(json.loads(line), ensure_ascii=False)
    except (ValueError, RecursionError):
        return line


def _search_commits(project: Project, unread: list[str]) -> list[Leak]:
    """Return the secrets in all commits, each once in a file, with the first commit that has it."""
    files, root = project.paths.files, project.paths.root
    folders = {paths.FOLDER_NAME, files.relative(project.store.folder)}
    backlog = backlog_folder.Folder(files)
    folders |= {backlog.relative(backlog.memory)} if backlog.exists else set()
    status, log = merge_driver.run_git(
        *(root, "-c", "core.quotePath=false", *GIT_LOG, "--format=%x00%h", "--relative"),
        *("--", *sorted(folders)),
    )
    if status:
        unread.append("the git history: git log failed, or this is not a git repository")
    first: dict[tuple[str, str, str], Leak] = {}
    for commit, path, lines in _read_log(log):
        for at, kind, value in _find(lines):
            first[path, kind, value] = Leak(path, at, kind, commit)  # the newest comes first
    return list(first.values())


def _read_log(log: str) -> Iterator[tuple[str, str, Lines]]:
    """Yield (commit, path, added lines) of each file in the output of `git log -p -U0`."""
    for part in log.split("\0")[1:]:
        commit, _newline, patch = part.partition("\n")
        for change in f"\n{patch}".split("\ndiff --git "):
            path, number, lines = "", 0, Lines()
            for row in change.split("\n"):
                hunk = HUNK.match(row)
                if hunk:
                    number = int(hunk[1])
                elif not number:
                    path = row[6:] if row.startswith("+++ b/") else path
                elif row.startswith("+"):
                    lines.append((number, row[1:]))
                    number += 1
            if lines:
                yield commit.strip(), path.rstrip("\t"), lines
