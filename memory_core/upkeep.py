"""What a person does to memory files now and then: bring names up to date, resolve conflicts.

Each change is made under the agent's lock, from what is read under it; without `write`
nothing is touched, not even the lock.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memory_core import (
    agents,
    aside,
    digests,
    history,
    log,
    memory,
    merge,
    past,
    store,
    union,
    writing,
)

AUTHOR = "agent-memory"  # in the header, as of a new file


class Change(NamedTuple):
    """One file as it was and as it becomes; bytes that are not UTF-8 are lone surrogates."""

    path: str
    before: str
    after: str


def diff(change: Change) -> str:
    """Return a change as a unified diff, empty where there is none."""
    from memory_core import rehearsal

    data = [text.encode("utf-8", "surrogateescape") for text in (change.before, change.after)]
    return rehearsal.Change(change.path, *data).diff()


class Migration(NamedTuple):
    """An agent whose memory has old names, or several files.

    `file` is the one name, `old` are the names that go.  `kept` are the entries for the
    archive: what one file has no place for (front matter, another title) and what has to
    leave it for the limits.  `refused` says why nothing can be done, and is empty else.
    """

    agent: str
    file: str
    old: list[str]
    change: Change
    kept: list[str]
    refused: str


class Resolution(NamedTuple):
    """A file with conflict markers; `kept` and `refused` are as in a Migration."""

    agent: str
    change: Change
    kept: list[str]
    refused: str


class _Owner(NamedTuple):
    """Whose files are seen to: of which level and agent, within which limits, at what time."""

    project: memory.Project
    held: store.Store
    agent: str
    limits: merge.Limits
    now: str

    def settle(self) -> None:
        """Put into the history what people did so far: what comes now is ours."""
        if os.path.exists(self.held.history(self.agent)):
            writing.Memory(self.project, self.agent, self.held, mends=False).write()

    def name(self, path: str) -> str:
        return self.held.place.relative(path)

    def text(self, path: str) -> store.Text:
        read = self.held.read_file(path)
        if read is None:
            raise FileNotFoundError(f"{self.name(path)} is a link to nothing")
        return read

    @property
    def past(self) -> past.Past:
        return past.Past(history.read(self.held.history(self.agent)), self.project.weights)

    def fitted(self, text: str) -> tuple[str, list[str]]:
        """Return a memory's text within its limits, and what leaves it as archive entries."""
        stamped = merge.stamp(text, self.limits, self.now, AUTHOR)
        trimmed = merge.trim(stamped, self.limits, self.now, AUTHOR, past=self.past)
        return trimmed.text, [aside.label(*each) for each in trimmed.evicted]

    def archive(self, kept: list[str]) -> None:
        """Put entries into the archive, and into the history that these items had to leave."""
        if kept:
            self.held.append("archive", self.agent, kept, self.now)
            known, time = self.past, f"{self.now.replace(' ', 'T')}.000Z"
            change = digests.digest(f"{self.agent} {time}")
            texts = [aside.unlabelled(entry)[1].partition("\n")[0] for entry in kept]
            left = [
                past.record("evicted", time, text, agent=self.agent, change=change)
                for text in texts
                if known.find(text)
            ]
            history.append(self.held.history(self.agent), left)

    def reason(self, error: Exception, path: str) -> str:
        """Say what failed, and with which file; our own errors name it."""
        if not isinstance(error, OSError) or not error.strerror:
            return str(error)
        named = error.filename if isinstance(error.filename, str) else path
        folder, name = os.path.split(named)
        if name.startswith("."):  # a file of ours that nobody looks for
            named = path if folder == os.path.dirname(path) else folder
        return f"{self.name(named)}: {error.strerror}"


def _owners(project: memory.Project, held: store.Store, names: Sequence[str]) -> list[_Owner]:
    return [_Owner(project, held, name, project.limits(name), _now()) for name in names]


# One name.


def migrate(
    project: memory.Project,
    names: Sequence[str] = (),
    user: bool = False,
    write: bool = False,
    along: writing.Along = iter,
) -> list[Migration]:
    """Bring the memories of these agents, or of all, to one file of today's name."""
    held = project.level(user)
    owners = _owners(project, held, names or held.agents())
    return [done for owner in along(owners) for done in _migrated(owner, write)]


def _migrated(owner: _Owner, write: bool) -> list[Migration]:
    """Return what is done, or would be, for an agent: one migration or none."""
    target = os.path.join(owner.held.folder, f"{owner.held.stem(owner.agent)}.md")
    try:
        plans = _planned(owner, target)
        if plans and write:
            with owner.held.locked(owner.agent):
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
    texts: dict[str, store.Text]


