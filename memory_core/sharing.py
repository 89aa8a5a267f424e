"""An item from one agent to others, or to the user's own memory of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from memory_core import (
    insertion,
    markdown,
    memory,
    merge,
    naming,
    people,
    preferences,
    store,
    writing,
)


class Shared(NamedTuple):
    """An item after it was copied: to whom, at which level; `known` if it was there already."""

    agent: str
    is_user: bool
    text: str
    section: str
    known: bool


class Source(NamedTuple):
    """An item where it stands: whose, its id and text (with the nested lines), its section."""

    agent: str
    id: str
    text: str
    section: str
    confidence: float


def sources(project: memory.Project, held: store.Store, names: Iterable[str]) -> list[Source]:
    """Return the items of these agents, all but their preferences."""
    found = []
    for agent in names:
        work = writing.Memory(project, agent, held)
        nested = {text: lines for text, _, lines in writing.items(markdown.parse(work.text))}
        for each in people.told(work):
            if not preferences.is_title(each.section):
                whole = "\n".join(
                    [each.text, nested[each.text]] if nested[each.text] else [each.text]
                )
                found.append(Source(agent, each.id, whole, each.section, each.confidence))
    return found


def find(found: list[Source], item: str) -> Source:
    """Return the item that is meant; raises naming.NotFound, naming.Ambiguous.

    The second also where two agents have it: then it must be said whose is copied.
    """
    one = naming.find(item, found)
    owners = sorted({each.agent for each in found if each.id == one.id})
    if len(owners) > 1:
        raise naming.Ambiguous(f"{', '.join(owners)} have {item!r}; --from says whose is copied")
    return one


def share(
    project: memory.Project, source: Source, to: Sequence[tuple[str, store.Store]]
) -> list[Shared]:
    """Copy an item to other agents or levels, with its origin and how sure it is."""
    change = writing.new_change("share")
    for agent, held in to:
        writing.check_free(held, [agent])
    return [_shared(project, source, agent, held, change) for agent, held in to]


def _shared(
    project: memory.Project, source: Source, agent: str, held: store.Store, change: str
) -> Shared:
    is_user = project.user is not None and held.place is project.user

    def work(work: writing.Memory) -> Shared:
        document = markdown.parse(work.text)
        twin = merge.find_twin(document, source.text.partition("\n")[0], {})
        if twin:
            return Shared(agent, is_user, twin.text, "", True)
        after, text = insertion.put(document, source.section, source.text, "", work.limits)
        work.rewrite(after)
        section = next(each[1] for each in writing.items(after) if each[0] == text)
        _record(work, source, text, section)
        work.fit(frozenset([text]))
        return Shared(agent, is_user, text, section, False)

    return writing.changing(project, agent, work, held, change)


def _record(work: writing.Memory, source: Source, text: str, section: str) -> None:
    nested = source.text.partition("\n")[2]
    told = {"section": section, "nested": nested, "origin": source.agent}
    work.record("imported", text, source="person", confidence=source.confidence, **told)
