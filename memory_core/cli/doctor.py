"""`agent-memory doctor`: whether memory really arrives."""

from __future__ import annotations

import os

import typer

from memory_core.cli.common import AsJson, project_of
from memory_core.cli.output import as_json, out, paint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.diagnosis import Finding


def doctor(ctx: typer.Context, json: AsJson = False) -> None:
    """Find out whether memory really arrives.

    Exit 1 when something is broken.
    Hooks are run with sample events on a copy; the project stays as it is.

    \b
    Example:
      agent-memory doctor
    """
    from memory_core import diagnosis

    found = []
    for finding in diagnosis.examine(project_of(ctx), os.environ):
        found.append(finding)
        if not json:
            _print(finding)
    broken = any(finding.level == diagnosis.BROKEN for finding in found)
    if json:
        as_json({"broken": broken, "findings": [finding._asdict() for finding in found]})
    if broken:
        raise typer.Exit(1)


def _print(finding: Finding) -> None:
    level = paint(f"{finding.level:7}", finding.level)
    out(level, f"  {finding.check}: {finding.what}")
    if finding.level != "ok":
        for lead, text in (("in", finding.where), ("mend", finding.mend)):
            if text:
                out(f"         {lead}: {text}")
