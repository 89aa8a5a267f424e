"""What the doctor may mend by itself: safe, each thing once, and told.

A finding names its cure; what is a person's to decide has none.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import NamedTuple

from memory_core import cleaning, installation, memory, team, upkeep
from memory_core.patient import Finding, typed

USER = " --user"  # behind an agent's name: at the level of the user


class Mended(NamedTuple):
    """What was done: where, how it is undone, the diff if there is one, or why it failed."""

    check: str
    what: str
    where: str
    undo: str = ""
    diff: str = ""
    error: str = ""


def mend(project: memory.Project, findings: Iterable[Finding]) -> list[Mended]:
    """Do what is safe of what these findings ask for."""
    wanted = {(each.cure, each.subject): each for each in findings if each.cure}
    done = []
    for (cure, subject), finding in wanted.items():
        try:
            for each in CURES[cure](project, subject):
                done.append(each._replace(check=finding.check))
        except (OSError, installation.Refused, team.NoRepository) as error:
            reason = getattr(error, "strerror", None) or str(error)
            done.append(Mended(finding.check, finding.mend, finding.where, error=reason))
    return done


def _install(project: memory.Project, path: str) -> Iterator[Mended]:
    """Bring our hooks in a settings file up to date."""
    diff = installation.renew(path)
    if diff:
        yield Mended("", "hooks brought up to date", path, diff=diff)


def _rights(project: memory.Project, path: str) -> Iterator[Mended]:
    """Give the owner of a file the right to read and write it."""
    old = os.stat(path).st_mode & 0o7777
    new = old | (0o700 if os.path.isdir(path) else 0o600)
    if new != old:
        os.chmod(path, new)
        where = project.place.relative(path)
        yield Mended("", "may be read and written", where, typed("chmod", f"{old:o}", where))


def _merge_spool(project: memory.Project, agent: str) -> Iterator[Mended]:
    """Take into an agent's memory what waits for it."""
    memory.apply_spool(project, agent)
    where = project.place.relative(project.store.path(agent))
    yield Mended("", f"{agent}: what waited is merged", where, "agent-memory undo")


def _resolve(project: memory.Project, named: str) -> Iterator[Mended]:
    """Make a union of the sides of a conflict."""
    agent, user = named.removesuffix(USER), named.endswith(USER)
    yield from _resolved(upkeep.resolve(project, [agent], user, write=True))


def _resolved(found: Iterable[upkeep.Resolution]) -> Iterator[Mended]:
    for each in found:
        diff = "" if each.refused else upkeep.diff(each.change)
        what = "conflict resolved, both sides kept"
        yield Mended("", what, each.change.path, diff=diff, error=each.refused)


def _migrate(project: memory.Project, named: str) -> Iterator[Mended]:
    """Make one file of an agent's several."""
    agent, user = named.removesuffix(USER), named.endswith(USER)
    for each in upkeep.migrate(project, [agent], user, write=True):
        diff = "" if each.refused else upkeep.diff(each.change)
        what = f"took in {', '.join(each.old)}"
        yield Mended("", what, each.file, diff=diff, error=each.refused)


def _drop_leftovers(project: memory.Project, _subject: str) -> Iterator[Mended]:
    for stale in cleaning.left_over(project.store):
        with suppress(FileNotFoundError):  # a writer of the same file removes it as well
            os.unlink(stale.path)
        yield Mended("", "removed", project.place.relative(stale.path))


def _try_prompts(project: memory.Project, _subject: str) -> Iterator[Mended]:
    """Let memory go with prompts again."""
    path = os.path.join(project.place.state, "route.json")
    os.unlink(path)
    yield Mended("", "memory goes with prompts again", project.place.relative(path))


def _tell_git(project: memory.Project, _subject: str) -> Iterator[Mended]:
    """Tell this clone how memories are merged."""
    done = team.install(project)
    where = project.place.relative(project.store.folder)
    if done.config:
        yield Mended("", "git merges memories by item here", where, "agent-memory git uninstall")
    for path in done.attributes:
        yield Mended("", "git is told to; commit it", path, "agent-memory git uninstall")
    yield from _resolved(done.mended)


CURES: Mapping[str, Callable[[memory.Project, str], Iterator[Mended]]] = {
    "install": _install,
    "rights": _rights,
    "spool": _merge_spool,
    "resolve": _resolve,
    "migrate": _migrate,
    "leftovers": _drop_leftovers,
    "route": _try_prompts,
    "driver": _tell_git,
}
