"""What became of a project's memories, change by change: told, shown, taken back.

A change is what one write or one command did, to one memory or to several.  It is known by
the id that its records share.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from memory_core import history, markdown, memory, past, rewind, store, upkeep, writing
from memory_core.past import Known

# What makes items other ones, and not only surer.
MOVES = (*past.ARRIVALS, *past.DEPARTURES)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.past import Record


class Change(NamedTuple):
    """One change: its id, its last record's time, its records, oldest first."""

    id: str
    time: str
    records: list[Record]

    @property
    def agents(self) -> list[str]:
        return sorted({str(record.get("agent") or "") for record in self.records})

    @property
    def is_by_hand(self) -> bool:
        """Say whether a person made it in the file itself: that is not ours to take back."""
        return all(record.get("source") == past.HAND for record in self.records)


class Undone(NamedTuple):
    """A change that was taken back; of each agent the memory before and after."""

    change: Change
    stays: list[str]  # texts that were changed again since, and stay as they are


class NothingToUndo(ValueError):
    """There is no such change; the message says so."""

    status = 1


class Blamed(NamedTuple):
    """An item that stands in a memory, and where it is from; `known` None without a past."""

    id: str
    text: str
    section: str
    known: Known | None


def records(held: store.Store, agent: str) -> list[Record]:
    """Return an agent's history in order, with what a person did to the file since last."""
    return past.ordered(history.read(held.history(agent)))


def told(project: memory.Project, held: store.Store, agents: Iterable[str]) -> list[Record]:
    """Return all that became of these agents' memories, oldest first; nothing is written.

    What a person did in a file and no write has found yet is told as of now.  Each record
    has its agent and, where one is known, its item's text.
    """
    found = []
    for agent in agents:
        found += _with_texts(agent, writing.Memory(project, agent, held).past)
    return sorted(found, key=lambda record: str(record["time"]))


def _with_texts(agent: str, known: past.Past) -> list[Record]:
    """Return an agent's records, each with the text of its item, where one is known."""
    found = []
    for record in past.ordered(known.records):
        item = known.get(record["id"])
        text = record.get("text") or (item.text if item else "")
        found.append({**record, "agent": agent, "text": text})
    return found


def changes(held: store.Store, agents: Iterable[str], since: str = "") -> list[Change]:
    """Return the changes of these agents' memories, oldest first.

    `since` is a time as records have it: those that are later are told.
    """
    found: dict[str, list[Record]] = {}
    for agent in agents:
        for record in _with_texts(agent, past.Past(records(held, agent))):
            if record["time"] > since:
                found.setdefault(past.change_of(record), []).append(record)
    told = [Change(key, max(r["time"] for r in group), group) for key, group in found.items()]
    return sorted(told, key=lambda change: (change.id, change.time))


def blame(project: memory.Project, held: store.Store, agent: str) -> list[Blamed]:
    """Return the items of a memory in the order of the file, each with its past."""
    work = writing.Memory(project, agent, held)
    return [
        Blamed(past.identity(text), text, section, work.past.find(text))
        for text, section, _nested in writing.items(markdown.parse(work.text))
    ]


def at(project: memory.Project, held: store.Store, agent: str, moment: str) -> str:
    """Return an agent's memory with the items as they were at a time; see `rewind`."""
    work = writing.Memory(project, agent, held)
    return rewind.at(work.text, work.past.records, moment, work.limits)


def everyone(held: store.Store) -> list[str]:
    """Return the agents that have a memory or a history."""
    return sorted({*held.agents(), *held.with_history()} - {""})


class Compared(NamedTuple):
    """How a memory differs from what it was: texts of items, and a unified diff.

    `since` is the time that was asked for, or that of the last change; "" without one.
    """

    since: str
    diff: str
    added: list[str]
    removed: list[str]


