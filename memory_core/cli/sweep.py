"""`agent-memory sweep`: learn from runs that no hook saw end."""

from __future__ import annotations

import os
import sys

import typer

from memory_core.cli.common import AsJson, project_of
from memory_core.cli.output import as_json, note, out

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.memory import Project
    from memory_core.sweep import Swept


def sweep(ctx: typer.Context, json: AsJson = False) -> None:
    """Learn from runs that no hook saw end.

    Their transcripts are read, and what waits in the spool is merged.
    At most 1 GB and 10 minutes; the next call goes on.  Exit 1 when something still waits.

    \b
    Example:
      agent-memory sweep
    """
    from memory_core.overview import counted

    project = project_of(ctx)
    failed, swept = _working(project)
    if json:
        fields = {name: getattr(swept, name) for name in swept.__slots__}
        as_json({**fields, "waiting": failed})
    else:
        read = counted(swept.transcripts, "transcript")
        out(f"Read {read}, {swept.bytes} bytes: {counted(swept.learnings, 'learning')}.")
    if not swept.complete:
        note("Not all was read; call it again to go on.")
    for stem in failed:
        note(f"{stem}: learnings wait; agent-memory doctor tells why")
    if failed or not swept.complete:
        raise typer.Exit(1)


def _working(project: Project) -> tuple[list[str], Swept]:
    """Do it, with a sign of life on a terminal."""
    if not sys.stderr.isatty():
        return _sweep(project)
    from rich.console import Console

    with Console(stderr=True).status("Reading transcripts"):
        return _sweep(project)


def _sweep(project: Project) -> tuple[list[str], Swept]:
    from memory_core import client
    from memory_core import sweep as verbs

    failed = verbs.catch_up(project)
    folder = client.transcripts(project.place.root, os.environ)
    return failed, verbs.sweep(project, [folder], verbs.ALL_BYTES, verbs.ALL_SECONDS)
