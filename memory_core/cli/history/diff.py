"""`agent-memory diff`: how a memory differs from an earlier state."""

from __future__ import annotations

from memory_core.cli.arguments import Agent, AsJson, Since, User, find_known_agent, parse_since
from memory_core.cli.output import print_diff, print_json, print_note
from memory_core.curation import change_log


def diff(agent: Agent, since: Since = None, user: User = False, json: AsJson = False) -> None:
    """Show how the items of an agent have changed.

    Without --since: compare with the state before the last change.
    Only items are compared; other text is current on both sides.

    \b
    Example:
      agent-memory diff engineer --since 7d
    """
    start = parse_since(since)
    scope = find_known_agent(agent, user)
    comparison = change_log.compare(*scope, start)
    if json:
        print_json(
            {
                "agent": scope.agent,
                "since": comparison.since or None,
                "diff": comparison.diff,
                "added": comparison.added,
                "removed": comparison.removed,
            }
        )
    elif comparison.diff:
        print_diff(comparison.diff)
    else:
        print_note(f"No item of {scope.agent} has changed{' since then' if since else ''}.")
