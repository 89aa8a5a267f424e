"""Find an agent or an item by the name that a user or a program gives.

Errors suggest the nearest names.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Protocol, TypeVar

from memory_core.claude_code import agent_definitions, agent_names
from memory_core.storage.project import Project
from memory_core.storage.store import Store, resolve_agent
from memory_core.text import sanitize, similarity

# Minimum similarity of two names, from 0 to 1, for one to be taken for a typo of the other.
TYPO_CUTOFF = 0.8

# A shorter prefix of an id may just as well be a word or a number in a text.
MIN_PREFIX = 4

# Maximum number of candidates in an error, and of characters of each.
SHOWN_AGENTS = 3
SHOWN_ITEMS = 5
SHOWN_LENGTH = 60

# Minimum share of common words for an item to be suggested.
MIN_LIKENESS = 0.4


class UnknownAgent(ValueError):
    """The project has no agent of this name; `near` are similar names."""

    status = 2

    def __init__(self, name: str, *near: str) -> None:
        meant = f"did you mean {' or '.join(near)}?"
        hint = meant if near else "agent-memory status lists those with a memory"
        super().__init__(f"no agent {name!r} here; {hint}")
        self.near = near


class ItemNotFound(ValueError):
    """No item matches a name; the message lists the most similar items."""

    status = 2


class AmbiguousItem(ValueError):
    """Several items match a name; the message lists them."""

    status = 2


# Agents.


def sort_agents(names: Iterable[str]) -> list[str]:
    """Return agents by name, the main session last."""
    return sorted(names, key=lambda name: (name == agent_names.PM, name))


def list_agents(store: Store) -> list[str]:
    """Return the agents with a memory, a history, an archive or learnings to review."""
    others = *store.agents_with_history(), *store.agents_to_review()
    return sorted({*store.agents_with_files(), *others} - {""})


def list_defined_agents(project: Project) -> list[str]:
    """Return the names of the agents that Claude Code has in this project."""
    catalog = agent_definitions.AgentCatalog(project.paths.root, project.environ)
    return [*(file.name for file in catalog.definitions), *agent_definitions.BUILT_IN_AGENTS]


def list_known_agents(project: Project) -> set[str]:
    """Return the ids of the agents with files in the project or the user level.

    Agents that Claude Code has in this project are included.
    """
    levels = project.store, project.level(user=True)
    with_files = {agent for level in levels for agent in list_agents(level)}
    return with_files | set(map(agent_names.id_of, list_defined_agents(project)))


def is_known(project: Project, agent: str, store: Store | None = None) -> bool:
    """Say whether this is the id of the main session, or of one of `list_known_agents`."""
    has_file = agent == agent_names.id_of(agent) and (store or project.store).has_file(agent)
    return agent == agent_names.PM or has_file or agent in list_known_agents(project)


def find_agent(
    project: Project,
    name: str,
    store: Store | None = None,
    accept_new: bool = False,
) -> str:
    """Return the id of the agent with this name.

    Raises UnknownAgent for an agent without files or definition.  With `accept_new` it is
    raised only if the name looks like a typo of a known agent.  Raises InvalidAgentName for
    a name without letters and digits.
    """
    agent = resolve_agent(store or project.store, name)
    if is_known(project, agent, store):
        return agent
    known_agents = sorted(list_known_agents(project))
    match = partial(difflib.get_close_matches, agent, cutoff=TYPO_CUTOFF)
    near = match(known_agents, n=1)
    if not (near or accept_new):  # it may be a part of a name
        near = [one for one in known_agents if match(one.split("-"))][:SHOWN_AGENTS]
    if near or not accept_new:
        raise UnknownAgent(name, *near)
    return agent


def is_agent(project: Project, name: str, store: Store | None = None) -> bool:
    """Say whether the project has an agent of this name."""
    try:
        find_agent(project, name, store)
    except ValueError:
        return False
    return True


def is_item_id(project: Project, name: str, store: Store | None = None) -> bool:
    """Say whether a name stands for an item: it can only be an id, and no agent has it."""
    return is_id(name) and not is_agent(project, name, store)


# Items.


class HasId(Protocol):
    """An item: the id of its text; its text, followed by its nested lines if there are any."""

    @property
    def id(self) -> str: ...

    @property
    def text(self) -> str: ...


ItemT = TypeVar("ItemT", bound=HasId)


def find_item(name: str, items: Iterable[ItemT]) -> ItemT:
    """Return the item with this name; of several with the same id, the first.

    A name is an id, a prefix of an id (at least MIN_PREFIX digits), a text, the same words,
    or a part of a text.  Raises ItemNotFound and AmbiguousItem.
    """
    ranked = [(_rank(item, name.strip()), item) for item in items]
    # The best way counts: the name of a whole text never means a part of others.
    best = min((rank for rank, _item in ranked if rank), default=-1)
    matches = [item for rank, item in ranked if rank == best]
    by_id = {item.id: item for item in reversed(matches)}
    if len(by_id) == 1:
        return matches[0]
    if matches:
        listed = _format_items([*by_id.values()][::-1])
        raise AmbiguousItem(f"{name!r} may be one of {len(by_id)} items:{listed}")
    near = _format_items(_list_similar(name, [item for _rank, item in ranked]))
    raise ItemNotFound(f"no item matches {name!r}{'; similar:' if near else ''}{near}")


def is_id(name: str) -> bool:
    """Say whether a name can only be an id or a prefix of one."""
    return len(name) >= MIN_PREFIX and not set(name.lower()) - set("0123456789abcdef")


def _rank(item: HasId, name: str) -> int:
    """Return how a name matches an item, the best way first, 0 for not at all."""
    first, low = _first_line(item), name.lower()
    ways = (
        item.id == low,
        len(name) >= MIN_PREFIX and item.id.startswith(low),
        name in (item.text, first),
        similarity.normalize_text(first) == similarity.normalize_text(name),
        name.casefold() in item.text.casefold(),
    )
    return ways.index(True) + 1 if name and any(ways) else 0


def _first_line(item: HasId) -> str:
    return item.text.partition("\n")[0]


def _list_similar(name: str, items: Iterable[HasId]) -> list[HasId]:
    words = similarity.extract_words(name)

    def measure(item: HasId) -> float:
        return similarity.measure_overlap(words, similarity.extract_words(_first_line(item)))

    near = {item.id: item for item in items if measure(item) >= MIN_LIKENESS}
    return sorted(near.values(), key=measure, reverse=True)[:SHOWN_ITEMS]


def _format_items(items: Sequence[HasId]) -> str:
    lines = [
        f"\n  {item.id} {sanitize.shorten(_first_line(item), SHOWN_LENGTH)}"
        for item in items[:SHOWN_ITEMS]
    ]
    more = f"\n  and {len(items) - SHOWN_ITEMS} more" if len(items) > SHOWN_ITEMS else ""
    return "".join(lines) + more
