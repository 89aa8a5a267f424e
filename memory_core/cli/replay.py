"""`agent-memory replay`: an event through a hook, and all that comes of it."""

from __future__ import annotations

import json as parser
import os
import sys
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from memory_core.cli import Refused
from memory_core.cli.common import AsJson, project_of
from memory_core.cli.output import as_json, note, out, paint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.rehearsal import Change, Outcome

# Characters of a value of the event that are shown; the reply is shown whole.
SHORT = 60


def replay(
    ctx: typer.Context,
    event: Annotated[
        str, typer.Argument(metavar="EVENT", help="A file with one event as JSON; - for stdin.")
    ],
    write: Annotated[
        bool, typer.Option("--write", help="Do it in the project, not on a copy of its memory.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Do it on a copy of its memory: the default.")
    ] = False,
    json: AsJson = False,
) -> None:
    """Feed an event to its hook and show what comes of it.

    Printed are the event, the reply, the changes on disk as a diff, and the time in ms.
    Exit 1 when the hook fails.

    \b
    Example:
      agent-memory sample post | agent-memory replay -
    """
    from memory_core import rehearsal

    if write and dry_run:
        raise Refused("--dry-run and --write exclude each other")
    data = _data(event)
    told = _parsed(data, event)
    script = _script(told)
    project = project_of(ctx)
    run = rehearsal.for_real if write else rehearsal.on_copy
    outcome = run(project, rehearsal.command_of(script), data, os.environ)
    if json:
        as_json(_fields(told, script, outcome, write))
    else:
        _print(told, script, outcome, write)
    if outcome.fault:
        note(f"The hook {outcome.fault}")
        raise typer.Exit(1)


def _data(path: str) -> bytes:
    try:
        if path == "-":
            return sys.stdin.buffer.read()
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise Refused(f"{path}: {error.strerror}") from None


def _parsed(data: bytes, path: str) -> dict[str, Any]:
    try:
        value = parser.loads(data.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError) as error:
        raise Refused(f"{path} is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise Refused(f"{path} is no event: a JSON object is expected")
    return value


def _script(event: dict[str, Any]) -> str:
    from memory_core import rehearsal

    try:
        return rehearsal.script_of(event)
    except rehearsal.Unknown as error:
        raise Refused(f"nothing to replay: {error}") from None


def _fields(event: dict[str, Any], script: str, outcome: Outcome, write: bool) -> dict[str, Any]:
    from memory_core import rehearsal

    return {
        "event": event.get("hook_event_name"),
        "hook": rehearsal.script_path(script),
        "status": outcome.status,
        "milliseconds": round(outcome.milliseconds, 1),
        "reply": None if outcome.fault else outcome.reply,
        "stderr": outcome.stderr,
        "fault": outcome.fault or None,
        "written": write,
        "changes": [
            {"file": change.path, "kind": change.kind, "diff": _json_text(change.diff())}
            for change in outcome.changes
        ],
    }


def _json_text(text: str) -> str:
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _print(event: dict[str, Any], script: str, outcome: Outcome, write: bool) -> None:
    _heading(f"in: {script}.py")
    for name, value in _leaves(event):
        out(f"  {name}: {_short(value)}")
    _heading(f"out, after {outcome.milliseconds:.0f} ms")
    for line in _reply(event, outcome):
        out(f"  {line}".rstrip())
    _heading("changed" if write else "would change")
    for line in _changes(outcome.changes):
        out(line)


def _heading(text: str) -> None:
    out(paint(f"== {text}", "bold"))


def _leaves(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Give every plain value in a JSON value, by its dotted name."""
    if isinstance(value, dict | list) and value:
        members = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in members:
            yield from _leaves(inner, f"{name}.{key}" if name else str(key))
    else:
        yield name, value


def _short(value: Any) -> str:
    text = parser.dumps(value, ensure_ascii=False)
    return text if len(text) <= SHORT else f"{text[:SHORT]}... ({len(text)} characters)"


def _reply(event: dict[str, Any], outcome: Outcome) -> Iterator[str]:
    """Give the lines of a reply, without what it only repeats of the event."""
    if outcome.fault or outcome.reply is None:
        yield "no reply"
        return
    specific = outcome.reply.get("hookSpecificOutput", {})
    given = {
        "updatedInput": event.get("tool_input"),
        "updatedToolOutput": event.get("tool_response"),
    }
    known = {(name, str(value)) for name, value in _leaves(given)}
    for name, value in _leaves(specific):
        if (name, str(value)) not in known:
            yield from _text(name, value)


def _text(name: str, value: Any) -> Iterator[str]:
    if isinstance(value, str) and "\n" in value:
        yield f"{name}:"
        yield from (f"  {line}".rstrip() for line in value.split("\n"))
    else:
        yield f"{name}: {value}"


def _changes(changes: list[Change]) -> Iterator[str]:
    """Give diffs, but of state/ only the names: it is ours alone, and may be deleted."""
    from memory_core import places

    state = os.path.join(places.FOLDER, "state") + os.sep
    for change in changes:
        if not change.path.startswith(state):
            yield _json_text(change.diff()).rstrip("\n")
    for change in changes:
        if change.path.startswith(state):
            yield f"{change.kind}: {change.path}"
    if not changes:
        yield "nothing"