def compared(project: memory.Project, held: store.Store, agent: str, since: str = "") -> Compared:
    """Compare a memory with itself at a time; without one, with itself before its last change.

    The last change is what moved items last: what a person did in the file since the last
    write, or else what a command or a report did.
    """
    work = writing.Memory(project, agent, held)
    last = next((r for r in reversed(past.ordered(work.past.records)) if r["kind"] in MOVES), None)
    if since or last is None:
        before = rewind.at(work.text, work.past.records, since or past.LATEST, work.limits)
    else:
        change = past.change_of(last)
        before = rewind.before(work.text, work.past.records, change, work.limits)
        since = last["time"]
    had, have = _texts(before), _texts(work.text)
    path = held.place.relative(held.path(agent))
    return Compared(
        since,
        upkeep.diff(upkeep.Change(path, before, work.text)),
        [text for key, text in have.items() if key not in had],
        [text for key, text in had.items() if key not in have],
    )


def _texts(text: str) -> dict[str, str]:
    found = writing.items(markdown.parse(text))
    return {past.identity(text): text for text, _section, _nested in found}


def began(project: memory.Project, held: store.Store, agent: str) -> str:
    """Return when the history of an agent's items begins, "" where it has none."""
    found = writing.Memory(project, agent, held).past.records
    times = (str(each["time"]) for each in found if each["kind"] in past.OF_ITEMS)
    return min(times, default="")


# Taking back.


def undo(
    project: memory.Project, held: store.Store, count: int, along: writing.Along = iter
) -> list[Undone]:
    """Take back the last changes that were made through us, newest first.

    What a person did in a file is no such change, and stays: also where it was done to an
    item of a change that is taken back.  To take something back is a change as well.
    Raises NothingToUndo where there are not so many.
    """
    able = undoable(held)
    if len(able) < count:
        raise NothingToUndo(_too_few(len(able)))
    chosen = able[len(able) - count :]
    done = writing.new_change("undo")
    writing.check_free(held, {agent for change in chosen for agent in change.agents})
    stays: dict[str, list[str]] = {change.id: [] for change in chosen}
    for agent in along(sorted({agent for change in chosen for agent in change.agents})):
        ids = [change.id for change in chosen if agent in change.agents]
        for change, text in _undone(project, held, agent, ids, done):
            stays[change].append(text)
    return [Undone(change, stays[change.id]) for change in reversed(chosen)]


def _undone(
    project: memory.Project, held: store.Store, agent: str, ids: list[str], done: str
) -> list[tuple[str, str]]:
    return writing.changing(project, agent, lambda work: _undo(work, ids), held, done)


def _too_few(count: int) -> str:
    if not count:
        return "there is nothing to undo: no change was made through agent-memory"
    return f"there are only {count} changes to undo" if count > 1 else "there is only 1 to undo"


def undoable(held: store.Store) -> list[Change]:
    """Return the changes that were made through us, oldest first: each may be taken back."""
    agents = [agent for agent in held.with_history() if agent]
    return [each for each in changes(held, agents) if _is_undoable(each)]


def _is_undoable(change: Change) -> bool:
    kinds = (*past.OF_ITEMS, "undone")
    own = [record for record in change.records if "imported" not in record]  # done elsewhere
    return not change.is_by_hand and any(record["kind"] in kinds for record in own)


def _undo(work: writing.Memory, ids: Sequence[str]) -> list[tuple[str, str]]:
    """Take changes back in one memory; return (change, text) of what stays as it is."""

    def is_meant(record: Record) -> bool:
        return past.change_of(record) in ids and record.get("source") != past.HAND

    records = work.past.records
    steps, overtaken = rewind.steps(records, is_meant), rewind.overtaken(records, is_meant)
    for step in steps:
        work.take_back(step)
    last = {step.record["id"]: step for step in steps}  # the oldest: what it was before all
    back = frozenset(step.then.text for step in last.values() if step.then)
    for change in reversed(ids):
        work.record("undone", "", id=change, source="person")
    work.fit(back)
    document = markdown.parse(work.text)
    stays = [(past.change_of(step.record), _left(document, step)) for step in last.values()]
    stays += [(past.change_of(each), _there(document, text)) for each, text in overtaken]
    return [pair for pair in dict.fromkeys(stays) if pair[1]]


def _left(document: markdown.Document, step: rewind.Step) -> str:
    """Return the text of what a step did not take back, "" where it did."""
    if step.then and rewind.standing(document, step.then.text):
        return ""
    missing = step.then.text if step.then and not step.now else ""  # there is no room for it
    return _there(document, step.now) or missing


def _there(document: markdown.Document, text: str) -> str:
    return text if text and rewind.standing(document, text) else ""
