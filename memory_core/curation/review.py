"""Decide on the learnings that wait for a person.

Each call of `accept` and `reject` is one change, which undo takes back: the field `waiting` of a
record keeps the learning as it waited.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from memory_core.curation import item_actions, lookup
from memory_core.curation.item_actions import InvalidRequest, SavedItem
from memory_core.document import markdown, near_duplicates, preferences
from memory_core.document.merge_learnings import Learning
from memory_core.history import item_history, rights
from memory_core.history.item_history import ItemState
from memory_core.memory import agent_memory, changes, transaction
from memory_core.memory.agent_memory import AgentMemory
from memory_core.memory.loading import read_memory
from memory_core.monitor import waiting_list
from memory_core.origin import text_origins
from memory_core.secrets import scanner
from memory_core.storage.project import Project
from memory_core.storage.store import Store
from memory_core.text import sanitize

# Records the decision on a learning; the last argument has the fields of its records.
Decision = Callable[[AgentMemory, "WaitingItem", dict[str, Any]], SavedItem | None]


# What a person may do with a learning.
ACTIONS = ACCEPT, EDIT, MOVE, REJECT = ("accept", "edit", "move", "reject")


class WaitingItem(NamedTuple):
    """A learning that waits, and its agent; `entry` has all fields of `review_table`."""

    agent: str
    entry: dict[str, Any]

    @property
    def id(self) -> str:
        return str(self.entry["id"])

    @property
    def is_rule(self) -> bool:
        """Return whether it is in the memory file, and a run reported it as wrong."""
        return str(self.entry["reason"]).endswith((changes.STILL_GIVEN, changes.STAYS))

    @property
    def text(self) -> str:
        """Return the learning with its nested lines, without secrets."""
        return scanner.redact(markdown.join_nested(self.entry["content"], self.entry["nested"]))

    @property
    def reasons(self) -> list[str]:
        """Return why it waits, as short texts without secrets and repetitions."""
        reason = self.entry["reason"]
        others = [text for text in self.entry["reasons"] if text not in reason]
        if text_origins.REASON not in reason:  # other reasons are found first, such as a secret
            is_outside = self.entry["source"] in rights.BY_SOURCE
            is_outside |= bool(self.entry["reading"])
            others += filter(None, [text_origins.find_reason(self.text, is_outside)])
        return [scanner.redact(text) for text in (reason, *others) if text] or ["unknown"]

    @property
    def has_secret(self) -> bool:
        return any(scanner.REASON in reason for reason in self.reasons)


class Preview(NamedTuple):
    """What accepting a learning would do.

    The item goes to `section`, or is there already if `is_known`; `similar` is an item that it
    `replaces`, or one that resembles it and stays; `problem` is why it cannot be accepted as it is.
    """

    section: str = ""
    similar: str = ""
    replaces: bool = False
    is_known: bool = False
    problem: str = ""


class NotWaiting(ValueError):
    """Somebody else has decided on a learning meanwhile."""

    status = 1


def list_waiting(store: Store, agents: Iterable[str] = ()) -> list[WaitingItem]:
    """Return the learnings that wait, by agent and oldest first; default: of all agents."""
    names = lookup.sort_agents(agents or {*store.agents_to_review(), *store.agents()} - {""})
    return [
        WaitingItem(agent, entry)
        for agent in names
        for entry in waiting_list.list_entries(store, agent)
    ]


def update_origins(project: Project, store: Store, items: Iterable[WaitingItem]) -> None:
    """Give rules that a run reported as wrong the origins that they have now.  Raises OSError."""
    for one in filter(lambda item: item.is_rule, items):
        origins = text_origins.read_text_origins(project, store, one.agent)
        one.entry["origin"] = origins.get(one.entry["content"], "")


def choose(
    project: Project,
    store: Store,
    names: Sequence[str],
    accept_all: bool = False,
) -> list[WaitingItem]:
    """Return the waiting learnings with these ids, texts or parts of them.

    A name of an agent restricts the others to the agent; only such names mean all of its
    learnings, if `accept_all`.  Raises InvalidRequest and AmbiguousItem.
    """
    wanted = [name for name in names if not lookup.is_agent(project, name, store)]
    agents = {lookup.find_agent(project, name, store) for name in names if name not in wanted}
    waiting = list_waiting(store, agents)
    update_origins(project, store, waiting)
    if not (wanted or accept_all):
        raise InvalidRequest("name the learnings by their ids, or use --all")
    try:
        chosen = [lookup.find_item(name, waiting) for name in wanted]
    except lookup.ItemNotFound as error:
        message = str(error).replace("no item", "no agent or waiting learning", 1)
        raise InvalidRequest(message) from None
    return list({item.id: item for item in chosen}.values()) if wanted else waiting


def accept(
    project: Project,
    store: Store,
    chosen: Sequence[WaitingItem],
    text: str | None = None,
    target: str = "",
) -> list[SavedItem]:
    """Add learnings to their memories, in any length, as items of a person.

    `text` replaces that of a single learning; its lines below the first one are nested.  `target`
    is another agent, whose memory gets the learnings.  Raises InvalidRequest and NotWaiting
    before any change, and OSError.
    """
    add = partial(_accept_item, text=text)
    if target in ("", *(item.agent for item in chosen)):
        return _decide(project, store, chosen, add)
    _check_waiting(store, chosen)

    def copy(memory: AgentMemory) -> list[SavedItem]:
        return [add(memory, one, {**_source_of(one), "origin": one.agent}) for one in chosen]

    change_id = agent_memory.make_change_id(target)
    accepted = transaction.change_memory(project, target, copy, store, change_id)
    _decide(project, store, chosen, _record_rejected, change_id)
    return accepted


def _accept_item(
    memory: AgentMemory, item: WaitingItem, fields: dict[str, Any], text: str | None = None
) -> SavedItem:
    """Add a learning to a memory, or confirm the item about which an entry asks."""
    content, nested = _split_text(item.text if text is None else text)
    state = _find_doubted(memory, item)
    if state and text is None:
        memory.record("confirmed", state.text, **fields)
        return SavedItem(memory.agent, state.id, state.text, was_present=False)
    if state:
        changes.remove_items(memory, [state.text], "removed", **_source_of(item))
    elif item.entry["reason"].endswith(waiting_list.IN_FILE):
        if text is not None:
            raise InvalidRequest(f"{item.id} is not an item: edit the memory file")
        memory.origins[item.entry["content"], ""] = rights.ACCEPTED
        return SavedItem(memory.agent, item.id, content, False)
    if item.entry["type"] == item_actions.PREFERENCE:
        is_new = item_actions.put_preference(memory, *preferences.parse_pair(content), **fields)
        return SavedItem(memory.agent, item_history.id_of(content), content, not is_new)
    learning = Learning(item.entry["type"], content, nested)
    merged = changes.learn(memory, changes.Lesson([learning], fields), kind="approved")
    if merged.refused:
        reason = scanner.refuse(f"{content}\n{nested}") or merged.refused[0].reason
        raise InvalidRequest(f"{item.id} cannot be added: {reason}")
    present = merged.duplicates[0][0] if merged.duplicates else ""
    key = item_history.id_of(present or content)
    return SavedItem(memory.agent, key, present or content, bool(present))


def preview(project: Project, store: Store, item: WaitingItem) -> Preview:
    """Accept a learning in a copy of the memory; nothing is written."""
    try:
        memory = read_memory(project, item.agent, store)
        before = [text for text, *_ in markdown.list_items(memory.document)]
        taken = _accept_item(memory, item, _source_of(item))
    except (OSError, ValueError) as error:
        return Preview(problem=str(error))
    after = {text: section for text, section, _ in markdown.list_items(memory.document)}
    others = [text for text in before if text != item.entry["content"]]
    replaced = [text for text in others if text not in after]
    rivals = [text for text in others if text == item.entry["other"]]
    close = [taken.text] if taken.text in others else []
    candidates = replaced + rivals + close or [near_duplicates.find_similar(taken.text, others)]
    section, is_known = after.get(taken.text, ""), taken.text in before
    return Preview(section, scanner.redact(candidates[0]), bool(replaced), is_known)


def reject(project: Project, store: Store, chosen: Sequence[WaitingItem]) -> list[str]:
    """Remove learnings, or rules of the memory; return a line for each.  Raises as `accept`."""
    _decide(project, store, chosen, _record_rejected)
    verbs = ["Archived" if item.is_rule else "Rejected" for item in chosen]
    rows = zip(verbs, chosen, strict=True)
    return [f"{verb}: {item.agent}: {item.text.splitlines()[0]}" for verb, item in rows]


def decide(project: Project, store: Store, item: WaitingItem, action: str, value: str = "") -> str:
    """Do what a person chose for one learning; return what was done.

    `value` is the text of EDIT, and the agent of MOVE.  Raises as `accept`, and UnknownAgent.
    """
    if action == REJECT:
        return reject(project, store, [item])[0]
    text, target = None, ""
    if action == EDIT:
        text = value
        if text.strip() == item.text.strip():
            raise InvalidRequest("The text is unchanged.")
    elif action == MOVE:
        target = lookup.find_agent(project, value, store, accept_new=True)
    return "\n".join(map(format_accepted, accept(project, store, [item], text, target)))


def _find_doubted(memory: AgentMemory, item: WaitingItem) -> ItemState | None:
    """Return the item of the memory about which an entry asks.

    A run reported it as wrong, or it may be poisoned.
    """
    state = memory.history.find(item.entry["content"])
    is_asked = state and (state.is_doubted or item.entry["reason"].endswith(waiting_list.IN_FILE))
    return state if state and state.is_present and is_asked else None


def _record_rejected(memory: AgentMemory, item: WaitingItem, fields: dict[str, Any]) -> None:
    if state := _find_doubted(memory, item):
        changes.remove_items(memory, [state.text], "removed", **_source_of(item))
    elif item.id in {
        entry["id"] for entry in waiting_list.list_poisoned(memory.store, memory.agent)
    }:
        raise InvalidRequest(f"{item.id} is not an item: remove it from the memory file")
    memory.record("rejected", item.entry["content"], nested=item.entry["nested"], **fields)


def _split_text(text: str) -> tuple[str, str]:
    """Return the first line, cleaned, and the lines to nest below it."""
    first, _newline, nested = text.strip().partition("\n")
    content = sanitize.clean_line(first)
    if not content:
        raise InvalidRequest("the text is empty: at least one word is expected")
    return content, "\n".join(_make_bullet(line) for line in nested.splitlines() if line.strip())


def _make_bullet(line: str) -> str:
    """Return a line as a nested list item; it keeps its indentation."""
    body = line.strip()
    indent = line[: len(line) - len(line.lstrip())] or "  "
    return indent + (body if body[:2] in ("- ", "* ", "+ ") else f"- {body}")


def _decide(
    project: Project,
    store: Store,
    chosen: Sequence[WaitingItem],
    record: Decision,
    change_id: str = "",
) -> list[SavedItem]:
    """Record a decision in the memory of each agent, and remove the learnings from the list.

    Returns the items that it added.
    """

    def edit(memory: AgentMemory) -> list[SavedItem]:
        own = [item for item in chosen if item.agent == memory.agent]
        _check_waiting(store, own)
        memory.decided += [item.id for item in own]
        return list(filter(None, (record(memory, item, _make_fields(item)) for item in own)))

    agents = lookup.sort_agents({item.agent for item in chosen})
    saved = transaction.change_memories(project, store, agents, edit, change_id)
    return [item for items in saved for item in items]


def _make_fields(item: WaitingItem) -> dict[str, Any]:
    """Return the fields of the record of a decision."""
    waiting = {name: value for name, value in item.entry.items() if value}
    return {**_source_of(item), "waiting": waiting}


def _check_waiting(store: Store, chosen: Sequence[WaitingItem]) -> None:
    present = {item.id for item in list_waiting(store, {item.agent for item in chosen})}
    for item in chosen:
        if item.id not in present:
            raise NotWaiting(f"{item.id} does not wait any more: somebody has decided on it")


def _source_of(item: WaitingItem) -> dict[str, Any]:
    ids = {name: item.entry[name] for name in ("run", "session")}
    return {**ids, "source": item_history.PERSON_SOURCE}


INDENT = "  "


def describe(item: WaitingItem, shown: Preview) -> list[tuple[str, str, str]]:
    """Return the learning, why it waits, what its run read, and what accepting it would do.

    Each line is its indentation, its text, and a style of `output.STYLES` or "".
    """
    first, *nested = item.text.splitlines()
    kind = f"[{item.entry['type']}] " if item.entry["type"] else ""
    lines = [(INDENT, kind + first, ""), *((INDENT * 4, line, "") for line in nested)]
    return lines + [
        (INDENT * 2, scanner.redact(text), style)
        for text, style in (*_list_origin(item), *_list_effects(item, shown))
    ]


def _list_origin(item: WaitingItem) -> Iterator[tuple[str, str]]:
    entry = item.entry
    about = [*item.reasons, f"since {entry['time'][:10]}" if entry["time"] else ""]
    about.append(f"run {entry['run']}" if entry["run"] else "")
    yield f"why it waits: {'; '.join(filter(None, about))}", ""
    if entry["reading"]:
        yield f"the run read: {', '.join(entry['reading'])}", "warning"
    if entry["origin"]:
        yield f"origin: {entry['origin']}", ""
    if item.has_secret:
        yield "a saves the text as it is here; e lets you change it", "note"


def _list_effects(item: WaitingItem, shown: Preview) -> Iterator[tuple[str, str]]:
    """Yield where the item would go, and the diff to a similar one."""
    if item.entry["other"]:
        yield f"contradicts: {item.entry['other']}", ""
    if shown.problem:
        yield f"cannot be accepted as it is: {shown.problem}", "warning"
    elif shown.section:
        where = "already in" if shown.is_known else "goes to"
        yield f"{where}: {shown.section}", ""
    if shown.similar:
        yield "replaces:" if shown.replaces else "similar, and stays:", ""
        yield f"- {shown.similar}", "broken"
        yield f"+ {item.text.splitlines()[0]}", "ok"


def format_accepted(item: SavedItem) -> str:
    verb = "Already known" if item.was_present else "Accepted"
    return f"{verb}: {item.agent}: {item.id} {item.text}"


def item_to_json(item: WaitingItem) -> dict[str, Any]:
    fields = {**item.entry, "reasons": item.reasons}
    shown = scanner.redact_values(fields).items()
    return {"agent": item.agent, **{name: None if value == "" else value for name, value in shown}}
