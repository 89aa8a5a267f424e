"""`agent-memory doctor`: whether memory really arrives."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from memory_core.cli import Refused
from memory_core.cli.common import AsJson, check_agreed, project_of
from memory_core.cli.output import as_json, can_ask, counter, note, out, paint, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.diagnosis import Diagnosis
    from memory_core.mending import Mended
    from memory_core.patient import Finding


def doctor(
    ctx: typer.Context,
    fix: Annotated[
        bool, typer.Option("--fix", help="Mend what is safe, say what, and look again.")
    ] = False,
    live: Annotated[
        bool, typer.Option("--live", help="Have your own claude call an agent: costs tokens.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="With --live: do not ask.")] = False,
    json: AsJson = False,
) -> None:
    """Find out whether memory really arrives.

    Exit 1 when something is broken.
    Hooks are run with sample events on a copy; without --fix the project stays as it is.
    --live calls one agent for real, in at most 180 s, on a memory of its own.
    It asks first on a terminal, where --json wants --yes; elsewhere --live itself is your word.

    \b
    Example:
      agent-memory doctor
    """
    from memory_core import diagnosis
    from memory_core import live as trial

    if live and not yes and can_ask():
        _check_agreed(json)
    if live:
        note(f"claude calls an agent at the end, which may take {trial.PATIENCE:.0f} s")
    found = diagnosis.diagnose(project_of(ctx), os.environ, fix, live, counter("Looking"))
    if json:
        as_json(_fields(found))
    else:
        _print(found, fix)
    if found.is_broken:
        raise typer.Exit(1)


def _check_agreed(json: bool) -> None:
    if json:
        raise Refused("--live costs tokens, and --json asks nobody: --yes is wanted as well")
    check_agreed("Your own claude calls one agent here, which costs tokens.  Go on?")


def _fields(found: Diagnosis) -> dict[str, object]:
    return {
        "broken": found.is_broken,
        "mended": [
            {
                "check": each.check,
                "what": text_of(each.what),
                "where": text_of(each.where),
                "undo": text_of(each.undo) or None,
                "diff": text_of(each.diff) or None,
                "error": text_of(each.error) or None,
            }
            for each in found.mended
        ],
        "findings": [
            {
                "level": each.level,
                "check": each.check,
                "what": text_of(each.what),
                "where": text_of(each.where) or None,
                "mend": text_of(each.mend) or None,
                "fixable": bool(each.cure),
            }
            for each in found.findings
        ],
    }


def _print(found: Diagnosis, fix: bool) -> None:
    for mended in found.mended:
        _print_mended(mended)
    for finding in found.findings:
        _print_finding(finding)
    left = sum(bool(finding.cure) for finding in found.findings)
    if left and not fix:
        note(f"agent-memory doctor --fix mends {left} of these")


def _print_mended(mended: Mended) -> None:
    if mended.error:
        note(text_of(f"not mended: {mended.where}: {mended.error} ({mended.what})"))
        return
    _print_line("mended", "ok", f"{mended.check}: {mended.what}")
    _print_lines((("in", mended.where), ("undo", mended.undo)))
    for line in text_of(mended.diff).splitlines():
        out(f"         {line}".rstrip())


def _print_finding(finding: Finding) -> None:
    _print_line(finding.level, finding.level, f"{finding.check}: {finding.what}")
    if finding.level != "ok":
        _print_lines((("in", finding.where), ("mend", finding.mend)))


def _print_line(word: str, style: str, text: str) -> None:
    out(paint(f"{word:7}", style), text_of(f"  {text}"))


def _print_lines(lines: tuple[tuple[str, str], ...]) -> None:
    for lead, text in lines:
        if text:
            out(text_of(f"         {lead}: {text}"))
