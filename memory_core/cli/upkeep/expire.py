"""A step of `tidy`: archive the items of agents that no run used for long."""

from __future__ import annotations

from memory_core.cli.common.notes import get_change
from memory_core.cli.output import print_line
from memory_core.cli.upkeep.steps import Step, StepResult
from memory_core.memory import expiry


def archive_unused(step: Step) -> StepResult:
    """Archive what `memory.expire_after` does not keep; undo restores it."""
    project = step.scope.project
    expired = expiry.expire_items(project, write=not step.dry_run)
    verb = "would be archived" if step.dry_run else "archived"
    if not step.json:
        for agent, texts in expired:
            for text in texts:
                print_line(f"{agent}: unused, {verb}: {text}")
    rows = [{"agent": agent, "items": texts} for agent, texts in expired]
    written = bool(expired) and not step.dry_run
    fields = {"written": written, "change": get_change(project), "agents": rows}
    return StepResult(fields, bool(expired))
