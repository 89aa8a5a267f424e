"""Search items by words, in memories and archives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from memory_core.curation import lookup
from memory_core.document import dated_entries, markdown
from memory_core.history import item_history
from memory_core.history.item_history import ItemState
from memory_core.memory import agent_memory
from memory_core.origin import text_origins
from memory_core.selection import splitting
from memory_core.storage.project import Project
from memory_core.storage.store import Store
from memory_core.text import word_search

IN_MEMORY, IN_ARCHIVE, IN_HISTORY = "memory", "archive", "history"
PLACES = (IN_MEMORY, IN_ARCHIVE)


class ItemHit(NamedTuple):
    """A matching item: the place, and the day of an entry in the archive, else "".

    A sentence that is no item has no id, and no section.
    """

    agent: str
    place: str
    id: str
    section: str
    text: str
    nested: str
    day: str = ""

    @property
    def whole(self) -> str:
        """Return the text with its nested lines."""
        return markdown.join_nested(self.text, self.nested)

    @property
    def is_restorable(self) -> bool:
        """Say whether the item is archived and item_actions.restore accepts it."""
        return self.place == IN_ARCHIVE and not dated_entries.is_from_file(self.section)


class SearchResult(NamedTuple):
    """The hits, and "FILE: reason" of each file that could not be read."""

    hits: list[ItemHit]
    unread: list[str]


def search_items(store: Store, words: str, agents: Sequence[str] = ()) -> SearchResult:
    """Return the items that contain all words, in any order, of all agents or of `agents`.

    A word may be a part of another one.  Case, accents, backticks and the kind of quotes or
    dashes are ignored.  Raises EmptyQuery.
    """
    wanted = word_search.parse_query(words)
    hits, unread = list[ItemHit](), dict[str, None]()
    for agent in lookup.sort_agents(agents or lookup.list_agents(store)):
        for place in PLACES:
            try:
                hits += [
                    hit
                    for hit in _HITS_OF_PLACE[place](store, agent)
                    if word_search.contains_all(f"{hit.text}\n{hit.nested}", wanted)
                ]
            except OSError as error:
                file = f"{store.paths.relative(error.filename)}: " if error.filename else ""
                # Once: a memory is read for its archive, too.
                unread[file + (error.strerror or str(error))] = None
    return SearchResult(hits, [*unread, *map(str, store.files.refused.values())])


def search_given(project: Project, words: str, agents: Sequence[str]) -> SearchResult:
    """Search for a model: as `search_items`, but only what these agents receive."""
    result = search_items(project.store, words, agents) if agents else SearchResult([], [])
    guards = {agent: text_origins.make_guard(project.store, agent, project) for agent in agents}
    hits = [
        hit._replace(section=guards[hit.agent].name_section(hit.section))
        for hit in result.hits
        if not guards[hit.agent].find_reason(hit.text, hit.nested)
    ]
    return result._replace(hits=hits)


def find_by_id(
    store: Store, name: str, places: Sequence[str] = PLACES, agents: Sequence[str] = ()
) -> ItemHit:
    """Return the item with this id or prefix of one, from the first place that has any.

    Searches the memories of all agents, or of `agents`.  Raises ItemNotFound, and AmbiguousItem
    also if several agents have the item.
    """
    for place in places:
        hits = {
            (hit.agent, hit.id): hit
            for agent in agents or lookup.list_agents(store)
            for hit in _HITS_OF_PLACE[place](store, agent)
            if hit.id.startswith(name.lower())
        }
        owners = sorted({agent for agent, _id in hits})
        if len(owners) > 1:
            raise lookup.AmbiguousItem(
                f"{', '.join(owners)} have {name!r}: put the agent's name before it"
            )
        if hits:
            return lookup.find_item(name, hits.values())
    raise lookup.ItemNotFound(f"no item has the id {name!r}: agent-memory search lists ids")


def are_items(project: Project, store: Store, words: Sequence[str]) -> bool:
    """Say whether words name items: `ID...` or `AGENT ID...`."""
    ids = [lookup.is_item_id(project, word, store) for word in words]
    return ids[0] or (len(ids) > 1 and all(ids[1:]))


def resolve_items(
    project: Project, store: Store, words: Sequence[str], places: Sequence[str] = PLACES
) -> list[tuple[str, str]]:
    """Return (agent, name of an item) for `AGENT ITEM`, `AGENT ID...` or `ID...`.

    Several words behind an agent are ids, or else the text of one item.  Raises UnknownAgent,
    ItemNotFound, and AmbiguousItem if several agents have an id.
    """
    if lookup.is_item_id(project, words[0], store):
        wrong = next((word for word in words if not lookup.is_id(word)), None)
        if wrong is not None:
            raise lookup.ItemNotFound(f"invalid id {wrong!r}: agent-memory search lists ids")
        hits = [find_by_id(store, word, places) for word in words]
        return list(dict.fromkeys((hit.agent, hit.id) for hit in hits))
    try:
        agent = lookup.find_agent(project, words[0], store)
    except lookup.UnknownAgent as error:
        if error.near:
            raise
        raise lookup.ItemNotFound(
            f"no agent {words[0]!r} here, and no item has this id: name an agent and its item,"
            " or only an id (agent-memory search lists ids)"
        ) from None
    if not "".join(words[1:]):
        raise lookup.ItemNotFound(f"missing item: agent-memory list {agent} shows those of {agent}")
    are_ids = all(map(lookup.is_id, words[1:]))
    return [(agent, name) for name in (words[1:] if are_ids else [" ".join(words[1:])])]


def _list_memory_hits(store: Store, agent: str) -> Iterator[ItemHit]:
    snapshot = store.read(agent)
    document = markdown.parse_document(snapshot.text if snapshot else "")
    for text, section, nested in markdown.list_items(document):
        yield ItemHit(agent, IN_MEMORY, item_history.id_of(text), section, text, nested)
    for _start, _end, text in splitting.list_paragraphs(document):
        yield ItemHit(agent, IN_MEMORY, "", "", " ".join(text.split()), "")


def list_archived(store: Store, agent: str) -> list[ItemHit]:
    """Return the entries of an agent's archive, in the order of the file."""
    snapshot = store.read_file(store.archive_path(agent))
    hits = list[ItemHit]()
    for entry in dated_entries.parse_entries(snapshot.text) if snapshot else ():
        section, whole = dated_entries.parse_entry(entry.text)
        text, _newline, nested = whole.partition("\n")
        item = item_history.id_of(text), section, text, nested
        hits.append(ItemHit(agent, IN_ARCHIVE, *item, entry.day))
    return hits


def list_absent(store: Store, agent: str) -> list[ItemHit]:
    """Return the entries of an agent's archive whose items are not in the memory again."""
    snapshot = store.read(agent)
    present = agent_memory.index_items(markdown.parse_document(snapshot.text if snapshot else ""))
    return [hit for hit in list_archived(store, agent) if hit.id not in present]


def _list_archive_hits(store: Store, agent: str) -> Iterable[ItemHit]:
    """Return the archived items that are not in the memory again; of equal ones only the last."""
    return {(hit.section, hit.whole): hit for hit in list_absent(store, agent)}.values()


def list_past(agent: str, states: Iterable[ItemState]) -> list[ItemHit]:
    """Return the items of a history as hits."""
    return [
        ItemHit(agent, IN_HISTORY, state.id, state.section, state.text, state.nested)
        for state in states
        if state.text
    ]


def _list_past_hits(store: Store, agent: str) -> list[ItemHit]:
    return list_past(agent, item_history.History(store.history(agent).read()))


_HITS_OF_PLACE: dict[str, Callable[[Store, str], Iterable[ItemHit]]] = {
    IN_MEMORY: _list_memory_hits,
    IN_ARCHIVE: _list_archive_hits,
    IN_HISTORY: _list_past_hits,
}
