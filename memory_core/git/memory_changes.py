"""Find what a working tree changed in the memories since a commit, and rate it for a reviewer.

Decisions that a person made on this machine do not count, so the result is the same everywhere.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from memory_core.claude_code import agent_spelling
from memory_core.document import markdown, near_duplicates
from memory_core.document.block_reader import ItemFields
from memory_core.files import git_command
from memory_core.git import merge_driver
from memory_core.history import item_history
from memory_core.origin import text_origins
from memory_core.secrets import scanner
from memory_core.selection import splitting
from memory_core.storage import history_file, paths, store
from memory_core.storage.project import Project

CONFIG = f"{paths.FOLDER_NAME}/config.yml"
ADDED, CHANGED, REMOVED = "added", "changed", "removed"


class UnknownCommit(ValueError):
    """The commit to compare with does not exist here; the message says what to do."""

    status = 2


class ItemChange(NamedTuple):
    """An item, paragraph or heading: what happened to it, its score, and why it would wait.

    `before` is the old text of a changed one.  Texts have no secrets.
    """

    agent: str
    kind: str
    section: str
    text: str
    before: str
    score: float = 0.0
    reason: str = ""


class MemoryChanges(NamedTuple):
    """All changes since `commit`; `notes` are sentences about other changes and limits."""

    commit: str
    items: list[ItemChange]
    notes: list[str]

    @property
    def waiting(self) -> list[ItemChange]:
        """Return the changes that would wait for review."""
        return [change for change in self.items if change.reason]


def compare(project: Project, base: str) -> MemoryChanges:
    """Return what changed since the branch of the working tree left the commit `base`.

    Raises UnknownCommit, and NoRepository of `merge_driver`.
    """
    merge_driver.find_work_tree(project)
    root, notes = project.paths.root, list[str]()
    commit = _find_commit(root, base, notes)
    changes = MemoryChanges(commit[:10], [], notes)
    folder = project.paths.relative(project.store.folder)
    for path in _list_paths(root, commit, folder):
        place, name = os.path.split(path)
        agent = agent_spelling.agent_of_file(name) if place == folder else ""
        limit = store.MAX_MEMORY_BYTES if agent else store.MAX_DATED_BYTES
        before, after = _read_old(root, commit, path), _read_new(project, path, limit, notes)
        if before == after:
            continue
        if path == CONFIG:
            notes.append(f"{CONFIG} has changed: read it")
        elif agent:
            changes.items.extend(_compare_items(agent, before, after))
        reasons = [change.reason for change in changes.items if change.agent == agent]
        changes.items.extend(_list_leaks(agent, path, before, after, reasons))
    changes.items.sort(key=lambda change: (not change.reason, change.agent != "PM", change.agent))
    return changes


def _find_commit(root: str, base: str, notes: list[str]) -> str:
    """Return the commit where the present branch left `base`."""
    words = ("rev-parse", "--verify", "--quiet", f"{base}^{{commit}}")
    status, commit = (1, "") if base.startswith("-") else git_command.run(root, *words)
    is_shallow = git_command.run(root, "rev-parse", "--is-shallow-repository")[1] == "true\n"
    if status:
        hint = "this clone is shallow, so fetch it first (in GitHub Actions: fetch-depth: 0)"
        hint = hint if is_shallow else "use a branch or a commit, such as origin/main"
        raise UnknownCommit(f"no commit {base!r} here: {hint}")
    status, common = git_command.run(root, "merge-base", commit.strip(), "HEAD")
    if status:
        notes.append(f"no common commit with {base} is here, so {base} itself is compared")
    return (commit if status else common).split()[0]


def _list_paths(root: str, commit: str, folder: str) -> list[str]:
    """Return the files of the commit, and those of today that git does not ignore.

    Git compares no file of the work tree: the repository may name a program that filters them.
    """
    places = ("--", folder, CONFIG)
    old = git_command.run(root, "ls-tree", "-r", "-z", commit, *places)[1].split("\0")
    words = ("ls-files", "-z", "--cached", "--others", "--exclude-standard")
    paths = {*git_command.run(root, *words, *places)[1].split("\0")}
    paths |= {line.partition("\t")[2] for line in old if line.startswith("100")}
    return sorted(paths - {""})


def _read_old(root: str, commit: str, path: str) -> str:
    status, text = git_command.run(root, "cat-file", "blob", f"{commit}:./{path}")
    return "" if status else text


def _read_new(project: Project, path: str, limit: int, notes: list[str]) -> str:
    files = project.paths.files
    try:
        data = files.read(path, limit)
    except OSError as error:
        notes.append(f"{path} is not read: {error.strerror or error}")
        return ""
    if path in files.refused:
        notes.append(str(files.refused[path]))
    return data.decode("utf-8", "surrogateescape")


# Items.


def _compare_items(agent: str, before: str, after: str) -> Iterator[ItemChange]:
    """Yield the changes from one text of a memory file to another one."""
    old, new = _index_texts(before), _index_texts(after)
    gone = {part.text: part for key, part in old.items() if key not in new}
    fresh = len(new.keys() - old.keys())
    is_rewritten = fresh * len(gone) > item_history.MAX_PAIRS
    for key, part in new.items():
        if old.get(key) == part:
            continue
        similar = "" if is_rewritten else near_duplicates.find_similar(part.text, gone)
        was = old.get(key) or gone.pop(similar, ItemFields("", ""))
        whole, before = (markdown.join_nested(one.text, one.nested) for one in (part, was))
        before = f"{was.text} (in {was.section})" if before == whole else before
        kind = CHANGED if was.text else ADDED
        yield _rate(ItemChange(agent, kind, part.section, whole, before))
    for part in gone.values():
        whole = markdown.join_nested(part.text, part.nested)
        yield ItemChange(agent, REMOVED, part.section, scanner.redact(whole), "")


def _index_texts(text: str) -> dict[str, ItemFields]:
    """Return the parts of a file that are rated, by their ids."""
    document = markdown.parse_document(text)
    parts = markdown.list_items(document)
    others = splitting.split_document(document)
    parts += [ItemFields(other.text, other.section) for other in others if not other.item]
    parts += [ItemFields(text, "") for _start, _end, text in splitting.list_headings(document)]
    return {item_history.id_of(part.text): part for part in parts}


def _rate(change: ItemChange) -> ItemChange:
    """Return a change with its score and the reason; all that a branch brings is from outside."""
    kinds = [kind for _start, _end, kind in scanner.find(change.text)]
    reasons = [f"secret: {', '.join(dict.fromkeys(kinds))}"] if kinds else []
    text, before = scanner.redact(change.text), scanner.redact(change.before)
    reasons += filter(None, [text_origins.find_reason(text)])
    score, reason = text_origins.rate(text), "; ".join(reasons)
    return change._replace(text=text, before=before, score=score, reason=reason)


def _list_leaks(
    agent: str, path: str, before: str, after: str, reasons: Iterable[str]
) -> Iterator[ItemChange]:
    """Yield the kinds of new secrets in a file that are not in an item of it."""
    old, new = (
        Counter(kind for _start, _end, kind in scanner.find(_unpack(text)))
        for text in (before, after)
    )
    for kind in new - old:
        if not any(kind in reason for reason in reasons):
            text = f"[redacted: {kind}] in {path}"
            yield ItemChange(agent or path, ADDED, "", text, "", reason=f"secret: {kind}")


def _unpack(text: str) -> str:
    return "\n".join(f"{line}\n{history_file.unpack_line(line)}" for line in text.split("\n"))
