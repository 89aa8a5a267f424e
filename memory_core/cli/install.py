"""`agent-memory install` and `uninstall`: what install.sh does, without a clone."""

from __future__ import annotations

from typing import Annotated

import typer

Project = Annotated[
    str,
    typer.Argument(
        metavar="[PROJECT]",
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
    """Put the hooks into a project's settings, and show that they work.

    \b
    Example:
      agent-memory install ~/code/shop --dry-run
    """
    from memory_core import installation

    installation.install(_folder(ctx, project), user, dry_run)


def uninstall(
    ctx: typer.Context,
    project: Project = "",
    user: User = False,
    everything: Everything = False,
    dry_run: DryRun = False,
) -> None:
    """Take the hooks out of a project's settings; its memories stay.

    \b
    Example:
      agent-memory uninstall ~/code/shop --dry-run
    """
    from memory_core import installation

    installation.uninstall(_folder(ctx, project), user, everything, dry_run)


def _folder(ctx: typer.Context, project: str) -> str:
    return project or ctx.find_root().params.get("project") or "."
