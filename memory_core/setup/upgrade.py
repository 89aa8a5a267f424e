"""Upgrade the program by the way in which the user installed it.

    pipx, uv tool, pip    the tool upgrades its package; its Python then copies the program
    uvx                   a temporary environment with the newest version copies the program
    clone                 git pulls; the clone is built and copied

Hooks run the old program until the new one is complete and tested: see `activation`.
"""

from __future__ import annotations

import os
import re
import shutil
import sys

from memory_core import __version__
from memory_core.setup import activation, builder, packages, program
from memory_core.setup.builder import InstallRefused
from memory_core.setup.program import COMMAND, Note, Say

# A version as people write it: 1.2.3, 1.2.3rc1.
VERSION = re.compile(r"\d+(\.\d+)*((a|b|rc|\.post|\.dev)\d+)?")


def upgrade(to: str = "", say: Say = print) -> None:
    """Upgrade the program and the hooks of all known projects.

    Raises InstallRefused, with exit status 2 for an invalid version.
    """
    if to and not VERSION.fullmatch(to):
        raise InstallRefused(f"invalid version {to!r}: use a number such as 1.2.3", 2)
    used = program.find_environment()
    note = program.read_note(used)
    if note is None and not packages.is_installed():
        say(f"agent-memory {__version__} runs from a clone: to upgrade it, use git pull.")
        return
    note = note or program.find_own_note()
    activation.refuse_older(note, to or note.version)
    say(f"Upgrading agent-memory {note.version} ...")
    with activation.explain_failures("Hooks run the program as before."):
        _upgrade(note, to, say)
    new = program.find_environment()
    if new == used:
        say(f"agent-memory {note.version} is the newest version.")
        activation.update_projects(say)
    else:
        say(f"agent-memory {(program.read_note(new) or note).version} is installed.")


def _upgrade(note: Note, to: str, say: Say) -> None:
    """Install the newest version or `to` by the tool, then let its Python copy the program.

    A tool that gets a version would keep it for ever, so `to` goes into its environment only.
    """
    if note.tool == "clone":
        _upgrade_clone(note.place, to, say)
        return
    wanted = f"{COMMAND}=={to}" if to else COMMAND
    if note.tool == "uvx":
        source = wanted if to else f"{COMMAND}@latest"
        uvx = [_find_tool("uv"), "tool", "run", "--refresh-package", COMMAND, "--from", source]
        python = [*uvx, "python"]
    else:
        builder.run(_build_command(note, to, wanted))
        python = [note.place]
    activation.run_verb(python, ["install_program", note.tool, note.place], say)


def _upgrade_clone(clone: str, to: str, say: Say) -> None:
    if to:
        script = "./install.sh --program"
        raise InstallRefused(f"the program is of {clone}: check out {to} there, run {script}")
    if not os.path.exists(os.path.join(clone, ".git")):  # a file in a worktree
        advice = "clone it again, and run ./install.sh --program there"
        raise InstallRefused(f"the clone {clone} is gone: {advice}")
    builder.run([_find_tool("git"), "-C", clone, "pull", "--quiet", "--ff-only"])
    script = os.path.join(clone, "install.sh")
    for line in builder.run([script, "--program", "--python", sys.executable]).splitlines():
        say(line)


def _build_command(note: Note, to: str, wanted: str) -> list[str]:
    """Return the command by which a tool upgrades its package."""
    if note.tool == "pipx":
        pipx = _find_tool("pipx")
        return [pipx, "runpip", COMMAND, "install", wanted] if to else [pipx, "upgrade", COMMAND]
    if note.tool == "uv tool":
        into = ["pip", "install", "--python", note.place, wanted]
        return [_find_tool("uv"), *(into if to else ["tool", "upgrade", COMMAND])]
    pip = [note.place, "-I", "-m", "pip", "install", "--upgrade"]
    return [*pip, *builder.PIP_OPTIONS, wanted]


def _find_tool(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        raise InstallRefused(f"there is no `{name}` on PATH, with which this program was installed")
    return path
