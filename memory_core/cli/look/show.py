"""`agent-memory show`: the memory file of an agent, now or earlier, or its prompt text."""

from __future__ import annotations

import os
import time
from typing import Annotated, Any

import typer

from memory_core.claude_code.agent_names import PM
from memory_core.cli import times
from memory_core.cli.common.arguments import AsJson, User, agent_argument, flag
from memory_core.cli.common.entries import Entry, print_entries
from memory_core.cli.common.notes import format_command
from memory_core.cli.common.scopes import AgentScope, LevelScope, find_agent, find_level
from memory_core.cli.errors import CommandRefused
from memory_core.cli.output import print_bytes, print_json, print_line, print_note, select_fields
from memory_core.curation import agent_context, agent_status, change_log, lookup, searching
from memory_core.document import markdown
from memory_core.memory.reading import read_memory
from memory_core.storage import store
from memory_core.text.times import format_utc

# Fields of an item and their titles.
ITEM_FIELDS = {
    **{name: name for name in ("id", "agent", "section", "place", "confidence")},
    "time": "added",
    "source": "added by",
    "run": "run",
    "session": "session",
}


def show(
    agent: Annotated[str, agent_argument("An agent in any case, PM, or the id of an item.")],
    as_given: Annotated[
        bool, flag("--as-given", "Print the exact text that the agent receives.")
    ] = False,
    at: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Show the items of that time: 2d, '2026-11-20 22:10'."),
    ] = None,
    user: User = False,
    json: AsJson = False,
) -> None:
    """Print the memory of an agent, or an item with its origin.

    With --at, the items are those of that time (UTC); other text is current.

    \b
    Example:
      agent-memory show engineer --as-given
    """
    if as_given and at is not None:
        raise CommandRefused("--as-given and --at exclude each other")
    moment = None if at is None else times.parse_time(at, time.time())
    level = find_level(user)
    is_id = lookup.is_item_id(level.project, agent, os.environ, level.level)
    if is_id and moment is None and not as_given:
        _show_item(level, agent, json)
        return
    scope = find_agent(agent, user)
    if moment is not None:
        _show_past(scope, moment, json)
    elif as_given:
        _show_prompt_text(scope, json)
    else:
        _show_file(scope, user, json)


def _show_item(scope: LevelScope, name: str, json: bool) -> None:
    item = searching.find_by_id(scope.level, name)
    state = read_memory(scope.project, item.agent, scope.level).history.get(item.id)
    origin = ("confidence", "source", "run", "session", "used")
    fields = {
        **select_fields(item, "id", "agent", "section", "text", "nested", "place"),
        **select_fields(state, *origin, time="born"),
    }
    if json:
        print_json(fields)
        return
    fields |= {"time": fields["time"] and fields["time"][:16].replace("T", " ")}
    print_entries([Entry((), (), (), markdown.join_nested(item.text, item.nested))])
    rows = [(title, str(fields[name])) for name, title in ITEM_FIELDS.items() if fields[name]]
    print_entries([Entry((), (), (title,), text) for title, text in rows])


def _show_past(scope: AgentScope, moment: str, json: bool) -> None:
    project, level, agent = scope
    text, start = change_log.render_at(project, level, agent, moment)
    if json:
        path = level.path(agent) if text else None
        print_json({"at": moment, **_memory_to_json(scope, path, text)})
    elif text:
        print_line(text.removesuffix("\n"))
    else:
        begin = f"begins at {start}" if start else "is empty"
        print_note(f"Nothing is recorded for {moment}: the history of {agent} {begin}.")


def _show_prompt_text(scope: AgentScope, json: bool) -> None:
    """Print the text that a hook would give the agent now."""
    block = agent_context.preview_block(scope.project, scope.agent)
    if json:
        fields = select_fields(block, "source", bytes="size")
        print_json({"agent": scope.agent, "text": block.text, **fields})
    elif block.text:
        print_line(block.text)
    else:
        print_note(f"{scope.agent} would receive nothing; agent-memory config show says why")


def _show_file(scope: AgentScope, user: bool, json: bool) -> None:
    project, _level, agent = scope
    own = None if user else agent_status.read_file(project.store, agent)
    users = None
    if project.user_paths:
        users = agent_status.read_file(store.Store(project.user_paths), agent)
    snapshot = own or users
    if json:
        fields = _memory_to_json(scope)
        if snapshot:
            fields = _memory_to_json(scope, snapshot.path, snapshot.text)
            fields["changed"] = format_utc(snapshot.changed)
        print_json(fields)
        return
    if own and users:
        print_note(f"The user-level memory of {agent} is in {users.path}")
    if snapshot:
        print_bytes(snapshot.text.encode("utf-8", "surrogateescape"))
        for line, warning in markdown.parse_document(snapshot.text).warnings:
            print_note(f"{project.paths.relative(snapshot.path)}:{line}: {warning}")
        return
    if agent == PM:
        command = format_command("add PM guideline TEXT", user)
        print_note(f"The main session has no memory yet.  To give it one: {command}")
    else:
        path = project.paths.relative(project.store.path(agent))
        print_note(f"{agent} has no memory yet; its first learning creates {path}")


def _memory_to_json(scope: AgentScope, path: str | None = None, text: str = "") -> dict[str, Any]:
    document = markdown.parse_document(text)
    return {
        "agent": scope.agent,
        "file": scope.project.paths.relative(path) if path else None,
        "bytes": len(text.encode("utf-8", "surrogateescape")),
        "changed": None,
        "sections": [
            {"title": section.title, "items": [item.text for item in section.items]}
            for section in document.sections
        ],
        "warnings": [{"line": line, "what": warning} for line, warning in document.warnings],
        "text": text,
    }
