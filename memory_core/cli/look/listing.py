"""`agent-memory list` and `search`: agents and items."""

from __future__ import annotations

import os
from typing import Annotated, Any

from memory_core.cli.common import arguments
from memory_core.cli.common.entries import Entry, print_entries, print_list
from memory_core.cli.common.notes import format_command
from memory_core.cli.common.scopes import Scope, find_agents, find_level
from memory_core.cli.errors import CommandRefused, exit_if
from memory_core.cli.output import print_json, print_note, print_problem, select_fields
from memory_core.curation import agent_status, item_actions, searching
from memory_core.document import markdown
from memory_core.memory import preparing
from memory_core.memory.loading import read_memory
from memory_core.monitor.numbers import Numbers
from memory_core.origin import text_origins
from memory_core.setup import initialize
from memory_core.text.phrases import format_count

# Behind an item that the agent receives with every task, or does not receive.
PINNED, HELD = "  (pinned)", "  (held)"

Mine = Annotated[bool, arguments.flag("--mine", "With AGENT: only the lines that you wrote.")]
Section = Annotated[str, arguments.option("TITLE", "With AGENT: only this section.")]


def list_(
    agent: arguments.OptionalAgent = None,
    number: arguments.Limit = None,
    mine: Mine = False,
    section: Section = "",
    user: arguments.User = False,
) -> None:
    """List all agents, or the items of one agent.

    Agents: those with a memory or defined in .claude/agents.

    \b
    Example:
      agent-memory list engineer
    """
    scope = find_level(user)
    if agent is not None:
        _list_items(scope, agent, number, mine, section)
    elif mine or section:
        raise CommandRefused(f"{'--mine' if mine else '--section'} requires AGENT")
    else:
        _list_agents(scope, number)


def _list_agents(scope: Scope, number: int | None) -> None:
    project, level = scope
    memories = [
        memory
        for memory in agent_status.list_memories(Numbers(project, level))
        if memory.exists or memory.error
    ]
    without_memory = initialize.list_agents_without_memory(level, os.environ, scope.is_user)
    rows = [select_fields(one, "agent", "items", "error", file="path") for one in memories]
    rows += [{"agent": agent, "file": None, "items": 0, "error": None} for agent in without_memory]
    print_json(rows[:number])
    print_entries([Entry((), (), (row["agent"],), _describe(row)) for row in rows[:number]])
    unreadable = agent_status.find_unreadable(level)
    if unreadable:
        print_note(f"Cannot read {unreadable}.")
    elif not rows:
        print_note("No agent has a memory yet, and none is defined in .claude/agents.")


def _describe(row: dict[str, Any]) -> str:
    if row["error"]:
        return f"cannot be read: {row['error']}"
    return format_count(row["items"], "item") if row["file"] else "no memory yet"


def _list_items(scope: Scope, name: str, number: int | None, mine: bool, section: str) -> None:
    project, level = scope
    (agent,) = find_agents(scope, [name])
    # First, as this looks at new lines, and takes over the rights of an older version.
    texts = text_origins.list_texts(project, level, agent)
    memory = read_memory(project, agent, level)
    items = item_actions.list_own(memory, texts) if mine else item_actions.list_items(memory)
    if section:
        title = markdown.normalize_title(section)
        items = [item for item in items if markdown.normalize_title(item.section) == title]
    items, notes = items[:number], preparing.read_notes(project, level, agent)
    pinned = {note.id for note in notes.values() if note.is_pinned}
    guard = text_origins.make_guard(level, agent, project)
    names = ("id", "text", "section", "nested", "confidence")
    rows, entries = [], []
    for item in items:
        is_pinned, is_held = item.id in pinned, guard.find_reason(item.text, item.nested) != ""
        fields = {"agent": agent, **select_fields(item, *names)}
        rows.append({**fields, "pinned": is_pinned, "held": is_held})
        cells = (item.id, f"{item.confidence:.1f}" if item.id else "")
        note = HELD if is_held else PINNED if is_pinned else ""
        entries.append(Entry((agent,), (), cells, item.whole, item.section, note))
    what = "items of yours" if mine else "items"
    what += f" in the section {section}" if section else ""
    empty = f"{agent}'s memory has no {what}; see agent-memory show {agent}"
    print_list(rows, entries, empty if memory.snapshot else f"{agent} has no memory yet.")


Words = Annotated[list[str], arguments.argument("TEXT", "Words that all occur, in any order.")]


def search(
    text: Words,
    agent: arguments.OnlyAgents = None,
    number: arguments.Limit = None,
    user: arguments.User = False,
) -> None:
    """Find items in memories and archives.

    Ignores case and accents; matches parts of words. Exit 1 if nothing is found.

    \b
    Example:
      agent-memory search event bus
    """
    scope = find_level(user)
    words = " ".join(text)
    agents = find_agents(scope, agent)
    result = searching.search_items(scope.level, words, agents)
    hits = result.hits[:number]
    names = ("agent", "id", "text", "section", "nested", "day")
    rows = [{**select_fields(hit, *names), "in": hit.place} for hit in hits]
    print_list(rows, list(map(_to_entry, hits)), "Nothing found.", words)
    _note_archived(hits, user)
    if more := len(result.hits) - len(hits):
        print_note(f"{more} more found.")
    for message in result.unread:
        print_problem(message)
    exit_if(result.unread or not result.hits)


def _note_archived(hits: list[searching.ItemHit], user: bool) -> None:
    archived = [hit for hit in hits if hit.is_restorable]
    if archived:
        one = archived[0]
        words = f"{one.agent} {one.id}" if len(archived) == 1 else "AGENT ID"
        print_note(f"To restore an archived item: {format_command('restore', user)} {words}")


def _to_entry(hit: searching.ItemHit) -> Entry:
    day = f" {hit.day}" if hit.day else ""
    note = f"  (archived{day})" if hit.place == searching.IN_ARCHIVE else ""
    return Entry((hit.agent,), (hit.agent,), (hit.id,), hit.whole, hit.section, note)
