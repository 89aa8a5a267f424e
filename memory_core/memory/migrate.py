"""Give each agent one memory file with its current name.

No file is changed or locked unless `write` is set.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from memory_core.document import conflicts
from memory_core.document.diff import TextChange
from memory_core.files import file_actions
from memory_core.memory import transaction
from memory_core.memory.maintained_files import (
    MaintainedFiles,
    describe_refusal,
    format_leftovers,
    list_targets,
)
from memory_core.storage import store
from memory_core.storage.project import Project


class Migration(NamedTuple):
    """An agent whose memory has old names, or several files.

    `file` is the new name; `old_names` are removed.  `archived` are entries for the archive: items
    beyond the limits, and text that does not fit into one file (front matter, a second title).
    `refused` is the reason why nothing can be done, or "".
    """

    agent: str
    file: str
    old_names: list[str]
    change: TextChange
    archived: list[str]
    refused: str


def migrate_files(
    project: Project,
    names: Sequence[str] = (),
    user: bool = False,
    write: bool = False,
    along: transaction.ProgressWrapper = iter,
) -> list[Migration]:
    """Merge the memories of these agents, or of all, into one file with the current name."""
    level = project.level(user)
    owners = list_targets(project, level, names or level.agents())
    migrations = (_migrate(owner, write) for owner in along(owners))
    return [migration for migration in migrations if migration]


def _migrate(owner: MaintainedFiles, write: bool) -> Migration | None:
    """Return the done or planned migration of an agent; None if its file is right."""
    target = os.path.join(owner.store.folder, f"{owner.store.stem(owner.agent)}.md")
    try:
        plan = _plan(owner, target)
        if plan and write:
            with owner.store.lock(owner.agent):
                owner.record_hand_edits()
                plan = _plan(owner, target)
                if plan:
                    _apply(owner, plan)
    except (OSError, ValueError) as error:
        old = [owner.name(path) for path in owner.store.list_files(owner.agent) if path != target]
        change, reason = TextChange(owner.name(target), "", ""), owner.describe_error(error, target)
        return Migration(owner.agent, change.path, old, change, [], reason)
    return plan.migration if plan else None


class _Plan(NamedTuple):
    migration: Migration
    target: str
    texts: list[store.FileSnapshot]  # the others are merged into the first, the later target


def _plan(owner: MaintainedFiles, target: str) -> _Plan | None:
    """Return the plan, None if the file is right; raises ValueError for a link, and OSError."""
    files = owner.store.list_files(owner.agent)
    if files in ([], [target]):
        return None
    for refusal in filter(None, (describe_refusal(owner.store, path) for path in files)):
        raise ValueError(f"{refusal}; replace it by a file")
    texts = [owner.read(path) for path in files]
    after, archived = _merge(owner, texts)
    change = TextChange(owner.name(target), texts[0].text, after)
    old = [owner.name(path) for path in files if path != target]
    migration = Migration(owner.agent, change.path, old, change, archived, "")
    return _Plan(migration, target, texts)


def _merge(owner: MaintainedFiles, texts: list[store.FileSnapshot]) -> tuple[str, list[str]]:
    """Return the merged text of all files, and the entries for the archive."""
    base, *others = texts
    if not others:
        return base.text, []
    merged = conflicts.merge_sides(base.text)
    archived = format_leftovers(base.path, merged)
    for other in others:
        merged = conflicts.merge_documents(merged.text, other.text)
        archived += format_leftovers(other.path, merged)
    if merged.text == base.text:
        return base.text, archived
    return owner.update_header(merged.text), archived


def _apply(owner: MaintainedFiles, plan: _Plan) -> None:
    """Carry out the plan in an order in which no text is ever missing from the disk."""
    change, (base, *others) = plan.migration.change, plan.texts
    owner.archive(plan.migration.archived)
    if change.after != change.before:
        owner.store.write_file(base.path, change.after, base)
    if base.path != plan.target:
        owner.store.files.rename(base.path, plan.target)
    for other in others:
        if not other.is_current():
            raise store.FileChanged(f"{owner.name(other.path)} was saved by somebody else just now")
        owner.store.files.delete(other.path)
    file_actions.sync(owner.store.files, owner.store.folder)
