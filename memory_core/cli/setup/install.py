"""`agent-memory install`, `upgrade` and `uninstall`: as install.sh, from an installed package."""

from __future__ import annotations

from typing import Annotated

from memory_core.cli.app import shared
from memory_core.cli.common.arguments import DryRun, Yes, argument, flag, option
from memory_core.cli.common.notes import may_change
from memory_core.cli.output import print_line
from memory_core.setup import activation, installation, upgrade as upgrades

Project = Annotated[str, argument("PROJECT", "The project's folder; default: the current one.")]
User = Annotated[bool, flag("--user", "Use ~/.claude/settings.json, for all projects.")]
Everything = Annotated[bool, flag("--all", "Also remove the program and logs; keep memories.")]


def install(project: Project = "", user: User = False, dry_run: DryRun = False) -> None:
    """Add the hooks to a project's settings and test them.

    uvx, pipx and pip may remove the program at any time, so hooks run a copy of
    it in your data folder, which is made first.

    \b
    Example:
      agent-memory install ~/code/shop --dry-run
    """
    folder = project or shared.project or ("" if user else ".")
    activation.install(folder, user, dry_run, say=print_line)


def upgrade(
    to: Annotated[str, option("VERSION", "Install this version.  Default: the newest.")] = "",
) -> None:
    """Upgrade the program and the hooks of all your projects.

    It uses the tool with which you installed the program: uv, pipx, pip or a clone.
    Hooks run the old version until the new one is tested.

    \b
    Example:
      agent-memory upgrade
    """
    upgrades.upgrade(to, say=print_line)


def uninstall(
    project: Project = "",
    user: User = False,
    everything: Everything = False,
    dry_run: DryRun = False,
    yes: Yes = False,
) -> None:
    """Remove the hooks from a project's settings.

    agent-memory install adds them again.

    \b
    Example:
      agent-memory uninstall ~/code/shop --dry-run
    """
    folder = project or shared.project or ("" if user else ".")
    if everything and not (yes or dry_run):
        installation.uninstall(folder, user, everything, dry_run=True, say=print_line)
        question = "Remove all this, and the hooks from these settings?"
        if not may_change(question, yes, dry_run):
            return
    installation.uninstall(folder, user, everything, dry_run, say=print_line)
