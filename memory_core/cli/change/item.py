"""`agent-memory add`, `confirm`, `contradict`, `remove`, `restore`, `pin` and `unpin`: items."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from memory_core.claude_code import acting
from memory_core.cli.common import scopes
from memory_core.cli.common.arguments import Agent, Items, User, agent_argument, argument
from memory_core.cli.common.entries import Entry, format_section, print_list
from memory_core.cli.common.inputs import read_input
from memory_core.cli.common.notes import note_undefined, print_result
from memory_core.cli.errors import CommandRefused
from memory_core.cli.output import print_note, select_fields
from memory_core.curation import item_actions, lookup, searching
from memory_core.curation.item_actions import RatedItem, TeachResult
from memory_core.history import rights
from memory_core.learning import type_names
from memory_core.learning.lines import remove_bullet
from memory_core.memory.loading import read_memory
from memory_core.origin import text_origins
from memory_core.storage import user_level

# What only a person may do, by the kind of the history record.
PERSONS_KINDS = {"confirmed": "confirm items", "pinned": "pin items", "unpinned": "pin items"}

WORDS_HELP = "The text; - reads one item per line. The type: "
WORDS_HELP += f"{', '.join(type_names.TYPES)} (default)."

Words = Annotated[list[str], argument("[TYPE] TEXT", WORDS_HELP)]
ArchivedItems = Annotated[
    list[str], agent_argument("An agent and a text, or ids; without: list.", "[AGENT] [ITEM]")
]


def add(agent: Agent, words: Words, user: User = False) -> None:
    """Add an item to the memory of an agent.

    If the agent knows it already, the confidence rises.

    \b
    Example:
      agent-memory add engineer mistake "A payment sent twice is paid twice"
    """
    scope, agent = scopes.find_agent(agent, user, accept_new=True)
    type_, text = _split_words(words)
    is_new = not scope.level.list_files(agent)
    if is_new and lookup.is_agent(scope.project, text, scope.level):
        raise CommandRefused(f"the agent comes first: use agent-memory add {text} TEXT")
    is_first = not scope.level.files.is_folder(scope.level.folder)
    texts = _read_stdin() if text == "-" else [text]
    source = scopes.find_source(scope.project, texts)
    result = item_actions.teach(scope.project, agent, type_, texts, scope.level, source=source)
    print_result(scope, [_taught_to_json(agent, result)], _describe_taught(result))
    for item in result.rivals:
        print_note(f"It contradicts an item, which agents do not receive now: {format_item(item)}")
    if result.waits:
        print_note(f"It waits for a person: {result.waits} (agent-memory review)")
    if is_first:
        print_note(f"Note: the first memory here; its folder is {scope.level.folder}.")
    if is_new:
        note_undefined(scope.project, agent)
    if user and user_level.is_missing(scope.project):
        print_note(user_level.NOT_ALLOWED)


def _split_words(words: list[str]) -> tuple[str, str]:
    """Return the type and the text.

    The first word is the type if it is one, or if a text in quotes follows.
    """
    is_typed = words[0] in type_names.TYPES or len(words) == 2
    type_, rest = (words[0], words[1:]) if is_typed else (type_names.DEFAULT_TYPE, words)
    if not rest:
        raise CommandRefused(f"missing text: use agent-memory add AGENT {words[0]} TEXT")
    text = " ".join(rest).strip()
    if not text:
        raise CommandRefused("the text is empty")
    return type_, text


def _describe_taught(result: TeachResult) -> list[str]:
    lines = []
    for taught in result.taught:
        verb = "Already known, confidence raised" if taught.was_present else "Added"
        lines.append(f"{verb}: {format_item(taught)}")
        lines += [f"  replaces: {taught.was}"] if taught.was else []
    lines += [f"Contradicted: {format_item(item)}" for item in result.doubted]
    return lines + [
        f"Archived: {format_section(section)}{text.splitlines()[0]}"
        for section, text in result.evicted
    ]


def _read_stdin() -> list[str]:
    try:
        lines = [line.strip() for line in read_input("-").decode("utf-8-sig").splitlines()]
    except UnicodeDecodeError:
        raise CommandRefused("stdin is not UTF-8 text") from None
    texts = list(filter(None, map(remove_bullet, lines)))
    if not texts:
        raise CommandRefused("stdin is empty: at least one line is expected")
    return texts


def _taught_to_json(agent: str, result: TeachResult) -> dict[str, Any]:
    return {
        "agent": agent,
        "items": [
            item_to_json(item) | select_fields(item, "was", known="was_present")
            for item in result.taught
        ],
        "contradicted": [
            select_fields(item, "id", "text", "confidence")
            for item in [*result.doubted, *result.rivals]
        ],
        "archived": [{"section": section, "text": text} for section, text in result.evicted],
    }


def confirm(items: Items, user: User = False) -> None:
    """Record that items are right: their confidence rises.

    \b
    Example:
      agent-memory confirm engineer "event bus"
    """
    _change("confirmed", items, user)


def contradict(items: Items, user: User = False) -> None:
    """Record that items are wrong: their confidence falls.

    The items stay in the memory.

    \b
    Example:
      agent-memory contradict engineer "event bus"
    """
    _change("contradicted", items, user)


def remove(items: Items, user: User = False) -> None:
    """Move items to the archive.

    agent-memory restore puts an item back.

    \b
    Example:
      agent-memory remove engineer "event bus"
    """
    _change("removed", items, user)


def restore(items: ArchivedItems, user: User = False) -> None:
    """List archived items, or restore them.

    \b
    Example:
      agent-memory restore engineer
    """
    scope = scopes.find_level(user)
    if len(items) == 1 and lookup.is_agent(scope.project, items[0], scope.level):
        _list_archive(scope, scopes.find_agents(scope, items)[0])
        return
    scopes.require_person(scope.project, "restore items")
    places = (searching.IN_ARCHIVE, searching.IN_MEMORY, searching.IN_HISTORY)
    named = searching.resolve_items(*scope, items, places)
    rows, lines = [], []
    for one in item_actions.restore(*scope, named):
        file = scope.level.paths.relative(scope.level.path(one.agent))
        fields = select_fields(one, "agent", "section", "text", known="was_present")
        rows.append({**fields, "file": file})
        done = f"Already in {file}" if one.was_present else f"Restored to {file} [{one.section}]"
        lines.append(f"{done}: {one.text.splitlines()[0]}")
    print_result(scope, rows, lines)


def pin(items: Items, user: User = False) -> None:
    """Give items to the agent with every task, whatever the task is.

    \b
    Example:
      agent-memory pin engineer "event bus"
    """
    _change("pinned", items, user)


def unpin(items: Items, user: User = False) -> None:
    """Give items to the agent only if they fit its task.

    \b
    Example:
      agent-memory unpin 17e4
    """
    _change("unpinned", items, user)


def _change(kind: str, items: list[str], user: bool) -> None:
    project, level = scope = scopes.find_level(user)
    names = searching.resolve_items(*scope, items, [searching.IN_MEMORY])
    if kind in PERSONS_KINDS:
        scopes.require_person(project, PERSONS_KINDS[kind])
    else:
        require_person_for(scope, names)
    changed = item_actions.judge_items(project, names, kind, level)
    rows = [{"agent": one.agent, "kind": kind, **item_to_json(one)} for one in changed]
    done = item_actions.JUDGEMENTS[kind]
    print_result(scope, rows, [f"{done}: {format_item(item)}" for item in changed])


def require_person_for(scope: scopes.Scope, items: Iterable[tuple[str, str]]) -> None:
    """Refuse to change items of a person, given as (agent, name), in the shell of an agent."""
    project, level = scope
    if not acting.is_agents_shell(project.environ):
        return
    for agent, name in items:
        item = lookup.find_item(name, item_actions.list_items(read_memory(project, agent, level)))
        if text_origins.read_text_origins(project, level, agent).get(item.text) in rights.DECIDED:
            scopes.require_person(project, "change an item of a person")


def format_item(item: RatedItem) -> str:
    return f"{item.id} {format_section(item.section)}{item.text} ({item.confidence:.1f})"


def item_to_json(item: RatedItem) -> dict[str, Any]:
    return select_fields(item, "id", "text", "section", "confidence")


def _list_archive(scope: scopes.Scope, agent: str) -> None:
    items = searching.list_absent(scope.level, agent)
    rows = [
        {**select_fields(item, "id", "day", text="whole"), "section": item.section}
        for item in items
    ]
    entries = [Entry((agent,), (), (item.id, item.day), item.whole, item.section) for item in items]
    way = f"; agent-memory log {agent} shows items that were deleted in the file"
    hint = way if agent in scope.level.agents_with_history() else ""
    print_list(rows, entries, f"The archive of {agent} is empty{hint}.")
