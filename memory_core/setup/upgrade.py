"""Upgrade the program by the way in which the user installed it.

    pipx, uv tool, pip    the tool upgrades its package; its Python then copies the program
    uvx                   a temporary environment with the newest version copies the program
    clone                 git pulls; the clone is built and copied

Hooks run the old program until the new one is complete and tested: see `activation`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Sequence
from contextlib import suppress

from memory_core import __version__
from memory_core.setup import activation, builder, packages, program
from memory_core.setup.builder import InstallRefused
from memory_core.setup.program import COMMAND, Note, Say

# A version as people write it: 1.2.3, 1.2.3rc1.
VERSION = re.compile(r"\d+(\.\d+)*((a|b|rc|\.post|\.dev)\d+)?")


def upgrade(check: bool = False, to: str = "", say: Say = print) -> None:
    """Upgrade the program and the hooks of all known projects; with `check` only look.

    Raises InstallRefused, with exit status 2 for an invalid version.
    """
    if to and not VERSION.fullmatch(to):
        raise InstallRefused(f"invalid version {to!r}: use a number such as 1.2.3", 2)
    note = program.read_note(program.find_environment())
    if note is None and not packages.is_installed():
        say(f"agent-memory {__version__} runs from a clone: to upgrade it, use git pull.")
        return
    note = note or program.find_own_note()
    activation.refuse_older(note, to or note.version)
    with activation.explain_failures():
        newest = find_newest(note, to)
    is_newer = program.parse_version(newest) > program.parse_version(note.version)
    if check and is_newer:
        say(f"agent-memory {note.version} is installed, and {newest} is available.")
        say(f"To upgrade: {program.format_command()} upgrade")
    elif not check and (is_newer or note.tool == "clone"):  # whose version changes rarely
        say(f"Upgrading agent-memory {note.version} to {newest} ...")
        with activation.explain_failures("Hooks run the program as before."):
            _upgrade(note, to, say)
        say(f"agent-memory {newest} is installed.")
    else:
        say(f"agent-memory {note.version} is the newest version.")
        if not check:
            activation.install_program(say=say)  # a tool may have upgraded the running program
            activation.update_projects(say)


# --- which version ---


def find_newest(note: Note, to: str = "") -> str:
    """Return the version that an upgrade installs; raises InstallRefused."""
    if note.tool == "clone":
        return _find_newest_of_clone(note.place, to)
    wanted = _format_requirement(to)
    if note.tool == "pip":
        return _ask_pip([note.place, "-I", "-m", "pip"], wanted)
    if note.tool == "pipx":
        with suppress(InstallRefused):  # newer ones have uv behind `runpip`, which lacks --report
            return _ask_pip([_find_tool("pipx"), "runpip", COMMAND], wanted)
    return builder.run([*_start_newest(to), COMMAND, "--version"]).split()[-1]


def _ask_pip(pip: Sequence[str], wanted: str) -> str:
    words = ["install", "--quiet", "--dry-run", "--no-deps", "--ignore-installed"]
    output = builder.run([*pip, *words, "--report", "-", wanted])
    report = json.loads(output[output.index("{") : output.rindex("}") + 1])
    return str(report["install"][0]["metadata"]["version"])


def _start_newest(to: str) -> list[str]:
    """Return the words by which uv starts a program of the newest version, or of `to`."""
    source = _format_requirement(to) if to else f"{COMMAND}@latest"
    return [_find_tool("uv"), "tool", "run", "--refresh-package", COMMAND, "--from", source]


def _find_newest_of_clone(clone: str, to: str) -> str:
    if to:
        script = "./install.sh --program"
        raise InstallRefused(f"the program is of {clone}: check out {to} there, run {script}")
    if not os.path.exists(os.path.join(clone, ".git")):  # a file in a worktree
        advice = "clone it again, and run ./install.sh --program there"
        raise InstallRefused(f"the clone {clone} is gone: {advice}")
    git = [_find_tool("git"), "-C", clone]
    builder.run([*git, "fetch", "--quiet"])
    text = builder.run([*git, "show", "@{upstream}:pyproject.toml"])
    return text.partition('\nversion = "')[2].partition('"')[0]


def _format_requirement(version: str) -> str:
    return f"{COMMAND}=={version}" if version else COMMAND


def _find_tool(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        raise InstallRefused(f"there is no `{name}` on PATH, with which this program was installed")
    return path


# --- the upgrade ---


def _upgrade(note: Note, to: str, say: Say) -> None:
    """Install the newest version or `to` by the tool, then let its Python copy the program.

    A tool that gets a version would keep it for ever, so `to` goes into its environment only.
    """
    wanted, python = _format_requirement(to), [note.place]
    if note.tool == "clone":
        builder.run([_find_tool("git"), "-C", note.place, "pull", "--quiet", "--ff-only"])
        script = os.path.join(note.place, "install.sh")
        for line in builder.run([script, "--program", "--python", sys.executable]).splitlines():
            say(line)
        return
    if note.tool == "uvx":
        python = [*_start_newest(to), "python"]
    else:
        builder.run(_build_command(note, to, wanted))
    activation.run_verb(python, ["install_program", note.tool, note.place], say)


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
