"""`agent-memory undo`: take back the last changes."""

from __future__ import annotations

from typing import Annotated

import typer

from memory_core.cli.common.arguments import AsJson, User, make_number_parser
from memory_core.cli.common.notes import format_command
from memory_core.cli.common.scopes import find_level
from memory_core.cli.history.log import record_to_json
from memory_core.cli.output import make_progress, print_json, print_line, print_note, select_fields
from memory_core.curation.undo import UndoResult, undo_last

MAX_COUNT_DIGITS = 3  # a number; longer ones are ids of changes


def undo(
    change: Annotated[
        list[str] | None,
        typer.Argument(metavar="CHANGE", help="Ids of changes, or how many of the last ones."),
    ] = None,
    number: Annotated[
        int,
        typer.Option(
            "--number", "-n", parser=make_number_parser(1), help="How many of the last changes."
        ),
    ] = 1,
    user: User = False,
    json: AsJson = False,
) -> None:
    """Undo the last change of all agents, or the changes with these ids.

    One change = one agent report or one command.
    Running undo again redoes it, so `undo; undo` changes nothing: use `undo 2`.
    Hand edits are kept.
    Exit 1 if there are fewer changes.

    \b
    Example:
      agent-memory undo || echo "nothing to undo"
    """
    names = change or []
    if len(names) == 1 and names[0].isdecimal() and len(names[0]) <= MAX_COUNT_DIGITS:
        number, names = make_number_parser(1)(names[0]), []
    results = undo_last(*find_level(user), number, names, make_progress("Undoing"))
    if json:
        print_json(
            [
                {
                    **select_fields(result.change, "time", "agents", change="id"),
                    "records": [record_to_json(record) for record in result.change.records],
                    "stays": result.kept_texts,
                }
                for result in results
            ]
        )
        return
    for result in results:
        _print_result(result)
    print_note(f"To redo: {format_command('undo', user)}")


def _print_result(result: UndoResult) -> None:
    print_line(f"Undone: change of {result.change.id[:19]}Z")
    for record in result.change.records:
        if text := record.get("text"):
            now = "in" if record["id"] in result.present_ids[record["agent"]] else "not in"
            print_line(f"  {record['agent']}: {record['kind']}: {text} (now {now} the memory)")
        elif record["kind"] == "undone":
            print_line(f"  {record['agent']}: undone: change of {record['id'][:19]}Z")
    for text in result.kept_texts:
        print_line(f"  not restored: changed since: {text}")
