"""Run all checks of an installation, and the safe repairs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from memory_core.doctor import (
    file_checks,
    hook_checks,
    live_check,
    path_checks,
    state_checks,
    task_checks,
)
from memory_core.doctor.examination import BROKEN, WARNING, Examination, Finding
from memory_core.doctor.repairs import Repair
from memory_core.git import merge_driver
from memory_core.memory import transaction
from memory_core.memory.project import Project
from memory_core.setup import installation

Check = Callable[[Examination], Iterable[Finding]]

CHECKS: Mapping[str, Check] = {
    "program": hook_checks.check_program,
    "switched-off": hook_checks.check_enabled,
    "settings": hook_checks.check_settings,
    "plugin": hook_checks.check_plugin,
    "command": hook_checks.check_commands,
    "arrival": hook_checks.check_arrival,
    "other-hooks": hook_checks.check_other_hooks,
    "native-memory": hook_checks.check_native_memory,
    "config": file_checks.check_config,
    "paths": path_checks.check_paths,
    "folder": path_checks.check_folder,
    "memory": file_checks.check_memories,
    "spool": file_checks.check_spool,
    "deliveries": file_checks.check_deliveries,
    "errors": file_checks.check_errors,
    "state": state_checks.check_state,
    "git": file_checks.check_merge_driver,
    "tasks": task_checks.check_task_memory,
}
LIVE = "live"


@dataclass
class Diagnosis:
    """The repairs that were done, and the findings after them."""

    repairs: list[Repair]
    findings: list[Finding]

    @property
    def is_broken(self) -> bool:
        return any(finding.level == BROKEN for finding in self.findings)


def diagnose(
    project: Project,
    environ: Mapping[str, str],
    repair: bool = False,
    is_live: bool = False,
    progress: transaction.ProgressWrapper = iter,
) -> Diagnosis:
    """Run all checks; with `repair` do the safe repairs, and run the checks again.

    With `is_live` also start a real agent, unless something is broken.
    """
    examination = Examination(project, environ)
    findings = list(examine(examination, progress))
    repairs = do_repairs(findings) if repair else []
    if repairs:
        # A new Project reads config.yml again.
        examination = Examination(Project(project.paths, environ), environ)
        findings = list(examine(examination, progress))
    if is_live:
        findings += [replace(finding, check=LIVE) for finding in _try_live(examination, findings)]
    return Diagnosis(repairs, findings)


def examine(
    examination: Examination, progress: transaction.ProgressWrapper = iter
) -> Iterator[Finding]:
    """Yield the findings of all checks, each with the name of its check."""
    for name, check in progress(CHECKS.items()):
        for finding in check(examination):
            yield replace(finding, check=name)


def do_repairs(findings: Iterable[Finding]) -> list[Repair]:
    """Do the repairs of all findings; a repair that fails has an error."""
    repairs: list[Repair] = []
    for finding in findings:
        if finding.repair:
            check = finding.check
            try:
                repairs += [replace(done, check=check) for done in finding.repair()]
            except (OSError, installation.InstallRefused, merge_driver.NoRepository) as error:
                reason = getattr(error, "strerror", None) or str(error)
                repairs.append(Repair(finding.advice, finding.where, error=reason, check=check))
    return list(dict.fromkeys(repairs))  # two findings may have the same repair


def _try_live(examination: Examination, findings: list[Finding]) -> Iterator[Finding]:
    """A live test costs tokens, and must fail while something is broken."""
    broken = [finding for finding in findings if finding.level == BROKEN]
    if broken:
        yield Finding(
            WARNING, "not tried, because something is broken", broken[0].where, "repair that first"
        )
    else:
        yield from live_check.run(examination)
