"""Make the index of an agent's items, from its memory files and their histories.

Left out is what may be poisoned, items that a run reported as wrong, items below
`memory.min_confidence`, items that others contradict or repeat, and preferences of the user that
the project overrides.
"""

from __future__ import annotations

import marshal

from memory_core.document import markdown
from memory_core.history import rights
from memory_core.memory import block_text, item_index
from memory_core.memory.item_index import AgentIndex, StoredIndex
from memory_core.origin import ledger, text_origins
from memory_core.secrets import scanner
from memory_core.selection import item_notes, splitting
from memory_core.selection.passage_index import DamagedIndex, PassageIndex, load_block
from memory_core.selection.passages import (
    FACTS,
    MAX_COMPARED,
    NO_SUBJECTS,
    ItemNote,
    Passage,
    Subjects,
    shorten_ids,
)
from memory_core.storage import run_records
from memory_core.text import code_names, similarity, times

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from memory_core.document.block_reader import Item
    from memory_core.document.markdown import Document
    from memory_core.history.item_history import History, Record
    from memory_core.memory.item_index import Stamp
    from memory_core.selection.item_notes import Counts
    from memory_core.storage.project import Project
    from memory_core.storage.store import FileSnapshot, Store

    Files = list[tuple[Store, FileSnapshot]]
    NoteFinder = Callable[[str], ItemNote]
    Notes = dict[str, ItemNote]  # by the text of the item

# Behind the stamp of documents with more texts than can be checked at once: the next one goes on.
UNFINISHED = "unfinished"


def make_index(project: Project, agent: str) -> AgentIndex:
    """Make the index of an agent's files and write it; unreadable files are logged.

    The items that the old index has are not split again.
    """
    store = project.store
    documents = item_index.stamp_documents(project, agent)
    stored, stamp = item_index.read_stored(store, agent), item_index.make_stamp(store, agent)
    try:
        notes = _find_notes(project, store, agent, stored, stamp)
    except OSError as error:
        log_unreadable(project, agent, error)
        notes, documents = {}, []
    if item_index.make_stamp(store, agent) != stamp:
        documents = []  # a writer has just added records, which the notes may have or not
    return _build(project, agent, stored, stamp, notes, documents)


def read_notes(project: Project, store: Store, agent: str) -> Notes:
    """Return the notes on an agent's items, those of an index that is up to date then.

    Raises OSError.
    """
    stored, stamp = item_index.read_stored(store, agent), item_index.make_stamp(store, agent)
    if stored.stamp != stamp and store.paths is project.paths:
        make_index(project, agent)
        stored = item_index.read_stored(store, agent)
    return _find_notes(project, store, agent, stored, stamp)


def take_changes(
    project: Project,
    store: Store,
    agent: str,
    before: Stamp,
    history: History | None = None,
    records: Iterable[Record] = (),
) -> None:
    """Write the index after a change; `before` is the stamp of the history without the change.

    `history` has all records if items changed, and `records` are those of new runs.  If the index
    was not up to date before, the next reader computes it.
    """
    stored, stamp = item_index.read_stored(store, agent), item_index.make_stamp(store, agent)
    if stored.stamp != before:
        return
    stored.counts = item_notes.count_runs(records, stored.counts)
    if history is None:
        stored.stamp = stamp
        item_index.write_stored(store, agent, stored)
        return
    notes = _list_notes(store, agent, history, stored)
    if store.paths is project.paths:
        _build(project, agent, stored, stamp, notes, item_index.stamp_documents(project, agent))
    else:
        _write_notes(store, agent, stored.counts, stamp, notes)


def _find_notes(
    project: Project, store: Store, agent: str, stored: StoredIndex, stamp: Stamp
) -> Notes:
    """Return the stored notes, or those of the history if they are of another one."""
    if not stamp:
        return {}
    if stored.stamp == stamp:
        try:
            return _load_notes(stored)
        except DamagedIndex:
            pass
    history = ledger.read_history(project, store, agent, runs=True)
    stored.counts = item_notes.count_runs(history.records, {})
    return _list_notes(store, agent, history, stored)