def _planned(owner: _Owner, target: str) -> list[_Plan]:
    files = owner.held.files(owner.agent)
    if files in ([], [target]):
        return []
    texts = {path: owner.text(path) for path in files}
    links = list(_links_among(files))
    base, *others = [path for path in files if path not in links]
    after, kept = _combined(owner, [texts[path] for path in (base, *others)])
    change = Change(owner.name(target), texts[base].text, after)
    old = [owner.name(path) for path in files if path != target]
    told = Migration(owner.agent, change.path, old, change, kept, "")
    return [_Plan(told, target, base, others, links, texts)]


def _links_among(files: list[str]) -> Iterator[str]:
    """Find the links that lead to another of the files, or where another one leads, too."""
    real = {path for path in files if not os.path.islink(path)}
    led = {os.path.realpath(path) for path in real}
    for path in files:
        if path not in real:
            end = os.path.realpath(path)
            if end in led:
                yield path
            led.add(end)


def _combined(owner: _Owner, texts: list[store.Text]) -> tuple[str, list[str]]:
    """Return the text of all files as one, and the entries for the archive."""
    base, *others = texts
    if not others:
        return base.text, []
    most = owner.limits.sections
    done = union.of_sides(base.text, most)
    after, kept = done.text, _entries_of(base.path, done)
    for other in others:
        done = union.combine(after, other.text, most)
        after, kept = done.text, [*kept, *_entries_of(other.path, done)]
    if after == base.text:
        return after, kept
    fitted, left = owner.fitted(after)
    return fitted, [*kept, *left]


def _entries_of(path: str, done: union.United) -> list[str]:
    """Return what a file's text has no place for, as entries for the archive."""
    return [aside.label(aside.from_file(os.path.basename(path)), left) for left in done.left]


def _carry_out(owner: _Owner, plan: _Plan) -> None:
    """Do it in an order in which everything is on disk at each moment."""
    change, held = plan.told.change, owner.held
    owner.archive(plan.told.kept)
    if change.after != change.before:
        held.write_file(plan.base, change.after, plan.texts[plan.base])
    for path in plan.links:
        os.unlink(path)
    if plan.base != plan.target:
        os.rename(plan.base, plan.target)
    for path in plan.others:
        if not plan.texts[path].is_current():
            raise store.Changed(f"{owner.name(path)} was saved by somebody else just now")
        os.unlink(path)
    store.sync(held.folder)


def _refusal(owner: _Owner, target: str, reason: str) -> Migration:
    path = owner.name(target)
    old = [owner.name(each) for each in owner.held.files(owner.agent) if each != target]
    return Migration(owner.agent, path, old, Change(path, "", ""), [], reason)


def _now() -> str:
    return log.utc(time.time())[:19].replace("T", " ")


# No conflicts.


def resolve(
    project: memory.Project,
    names: Sequence[str] = (),
    user: bool = False,
    write: bool = False,
    along: writing.Along = iter,
) -> list[Resolution]:
    """Make a union of each file with conflict markers: memories, archive and quarantine."""
    held = project.level(user)
    return [
        done
        for owner in along(_owners(project, held, names or with_any_file(held)))
        for path in _all_files(held, owner.agent)
        for done in _resolved(owner, path, write)
    ]


def with_any_file(held: store.Store) -> list[str]:
    """Return the ids of all agents with a memory, an archive or something to review."""
    found = set(held.agents())
    for kind in KINDS:
        try:
            names = os.listdir(os.path.join(held.folder, kind))
        except OSError:
            continue
        found |= {memory.PM if name == f"{memory.PM}.md" else agents.owner(name) for name in names}
    return sorted(found - {""})


KINDS = ("archive", "quarantine")


def _all_files(held: store.Store, agent: str) -> list[str]:
    files = held.files(agent)
    links = set(_links_among(files))
    beside = [held.aside(kind, agent) for kind in KINDS]
    return [
        *(path for path in files if path not in links),
        *(path for path in beside if os.path.lexists(path)),
    ]


def _resolved(owner: _Owner, path: str, write: bool) -> list[Resolution]:
    """Return what is done, or would be, with a file: one resolution or none."""
    try:
        found = _united(owner, owner.text(path))
        if found and write:
            with owner.held.locked(owner.agent):
                owner.settle()
                read = owner.text(path)
                found = _united(owner, read)
                for done in found:
                    owner.archive(done.kept)
                    owner.held.write_file(path, done.change.after, read)
    except (OSError, ValueError) as error:
        change = Change(owner.name(path), "", "")
        return [Resolution(owner.agent, change, [], owner.reason(error, path))]
    return found


def _united(owner: _Owner, read: store.Text) -> list[Resolution]:
    is_memory = os.path.dirname(read.path) == owner.held.folder
    done = union.of_sides(read.text, owner.limits.sections if is_memory else union.ANY)
    if done.text == read.text:
        return []
    after, kept = done.text, _entries_of(read.path, done)
    if is_memory:
        after, left = owner.fitted(after)
        kept += left
    elif read.path == owner.held.aside("archive", owner.agent):
        after, kept = aside.added(after, kept, owner.now[:10]), []
    return [Resolution(owner.agent, Change(owner.name(read.path), read.text, after), kept, "")]
