"""What a person says of one item: it is right, it is wrong, it goes; and what is preferred.

Each is a change of its own: `timeline.undo` takes it back.  Items are named as `naming`
has it: by id, by a part of the id, or by their text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from memory_core import (
    learnings,
    markdown,
    memory,
    merge,
    naming,
    past,
    preferences,
    similarity,
    store,
    writing,
)

# As much of one learning of several is told, where it is refused.
BEGINNING = 40


class Told(NamedTuple):
    """An item after a person spoke of it: id, text, section, and how sure it is now."""

    id: str
    text: str
    section: str
    confidence: float


def confirm(
    project: memory.Project, agent: str, item: str, held: store.Store | None = None, **by: str
) -> Told:
    """Record that an item is right.  Raises naming.NotFound or naming.Ambiguous."""
    return _say(project, agent, item, "confirmed", held, by)


def contradict(
    project: memory.Project, agent: str, item: str, held: store.Store | None = None, **by: str
) -> Told:
    """Record that an item is wrong.  Raises naming.NotFound or naming.Ambiguous."""
    return _say(project, agent, item, "contradicted", held, by)


def reinforce(
    project: memory.Project, agent: str, item: str, held: store.Store | None = None, **by: str
) -> Told:
    """Record that a run found an item right again: each run counts once; without one, as confirm.

    `by` may have run, session and source.  Raises naming.NotFound or naming.Ambiguous.
    """
    return _say(project, agent, item, "reinforced" if by.get("run") else "confirmed", held, by)


def remove(
    project: memory.Project, agent: str, item: str, held: store.Store | None = None, **by: str
) -> Told:
    """Move an item to the archive.  Raises naming.NotFound or naming.Ambiguous."""
    return _say(project, agent, item, "removed", held, by)


def _say(
    project: memory.Project,
    agent: str,
    item: str,
    kind: str,
    held: store.Store | None,
    by: dict[str, str],
) -> Told:
    def work(work: writing.Memory) -> Told:
        found = named(work, item)
        if kind == "removed":
            work.take_out([found.text], kind, **by)
        else:
            work.record(kind, found.text, **by)
        known = work.past.get(found.id)
        return found._replace(confidence=known.confidence if known else project.weights.person)

    by = {"source": "person", **by}
    named(writing.Memory(project, agent, held), item)  # before anything is made, were it a lock
    return writing.changing(project, agent, work, held)


def named(work: writing.Memory, item: str) -> Told:
    """Return the item of a memory that is meant; raises naming.NotFound, naming.Ambiguous."""
    return naming.find(item, told(work))


def told(work: writing.Memory) -> list[Told]:
    """Return the items of a memory, each with how sure it is."""
    found = []
    for text, section, _nested in writing.items(markdown.parse(work.text)):
        known = work.past.find(text)
        confidence = known.confidence if known else work.project.weights.person
        found.append(Told(past.identity(text), text, section, confidence))
    return found


class Refused(ValueError):
    """A learning that a memory does not take; the message is the reason."""

    status = 2


class Taught(NamedTuple):
    """An item that was taught; `known` if it stood there already, `was` what it replaced."""

    item: Told
    known: bool
    was: str


class Lesson(NamedTuple):
    """What came of teaching: what stands there now, what is less sure since, and what left.

    The last as (section, text), with the lines nested in it behind the text.
    """

    taught: list[Taught]
    doubted: list[Told]
    left: list[tuple[str, str]]


def remember(
    project: memory.Project,
    agent: str,
    kind: str,
    content: str,
    held: store.Store | None = None,
    **by: str,
) -> Told:
    """Add one learning, or confirm the item that says the same; return what stands there then.

    As `teach` does it.
    """
    return teach(project, agent, kind, [content], held, **by).taught[0].item


def teach(
    project: memory.Project,
    agent: str,
    kind: str,
    contents: Sequence[str],
    held: store.Store | None = None,
    **by: str,
) -> Lesson:
    """Add learnings of one kind, or confirm the items that say the same: all of them, or none.

    `kind` is a type or a category, see docs/learnings.md; `by` may have run, session and
    source.  Raises Refused for what a report could not teach either.
    """
    contents = list(dict.fromkeys(contents))
    several = len(contents) > 1
    if len(contents) > memory.FLOOD:
        raise Refused(f"{len(contents)} learnings: at most {memory.FLOOD} are taken at once")
    pairs = [_accepted(project, kind, each, several) for each in contents]

    def work(work: writing.Memory) -> Lesson:
        since = len(work.records)
        merged = work.learn(pairs, **{"source": "person", **by})
        for learning, reason in merged.refused:
            raise Refused(_named(learning.content, reason, several))
        doubted = [each["id"] for each in work.records[since:] if each["kind"] == "contradicted"]
        less_sure = [each for each in told(work) if each.id in doubted]
        return Lesson(_taught(work, merged, pairs), less_sure, merged.evicted)

    return writing.changing(project, agent, work, held)


def _accepted(project: memory.Project, kind: str, content: str, is_named: bool) -> list[str]:
    found = learnings.told(kind, content, project.config["max_learning_length"])
    for refused in found.rejected:
        raise Refused(_named(content, refused.reason, is_named))
    return next([each.type, each.content] for each in found.learnings)


def _named(content: str, reason: str, is_named: bool) -> str:
    return f"{content[:BEGINNING]!r}: {reason}" if is_named else reason


def _taught(work: writing.Memory, merged: merge.Merged, pairs: list[list[str]]) -> list[Taught]:
    """Return what stands there of each learning; nothing of one that has left at once."""
    document, read = markdown.parse(work.text), dict[str, similarity.Folded]()
    was = {past.identity(new): old for old, new in merged.replaced}
    fresh = {*map(past.identity, merged.added), *was}
    by_id = {each.id: each for each in told(work)}
    found: dict[str, Taught] = {}
    for _kind, content in pairs:
        twin = merge.find_twin(document, content, read)
        key = past.identity(twin.text) if twin else ""
        if key in by_id:
            found.setdefault(key, Taught(by_id[key], key not in fresh, was.get(key, "")))
    return list(found.values())


# Preferences.


def prefer(
    project: memory.Project,
    agent: str,
    key: str,
    value: str,
    held: store.Store | None = None,
    source: str = "person",
) -> bool:
    """Set a preference of an agent; False where it has that value.  Raises preferences.Unfit."""
    preferences.put("", key, value, project.limits(agent))  # before anything is made

    def work(work: writing.Memory) -> bool:
        return _prefer(work, key, value, source)

    return writing.changing(project, agent, work, held)


def _prefer(work: writing.Memory, key: str, value: str, source: str) -> bool:
    *doubled, old = _of_key(work, key) or [""]
    if preferences.put(work.text, key, value, work.limits) == work.text:
        return False
    work.take_out(doubled, "removed", source=source)
    after = markdown.parse(preferences.put(work.text, key, value, work.limits))
    new = preferences.find(after, key)
    work.rewrite(after)
    if new and new.text != old:
        was = past.identity(old) if old else ""
        fields = {"section": preferences.TITLE, "was": was, "source": source}
        work.record("preference", new.text, **fields)
        work.fit(frozenset([new.text]))
    return True


def _of_key(work: writing.Memory, key: str) -> list[str]:
    return [item.text for item in preferences.every(markdown.parse(work.text), key)]


def unprefer(
    project: memory.Project,
    agent: str,
    key: str,
    held: store.Store | None = None,
    source: str = "person",
) -> bool:
    """Take a preference of an agent back; False where it has none of that key."""
    if preferences.find(_document(project, agent, held), key) is None:
        return False

    def work(work: writing.Memory) -> bool:
        return bool(work.take_out(_of_key(work, key), "removed", source=source))

    return writing.changing(project, agent, work, held)


def preferred(
    project: memory.Project, agent: str, held: store.Store | None = None
) -> dict[str, str]:
    """Return the preferences of an agent at one level, by their keys as they are written."""
    return preferences.listed(_document(project, agent, held))


def _document(project: memory.Project, agent: str, held: store.Store | None) -> markdown.Document:
    read = (held or project.store).read(agent)
    return markdown.parse(read.text if read else "")
