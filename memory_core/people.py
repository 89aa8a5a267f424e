"""What a person says of one item: it is right, it is wrong, it goes; and what is preferred.

Each is a change of its own: `timeline.undo` takes it back.  Items are named as `naming`
has it: by id, by a part of the id, or by their text.
"""

from __future__ import annotations

from typing import NamedTuple

from memory_core import learnings, markdown, memory, naming, past, preferences, store, writing


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


def forget(
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


def remember(
    project: memory.Project,
    agent: str,
    kind: str,
    content: str,
    held: store.Store | None = None,
    **by: str,
) -> Told:
    """Add one learning, or confirm the item that says the same; return what stands there then.

    `kind` is a type or a category, see docs/learnings.md; `by` may have run, session and
    source.  Raises Refused for what a report could not teach either.
    """
    found = learnings.told(kind, content, project.config["max_learning_length"])
    for refused in found.rejected:
        raise Refused(refused.reason)
    pairs = [[each.type, each.content] for each in found.learnings]

    def work(work: writing.Memory) -> Told:
        merged = work.learn(pairs, **{"source": "person", **by})
        for _learning, reason in merged.refused:
            raise Refused(reason)
        new = [*merged.added, *(new for _old, new in merged.replaced)]
        text = (new or [standing for standing, _learning in merged.known])[0]
        return next(each for each in told(work) if each.text == text)

    return writing.changing(project, agent, work, held)


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
