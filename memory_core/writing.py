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
    common_errors,
    digests,
    edits,
    history,
    log,
    markdown,
    merge,
    past,
    preferences,
    runs,
    similarity,
    store,
    versions,
)
from memory_core.learnings import Learning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from typing import Any, TypeVar

    from memory_core.markdown import Document, Item
    from memory_core.memory import Project
    from memory_core.merge import Merged
    from memory_core.past import Difference, Known, Record, Titled
    from memory_core.rewind import Step

    Result = TypeVar("Result")
    # How to go through many agents: a door may count them off to a person who waits.
    Along = Callable[[Collection[Any]], Iterable[Any]]
    Signed = tuple[str, str]  # a section's title, an item's text with its nested lines

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
    what was learned after the version that the person had is brought back.  `change` is
    what all its records share; empty: this write is a change of its own.  A file with git's
    conflicts is a union of their sides from here on, unless it is not to be mended.
    """

    def __init__(
        self,
        project: Project,
        agent: str,
        held: store.Store | None = None,
        change: str = "",
        mends: bool = True,
    ) -> None:
        self.project, self.agent = project, agent
        self.store = held or project.store
        self.limits = project.limits(agent)
        self.read = self.store.read(agent)
        records = history.read(self.store.history(agent), runs=False)
        self.past = past.Past(records, project.weights)
        self.left: list[tuple[str, str]] = []  # what has no place any more
        self.text = self.before = self.read.text if self.read else ""
        document = self._mended() if mends else markdown.parse(self.text)
        stamp = merge.updated(document).replace(" ", "T")
        until = log.utc(time.time() + AHEAD)
        self.time = _time(max(stamp, self.past.last(until)))
        if not self.read:
            self.text = self.before = self._new()
        self.records: list[Record] = []
        self.evicted: list[tuple[str, str]] = []  # section, text with nested lines
        self.returned: list[tuple[str, str]] = []  # what leaves the archive again
        self.change = _by_hand(change, agent) if change else new_change(f"{agent} by hand")
        self.brought_back = self._settle(items(document), stamp if self.read else until, until)
        self.change = change or new_change(agent)

    def _mended(self) -> Document:
        """Read the file; where git left conflicts in it, go on with what either side has."""
        document = markdown.parse(self.text)
        if not document.markers:
            return document
        from memory_core import union

        done = union.of_sides(self.text, self.limits.sections)
        self.text = done.text
        name = aside.from_file(os.path.basename(self.store.path(self.agent)))
        self.left += [(name, each) for each in done.left]
        return markdown.parse(self.text)

    def _settle(self, found: list[Titled], stamp: str, until: str) -> Merged:
        """Record what a person did, and bring back what that person knew nothing of."""
        began = not len(self.past)
        told = past.compare(self.past, found, stamp, log.utc(time.time() - DAY), until)
        if told.missed:
            self._heed_version(told)
        # A file with our header was ours before it lost its history; others are a person's.
        self._note(told, "imported" if began and stamp else "edited")
        if not told.missed:
            return merge.Merged(self.text)
        for known in told.missed:
            if preferences.is_title(known.section):
                self._prefer_again(known.text)
        missed = [
            Learning(TYPES.get(markdown.title_key(known.section), ""), known.text)
            for known in told.missed
            if not preferences.is_title(known.section)
        ]
        merged = self._take(merge.merge(self.text, missed, *self._how))
        for old, text in merged.replaced:
            self.record("merged", text, was=past.identity(old))
        return merged

    def _prefer_again(self, text: str) -> None:
        key, value = preferences.pair(text)
        try:
            self.text = preferences.put(self.text, key, value, self.limits)
        except preferences.Unfit:
            self.left.append((preferences.TITLE, text))

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

    def _note(self, told: Difference, new: str, source: str = past.HAND) -> None:
        for known in told.gone:
            fields = {"id": known.id, "section": known.section, "nested": known.nested}
            self.record("removed", known.text, source=source, **fields)
        for text, section, nested in told.back:
            self.record("returned", text, section=section, nested=nested, source=source)
        for text, section, nested, was in told.new:
            self.record(new, text, section=section, nested=nested, source=source, was=was)

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
        self._doubt(pairs, source)
        learned = [Learning(kind, content) for kind, content in pairs]
        merged = merge.merge(self.text, learned, *self._how)
        section = {text: title for text, title, _ in items(markdown.parse(merged.text))}
        for text in merged.added:
            self.record("learned", text, section=section.get(text, ""), **source)
        for old, text in merged.replaced:
            was = past.identity(old)
            self.record("merged", text, section=section.get(text, ""), was=was, **source)
        for text, _learning in merged.known:
            self.record("reinforced", text, **source)
        return self._take(merged)

    def _doubt(self, pairs: list[list[str]], source: dict[str, str]) -> None:
        """Record of each item that a mistake among the learnings says it is wrong."""
        mistakes = [content for kind, content in pairs if merge.section_of(kind) == MISTAKES]
        if not mistakes:
            return
        from memory_core import contradiction

        known = [(past.identity(text), text) for text, _, _ in items(markdown.parse(self.text))]
        for mistake in mistakes:
            for text in contradiction.contradicted(mistake, known):
                self.record("contradicted", text, **source)

    def _take(self, merged: Merged) -> Merged:
        """Go on with what became of the text; what had to leave is bound for the archive."""
        before, self.text = self.text, merged.text
        if not merged.evicted:
            return merged  # to read it once more takes as long as all the rest
        left = _Left(markdown.parse(before))
        self.evicted += merged.evicted
        for section, item in merged.evicted:
            text, _, nested = item.partition("\n")
            fields = {"section": section, "nested": nested, "after": left.behind(text)}
            self.record("evicted", text, **fields)
        return merged

    def edit(self, document: Document, told: Difference) -> None:
        """Go on with a document that a person made of this one; `told` is what sets it apart."""
        left = _Left(markdown.parse(self.text))
        gone, told.gone = told.gone, []
        for known in gone:
            behind = left.behind(known.text)
            fields = {"section": known.section, "nested": known.nested, "after": behind}
            self.record("removed", known.text, id=known.id, source="person", **fields)
        self._note(told, "edited", source="person")
        self.rewrite(document)

    def put_back(self, merged: Merged, text: str, section: str, **source: str) -> None:
        """Go on with a text into which a person had an item put back."""
        found = items(markdown.parse(merged.text))
        nested = next((each[2] for each in found if each[0] == text), "")
        self.record("restored", text, section=section, nested=nested, **source)
        self._take(merged)

    def take_out(
        self, texts: list[str], kind: str, only: str | None = None, **source: str
    ) -> list[str]:
        """Move the items with these words to the archive; return the texts of those there were.

        `kind` is `removed` or `archived`; `only` the section that they are taken from.
        """
        document = markdown.parse(self.text)
        folds = {similarity.fold(text) for text in texts}
        gone = [each for each in document.items if similarity.fold(each.text) in folds]
        if not gone:
            return []
        titles = {each.line: title.title for title in document.sections for each in title.items}
        gone = [each for each in gone if only in (None, titles.get(each.line, ""))]
        left = _Left(document)
        for each in gone:
            nested, section = _nested(document, each), titles.get(each.line, "")
            self.evicted.append((section, f"{each.text}\n{nested}" if nested else each.text))
            fields = {"section": section, "nested": nested, "after": left.behind(each.text)}
            self.record(kind, each.text, **fields, **source)
        self.rewrite(edits.remove_items(document, gone))
        return [each.text for each in gone]

    def replace(self, olds: list[str], new: str, **source: str) -> bool:
        """Put a wording in the place of the first of some items; the others go to the archive.

        False, and nothing is done, where one of them does not stand there word for word.
        Raises ValueError where no line can hold the wording.
        """
        document = markdown.parse(self.text)
        there = {each[0]: each for each in items(document)}
        if not all(old in there for old in olds):
            return False
        first = next(each for each in document.items if each.text == olds[0])
        kept = "" if past.identity(new) == past.identity(olds[0]) else olds[0]
        after = edits.replace_item(document, first, new)
        section, nested = there[olds[0]][1:]
        if kept:
            self.evicted.append((section, kept))
            was = past.identity(kept)
            self.record("merged", new, section=section, nested=nested, was=was, **source)
        self.rewrite(after)
        others = [old for old in olds[1:] if past.identity(old) != past.identity(new)]
        self.take_out(others, "archived", **source)
        return True

    def take_over(self, text: str, records: list[Record], kept: list[Signed]) -> int:
        """Go on with a text and a history from elsewhere, within the limits.

        `records` are added to the history as they are; what the text has and had not, or no
        longer has, is recorded.  `kept` go to the archive.  Return how many records are new.
        """
        have = set(map(past.mark, self.past.records))
        fresh = [
            {**each, "imported": self.change} for each in records if past.mark(each) not in have
        ]
        self.past = past.Past([*self.past.records, *fresh], self.project.weights)
        self.records += fresh
        # A person who saves this version must know of all that came before.
        self.time = _time(max(self.time, self.past.last(log.utc(time.time() + AHEAD))))
        before = markdown.parse(self.text)
        self.rewrite(markdown.parse(text))
        after = markdown.parse(self.text)
        self._agree(before)
        told = len(self.records)
        self._note_import(before, after)
        self.evicted += kept
        if self.text != self.before:
            self.fit(frozenset())
        if self._is_as_before():
            self.text, self.evicted = self.before, []
            del self.records[told:]
        return len(fresh)

    def _is_as_before(self) -> bool:
        """Say whether only what had no room came, and that is in the archive already."""
        if self.text != merge.stamp(self.before, self.limits, self.now, self.agent):
            return False
        read = self.store.read_file(self.store.aside("archive", self.agent))
        there = {each.text for each in aside.entries(read.text if read else "")}
        return all(aside.normal(aside.label(*each)) in there for each in self.evicted)

    def _agree(self, before: Document) -> None:
        """Let the history tell what stood here, which another one may contradict.

        That is no part of the change, and so is not undone with it.
        """
        own, self.change = self.change, _by_hand(self.change, self.agent)
        there = _by_id(before)
        for known in [known for known in self.past if known.here and known.id not in there]:
            fields = {"id": known.id, "section": known.section, "nested": known.nested}
            self.record("removed", known.text, source=past.HAND, **fields)
        for key, (text, section, nested) in there.items():
            here, fields = self.past.get(key), {"section": section, "nested": nested}
            if here is None or not here.here:
                self.record("returned", text, source=past.HAND, **fields)
            elif (here.section, here.nested) != (section, nested):
                self.record("edited", text, source=past.HAND, **fields)
        self.change = own

    def _note_import(self, before: Document, after: Document) -> None:
        """Record what a document from elsewhere brought; what has a past keeps it."""
        had, have = _by_id(before), _by_id(after)
        gone = [each[0] for key, each in had.items() if key not in have]
        for key, (text, section, nested) in have.items():
            if key in had and had[key][1:] == (section, nested):
                continue
            twin = next((old for old in gone if similarity.same(old, text)), "")
            gone = [old for old in gone if old != twin]
            fields = {"section": section, "nested": nested, "was": twin and past.identity(twin)}
            kind = "returned" if self.past.get(key) else "imported"
            self.record(kind, text, source=IMPORT, origin=IMPORT, **fields)
        left = _Left(before)
        for text in gone:
            section, nested = had[past.identity(text)][1:]
            fields = {"section": section, "nested": nested, "after": left.behind(text)}
            self.record("archived", text, source=IMPORT, origin=IMPORT, **fields)

    def take_back(self, step: Step) -> None:
        """Undo one thing that a change did; where it cannot be done, nothing is."""
        if step.then is None:
            known = self.past.find(step.now)
            if known and not self._was_moved(step.now):
                only = self._only_there(known)
                self.take_out([step.now], "removed", only, source="person")
            return
        from memory_core import rewind  # which no hook needs

        text = rewind.done(self.text, step, self.limits)
        if text == self.text:
            return
        then = step.then
        was = past.identity(step.now) if step.now else ""
        whole = "\n".join([then.text, then.nested]) if then.nested else then.text
        before = {each[0]: each for each in items(markdown.parse(self.text))}
        self.rewrite(markdown.parse(text))
        after = {each[0]: each for each in items(markdown.parse(self.text))}
        for gone in [each for each in before if each not in after]:
            section, nested = before[gone][1:]
            lost = nested if nested != after.get(then.text, before[gone])[2] else ""
            self.evicted.append((section, "\n".join([gone, lost] if lost else [gone])))
        # As a better wording came it left without what is nested, which stayed.
        self.returned += dict.fromkeys([(then.section, whole), (then.section, then.text)])
        section = after.get(then.text, ("", then.section))[1]
        fields = {"section": section, "nested": then.nested, "was": was}
        self.record("restored", then.text, source="person", **fields)

    def _only_there(self, known: Known) -> str | None:
        """Return the section where an item stands that a person has copied elsewhere."""
        there = [each[1] for each in items(markdown.parse(self.text)) if each[0] == known.text]
        return known.section if known.section in there and len(there) > 1 else None

    def _was_moved(self, text: str) -> bool:
        """Say whether a person has put an item into another section, and so wants it there."""
        document, known = markdown.parse(self.text), self.past.find(text)
        if known is None or not markdown.find_section(document, known.section):
            return False
        fold = similarity.fold(text)
        here = [each[1] for each in items(document) if similarity.fold(each[0]) == fold]
        return bool(here) and known.section not in here

    def fit(self, spared: frozenset[str]) -> None:
        """Let leave what is beyond the limits, these texts last."""
        limits, now, author, known = self._how
        self._take(merge.trim(self.text, limits, now, author, spared, known))

    def rewrite(self, document: Document) -> None:
        """Go on with another document, under a header of now."""
        text = markdown.render(document)
        if text != self.text:
            self.text = merge.stamp(text, self.limits, self.now, self.agent)

    def record(self, kind: str, text: str, **fields: Any) -> None:
        """Add to the history what became of the item with this text."""
        known = self.past.find(text)
        # A clock that went back must not put what happens now before what was.
        time = max(self.time, known.changed) if known else self.time
        fields |= {"n": len(self.records)} if self.records else {}
        told = past.record(kind, time, text, agent=self.agent, change=self.change, **fields)
        self.past.add([told])
        known = self.past.get(told["id"])
        if known:
            told["confidence"] = known.confidence
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
        history.pack(path, size)
        if self._may_resolve():
            common_errors.keep(self.store.place, self.stem, history.read(path))
        self._leave_archive()

    def _may_resolve(self) -> bool:
        """Say whether a run that has had an error teaches something here, or all was deleted."""
        runs = {each.get("run") for each in self.records if each["kind"] in past.TAUGHT} - {
            "",
            None,
        }
        has_erred = any(
            each["kind"] == "error" and each.get("run") in runs for each in self.past.records
        )
        return has_erred or len(self.past.records) == len(self.records)

    def _is_as_it_was(self) -> bool:
        path = self.store.path(self.agent)
        return self.read.is_current() if self.read else not os.path.exists(path)

    def _replace(self) -> None:
        if self.text != self.before:
            self.store.write(self.agent, self.text, self.read)
            versions.add(self.store.place, self.stem, [self.before, self.text])

    def _leave_archive(self) -> None:
        """Take from the archive what stands in the memory again: the last entry of each.

        A file that is then empty stays: git asks what is to become of one that is gone.
        """
        there = _by_id(markdown.parse(self.text)) if self.returned else {}
        for section, item in self.returned:
            if past.identity(item.partition("\n")[0]) not in there:
                continue  # it has left once more
            path = self.store.aside("archive", self.agent)
            read = self.store.read_file(path)
            wanted = aside.normal(aside.label(section, item))
            found = (
                [each for each in aside.entries(read.text) if each.text == wanted] if read else []
            )
            if read and found:
                rest = aside.without(read.text, found[-1])
                self.store.write_file(path, rest, read)


IMPORT = "import"  # the origin of what came with a file

MISTAKES = merge.SECTIONS["mistake"]


def _for_review(merged: Merged) -> list[str]:
    return [f"[{item.type}] {item.content} ({reason})" for item, reason in merged.refused]


def items(document: Document) -> list[Titled]:
    """Return (text, title of its section, nested lines) of the items that have a text."""
    inside = {item.line: each.title for each in document.sections for item in each.items}
    return [
        (item.text, inside.get(item.line, ""), _nested(document, item))
        for item in document.items
        if item.text
    ]


def _by_id(document: Document) -> dict[str, Titled]:
    """Return the items by their ids; of several with one id the first."""
    return {past.identity(each[0]): each for each in reversed(items(document))}


def _nested(document: Document, item: Item) -> str:
    return "\n".join(line.rstrip() for line in document.lines[item.text_end : item.end])


class _Left:
    """Where items stood in a document, while one after another leaves it."""

    def __init__(self, document: Document) -> None:
        self._texts = [[item.text for item in section.items] for section in document.sections]
        self._at: dict[str, tuple[int, int]] = {}
        for number, texts in enumerate(self._texts):
            for at, text in enumerate(texts):
                self._at.setdefault(text, (number, at))
        self._gone: set[str] = set()

    def behind(self, text: str) -> str:
        """Let an item leave; return the id of the one in front of it in its section.

        TOP for none, and "" where it stands in no section.  Those that left already do not
        count: each comes back before those that left earlier.
        """
        if text not in self._at:
            return ""
        number, at = self._at[text]
        texts = self._texts[number]
        while at and texts[at - 1] in self._gone:
            at -= 1
        self._gone.add(text)
        return past.identity(texts[at - 1]) if at else past.TOP


def new_change(what: str) -> str:
    """Return the id of a change that begins now: of all that one command does.

    It begins with the time by the clock, which the times of versions may run ahead of: so
    changes are in order by their ids.
    """
    now = time.time_ns()
    return f"{log.utc(now // 10**9)[:-4]}{now // 1000 % 10**6:06d}-{digests.digest(what)[:4]}"


def _by_hand(change: str, agent: str) -> str:
    """Return the id of what a person did before a change, which finds it: it sorts before it."""
    return f"{change.rpartition('-')[0]}+{digests.digest(agent)[:4]}"


def _time(last: str) -> str:
    """Return the time of a version that is later than `last` by its seconds.

    Where versions come faster than that for minutes, they share the last one.
    """
    now = time.time()
    later = (log.utc(now + ahead) for ahead in range(AHEAD))
    shared = f"{last[:19]}.999Z" if last[:19] <= log.utc(now + AHEAD) else log.utc(now)
    return next((told for told in later if told[:19] > last[:19]), shared)


def check_free(held: store.Store, agents: Iterable[str]) -> None:
    """Raise store.Busy where one of these memories is locked: a change is done to all or none.

    Who changes several looks first; after that only a crash or a full disk can part them.
    """
    for agent in agents:
        with held.locked(agent):
            pass


def changing(
    project: Project,
    agent: str,
    work: Callable[[Memory], Result],
    held: store.Store | None = None,
    change: str = "",
) -> Result:
    """Do something to a memory and write it, under its lock; return what `work` returns.

    Again from the beginning where a person has saved the file meanwhile.  Raises what `work`
    does, and OSError where the memory cannot be locked, read or written: then it is as it was.
    """
    with (held or project.store).locked(agent):
        return _changed(project, agent, work, held, change)[1]


def _changed(
    project: Project,
    agent: str,
    work: Callable[[Memory], Result],
    held: store.Store | None = None,
    change: str = "",
) -> tuple[Memory, Result]:
    for left in reversed(range(TRIES)):
        memory = Memory(project, agent, held, change)
        result = work(memory)
        try:
            memory.write()
            break
        except store.Changed:
            if not left:
                raise
    return memory, result


# What waits in the spool.


def apply(project: Project, agent: str, entry: dict[str, Any]) -> None:
    """Bring an entry of the spool into the memory; raises OSError where that fails.

    What the run has taught already is passed over, and what the memory does not take is
    kept for review.
    """
    records = runs.Runs(project.place, entry["session"])
    known = set(records.record(entry["run"]).get("keys", []))
    fresh = [pair for pair in entry["learnings"] if similarity.fold(pair[1]) not in known]
    source = {key: entry[key] for key in ("run", "session", "source")}
    memory, merged = _changed(project, agent, lambda work: work.learn(fresh, **source))
    lines = [f"[{kind}] {content} ({reason})" for kind, content, reason in entry["rejected"]]
    lines += _for_review(merged)
    project.store.append("quarantine", agent, lines, memory.time)
    if fresh:
        records.note(entry["run"], keys=[similarity.fold(content) for _type, content in fresh])
    _log(memory, entry, merged)


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
