"""A step of `tidy`: remove from histories what runs were about."""

from __future__ import annotations

from memory_core.cli.output import print_line
from memory_core.cli.upkeep.steps import Step, StepResult
from memory_core.memory import maintained_files
from memory_core.text.phrases import format_count


def remove_subjects(step: Step) -> StepResult:
    """Remove the words of prompts that older versions wrote into histories."""
    count = maintained_files.drop_abouts(step.scope.level, write=not step.dry_run)
    verb = "would be removed" if step.dry_run else "removed"
    if count and not step.json:
        print_line(f"what runs were about, {verb}: {format_count(count, 'line')} of histories")
    return StepResult({"lines": count, "written": bool(count) and not step.dry_run}, bool(count))
