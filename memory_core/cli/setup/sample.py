"""`agent-memory sample`: print an event for testing a hook."""

from __future__ import annotations

import json
import time
from typing import Annotated, Literal

from memory_core.claude_code import sample_events
from memory_core.cli.app import find_project
from memory_core.cli.common.arguments import agent_option, argument
from memory_core.cli.output import print_line

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
