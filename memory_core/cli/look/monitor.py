"""`agent-memory monitor`: events as they happen."""

from __future__ import annotations

import json as json_module
from contextlib import suppress
from typing import Annotated, Any

from memory_core.cli import output
from memory_core.cli.app import find_project
from memory_core.cli.common.arguments import Since, flag, option
from memory_core.monitor import following, log_reading
from memory_core.storage import event_log

NAME_WIDTH, AGENT_WIDTH = 24, 16

NOTHING_LOGGED = (
    "Nothing was logged in this project yet. Let Claude Code call an agent,"
    " or check the hooks with agent-memory doctor."
)


def monitor(
    events: Annotated[str, option("PATTERN", "Names to show, such as 'agent.memory.*'.")] = "*",
    since: Since = None,
    json: Annotated[bool, flag("--json", "Print each event as one line of JSON.")] = False,
) -> None:
    """Show what happens, live, until you press Ctrl-C.

    docs/events.md lists the events.

    \b
    Example:
      agent-memory monitor --events 'agent.memory.*' --since 1h
    """
    state = find_project().paths.state
    news = following.EventReader(state, events, since).follow()
    if not any(map(state.is_file, event_log.FILES)):
        output.print_note(NOTHING_LOGGED)
    show = _print_json if json else _print_event
    with suppress(KeyboardInterrupt):
        for event in news:
            show(event)
            output.end_page()


def _print_json(event: dict[str, Any]) -> None:
    output.print_line(output.clean_text(json_module.dumps(event)))


def _print_event(event: dict[str, Any]) -> None:
    """Print the time (UTC), the name, the agent or task, and the other values."""
    when, name = str(event["timestamp"])[:19].replace("T", " "), str(event["event"])
    who = str(event.get("agent_id") or event.get("task_id") or "")
    details, style = log_reading.format_details(event), log_reading.find_style(event)
    label = output.paint(name.ljust(NAME_WIDTH), style)
    output.print_line(
        output.paint(when, "dim"), "  ", label, "  ", who.ljust(AGENT_WIDTH), "  ", details
    )
