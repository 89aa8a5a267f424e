"""`agent-memory share`, `export` and `import`: items for other agents and projects."""

from __future__ import annotations

import json
from typing import Annotated, Any

from memory_core.claude_code.agent_names import PM
from memory_core.cli.common import arguments, inputs, notes, scopes
from memory_core.cli.common.scopes import find_agents, find_level
from memory_core.cli.errors import CommandRefused
from memory_core.cli.output import print_data, print_line, print_note, select_fields
from memory_core.curation import export_import, item_actions, lookup
from memory_core.curation.export_import import ImportResult
from memory_core.curation.item_actions import RatedItem, SavedItem
from memory_core.text.phrases import format_count

Item = Annotated[list[str], arguments.argument("ITEM", "An id, or the text of one item.")]
To = Annotated[list[str] | None, arguments.agent_option("Agent to copy to (repeatable).", "--to")]
All = Annotated[bool, arguments.flag("--all", "Copy to every agent with a memory except PM.")]
ToUser = Annotated[bool, arguments.flag("--user", "Copy to the agent's user-level memory.")]
Output = Annotated[str, arguments.option("FILE", "Target file; - is stdout.", "--output", "-o")]
File = Annotated[str, arguments.argument("FILE", "A file of agent-memory export; - is stdin.")]
From = Annotated[str | None, arguments.agent_option("Agent to copy from.", "--from", default="any")]


def share(
    item: Item, to: To = None, all_: All = False, user: ToUser = False, from_: From = None
) -> None:
    """Copy items to other agents or to your user level.

    Several words are ids, or else the text of one item.

    \b
    Example:
      agent-memory share "event bus" --user
    """
    if sum(map(bool, (to, all_, user))) != 1:
        raise CommandRefused("one of --to AGENT, --all and --user is required")
    target = find_level(user)
    scope = scopes.Scope(target.project, target.project.store)
    owners = find_agents(scope, [from_]) if from_ else scope.level.agents()
    names = item if all(map(lookup.is_id, item)) else [" ".join(item)]
    sources = [item_actions.find_source(*scope, owners, name) for name in names]
    wanted = [
        (source, [source.agent] if user else _list_targets(scope, source, to or []))
        for source in sources
    ]
    copied = item_actions.copy_items(*target, wanted)
    copies = list(zip(sources, copied, strict=True))
    lines = [_format_copy(source, one, user) for source, results in copies for one in results]
    notes.print_result(target, [_copies_to_json(*copy, user) for copy in copies], lines)


def _copies_to_json(source: RatedItem, results: list[SavedItem], user: bool) -> dict[str, Any]:
    names = ("agent", "text", "section")
    return {
        "from": source.agent,
        **select_fields(source, "id", "section", "confidence", text="whole"),
        "shared": [
            {**select_fields(result, *names, known="was_present"), "user": user}
            for result in results
        ],
    }


def _list_targets(scope: scopes.Scope, source: RatedItem, names: list[str]) -> list[str]:
    agents = find_agents(scope, names) or [
        agent for agent in scope.level.agents() if agent not in (source.agent, PM)
    ]
    if not agents:
        raise CommandRefused(f"no agent other than {source.agent} has a memory here", 1)
    return list(dict.fromkeys(agents))


def _format_copy(source: RatedItem, result: SavedItem, user: bool) -> str:
    target = f"{result.agent} (user level)" if user else result.agent
    if result.was_present:
        return f"{target} already knows: {result.text}"
    section = f" [{result.section}]" if result.section else ""
    return f"{source.agent} -> {target}{section}: {result.text}"


def export(
    agent: arguments.Agents = None,
    output: Output = "-",
    user: arguments.User = False,
) -> None:
    """Write memories with their history as JSON.

    agent-memory import reads it, in this project or another.

    \b
    Example:
      agent-memory export engineer --output engineer.json
    """
    scope = find_level(user)
    owners = lookup.list_agents(scope.level)
    agents = list(dict.fromkeys(find_agents(scope, agent) or owners))
    for name in agents:
        if name not in owners:
            print_note(f"{name} has no memory yet")
    if not owners:
        print_note("There is no memory to export.")
    agents = [name for name in agents if name in owners]
    data = export_import.build_export(*scope, agents)
    if output == "-":
        print_data(data)
    else:
        export_import.save_file(scope.project, output, json.dumps(data, indent=2) + "\n")
        print_note(f"Exported {format_count(len(agents), 'agent')} to {output}")


def import_(file: File, dry_run: arguments.DryRun = False, user: arguments.User = False) -> None:
    """Import memories from an export.

    Existing items and preferences are kept.

    \b
    Example:
      agent-memory export | agent-memory import - --dry-run
    """
    scope = find_level(user)
    try:
        agents = export_import.parse_export(inputs.read_input(file, export_import.MAX_BYTES + 1))
        results = export_import.import_agents(*scope, agents, not dry_run)
    except export_import.InvalidExport as error:
        raise CommandRefused(f"{file}: {error}; nothing was changed") from None
    news = [one for one in results if one.change.diff() or one.records or one.entries]
    own = ("records", "entries")
    rows = [notes.change_to_json(one) | select_fields(one, *own) for one in results]
    notes.print_changed(scope.project, {"written": not dry_run, "agents": rows})
    for result in news:
        _print_result(result, not dry_run, user)
    if not news:
        print_note("Nothing new to import." if results else "The file contains no memory.")
    elif dry_run:
        print_note(notes.DRY_RUN_HINT)
    else:
        review = notes.format_command("review --new", user)
        print_note(f"Agents receive those that fit a task; accept them with {review}")
        notes.note_undo(scope)


def _print_result(result: ImportResult, written: bool, user: bool) -> None:
    records = format_count(result.records, "history record")
    entries = format_count(result.entries, "archived item")
    print_line(f"{result.agent}: {result.change.path}; {records}, {entries}")
    notes.print_change(result, written, user)
