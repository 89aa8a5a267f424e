"""`agent-memory show`: the memory file of an agent, an item, or a prompt text."""

from __future__ import annotations

from typing import Annotated, Any

from memory_core.claude_code.agent_names import PM
from memory_core.cli.common.arguments import User, agent_argument, flag, option
from memory_core.cli.common.entries import Entry, print_columns, print_entries
from memory_core.cli.common.notes import format_command
from memory_core.cli.common.scopes import Scope, find_agents, find_level
from memory_core.cli.errors import CommandRefused
from memory_core.cli.output import print_bytes, print_json, print_line, print_note, select_fields
from memory_core.curation import agent_context, agent_status, searching
from memory_core.document import markdown
from memory_core.memory import preparing
from memory_core.memory.loading import read_memory
from memory_core.origin import text_origins
from memory_core.text.times import format_utc

# Fields of an item and their titles.
ITEM_FIELDS = {
    **{name: name for name in ("id", "agent", "section", "place", "confidence")},
    "pinned": "pinned",
    "held": "not given",
    "time": "added",
    "source": "added by",
    "origin": "origin",
    "reading": "run had read",
    "run": "run",
    "session": "session",
    "runs": "runs",
}


def show(
    names: Annotated[list[str], agent_argument("Agents, or ids of items.", "AGENT|ID")],
    as_given: Annotated[bool, flag("--as-given", "What the agent gets without a task.")] = False,
    task: Annotated[str | None, option("TASK", "What the agent gets for it.", "--for")] = None,
    user: User = False,
) -> None:
    """Print the memory of an agent, or an item with its origin.

    If several agents have an item: agent-memory show AGENT ID.

    \b
    Example:
      agent-memory show engineer --for "Add a timeout to the payment client"
    """
    if as_given and task is not None:
        raise CommandRefused("--as-given and --for exclude each other")
    scope = find_level(user)
    if as_given or task is not None:
        agents = find_agents(scope, names)
        views = [_show_prompt_text(scope, agent, task or "") for agent in agents]
    elif searching.are_items(*scope, names):
        views = [_show_item(scope, *item) for item in searching.resolve_items(*scope, names)]
    else:
        views = [_show_file(scope, agent) for agent in find_agents(scope, names)]
    print_json(views if len(views) > 1 else views[0])


def _show_item(scope: Scope, agent: str, name: str) -> dict[str, Any]:
    item = searching.find_by_id(scope.level, name, agents=[agent])
    memory = read_memory(scope.project, item.agent, scope.level)
    state = memory.history.get(item.id)
    is_present = state is not None and state.is_present
    guard = text_origins.make_guard(scope.level, item.agent, scope.project)
    origin = ("confidence", "source", "run", "session", "used")
    note = preparing.read_notes(scope.project, scope.level, item.agent).get(item.text)
    fields = {
        **select_fields(item, "id", "agent", "section", "text", "nested", "place"),
        **select_fields(state, *origin, time="born"),
        "pinned": note is not None and note.is_pinned,
        "held": (guard.find_reason(item.text, item.nested) or None) if is_present else None,
        "runs": select_fields(note, "given", "used", "failed", "wrong") if note else None,
        "origin": text_origins.read_text_origins(*scope, item.agent).get(item.text, ""),
        "reading": state.reading if state else [],
    }
    since = fields["time"] and fields["time"][:16].replace("T", " ")
    print_entries([Entry((), (), (), item.whole)])
    runs = (f"{count} {name}" for name, count in (fields["runs"] or {}).items() if count)
    values = {**fields, "time": since, "runs": ", ".join(runs)}
    values["reading"] = ", ".join(fields["reading"])
    values["pinned"] = "yes" if fields["pinned"] else ""
    print_columns([(title, str(values[key])) for key, title in ITEM_FIELDS.items() if values[key]])
    return fields


def _show_prompt_text(scope: Scope, agent: str, task: str) -> dict[str, Any]:
    """Print the text that a hook would give the agent now for a task, "" for an unknown one."""
    block = agent_context.preview_block(scope.project, agent, task)
    if block.text:
        print_line(block.text)
        if not task and agent != PM:
            command = f'agent-memory show {agent} --for "TASK"'
            print_note(f"This is for an agent whose task is not known; for a task: {command}")
    else:
        print_note(f"{agent} would receive nothing; agent-memory config show says why")
    return {"agent": agent, "text": block.text, "files": [*block.files], "bytes": block.size}


def _show_file(scope: Scope, agent: str) -> dict[str, Any]:
    paths, snapshot = scope.project.paths, agent_status.read_file(scope.level, agent)
    text = snapshot.text if snapshot else ""
    document = markdown.parse_document(text)
    if snapshot:
        print_bytes((snapshot.byte_order_mark + text).encode("utf-8", "surrogateescape"))
    elif agent == PM:
        command = format_command("add PM guideline TEXT", scope.is_user)
        print_note(f"The main session has no memory yet.  To give it one: {command}")
    else:
        path = paths.relative(scope.project.store.path(agent))
        print_note(f"{agent} has no memory yet; its first learning creates {path}")
    file = paths.relative(snapshot.path) if snapshot else None
    for line, warning in document.warnings:
        print_note(f"{file}:{line}: {warning}")
    return {
        "agent": agent,
        "file": file,
        "bytes": len(text.encode("utf-8", "surrogateescape")),
        "changed": format_utc(snapshot.changed) if snapshot else None,
        "sections": [
            {"title": section.title, "items": [item.text for item in section.items]}
            for section in document.sections
        ],
        "warnings": [{"line": line, "what": warning} for line, warning in document.warnings],
        "text": text,
    }
