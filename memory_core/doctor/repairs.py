"""The repairs of `agent-memory doctor --fix`.

A finding has its repair; findings that need a decision of a person have none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memory_core.delegation import draining
from memory_core.git import merge_driver
from memory_core.git.resolve import Resolution, resolve_files
from memory_core.setup import installation
from memory_core.storage import hook_files
from memory_core.storage.project import Project
from memory_core.text.phrases import format_count


@dataclass(frozen=True)
class Repair:
    """A repair: a description, the file, the undo command, the diff, or the error."""

    what: str
    where: str
    undo: str = ""
    diff: str = ""
    error: str = ""
    check: str = ""


def update_hooks(path: str) -> Iterator[Repair]:
    """Update the hooks in a settings file."""
    diff = installation.renew(path)
    if diff:
        yield Repair("hooks updated", path, diff=diff)


def empty_inbox(project: Project) -> Iterator[Repair]:
    """Merge the reports that wait."""
    before = len(hook_files.list_names(project.paths))
    draining.drain(project, with_tried=True)
    left = len(hook_files.list_names(project.paths))
    where, merged = project.paths.relative(project.store.folder), before - left
    if merged:
        yield Repair(f"{format_count(merged, 'report')} merged", where, "agent-memory undo")
    elif left:
        yield Repair("reports merged", where, error="the event log says why they are not merged")


def resolve(project: Project, agent: str, user: bool) -> Iterator[Repair]:
    """Keep both sides of the conflicts in an agent's files."""
    yield from _report_resolved(resolve_files(project, [agent], user, write=True))


def _report_resolved(resolutions: Iterable[Resolution]) -> Iterator[Repair]:
    for resolution in resolutions:
        change, error = resolution.change, resolution.refused
        diff = "" if error else change.diff()
        yield Repair("conflict resolved, both sides kept", change.path, diff=diff, error=error)


def install_driver(project: Project) -> Iterator[Repair]:
    """Install git's merge driver in this clone."""
    changes = merge_driver.install(project)
    where, undo = project.paths.relative(project.store.folder), "agent-memory git uninstall"
    if changes.config:
        yield Repair("merge driver installed in this clone", where, undo)
    for path in changes.attribute_files:
        yield Repair("merge driver added; commit this file", path, undo)
    yield from _report_resolved(changes.resolutions)
