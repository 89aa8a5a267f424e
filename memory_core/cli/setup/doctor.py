"""`agent-memory doctor`: check that agents receive their memory, and repair what is safe."""

from __future__ import annotations

from typing import Annotated, Any

from memory_core.cli.app import find_project
from memory_core.cli.common.arguments import flag
from memory_core.cli.common.entries import print_sentence
from memory_core.cli.errors import exit_if
from memory_core.cli.output import paint, print_json, print_line, print_note, select_fields
from memory_core.doctor import checks
from memory_core.doctor.checks import Diagnosis
from memory_core.doctor.examination import BROKEN, NOTE, OK, WARNING
from memory_core.text.phrases import format_count

INDENT = " " * 9
WORST_FIRST = (BROKEN, WARNING, NOTE, OK)


def doctor(
    fix: Annotated[bool, flag("--fix", "Repair what is safe to repair, then check again.")] = False,
    every: Annotated[bool, flag("--all", "Also list the checks that passed.")] = False,
) -> None:
    """Check the installation and repair it.

    Runs the hooks on a copy of the project. Exit 1 while there is a problem.

    \b
    Example:
      agent-memory doctor
    """
    diagnosis = checks.diagnose(find_project(), fix)
    print_json(_to_json(diagnosis))
    _print(diagnosis, fix, every)
    exit_if(diagnosis.problems)


def _to_json(diagnosis: Diagnosis) -> dict[str, Any]:
    return {
        "broken": bool(diagnosis.problems),
        "skipped": diagnosis.skipped,
        "mended": [
            select_fields(repair, "check", "what", "where", "undo", "diff", "error")
            for repair in diagnosis.repairs
        ],
        "findings": [
            {
                **select_fields(finding, "check", "what", "where", level="severity", mend="advice"),
                "fixable": bool(finding.repair),
            }
            for finding in diagnosis.findings
        ],
    }


def _print(diagnosis: Diagnosis, fix: bool, every: bool) -> None:
    for repair in diagnosis.repairs:
        if repair.error:
            where = "" if repair.where in repair.error else f"{repair.where}: "
            print_note(f"not repaired: {where}{repair.error} ({repair.what})")
            continue
        _print_entry("fixed", "ok", f"{repair.check}: {repair.what}")
        _print_details({"in": repair.where, "undo": repair.undo})
        for line in repair.diff.splitlines():
            print_line(f"{INDENT}{line}".rstrip())
    for finding in sorted(diagnosis.findings, key=lambda one: WORST_FIRST.index(one.severity)):
        if every or finding.severity != OK:
            _print_entry(finding.severity, finding.severity, f"{finding.check}: {finding.what}")
        if finding.severity != OK:
            _print_details({"in": finding.where, "to do": finding.advice})
    print_line(f"{format_count(len(diagnosis.passed), 'check')} passed")
    if diagnosis.skipped:
        print_line(f"Not checked because of these problems: {', '.join(diagnosis.skipped)}")
    print_sentence(_sum_up(diagnosis, fix))


def _sum_up(diagnosis: Diagnosis, fix: bool) -> str:
    left = len(diagnosis.problems)
    if fix:
        repaired = sum(not repair.error for repair in diagnosis.repairs)
        return f"Repaired: {repaired or 'nothing'}; problems left for you: {left or 'none'}"
    if not left:
        return "No problems found"
    fixable = sum(bool(finding.repair) for finding in diagnosis.problems)
    which = f"{fixable} of them" if fixable < left else "it" if left == 1 else "them"
    hint = f"; agent-memory doctor --fix repairs {which}" if fixable else ""
    return f"{format_count(left, 'problem')} found{hint}"


def _print_entry(word: str, style: str, text: str) -> None:
    print_line(paint(f"{word:7}", style), f"  {text}")


def _print_details(details: dict[str, str]) -> None:
    for title, text in details.items():
        if text:
            print_sentence(f"{title}: {text}", INDENT)
