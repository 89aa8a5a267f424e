"""What a step of `agent-memory tidy` receives and returns."""

from __future__ import annotations

from typing import Any, NamedTuple

from memory_core.cli.common.scopes import LevelScope


class Step(NamedTuple):
    """The project and level that a step tidies, and the options of the command."""

    scope: LevelScope
    dry_run: bool
    yes: bool
    user: bool
    json: bool


class StepResult(NamedTuple):
    """What a step did: the --json fields, whether there was anything to do, whether it failed."""

    fields: dict[str, Any]
    has_work: bool
    failed: bool = False
