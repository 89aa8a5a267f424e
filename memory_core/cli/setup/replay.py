"""`agent-memory sample` and `replay`: print an event, run a hook with it, show what it does."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from memory_core.claude_code import sample_events
from memory_core.cli.app import find_project
from memory_core.cli.common.arguments import agent_option, argument, flag
from memory_core.cli.common.inputs import read_input
from memory_core.cli.errors import CommandRefused, exit_if
from memory_core.cli.output import print_json, print_line, print_problem, select_fields
from memory_core.document.diff import FileChange
from memory_core.setup import hook_runner
from memory_core.setup.hook_runner import HookResult
from memory_core.storage import event_log
from memory_core.text import fastjson

# The keys of sample_events.KINDS.
Kind = Literal["pre", "start", "post", "stop", "session", "end", "handback", "failure"]
KIND_HELP = "pre, start, post, stop, session, end, handback or failure."


def sample(
    kind: Annotated[Kind, argument("KIND", KIND_HELP)] = "pre",
    agent: Annotated[
        str, agent_option("Agent of the event.", metavar="NAME")
    ] = sample_events.AGENT,
) -> None:
    """Print a sample event as Claude Code would send it.

    Each sample has a new id, so hooks treat it as a new run.

    \b
    Example:
      agent-memory sample pre --agent qa
    """
    root = find_project().paths.root
    print_line(json.dumps(sample_events.build(kind, agent, root, f"{time.time_ns():x}"), indent=2))


def replay(
    event: Annotated[str, argument("EVENT", "A file with one event as JSON; - is stdin.")],
    write: Annotated[bool, flag("--write", "Run it in the project, not on a copy.")] = False,
) -> None:
    """Run a hook with an event and show its effect.

    Prints the reply, the changed files and the time. Exit 1 if the hook fails.

    \b
    Example:
      agent-memory sample post | agent-memory replay -
    """
    data = read_input(event)
    fields = fastjson.load_object(data.decode("utf-8-sig", "replace"))
    if not fields:
        raise CommandRefused(f"{event} is not an event: a JSON object is expected")
    name = str(fields.get("hook_event_name", "without hook_event_name"))
    scripts = hook_runner.list_scripts()
    if name not in scripts:
        what = f"nothing to replay: no hook answers the event {name}"
        raise CommandRefused(f"{what}: expected one of {', '.join(scripts)}")
    script = scripts[name]
    run = hook_runner.run if write else hook_runner.run_on_copy
    result = run(find_project(), hook_runner.build_command(script), data, os.environ)
    print_json(_to_json(fields, script, result, write))
    _print(script, result, write)
    if result.fault:
        print_problem(f"The hook {result.fault}")
    exit_if(result.fault)


def _to_json(event: dict[str, Any], script: str, result: HookResult, write: bool) -> dict[str, Any]:
    return {
        "event": event.get("hook_event_name"),
        "hook": hook_runner.find_script_path(script),
        **select_fields(result, "status", "fault"),
        "stderr": result.stderr,
        "milliseconds": round(result.milliseconds, 1),
        "reply": None if result.fault else result.reply,
        "written": write,
        "changes": [
            {"file": change.path, "kind": change.kind, "diff": change.diff()}
            for change in result.changes
        ],
    }


def _print(script: str, result: HookResult, write: bool) -> None:
    print_line(f"== {script}.py, after {result.milliseconds:.0f} ms", style="bold")
    if result.fault or result.reply is None:
        print_line("  no reply")
    else:
        reply = json.dumps(result.reply, indent=2, ensure_ascii=False)
        print_line(re.sub(r"(?<!\\)((?:\\\\)*)\\n", r"\1\n", reply))  # prompts have lines
    print_line("== changed" if write else "== would change", style="bold")
    for line in _format_changes(result.changes):
        print_line(line)


def _format_changes(changes: list[FileChange]) -> Iterator[str]:
    """Yield the diffs, but only the names of state files, which people need not read."""
    log = f"{hook_runner.STATE_LABEL}{event_log.FILE_NAME}"
    names = []
    for change in changes:
        if change.path.startswith(hook_runner.STATE_LABEL) and change.path != log:
            names.append(f"{change.kind}: {change.path}")
        else:
            yield change.diff().rstrip("\n")
    yield from names or ([] if changes else ["nothing"])
