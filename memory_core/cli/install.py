"""`agent-memory install` and `uninstall`: what install.sh does, without a clone."""

from __future__ import annotations

from typing import Annotated

import typer

from memory_core.cli.common import Yes, asks, check_agreed
from memory_core.cli.output import out

Project = Annotated[
    str,
    typer.Argument(
        metavar="PROJECT",
        help="The project's folder.  Default: --project, else here.",
        show_default=False,
    ),
]
User = Annotated[
    bool,
    typer.Option("--user", help="In ~/.claude/settings.json, for all projects, not PROJECT's."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Print the diff and change nothing.")]
Everything = Annotated[
    bool, typer.Option("--all", help="Remove the program as well.  Memories stay.")
]


def install(
    ctx: typer.Context, project: Project = "", user: User = False, dry_run: DryRun = False
) -> None:
    """Put the hooks into a project's settings, and try them.

    \b
    Example:
      agent-memory install ~/code/shop --dry-run
    """
    from memory_core import installation

    installation.install(_folder(ctx, project), user, dry_run, say=out)


def uninstall(
    ctx: typer.Context,
    project: Project = "",
    user: User = False,
    everything: Everything = False,
    dry_run: DryRun = False,
    yes: Yes = False,
) -> None:
    """Take the hooks out of a project's settings.

    agent-memory install puts them in again.
    With --all you are shown first what goes, and asked, on a terminal; ./install.sh
    in a clone puts the program back.

    \b
    Example:
      agent-memory uninstall ~/code/shop --dry-run
    """
    from memory_core import installation

    folder = _folder(ctx, project)
    if asks(yes, dry_run, json=False) and everything:
        installation.uninstall(folder, user, everything, dry_run=True, say=out)
        check_agreed("Remove the program, and the hooks from these settings?")
    installation.uninstall(folder, user, everything, dry_run, say=out)


def _folder(ctx: typer.Context, project: str) -> str:
    return project or ctx.find_root().obj.get("project") or "."
