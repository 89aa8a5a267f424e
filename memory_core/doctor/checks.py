"""Run all checks of an installation, and the safe repairs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from memory_core.doctor import file_checks, fixes, hook_checks, live_check, task_checks
from memory_core.doctor.examination import BROKEN, WARNING, Examination, Finding
from memory_core.memory.project import Project

Check = Callable[[Examination], Iterator[Finding]]

# Iterates over the checks and shows the progress.
Progress = Callable[[Collection[Any]], Iterable[Any]]

CHECKS: Mapping[str, Check] = {
    "program": hook_checks.check_program,
    "switched-off": hook_checks.check_enabled,
    "settings": hook_checks.check_settings,
    "plugin": hook_checks.check_plugin,
    "interpreter": hook_checks.check_interpreter,
    "command": hook_checks.check_commands,
    "arrival": hook_checks.check_arrival,
    "other-hooks": hook_checks.check_other_hooks,
    "native-memory": hook_checks.check_native_memory,
    "config": file_checks.check_config,
    "folder": file_checks.check_folder,
    "memory": file_checks.check_memories,
    "spool": file_checks.check_spool,
    "deliveries": file_checks.check_deliveries,
    "errors": file_checks.check_errors,
    "git": file_checks.check_merge_driver,
    "tasks": task_checks.check_task_memory,
}
LIVE = "live"


class Diagnosis(NamedTuple):
    """The repairs that were done, and the findings after them."""

    mended: list[fixes.Fix]
    findings: list[Finding]

    @property
    def is_broken(self) -> bool:
        return any(finding.level == BROKEN for finding in self.findings)


def diagnose(
    project: Project,
    environ: Mapping[str, str],
    fix: bool = False,
    is_live: bool = False,
    progress: Progress = iter,
) -> Diagnosis:
    """Run all checks; with `fix` do the safe repairs, and run the checks again.

    With `is_live` also start a real agent, unless something is broken.
    """
    examination = Examination(project, environ)
    findings = list(examine(examination, progress))
    mended = fixes.apply(project, findings) if fix else []
    if mended:
        # A new Project reads config.yml again.
        examination = Examination(Project(project.place, environ), environ)
        findings = list(examine(examination, progress))
    if is_live:
        findings += [finding._replace(check=LIVE) for finding in _try_live(examination, findings)]
    return Diagnosis(mended, findings)


def examine(examination: Examination, progress: Progress = iter) -> Iterator[Finding]:
    """Yield the findings of all checks, each with the name of its check."""
    for name, check in progress(CHECKS.items()):
        for finding in check(examination):
            yield finding._replace(check=name)


def _try_live(examination: Examination, findings: list[Finding]) -> Iterator[Finding]:
    """A live test costs tokens, and must fail while something is broken."""
    broken = [finding for finding in findings if finding.level == BROKEN]
    if broken:
        yield Finding(
            WARNING, "not tried, because something is broken", broken[0].where, "repair that first"
        )
    else:
        yield from live_check.run(examination)
