"""Give each agent one memory file with its current name.

Without `write` no file is changed or locked.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from memory_core.document import conflicts
from memory_core.document.diff import TextChange
from memory_core.git.resolve import MaintainedFiles, find_links, format_leftovers, list_targets
from memory_core.memory import transaction
from memory_core.memory.project import Project
from memory_core.storage import file_io, store


class Migration(NamedTuple):
    """An agent whose memory has old names, or several files.

    `file` is the one name, `old` are the names that go.  `kept` are the entries for the
    archive: what one file has no place for (front matter, another title) and what has to
    leave it for the limits.  `refused` says why nothing can be done, and is empty else.
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
    """Bring the memories of these agents, or of all, to one file of today's name."""
    held = project.level(user)
    owners = list_targets(project, held, names or held.agents())
    return [done for owner in along(owners) for done in _migrated(owner, write)]


def _migrated(owner: MaintainedFiles, write: bool) -> list[Migration]:
    """Return what is done, or would be, for an agent: one migration or none."""
    target = os.path.join(owner.held.folder, f"{owner.held.stem(owner.agent)}.md")
    try:
        plans = _planned(owner, target)
        if plans and write:
            with owner.held.lock(owner.agent):
                owner.settle()
                plans = _planned(owner, target)
                for plan in plans:
                    _carry_out(owner, plan)
    except (OSError, ValueError) as error:
        return [_refusal(owner, target, owner.reason(error, target))]
    return [plan.told for plan in plans]


class _Plan(NamedTuple):
    told: Migration
    target: str
    base: str  # becomes the target
    others: list[str]  # taken in by it
    links: list[str]  # to one of the others or the base
    texts: dict[str, store.FileSnapshot]


def _planned(owner: MaintainedFiles, target: str) -> list[_Plan]:
    files = owner.held.files(owner.agent)
    if files in ([], [target]):
        return []
    texts = {path: owner.text(path) for path in files}
    links = list(find_links(files))
    base, *others = [path for path in files if path not in links]
    after, kept = _combined(owner, [texts[path] for path in (base, *others)])
    change = TextChange(owner.name(target), texts[base].text, after)
    old = [owner.name(path) for path in files if path != target]
    told = Migration(owner.agent, change.path, old, change, kept, "")
    return [_Plan(told, target, base, others, links, texts)]


def _combined(owner: MaintainedFiles, texts: list[store.FileSnapshot]) -> tuple[str, list[str]]:
    """Return the text of all files as one, and the entries for the archive."""
    base, *others = texts
    if not others:
        return base.text, []
    most = owner.limits.sections
    done = conflicts.merge_sides(base.text, most)
    after, kept = done.text, format_leftovers(base.path, done)
    for other in others:
        done = conflicts.combine(after, other.text, most)
        after, kept = done.text, [*kept, *format_leftovers(other.path, done)]
    if after == base.text:
        return after, kept
    fitted, left = owner.fitted(after)
    return fitted, [*kept, *left]


def _carry_out(owner: MaintainedFiles, plan: _Plan) -> None:
    """Do it in an order in which everything is on disk at each moment."""
    change, held = plan.told.change, owner.held
    owner.archive(plan.told.archived)
    if change.after != change.before:
        held.write_file(plan.base, change.after, plan.texts[plan.base])
    for path in plan.links:
        os.unlink(path)
    if plan.base != plan.target:
        os.rename(plan.base, plan.target)
    for path in plan.others:
        if not plan.texts[path].is_current():
            raise store.FileChanged(f"{owner.name(path)} was saved by somebody else just now")
        os.unlink(path)
    file_io.sync_folder(held.folder)


def _refusal(owner: MaintainedFiles, target: str, reason: str) -> Migration:
    path = owner.name(target)
    old = [owner.name(each) for each in owner.held.files(owner.agent) if each != target]
    return Migration(owner.agent, path, old, TextChange(path, "", ""), [], reason)
