"""What nothing needs any more: found, and removed when a person says so.

Files that hold no knowledge go.  Memories of agents that are gone are emptied into the
archive, as one change that undo takes back.  What waits in the spool is never touched.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from memory_core import (
    agents,
    client,
    edits,
    history,
    log,
    markdown,
    memory,
    merge,
    places,
    runs,
    spool,
    store,
    writing,
)

# Sessions are resumed, and branches checked out again, within days; a month covers a holiday.
IDLE = 30 * 86400

# The doctor looks a week back, and nobody looks back farther than a quarter of a year.
LOG_LIFE = 90 * 86400

# Bytes: what begins with more blanks is no file of ours.
LONGEST_BLANK = 4096

# Where there is something of an agent beside its memory, and how its files end.
BESIDE = {"archive": ".md", "quarantine": ".md", "history": ".jsonl"}

# What state/ has of an agent, and how those files end; all of it can be done without.
STATE = {"versions": "", "errors": "", "locks": ".lock"}


class Stale(NamedTuple):
    """A file that may go: its path, bytes, why; `stem` of the agent whose lock that wants."""

    path: str
    size: int
    why: str
    stem: str = ""


class Orphan(NamedTuple):
    """A memory of an agent that is gone: its items, and when it was used last (ISO 8601, UTC).

    `is_bare` says whether nothing but a header is left without the items.
    """

    agent: str
    path: str
    text: str
    items: list[str]
    last: str
    is_bare: bool


class Skipped(NamedTuple):
    """What stays though it may look unused, or could not be removed, and why."""

    what: str
    why: str


class Found(NamedTuple):
    """What may go, and what looks like it and stays."""

    files: list[Stale]
    orphans: list[Orphan]
    skipped: list[Skipped]


class Cleaned(NamedTuple):
    """What went: files, memories that were emptied, files of theirs that are gone; what failed."""

    files: list[Stale]
    orphans: list[Orphan]
    gone: list[str]
    failed: list[Skipped]


def find(
    project: memory.Project,
    held: store.Store,
    environ: Mapping[str, str],
    along: writing.Along = iter,
) -> Found:
    """Return what may be removed at one level; nothing is touched.  Raises OSError."""
    files = [*_left_over(held), *_of_sessions(held.place), *_of_logs(held.place)]
    if os.path.isdir(held.folder):  # else it is on a disk that is not there now
        files += _of_agents(held)
    orphans, skipped = _orphans(project, held, environ, along)
    return Found(files, orphans, skipped)


# Files.


def left_over(held: store.Store) -> list[Stale]:
    """Return what killed writers left behind; raises OSError where that cannot be known."""
    found = (*_left_over(held), *_of_sessions(held.place))
    return [stale for stale in found if stale.why == LEFT]


def _left_over(held: store.Store) -> Iterator[Stale]:
    """Find what killed writers left behind: .NAME.PID, beside what they were to replace."""
    errors = os.path.join(held.place.state, "errors")
    folders = [held.folder, *(os.path.join(held.folder, kind) for kind in BESIDE), errors]
    for folder in folders:
        for name in _names(folder):
            of, _dot, number = name[1:].rpartition(".")
            is_ours = folder == errors or of.endswith((".md", ".jsonl", ".gitattributes"))
            if name.startswith(".") and number.isdecimal() and is_ours:
                yield from _aged(os.path.join(folder, name), store.LEFT_OVER, LEFT)


LEFT = "left by a write that was interrupted"
OF_SESSIONS = "of a session that ended long ago"


def _of_sessions(place: places.Place) -> Iterator[Stale]:
    waiting = os.path.join(place.state, "spool", "")
    for path in runs.outdated(place):
        is_left = os.path.dirname(path) == place.state or path.startswith(waiting)
        yield from _aged(path, 0, LEFT if is_left else OF_SESSIONS)
    route = os.path.join(place.state, "route.json")
    if not runs.prompts_are_lost(place):
        yield from _aged(route, runs.ROUTE_LIFE, "of a delivery that failed long ago")


def _of_logs(place: places.Place) -> Iterator[Stale]:
    yield from _aged(os.path.join(place.logs, log.OLDER), LOG_LIFE, "a log that nobody reads")


def _aged(path: str, age: float, why: str, stem: str = "") -> Iterator[Stale]:
    """Give a file that has not been written for so many seconds, if it is there."""
    try:
        status = os.lstat(path)
    except OSError:
        return
    if not age or time.time() - status.st_mtime >= age:
        yield Stale(path, status.st_size, why, stem)


def _of_agents(held: store.Store) -> Iterator[Stale]:
    """Find what is left of agents that have nothing else."""
    used = _used(held)
    for kind, ending in BESIDE.items():
        for path, stem in _by_stem(held, os.path.join(held.folder, kind), ending):
            if stem not in used:
                yield from _aged(path, 0, "empty", stem)
    for kind, ending in STATE.items():
        age = 0 if kind == "locks" else IDLE
        for path, stem in _by_stem(held, os.path.join(held.place.state, kind), ending):
            if stem not in used:
                yield from _aged(path, age, "of an agent that has nothing here", stem)


def _used(held: store.Store) -> set[str]:
    """Return the stems of agents with a memory, anything beside it, or anything that waits."""
    found = {held.stem(agent) for agent in held.agents()}
    found |= {stem for _path, stem in _by_stem(held, held.folder, ".md")}
    for kind, ending in BESIDE.items():
        beside = _by_stem(held, os.path.join(held.folder, kind), ending)
        found |= {stem for path, stem in beside if not _is_blank(path)}
    waiting = os.path.join(held.place.state, "spool")
    return found | {stem for stem in _names(waiting) if _names(os.path.join(waiting, stem))}


def _by_stem(held: store.Store, folder: str, ending: str) -> Iterator[tuple[str, str]]:
    """Give the files of agents in a folder, each with the stem under which all else is kept."""
    for name in _names(folder):
        if name.endswith(ending) and not name.startswith("."):
            stem = name[: len(name) - len(ending)]
            agent = memory.PM if stem == memory.PM else agents.owner(f"{stem}.md")
            yield os.path.join(folder, name), held.stem(agent) if agent else stem


def _is_blank(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return not file.read(LONGEST_BLANK).strip() and not file.read(1)
    except (FileNotFoundError, IsADirectoryError):
        return False  # a link to nothing is a person's


def _names(folder: str) -> list[str]:
    """Return what is in a folder; raises OSError where that cannot be known."""
    try:
        return sorted(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return []


# Memories.


def _orphans(
    project: memory.Project, held: store.Store, environ: Mapping[str, str], along: writing.Along
) -> tuple[list[Orphan], list[Skipped]]:
    """Return the memories of agents that are defined nowhere, and not used for long."""
    home, known = places.home(environ), [each for each in held.agents() if each != memory.PM]
    if home and home.root == held.place.root:
        return [], _all_stay(known, "any project may define its agent")
    if home is None or not os.path.isdir(home.root):
        return [], _all_stay(known, "without a home folder nobody knows which agents you have")
    defined = client.Defined(project.place.root, environ)
    unknown = [each for each in known if not defined.has(each)]
    if defined.unread:
        return [], _all_stay(unknown, _untold(defined.unread[0], held.place))
    logged = _logged(held.place) if unknown else {}
    found = [_judged(project, held, agent, logged) for agent in along(unknown)]
    orphans = [each for each in found if isinstance(each, Orphan)]
    return orphans, [each for each in found if isinstance(each, Skipped)]


def _all_stay(agents: list[str], why: str) -> list[Skipped]:
    return [Skipped("every memory", why)] if agents else []


def _untold(error: OSError, place: places.Place) -> str:
    path = place.relative(str(error.filename))
    return f"agents may be defined in {path}, which cannot be read: {_plain(error)}"


def _plain(error: OSError) -> str:
    return error.strerror or str(error)


def _logged(place: places.Place) -> dict[str, str]:
    """Return when the log tells of each agent last."""
    found: dict[str, str] = {}
    for event in log.read(place):
        agent, time = str(event.get("agent_id")), str(event.get("timestamp") or "")
        found[agent] = max(found.get(agent, ""), time)
    return found


def _judged(
    project: memory.Project, held: store.Store, agent: str, logged: Mapping[str, str]
) -> Orphan | Skipped:
    """Say of a memory of an undefined agent whether it goes, or why it stays."""
    try:
        read = held.read(agent)
        if read is None:
            return Skipped(agent, "its file is a link to nothing")
        last = _last(held, agent, logged)
    except OSError as error:
        return Skipped(agent, _plain(error))
    items = [text for text, _section, _nested in writing.items(markdown.parse(read.text))]
    why = _reason(project, held, agent, last) or _reason_of_text(held, agent, read.text)
    path = held.place.relative(read.path)
    if why:
        return Skipped(agent, why)
    return Orphan(agent, path, read.text, items, last, is_bare(_without_items(read.text)))


def _without_items(text: str) -> str:
    document = markdown.parse(text)
    told = [each for each in document.items if each.text]
    return markdown.render(edits.remove_items(document, told))


def _reason(project: memory.Project, held: store.Store, agent: str, last: str) -> str:
    named = (*project.config["agent_overrides"], *project.config["include"])
    if last >= log.utc(time.time() - IDLE):
        return f"it is defined nowhere, but was used on {last[:10]}"
    if any(agents.is_same(name, agent) for name in named):
        return "it is defined nowhere, but config.yml names it"
    if spool.entries(held.place, held.stem(agent)):
        return "learnings wait to be merged; agent-memory sweep does it"
    if len(held.files(agent)) > 1:
        return f"it has several files; agent-memory migrate {agent} makes them one"
    return "its file is a link" if os.path.islink(held.path(agent)) else ""


def _reason_of_text(held: store.Store, agent: str, text: str) -> str:
    document = markdown.parse(text)
    if not (merge.updated(document) or history.read(held.history(agent))):
        return "it is no agent's: agent-memory never wrote to it"
    is_left = not document.items and not is_bare(text)
    return "it has no items, but other text, which has no history" if is_left else ""


def _last(held: store.Store, agent: str, logged: Mapping[str, str]) -> str:
    """Return when an agent last ran, learned, or was written to by hand."""
    now = time.time()
    until = log.utc(now + writing.AHEAD)  # what is later, a wrong clock told
    told = [str(each["time"]) for each in history.read(held.history(agent))]
    known = [each for each in [*told, logged.get(agent, "")] if each <= until]
    changed = os.stat(held.path(agent)).st_mtime
    return max([*known, log.utc(min(changed, now))])


def is_bare(text: str) -> bool:
    """Say whether a memory has nothing but its header, and the usual headings."""
    document = markdown.parse(text)
    usual = {markdown.title_key(title) for title in (*merge.ORDER, "preferences")}
    lines = list(document.lines)
    for section in document.sections:
        if markdown.title_key(section.title) in usual:
            lines[section.line : section.body] = [""] * (section.body - section.line)
    for name in (merge.LIMITS_COMMENT, merge.UPDATED_COMMENT):
        at = edits.comment_line(document, name)
        if at is not None:
            lines[at] = ""
    title = next((each for each in document.headings if each.level == 1), None)
    if title:
        lines[title.line : title.body] = [""] * (title.body - title.line)
    return not any(line.strip() not in ("", markdown.APART) for line in lines)


# Removing.


def clean(
    project: memory.Project, held: store.Store, found: Found, along: writing.Along = iter
) -> Cleaned:
    """Remove what was found; what somebody uses meanwhile stays, and is told.

    Raises OSError where a memory is locked, cannot be read or written: what is done then is
    in the history, and the rest is found again.
    """
    done = Cleaned([], [], [], [])
    change = writing.new_change("clean")
    writing.check_free(held, [each.agent for each in found.orphans])
    # First, for who writes a memory clears away what is left over beside it, and tells nobody.
    for stale in [each for each in found.files if not each.stem]:
        _remove(stale, done)
    for orphan in along(found.orphans):
        _retire(project, held, orphan, change, done)
    for stem in dict.fromkeys(each.stem for each in found.files if each.stem):
        _forget(held, stem, [each for each in found.files if each.stem == stem], done)
    for folder in {os.path.dirname(each.path) for each in done.files if each.why == OF_SESSIONS}:
        _remove_empty(folder)
    return done


def _retire(
    project: memory.Project, held: store.Store, orphan: Orphan, change: str, done: Cleaned
) -> None:
    """Move all items to the archive, and remove the file where nothing else is in it."""

    def work(work: writing.Memory) -> bool:
        is_same = work.read is not None and work.read.text == orphan.text
        if is_same:
            work.take_out(orphan.items, "archived", source="person")
        return is_same

    if not writing.changing(project, orphan.agent, work, held, change):
        done.failed.append(Skipped(orphan.agent, "it was changed just now"))
        return
    done.orphans.append(orphan)
    with held.locked(orphan.agent):
        read = held.read(orphan.agent)
        if read and is_bare(read.text):
            os.unlink(read.path)
            store.sync(held.folder)
            done.gone.append(orphan.agent)


def _remove_empty(folder: str) -> None:
    try:
        os.rmdir(folder)
    except OSError:
        pass  # something in it is younger


def _remove(stale: Stale, done: Cleaned) -> bool:
    try:
        os.unlink(stale.path)
    except FileNotFoundError:
        return False  # somebody was quicker
    except OSError as error:
        done.failed.append(Skipped(stale.path, _plain(error)))
        return False
    done.files.append(stale)
    return True


def _forget(held: store.Store, stem: str, files: Iterable[Stale], done: Cleaned) -> None:
    """Remove what is left of an agent, under its lock; the lock itself goes last.

    Who waits for it meanwhile finds that it is another file, and tries again.
    """
    path = os.path.join(held.place.made("state", "locks"), f"{stem}.lock")
    try:
        with store.Lock(path, 0.0):
            if stem not in _used(held):
                for stale in [each for each in files if each.path != path]:
                    _remove(stale, done)
                lock = next((each for each in files if each.path == path), None)
                _remove(lock or Stale(path, 0, ""), done if lock else Cleaned([], [], [], []))
    except store.Busy:
        done.failed.append(Skipped(path, "another process is at it"))
