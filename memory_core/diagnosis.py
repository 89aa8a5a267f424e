"""Whether memory really arrives: what is wrong, where, and how it is mended."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from memory_core import (
    __version__,
    client,
    config,
    file_checks,
    hook_checks,
    live,
    memory,
    mending,
    overview,
    task_checks,
)
from memory_core.patient import BROKEN, OK, WARNING, Finding, Patient

Check = Callable[[Patient], Iterator[Finding]]

# How a caller goes through the checks, to see how far they are.
Along = Callable[[Collection[Check]], Iterable[Check]]


class Diagnosis(NamedTuple):
    """What was mended, and how everything was found after that."""

    mended: list[mending.Mended]
    findings: list[Finding]

    @property
    def is_broken(self) -> bool:
        return any(finding.level == BROKEN for finding in self.findings)


def diagnose(
    project: memory.Project,
    environ: Mapping[str, str],
    fix: bool = False,
    is_live: bool = False,
    along: Along = iter,
) -> Diagnosis:
    """Look at everything; with `fix` mend what is safe, and look again.

    With `is_live` an agent is called for real, unless something else is broken.
    """
    patient = Patient(project, environ)
    found = Diagnosis([], list(_examined(patient, along)))
    mended = mending.mend(project, found.findings) if fix else []
    if mended:
        patient = Patient(memory.Project(project.place, environ), environ)
        found = Diagnosis(mended, list(_examined(patient, along)))
    if is_live:
        found.findings.extend(_unproved(found) or live.check(patient))
    return found


def _examined(patient: Patient, along: Along) -> Iterator[Finding]:
    for check in along(CHECKS):
        yield from check(patient)


def _unproved(found: Diagnosis) -> list[Finding]:
    """Say why an agent is not called: what cannot work is not worth the tokens."""
    broken = [finding for finding in found.findings if finding.level == BROKEN]
    what = "not tried while something else is broken"
    mend = "mend that first"
    return [Finding(WARNING, "live", what, each.where, mend) for each in broken[:1]]


def program(_patient: Patient) -> Iterator[Finding]:
    """The interpreter and the package that this command runs on."""
    told = f"Python {platform.python_version()}, agent-memory {__version__}"
    yield Finding(OK, "program", told, sys.executable)


def switched_off(patient: Patient) -> Iterator[Finding]:
    """Whether somebody has switched memory off."""
    own = patient.project.place.config
    if config.is_off(patient.environ):
        where, mend = _variable(patient)
        yield Finding(WARNING, "switched-off", "memory is switched off", where, mend)
    elif not patient.project.config["enabled"]:
        mend = "set memory.enabled to true"
        yield Finding(WARNING, "switched-off", "memory is switched off", own, mend)
    elif not patient.project.config["auto_learning"]:
        told = "agents get their memory but learn nothing: auto_learning is off"
        mend = "set memory.auto_learning to true, if they are to learn"
        yield Finding(WARNING, "switched-off", told, own, mend)


def _variable(patient: Patient) -> tuple[str, str]:
    """Return where AGENT_MEMORY is set, and how that is mended."""
    setting = [file for file in patient.files if "AGENT_MEMORY" in client.variables([file])]
    if setting:
        return setting[-1].path, "take AGENT_MEMORY out of env"
    return "AGENT_MEMORY", "unset AGENT_MEMORY"


def configuration(patient: Patient) -> Iterator[Finding]:
    """Whether config.yml is understood."""
    found = overview.problems(patient.project)
    for problem in found:
        where, _colon, what = problem.partition(": ")
        yield Finding(WARNING, "config", what, where, "correct the line; see config show")
    if not found and os.path.exists(patient.project.place.config):
        yield Finding(OK, "config", "config.yml is understood", patient.project.place.config)


CHECKS: tuple[Check, ...] = (
    program,
    switched_off,
    hook_checks.hooks,
    hook_checks.arrival,
    hook_checks.installed,
    hook_checks.disabled,
    hook_checks.claude,
    hook_checks.foreign,
    hook_checks.native,
    configuration,
    file_checks.folder,
    file_checks.rights,
    file_checks.memories,
    file_checks.left_over,
    file_checks.locked,
    file_checks.waiting,
    file_checks.spoilt,
    hook_checks.deliveries,
    hook_checks.route,
    file_checks.failures,
    file_checks.merging,
    task_checks.memory_of_tasks,
)