def _list_notes(store: Store, agent: str, history: History, stored: StoredIndex) -> Notes:
    """Return the notes on the items of a history, with the counts of the stored index."""
    return item_notes.list_notes(
        history,
        stored.counts,
        _load_subjects(stored),
        lambda: run_records.read_subjects(store.paths.state, store.stem(agent)),
    )


def _build(
    project: Project,
    agent: str,
    stored: StoredIndex,
    stamp: Stamp,
    notes: Notes,
    documents: Stamp,
) -> AgentIndex:
    """Make the index of an agent's files with these notes, and write it.

    `documents` is [] if the notes could not be read; then, or if a file cannot be read, the index
    is not written.
    """
    files, is_whole = _read_files(project, agent)
    words, names = _load_words(stored)
    checked = words if documents and stored.origins == documents[2] else {}
    passages, is_scored = _list_passages(
        project,
        agent,
        files,
        lambda store: _find_level_notes(project, store, agent, notes),
        checked,
    )
    index, short = PassageIndex(), shorten_ids(passage.note.id for passage in passages)
    index.add_subjects(_get_subjects(notes))
    for passage in passages:
        if passage.text in words:
            passage.words, passage.names = words[passage.text], names[passage.text]
        elif passage.item:
            passage.names = code_names.list_names(passage.text[:MAX_COMPARED])
        passage.short_id = short.get(passage.note.id, "")
        index.add(passage)
    index.sort_own()
    facts = (
        [project.paths.relative(snapshot.path) for _store, snapshot in files],
        block_text.find_day(files[0][1]) if files else "",
        max(map(len, short.values()), default=0),
        any(passage.item and not passage.note.is_persons for passage in passages),
    )
    if documents and is_whole:
        data = [_dump_notes(notes)]
        documents = documents if is_scored else [*documents, UNFINISHED]
        new = StoredIndex(stamp, stored.counts, documents, facts, index.make_parts(), data)
        item_index.write_stored(project.store, agent, new)
    return AgentIndex(index, facts)


def _find_level_notes(project: Project, store: Store, agent: str, notes: Notes) -> Notes:
    """Return the notes on the items of a level: `notes` for those of the project."""
    if store.paths is project.paths:
        return notes
    stored, stamp = item_index.read_stored(store, agent), item_index.make_stamp(store, agent)
    try:
        own = _find_notes(project, store, agent, stored, stamp)
    except OSError as error:
        log_unreadable(project, agent, error)
        return {}
    if stored.stamp != stamp:
        _write_notes(store, agent, stored.counts, stamp, own)
    return own


