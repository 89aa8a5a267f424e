"""`agent-memory diff`: how a memory differs from an earlier state."""

from __future__ import annotations

from memory_core.cli.common import arguments, scopes
from memory_core.cli.output import print_diff, print_json, print_note, select_fields
from memory_core.curation import change_log


def diff(
    agent: arguments.Agent,
    since: arguments.Since = None,
    user: arguments.User = False,
    json: arguments.AsJson = False,
) -> None:
    """Show how the items of an agent have changed.

    Without --since: compare with the state before the last change.

    \b
    Example:
      agent-memory diff engineer --since 7d
    """
    start = arguments.parse_since(since)
    scope, agent = scopes.find_agent(agent, user)
    comparison = change_log.compare(*scope, agent, start or None)
    if json:
        fields = select_fields(comparison, "since", "added", "removed")
        print_json({"agent": agent, "diff": comparison.diff, **fields})
    elif comparison.diff:
        print_diff(comparison.diff)
    else:
        print_note(f"No item of {agent} has changed{' since then' if since else ''}.")
