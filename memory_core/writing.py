"""Change a memory, under the agent's lock: what it takes in, what has to leave, its history.

In an order in which a writer may be killed anywhere: the archive and the history first,
then the memory, then what waited in the spool goes.  The next writer does again what is
not done yet, and finds the same.
"""

from __future__ import annotations

import os
import time

from memory_core import (
    agents,
    aside,
    history,
    log,
    markdown,
    merge,
    past,
    runs,
    similarity,
    store,
    versions,
)
from memory_core.learnings import Learning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memory_core.markdown import Document
    from memory_core.memory import Project
    from memory_core.merge import Merged
    from memory_core.past import Difference, Record

# How far, in seconds, the time of a version may run ahead of the clock: each has one of its
# own, also where several are written within a second.
AHEAD = 300

# How long, in seconds, an editor may have held a file that had no header yet.
DAY = 86400

# How often a writer begins again because a person has just saved the file.
TRIES = 5

TYPES = {markdown.title_key(title): kind for kind, title in merge.SECTIONS.items()}


class Memory:
    """An agent's memory in a writer's hands, who holds the lock.

    A class since text, past and records belong together from reading to writing.  What a
    person did to the file since the last write is found first, and put into the history;
    what was learned after the version that the person had is brought back.
    """

    def __init__(self, project: Project, agent: str, held: store.Store | None = None) -> None:
        self.project, self.agent = project, agent
        self.store = held or project.store
        self.limits = project.limits(agent)
        self.read = self.store.read(agent)
        self.past = past.Past(history.read(self.store.history(agent)))
        document = markdown.parse(self.read.text if self.read else "")
        stamp = merge.updated(document).replace(" ", "T")
        until = log.utc(time.time() + AHEAD)
        self.time = _time(max(stamp, self.past.last(until)))
        self.text = self.before = self.read.text if self.read else self._new()
        self.records: list[Record] = []
        self.evicted: list[tuple[str, str]] = []
        self.left: list[tuple[str, str]] = []  # by an old version's return
        self.brought_back = self._settle(titled(document), stamp if self.read else until, until)

    def _settle(self, items: list[tuple[str, str]], stamp: str, until: str) -> Merged:
        """Record what a person did, and bring back what that person knew nothing of."""
        began = not self.past
        told = past.compare(self.past, items, stamp, log.utc(time.time() - DAY), until)
        if told.missed:
            self._heed_version(told)
        self._note(told, *(("imported", "file") if began else ("edited", "person")))
        if not told.missed:
            return merge.Merged(self.text)
        found = [
            Learning(TYPES.get(markdown.title_key(known.section), ""), known.text)
            for known in told.missed
        ]
        merged = self._take(merge.merge(self.text, found, *self._how))
        for old, text in merged.replaced:
            self.record("merged", text, was=past.identity(old))
        return merged

    def _heed_version(self, told: Difference) -> None:
        """Bring nothing back to what no person wrote: an unfinished write, an old version."""
        version = versions.which(self.store.place, self.stem, self.before)
        if version == versions.LAST:
            told.gone = []  # what waits in the spool is yet to come
        elif version == versions.OLD:
            told.gone += told.missed
            self.left += [(known.section, known.text) for known in told.missed]
        if version != versions.NEW:
            told.missed = []

    def _note(self, told: Difference, new: str, source: str) -> None:
        for known in told.gone:
            fields = {"id": known.id, "section": known.section, "source": "person"}
            self.record("removed", known.text, **fields)
        for text, section in told.back:
            self.record("returned", text, section=section, source="person")
        for text, section, was in told.new:
            older = {"was": was} if was else {}
            self.record(new, text, section=section, source=source, **older)

    @property
    def stem(self) -> str:
        return self.store.stem(self.agent)

    @property
    def now(self) -> str:
        """The time as it stands in a header."""
        return self.time[:19].replace("T", " ")

    def _new(self) -> str:
        name, project = agents.title(self.agent), self.project.name
        return merge.new(name, project, self.limits, self.now)

    @property
    def _how(self) -> tuple[Any, ...]:
        return self.limits, self.now, self.agent, self.past

    def learn(self, pairs: list[list[str]], **source: str) -> Merged:
        """Merge (type, content) into the text; `source` says where they are from."""
        learned = [Learning(kind, content) for kind, content in pairs]
        merged = merge.merge(self.text, learned, *self._how)
        section = dict(titled(markdown.parse(merged.text)))
        for text in merged.added:
            self.record("learned", text, section=section.get(text, ""), **source)
        for old, text in merged.replaced:
            was = past.identity(old)
            self.record("merged", text, section=section.get(text, ""), was=was, **source)
        for text, _learning in merged.known:
            self.record("reinforced", text, **source)
        return self._take(merged)

    def _take(self, merged: Merged) -> Merged:
        """Go on with what became of the text; what had to leave is bound for the archive."""
        self.text = merged.text
        self.evicted += merged.evicted
        for section, item in merged.evicted:
            self.record("evicted", item.partition("\n")[0], section=section)
        return merged

    def put_back(self, merged: Merged, text: str, section: str) -> None:
        """Go on with a text into which a person had an item put back from the archive."""
        self.record("restored", text, section=section, source="person")
        self._take(merged)

    def record(self, kind: str, text: str, **fields: str) -> None:
        """Add to the history what became of the item with this text."""
        known = self.past.find(text)
        # A clock that went back must not put what happens now before what was.
        time = max(self.time, known.changed) if known else self.time
        told = past.record(kind, time, text, agent=self.agent, **fields)
        self.past.add([told])
        self.records.append(told)

    def write(self) -> None:
        """Put it all on the disk; raises store.Changed where a person has just saved the file."""
        if self.read and not self.read.is_current():
            raise store.Changed(f"{self.read.path} was saved by somebody else just now")
        if self.records:
            self.store.make_folder()
        if self.evicted or self.left:
            lines = [aside.label(section, item) for section, item in self.evicted + self.left]
            self.store.append("archive", self.agent, lines, self.time)
        self.store.append("quarantine", self.agent, _for_review(self.brought_back), self.time)
        path = self.store.history(self.agent)
        size = history.append(path, self.records)
        try:
            self._replace()
        except BaseException:
            if self._is_as_it_was():
                history.cut(path, size)  # it tells what has not come about
            raise

    def _is_as_it_was(self) -> bool:
        path = self.store.path(self.agent)
        return self.read.is_current() if self.read else not os.path.exists(path)

    def _replace(self) -> None:
        if self.text != self.before:
            self.store.write(self.agent, self.text, self.read)
            versions.add(self.store.place, self.stem, [self.before, self.text])


