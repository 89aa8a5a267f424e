"""The tiers of the texts in memories, and the texts that nobody reviewed on this machine."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from memory_core.document import markdown
from memory_core.git import arrivals, commits
from memory_core.git.commits import Commit
from memory_core.history import item_history
from memory_core.memory import index_building, item_index
from memory_core.selection import passages, splitting
from memory_core.text import secrets
from memory_core.text.phrases import format_count
from memory_core.trust import ledger, new_lines
from memory_core.trust.guard import Guard

if TYPE_CHECKING:
    from memory_core.storage.project import Project
    from memory_core.storage.store import Store


class JudgedText(NamedTuple):
    """A text of a memory file, with its nested lines and its tier; an item has an `id`."""

    agent: str
    id: str
    text: str
    nested: str
    tier: str


def list_texts(project: Project, store: Store, agent: str) -> list[JudgedText]:
    """Return the texts of an agent's memory file with their tiers.

    A text of the user's level without an origin is the user's.  Raises OSError.
    """
    arrivals.look(project)
    texts = arrivals.list_texts(store, agent)
    notes = index_building.read_notes(project, store, agent) if texts else {}
    guard = index_building.make_guard(project, store, agent)
    return [
        JudgedText(
            agent,
            item_history.id_of(text),
            text,
            nested,
            guard.find_tier(text, nested, text in notes and notes[text].is_tainted),
        )
        for text, nested in texts
    ]


def list_outside(project: Project, store: Store, agent: str) -> set[str]:
    """Return the texts that are from outside, and that nobody reviewed here.  Raises OSError."""
    texts = list_texts(project, store, agent)
    return {item.text for item in texts if item.tier in passages.OUTSIDE_TIERS}


def find_tier(project: Project, store: Store, agent: str, text: str) -> str:
    """Return the tier of an item with this text, "" without one.  Raises OSError."""
    tiers = {item.text: item.tier for item in list_texts(project, store, agent)}
    return tiers.get(text, "")


def list_held(project: Project, store: Store, agent: str) -> dict[str, str]:
    """Return why agents do not receive items before a person decides, by their texts."""
    snapshot = store.read(agent)
    if snapshot is None:
        return {}
    guard = index_building.make_guard(project, store, agent)
    document = markdown.parse_document(secrets.redact(snapshot.text))
    return {item.text: reason for item, reason in index_building.list_held(document, guard)}


def list_new(
    project: Project, store: Store, agents: Iterable[str] = (), with_held: bool = False
) -> list[JudgedText]:
    """Return the texts that came from elsewhere and that nobody reviewed on this machine.

    With `trust: strict` they are all that nobody reviewed, with `hold_outside: true` also those of
    runs that read from outside.  Those that may be poisoned wait in the review; `with_held` has
    them if their origin is unknown.  A memory that cannot be read has none.
    """
    given = project.given_tiers or (*ledger.INSIDE, ledger.TAINTED)
    new: list[JudgedText] = []
    for agent in agents or store.agents():
        try:
            texts = list_texts(project, store, agent)
        except OSError:
            continue  # the doctor reports it
        guard = Guard(store.paths.state, store.stem(agent))
        new += [
            text
            for text in texts
            if text.tier not in given
            and (
                (with_held and text.tier == ledger.UNKNOWN)
                or not guard.find_reason(text.text, text.nested)
            )
        ]
    return new


def find_commits(store: Store, texts: Iterable[JudgedText]) -> list[tuple[Commit, JudgedText]]:
    """Return texts with the commit that brought each of them, by commit; the oldest comes first."""
    rows: list[tuple[Commit, JudgedText]] = []
    for agent, group in groupby(texts, lambda text: text.agent):
        keys = {ledger.make_key(text.text, text.nested): text for text in group}
        brought = commits.find_commits(store.path(agent), keys, arrivals.list_keys)
        rows += [(brought[key][0], text) for key, text in keys.items()]
    return sorted(rows, key=lambda row: (not row[0].name, row[0].seconds, row[0]))


def remove_held(project: Project, store: Store, agent: str, text: str) -> str:
    """Return the text of a memory file without the parts that agents do not receive.

    Its title, which has no origin, is the agent's name.
    """
    guard = index_building.make_guard(project, store, agent)
    document = index_building.remove_held(markdown.parse_document(text), guard)
    lines = list(document.lines)
    for start, end, paragraph in splitting.list_paragraphs(document):
        if guard.find_reason(paragraph):
            lines[start:end] = [""] * (end - start)
    for heading in document.headings:
        if heading.level == 1:
            lines[heading.line] = f"# {agent}\n"
    return "".join(lines)


def list_reported(project: Project, store: Store) -> list[JudgedText]:
    """Return these texts; none before a session has reported them."""
    return list_new(project, store) if store.paths.state.is_file(new_lines.LOOK_FILE) else []


def describe_reported(project: Project, count: int) -> str:
    """Return a sentence about so many of these texts."""
    items = format_count(count, "item")
    if project.given_tiers:
        return f"agents do not receive {items} without your review"
    return f"{items} came from elsewhere, or nobody has said whose they are"


def accept(store: Store, texts: Iterable[JudgedText], is_mine: bool = False) -> None:
    """Record that a person reviewed these texts on this machine, or wrote them.  Raises OSError."""
    origin = ledger.HAND if is_mine else ledger.REVIEWED
    by_agent: dict[str, dict[str, str]] = {}
    for text in texts:
        keys = by_agent.setdefault(text.agent, {})
        keys[ledger.make_key(text.text, text.nested)] = origin
    for agent, keys in by_agent.items():
        with store.lock(agent):
            ledger.add(store.paths.state, store.stem(agent), keys)
        item_index.remove(store, agent)
