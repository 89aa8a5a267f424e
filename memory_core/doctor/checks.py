"""Run all checks of an installation, and the safe repairs."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from memory_core.doctor import file_checks, hook_checks, path_checks
from memory_core.doctor.examination import BROKEN, OK, WARNING, Examination, Finding, Repair
from memory_core.git import merge_driver
from memory_core.setup.builder import InstallRefused
from memory_core.storage.project import Project

Check = Callable[[Examination], Iterable[Finding]]

# Causes first, so that their consequences can be left out.
CHECKS: Mapping[str, Check] = {
    "program": hook_checks.check_program,
    "paths": path_checks.check_paths,
    "config": file_checks.check_config,
    "switched-off": hook_checks.check_enabled,
    "settings": hook_checks.check_settings,
    "command": hook_checks.check_commands,
    "memory": file_checks.check_memories,
    "inbox": file_checks.check_inbox,
    "deliveries": file_checks.check_deliveries,
    "state": path_checks.check_state,
    "git": file_checks.check_merge_driver,
}

# A path that is broken for one of these checks has no other problems.
PLACE_CHECKS = ("paths", "config")

# The checks whose result means nothing while another one finds something broken.
CAUSES = {
    "settings": ("program",),
    "state": ("program",),
    **dict.fromkeys(("memory", "inbox", "deliveries"), ("state",)),  # they read the database
    "command": ("program", "paths", "config", "switched-off", "settings"),
}

LINE_NUMBERS = re.compile(r"(:\d+)+$")


@dataclass
class Diagnosis:
    """The repairs that were done, and the findings after them."""

    repairs: list[Repair]
    findings: list[Finding]

    @property
    def problems(self) -> list[Finding]:
        """What somebody has to repair."""
        return [finding for finding in self.findings if finding.severity in (BROKEN, WARNING)]

    @property
    def skipped(self) -> list[str]:
        """The checks that were not done because of a cause."""
        return [name for name in CHECKS if _has_cause(name, self.findings)]

    @property
    def passed(self) -> list[str]:
        """The checks that were done and found no problem."""
        failed = {finding.check for finding in self.problems}
        return [name for name in CHECKS if name not in {*failed, *self.skipped}]


def diagnose(project: Project, repair: bool = False) -> Diagnosis:
    """Run all checks; with `repair` do the safe repairs, and run the checks again."""
    findings = examine(Examination(project))
    repairs = do_repairs(findings) if repair else []
    if repairs:
        # A new Project reads config.yml again.
        findings = examine(Examination(Project(project.paths, project.environ)))
    return Diagnosis(repairs, findings)


def examine(examination: Examination) -> list[Finding]:
    """Return the findings of all checks, each with the name of its check, without consequences."""
    findings: list[Finding] = []
    for name, check in CHECKS.items():
        if _has_cause(name, findings):
            continue
        places = tuple(
            os.path.join(examination.root, LINE_NUMBERS.sub("", finding.where))
            for finding in findings
            if finding.severity == BROKEN and finding.check in PLACE_CHECKS
        )
        results = [
            replace(finding, check=name)
            for finding in check(examination)
            if not os.path.join(examination.root, finding.where).startswith(places)
        ]
        findings += results or [Finding(OK, "no problems", check=name)]
    return findings


def _has_cause(name: str, findings: list[Finding]) -> bool:
    causes = CAUSES.get(name, ())
    return any(finding.severity == BROKEN and finding.check in causes for finding in findings)


def do_repairs(findings: Iterable[Finding]) -> list[Repair]:
    """Do the repairs of all findings; a repair that fails has an error."""
    repairs: list[Repair] = []
    for finding in findings:
        if finding.repair:
            check = finding.check
            try:
                repairs += [replace(done, check=check) for done in finding.repair()]
            except (OSError, InstallRefused, merge_driver.NoRepository) as error:
                reason = getattr(error, "strerror", None) or str(error)
                repairs.append(Repair(finding.advice, finding.where, error=reason, check=check))
    return list(dict.fromkeys(repairs))  # two findings may have the same repair
