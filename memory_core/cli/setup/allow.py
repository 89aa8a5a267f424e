"""`agent-memory allow`: give the user-level memory to the agents of a project."""

from __future__ import annotations

from typing import Annotated

from memory_core.cli.app import find_project
from memory_core.cli.common.arguments import flag
from memory_core.cli.common.scopes import require_person
from memory_core.cli.output import print_json, print_line
from memory_core.storage import user_level


def allow(
    revoke: Annotated[bool, flag("--revoke", "Do not give it to them any more.")] = False,
) -> None:
    """Give your user-level memory to the agents of this project.

    Your user-level memory may say something of your other projects, so only the
    projects that you allow receive it.

    \b
    Example:
      agent-memory allow
    """
    project = find_project()
    require_person(project, "allow the user-level memory")
    paths = project.paths
    (user_level.forbid if revoke else user_level.allow)(paths)
    print_json({"project": paths.root, "allowed": user_level.is_allowed(paths)})
    verb = "do not receive" if revoke else "receive"
    print_line(f"The agents of {project.name} {verb} your user-level memory.")
