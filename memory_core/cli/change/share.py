"""`agent-memory export` and `import`: memories for other projects."""

from __future__ import annotations

import json
from typing import Annotated

from memory_core.cli.common import arguments, inputs, notes
from memory_core.cli.common.scopes import find_agents, find_level
from memory_core.cli.errors import CommandRefused
from memory_core.cli.output import print_data, print_line, print_note, select_fields
from memory_core.curation import export_import, lookup
from memory_core.curation.export_import import ImportResult
from memory_core.text.phrases import format_count

Output = Annotated[str, arguments.option("FILE", "Target file; - is stdout.", "--output", "-o")]
File = Annotated[str, arguments.argument("FILE", "A file of agent-memory export; - is stdin.")]


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
