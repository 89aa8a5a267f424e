"""`agent-memory upgrade`: install the newest version, as the user installed this one."""

from __future__ import annotations

from typing import Annotated

from memory_core.cli.common.arguments import flag, option
from memory_core.cli.output import print_line
from memory_core.setup import upgrade as upgrades


def upgrade(
    check: Annotated[bool, flag("--check", "Show the newest version and change nothing.")] = False,
    to: Annotated[str, option("VERSION", "Install this version.  Default: the newest.")] = "",
) -> None:
    """Upgrade the program and the hooks of all your projects.

    It uses the tool with which you installed the program: uv, pipx, pip or a clone.
    Hooks run the old version until the new one is tested.

    \b
    Example:
      agent-memory upgrade --check
    """
    upgrades.upgrade(check, to, say=print_line)