def _for_review(merged: Merged) -> list[str]:
    return [f"[{item.type}] {item.content} ({reason})" for item, reason in merged.refused]


def titled(document: Document) -> list[tuple[str, str]]:
    """Return (text, title of its section) of a document's items, those that have a text."""
    inside = {item.line: each.title for each in document.sections for item in each.items}
    return [(item.text, inside.get(item.line, "")) for item in document.items if item.text]


def _time(last: str) -> str:
    """Return the time of a version that is later than `last` by its seconds.

    Where versions come faster than that for minutes, they share the last one.
    """
    now = time.time()
    later = (log.utc(now + ahead) for ahead in range(AHEAD))
    shared = f"{last[:19]}.999Z" if last[:19] <= log.utc(now + AHEAD) else log.utc(now)
    return next((told for told in later if told[:19] > last[:19]), shared)


# What waits in the spool.


def apply(project: Project, agent: str, entry: dict[str, Any]) -> None:
    """Bring an entry of the spool into the memory; raises OSError where that fails.

    What the run has taught already is passed over, and what the memory does not take is
    kept for review.
    """
    records = runs.Runs(project.place, entry["session"])
    known = set(records.record(entry["run"]).get("keys", []))
    fresh = [pair for pair in entry["learnings"] if similarity.fold(pair[1]) not in known]
    memory, merged = _learned(project, agent, fresh, entry)
    lines = [f"[{kind}] {content} ({reason})" for kind, content, reason in entry["rejected"]]
    lines += _for_review(merged)
    project.store.append("quarantine", agent, lines, memory.time)
    if fresh:
        records.note(entry["run"], keys=[similarity.fold(content) for _type, content in fresh])
    _log(memory, entry, merged)


def _learned(
    project: Project, agent: str, pairs: list[list[str]], entry: dict[str, Any]
) -> tuple[Memory, Merged]:
    source = {key: entry[key] for key in ("run", "session", "source")}
    for left in reversed(range(TRIES)):
        memory = Memory(project, agent)
        merged = memory.learn(pairs, **source)
        try:
            memory.write()
            break
        except store.Changed:
            if not left:
                raise
    return memory, merged


def _log(memory: Memory, entry: dict[str, Any], merged: Merged) -> None:
    kept = len(merged.added) + len(merged.replaced)
    log.write(
        memory.project.place,
        "agent.memory.learned",
        agent_id=memory.agent,
        learned=kept,
        known=len(entry["learnings"]) - kept - len(merged.refused),
        rejected=len(entry["rejected"]) + len(merged.refused),
        evicted=len(memory.evicted),
        source=entry["source"],
        session=entry["session"],
        run=entry["run"],
    )
