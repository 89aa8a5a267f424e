"""`agent-memory sample`: an event to try a hook with."""

from __future__ import annotations

import json
import time
from typing import Annotated, Any

import typer

from memory_core import samples
from memory_core.cli import Refused
from memory_core.cli.app import suggestion
from memory_core.cli.common import complete_agents, project_of
from memory_core.cli.output import out


def _complete_kinds(ctx: Any, args: Any, incomplete: str) -> list[str]:
    return list(samples.KINDS)


def sample(
    ctx: typer.Context,
    kind: Annotated[
        str, typer.Argument(metavar="|".join(samples.KINDS), autocompletion=_complete_kinds)
    ] = "pre",
    agent: Annotated[
        str, typer.Option(metavar="NAME", help="Which agent.", autocompletion=complete_agents)
    ] = samples.AGENT,
) -> None:
    """Print an event as Claude Code would send it.

    Each is of a delegation of its own, so that it is answered anew.

    \b
    Example:
      agent-memory sample pre --agent qa
    """
    if kind not in samples.KINDS:
        known = list(samples.KINDS)
        raise Refused(f"no sample {kind!r}{suggestion(kind, known)}. There are {', '.join(known)}")
    root = project_of(ctx).place.root
    out(json.dumps(samples.sample(kind, agent, root, f"{time.time_ns():x}"), indent=2))
