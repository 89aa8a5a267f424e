"""The repairs of `agent-memory doctor --fix`.

A finding names its fix; findings that need a decision of a person have none.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from memory_core.curation.migrate import migrate_files
from memory_core.doctor.examination import Finding, quote_command
from memory_core.document.diff import format_diff
from memory_core.git import merge_driver
from memory_core.git.resolve import Resolution, resolve_files
from memory_core.memory import remember
from memory_core.memory.project import Project
from memory_core.setup import installation

USER_SUFFIX = " --user"  # in a fix target, after the agent: its file at the user's level


class Fix(NamedTuple):
    """A repair: a description, the file, the undo command, the diff, or the error."""

    what: str
    where: str
    undo: str = ""
    diff: str = ""
    error: str = ""
    check: str = ""


def apply(project: Project, findings: Iterable[Finding]) -> list[Fix]:
    """Run the fixes that findings name, each once; return the repairs."""
    todo = {(finding.fix, finding.fix_target): finding for finding in findings if finding.fix}
    fixes = []
    for (name, target), finding in todo.items():
        try:
            for fix in FIXES[name](project, target):
                fixes.append(fix._replace(check=finding.check))
        except (OSError, installation.InstallRefused, merge_driver.NoRepository) as error:
            reason = getattr(error, "strerror", None) or str(error)
            fixes.append(Fix(finding.mend, finding.where, error=reason, check=finding.check))
    return fixes


def _install(project: Project, path: str) -> Iterator[Fix]:
    """Update the hooks in a settings file."""
    diff = installation.renew(path)
    if diff:
        yield Fix("hooks updated", path, diff=diff)


def _add_rights(project: Project, path: str) -> Iterator[Fix]:
    """Give the owner of a file or folder the right to read and write it."""
    old = os.stat(path).st_mode & 0o7777
    new = old | (0o700 if os.path.isdir(path) else 0o600)
    if new != old:
        os.chmod(path, new)
        where = project.place.relative(path)
        undo = quote_command("chmod", f"{old:o}", where)
        yield Fix("permission to read and write added", where, undo)


def _merge_spool(project: Project, agent: str) -> Iterator[Fix]:
    remember.merge_spool(project, agent)
    where = project.place.relative(project.store.path(agent))
    yield Fix(f"{agent}: waiting learnings merged", where, "agent-memory undo")


def _resolve(project: Project, target: str) -> Iterator[Fix]:
    """Keep both sides of a conflict."""
    agent, is_user = target.removesuffix(USER_SUFFIX), target.endswith(USER_SUFFIX)
    yield from _report_resolved(resolve_files(project, [agent], is_user, write=True))


def _report_resolved(resolutions: Iterable[Resolution]) -> Iterator[Fix]:
    for resolution in resolutions:
        change, error = resolution.change, resolution.refused
        diff = "" if error else format_diff(change)
        yield Fix("conflict resolved, both sides kept", change.path, diff=diff, error=error)


def _migrate(project: Project, target: str) -> Iterator[Fix]:
    """Merge several memory files of an agent into one."""
    agent, is_user = target.removesuffix(USER_SUFFIX), target.endswith(USER_SUFFIX)
    for migration in migrate_files(project, [agent], is_user, write=True):
        error = migration.refused
        diff = "" if error else format_diff(migration.change)
        what = f"merged {', '.join(migration.old_names)} into it"
        yield Fix(what, migration.file, diff=diff, error=error)


def _use_prompts(project: Project, _target: str) -> Iterator[Fix]:
    """Add memory to prompts again."""
    path = os.path.join(project.place.state, "route.json")
    os.unlink(path)
    yield Fix("memory is added to prompts again", project.place.relative(path))


def _install_driver(project: Project, _target: str) -> Iterator[Fix]:
    """Install git's merge driver in this clone."""
    changes = merge_driver.install(project)
    where, undo = project.place.relative(project.store.folder), "agent-memory git uninstall"
    if changes.config:
        yield Fix("merge driver installed in this clone", where, undo)
    for path in changes.attribute_files:
        yield Fix("merge driver added; commit this file", path, undo)
    yield from _report_resolved(changes.mended)


FIXES: Mapping[str, Callable[[Project, str], Iterator[Fix]]] = {
    "install": _install,
    "rights": _add_rights,
    "spool": _merge_spool,
    "resolve": _resolve,
    "migrate": _migrate,
    "route": _use_prompts,
    "driver": _install_driver,
}