def _load_words(stored: StoredIndex) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Return the words and the names in the stored passages, by their texts."""
    before = PassageIndex(parts=stored.parts)
    try:
        return before.list_words(), {passage.text: passage.names for passage in before}
    except DamagedIndex:
        return {}, {}


def _load_subjects(stored: StoredIndex) -> Subjects:
    """Return the stored subjects of the runs of this level."""
    try:
        return _get_subjects(_load_notes(stored))
    except DamagedIndex:
        return NO_SUBJECTS


def _load_notes(stored: StoredIndex) -> Notes:
    """Return the stored notes on the items of this level; raises DamagedIndex."""
    if not len(stored.notes):
        return {}
    rows, numbers = load_block(stored.notes, 0)
    subjects = Subjects(PassageIndex(parts=stored.parts).list_subjects(), numbers)
    if stored.parts.counts[1] > 1 + max(numbers.values(), default=-1):
        own = {*numbers.values()}  # the others are runs of the user's level
        subjects = Subjects(subjects.select(own), numbers)
    notes = {text: ItemNote(*row) for text, row in rows.items()}
    for note in notes.values():
        note.given, note.used, note.failed = stored.counts.get(note.id, (0, 0, 0))
        note.subjects = subjects
    return notes


def _get_subjects(notes: Notes) -> Subjects:
    """Return the subjects of the runs of notes; all notes of a level share them."""
    return next((note.subjects for note in notes.values()), NO_SUBJECTS)


def _write_notes(store: Store, agent: str, counts: Counts, stamp: Stamp, notes: Notes) -> None:
    """Write the index of a level whose passages are in the indexes of projects."""
    index = PassageIndex()
    index.add_subjects(_get_subjects(notes))
    parts = index.make_parts()
    item_index.write_stored(
        store, agent, StoredIndex(stamp, counts, [], (), parts, [_dump_notes(notes)])
    )


def _dump_notes(notes: Notes) -> bytes:
    rows = {text: tuple([getattr(note, name) for name in FACTS]) for text, note in notes.items()}
    return marshal.dumps((rows, _get_subjects(notes).numbers))


def list_levels(project: Project, has_own: bool) -> list[Store]:
    """Return the levels that an agent receives; `has_own`: the project has a memory for it."""
    setting = project.config["user_level"]
    is_off = setting == "off" or (has_own and setting == "shadow")
    if project.user_paths is None or is_off or not project.gives_user_level():
        return [project.store]
    return [project.store, project.level(user=True)]


def _read_files(project: Project, agent: str) -> tuple[Files, bool]:
    """Return the agent's memory files, first the project's, and whether all could be read.

    If one is unreadable, the agent still receives the other one.
    """
    problems = []

    def read(store: Store) -> FileSnapshot | None:
        try:
            return store.read(agent)
        except OSError as error:
            log_unreadable(project, agent, error)
            problems.append(error)
            return None

    own = read(project.store)
    others = list_levels(project, has_own=own is not None)[1:]
    files = [(project.store, own), *((store, read(store)) for store in others)]
    return [(store, snapshot) for store, snapshot in files if snapshot], not problems


def log_unreadable(project: Project, agent: str, error: OSError) -> None:
    """Log that a file of an agent could not be read."""
    from memory_core.storage import event_log

    text = f"{type(error).__name__}: {error}"
    event_log.write(project.paths, "agent.memory.error", agent_id=agent, error=text)


def _list_passages(
    project: Project,
    agent: str,
    files: Files,
    find_notes: Callable[[Store], dict[str, ItemNote]],
    checked: Collection[str],
) -> tuple[list[Passage], bool]:
    """Return the passages of all files, and whether they are all that agents may receive.

    Of two that say the same it is only the project's.  `find_notes` returns the notes on the items
    of a level, by their texts.  `checked` has the texts that agents may receive; others that may be
    poisoned are left out.
    """
    passages: list[Passage] = []
    own: tuple[Document, NoteFinder] | None = None
    is_scored = True
    for store, snapshot in files:
        notes, text = find_notes(store), scanner.redact(snapshot.text)
        if text != snapshot.text:  # older versions recorded learnings with their secrets
            notes = {scanner.redact(item): note for item, note in notes.items()}
        guard = text_origins.make_guard(store, agent, project)
        allowed = () if guard.given else checked
        document = guard.remove_held(markdown.parse_document(text), allowed)
        document, tiers = _rank_items(document, notes, guard.find_tier)
        find_note = _make_finder(project, notes, tiers)
        document = _remove_uncertain(document, find_note, project.config["min_confidence"])
        document = _remove_losers(document, find_note, tiers)
        texts = [one.text for one in passages if not one.is_outside]
        news = [
            passage
            for passage in _split(_remove_repeats(document), own, find_note)
            if not any(similarity.is_same(passage.text, text) for text in texts)
            and (passage.item or passage.text in allowed or not guard.find_reason(passage.text))
        ]
        for passage in news:
            passage.is_users = store.paths is not project.paths
            tier = tiers.get(passage.item, "")
            passage.tier = tier if passage.item else guard.find_tier(passage.text)
        own = own or (document, find_note)
        passages += news
        is_scored = is_scored and not guard.is_exhausted
    return passages, is_scored


def _rank_items(
    document: Document, notes: Notes, find_tier: Callable[[str, str, bool], str]
) -> tuple[Document, dict[str, str]]:
    """Return the document without outranked items, and the tiers of the others by their texts.

    An item is outranked by one of a higher rank with the same words, or, of a preference, the same
    key.
    """
    tiers = {}
    for item in document.items:
        note, nested = notes.get(item.text), markdown.read_nested(document, item)
        tiers[item.line] = find_tier(item.text, nested, bool(note and note.is_tainted))
    ranks = {line: rights.rank_of(tier) for line, tier in tiers.items()}
    low: list[Item] = []
    if len({*ranks.values()}) > 1:
        keys, best = _list_keys(document), dict[str, int]()
        for line, key in keys.items():
            best[key] = max(best.get(key, 0), ranks[line])
        low = [item for item in document.items if ranks[item.line] < best[keys[item.line]]]
    gone = {item.line for item in low}
    by_text = {item.text: tiers[item.line] for item in document.items if item.line not in gone}
    return _remove(document, low), by_text


def _list_keys(document: Document) -> dict[int, str]:
    """Return by its line what an item says: its words, or the key of a preference."""
    keys = {
        item.line: similarity.normalize_text(item.text) or str(item.line) for item in document.items
    }
    if _has_preferences(document):
        from memory_core.document import preferences

        pairs = [(item, preferences.read_key(item)) for item in preferences.list_items(document)]
        keys |= {item.line: f"{key}:" for item, key in pairs if key}
    return keys


def _has_preferences(document: Document) -> bool:
    return any("preferences" in section.title.casefold() for section in document.sections)


def _split(
    document: Document, own: tuple[Document, NoteFinder] | None, find_note: NoteFinder
) -> list[Passage]:
    """Return the passages of a document, without preferences that those of `own` override."""
    if not _has_preferences(document):
        return splitting.split_document(document, find_note)
    from memory_core.document import preferences

    document = preferences.remove_superseded(document)
    if own:
        nearer, find_own = own
        document = preferences.remove_overridden(
            document, nearer, lambda text: find_own(text).is_confirmed
        )
    passages = splitting.split_document(document, find_note)
    for passage in passages:
        is_preference = preferences.is_title(passage.section)
        passage.is_wished |= is_preference and passage.note.is_confirmed
    return passages


def list_checked(store: Store, agent: str) -> set[str]:
    """Return texts that agents may receive: those in an index that knows the present origins."""
    stored = item_index.read_stored(store, agent)
    if stored.origins[:1] != [item_index.stamp_origins(store, agent)]:
        return set()
    try:
        return {passage.text for passage in PassageIndex(parts=stored.parts)}
    except DamagedIndex:
        return set()


def _remove(document: Document, items: Collection[Item]) -> Document:
    """Return a document without these items."""
    if not items:
        return document
    from memory_core.document import edits

    return edits.remove_items(document, list({item.line: item for item in items}.values()))


def _make_finder(project: Project, notes: Notes, tiers: dict[str, str]) -> NoteFinder:
    """Return a function from an item's text to the note on it, with the rights of its tier.

    An item that the history does not have was written by a person, if its tier does not differ.
    """
    certainty = project.config["confidence"]["person"]
    limited: Notes = {}

    def find_note(text: str) -> ItemNote:
        if text not in limited:
            tier = tiers.get(text, rights.UNKNOWN)
            given = certainty if tier in rights.DECIDED else rights.FOREIGN_CONFIDENCE
            new = ItemNote(similarity.identify(text), given, times.FAR_FUTURE, is_persons=True)
            limited[text] = item_notes.limit(notes.get(text) or new, tier)
        return limited[text]

    return find_note


def _remove_uncertain(document: Document, find_note: NoteFinder, least: float) -> Document:
    """Return a document without items that runs reported as wrong, or below a confidence.

    Those that only a person may withdraw stay; a low confidence does not remove preferences.
    """
    items = [(item, find_note(item.text)) for item in document.items]
    items = [(item, note) for item, note in items if not note.is_persons]
    uncertain = [item for item, note in items if note.is_doubted]
    if least:
        from memory_core.document import preferences

        spared = preferences.list_items(document)
        low = [item for item, note in items if note.confidence < least]
        uncertain += [item for item in low if item not in spared]
    return _remove(document, uncertain)


def _remove_losers(document: Document, find_note: NoteFinder, tiers: dict[str, str]) -> Document:
    """Return a document without the items that others contradict."""
    from memory_core.document import contradictions

    def rank_of(text: str) -> tuple[int, float, str]:
        note = find_note(text)
        return rights.make_rank(tiers.get(text, ""), note.confidence, note.born)

    losers = contradictions.find_losers(document, rank_of)
    return _remove(document, [item for item, _winner in losers])


def _remove_repeats(document: Document) -> Document:
    """Return a document without the items that repeat an earlier one."""
    from memory_core.document import repeats

    return _remove(document, [item for item, _first in repeats.find_repeats(document)])
