"""Copy the program into the data folder, and make the copy the one that hooks run.

All ways of installing end here, so they lead to the same files.  `install` may run before
anything is installed, so this module imports the standard library and this package only.
"""

from __future__ import annotations

import importlib.util
import os
import shlex
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.metadata import Distribution

from memory_core import __version__
from memory_core.files.problems import describe_expected
from memory_core.git import merge_driver
from memory_core.origin import text_origins
from memory_core.setup import builder, demo, installation, packages, program
from memory_core.setup.builder import InstallRefused
from memory_core.setup.packages import MCP
from memory_core.setup.program import COMMAND, Say
from memory_core.storage.paths import LevelPaths
from memory_core.storage.project import Project

# Runs a function of this module in another Python.
DOOR = (
    "import sys; from memory_core.setup import activation, installation;"
    " verb = getattr(activation, sys.argv[1]);"
    " sys.exit(installation.run_guarded(lambda: verb(*sys.argv[2:])))"
)

# The end of a failure after the switch to a new environment.
INSTALLED = "The program is installed, but maybe not the hooks: run it again."

# The command of an environment.  The path may contain blanks, so it cannot follow the #!.
SCRIPT = """\
#!/bin/sh
exec {python} -I -c 'from memory_core.cli import program; program()' "$@"
"""


# --- the running program ---


def install_program(tool: str = "", place: str = "", mcp: bool = False, say: Say = print) -> None:
    """Copy the running program into the data folder, unless the same one is in use.

    With `mcp`, or if the program in use has it, with the packages of the MCP server, which come
    from the package index if they are missing here.  Raises InstallRefused.
    """
    used = program.find_environment()
    needs_mcp = mcp or program.has_mcp(used)
    if program.is_private() and needs_mcp == program.has_mcp(used):
        return
    if used and not mcp and not packages.is_installed():
        return  # the clone of a developer, who has an installation
    copied = packages.find_packages()
    note = program.read_note(used)
    refuse_older(note)
    way = (tool, place) if tool else program.find_own_note()[2:]
    new_note = program.Note(__version__, packages.hash_packages(copied), *way)
    is_same = note is not None and note.packages == new_note.packages
    if is_same and needs_mcp == program.has_mcp(used):
        program.write_note(used, new_note)  # it may have come another way now
        return
    is_lacking = needs_mcp and not importlib.util.find_spec(MCP)
    say(f"Installing the program in {program.data_folder()} ...")
    with explain_failures(), builder.add_environment(program.data_folder()) as new:
        _fill(new, copied, is_lacking)
        program.write_note(new, new_note)
        run_verb([builder.find_python(new)], ["activate", new], say)


def refuse_older(note: program.Note | None, version: str = __version__) -> None:
    """Raise InstallRefused if a version is older than the installed program."""
    if note and program.parse_version(version) < program.parse_version(note.version):
        raise InstallRefused(
            f"agent-memory {note.version} is installed, and {version} is older: it may not"
            f" understand newer files. To install it, first run:"
            f" {program.find_command()} uninstall --all"
        )


@contextmanager
def explain_failures(unchanged: str = "Nothing was changed.") -> Iterator[None]:
    """Say with the reason of a failure whether the program in use has changed."""
    used = program.find_environment()
    try:
        yield
    except (InstallRefused, OSError, KeyboardInterrupt) as error:
        reason = describe_expected(error) or "interrupted"
        if "changed" not in reason:
            is_same = program.find_environment() == used
            reason = f"{reason.rstrip('.')}. {unchanged if is_same else INSTALLED}"
        status = 130 if isinstance(error, KeyboardInterrupt) else 1
        raise InstallRefused(reason, status) from None


def _fill(new: str, copied: list[Distribution], adds_mcp: bool) -> None:
    """Create an environment with the packages; with `adds_mcp` from the package index."""
    fetched: list[str] = []
    if adds_mcp:
        own = [one for one in copied if one.metadata["Name"] == packages.PROJECT]
        pins = [f"{one.metadata['Name']}=={one.version}" for one in copied if one not in own]
        fetched, copied = [*packages.list_extra(own[0]), *pins], own
    target = builder.create(new, fetched)
    packages.copy_packages(copied, target)
    command = os.path.join(new, "bin", COMMAND)
    with open(command, "w", encoding="utf-8") as script:
        script.write(SCRIPT.format(python=shlex.quote(builder.find_python(new))))
    os.chmod(command, 0o755)  # noqa: S103 - a command
    program.link_hooks(new)


def run_verb(python: Sequence[str], words: Sequence[str], say: Say) -> None:
    """Run a function of this module in another Python; say what it prints."""
    for line in builder.run([*python, "-I", "-c", DOOR, *words]).splitlines():
        say(line)


def install(
    project: str,
    user: bool = False,
    dry_run: bool = False,
    clone: str = "",
    say: Say = print,
) -> None:
    """Install the program, and the hooks in a project or the user's settings.

    Without both, only the program: that in a clone, or else the running one.
    """
    has_hooks = bool(project or user)
    if not dry_run:
        if has_hooks:
            installation.check_settings(project, user)
        if clone:
            _build_program(clone, say)
        else:
            install_program(say=say)
        if has_hooks and (clone or (packages.is_installed() and not program.is_private())):
            run_command(["install", os.path.abspath(project) if project else "--user"])
    elif clone:
        say(f"Would install the program with {sys.executable} in {program.data_folder()},")
        say(f"and link the command {program.find_home()}/.local/bin/{COMMAND} to it.")
    if has_hooks:
        installation.install(project, user, dry_run, say)


def _build_program(clone: str, say: Say) -> None:
    """Build the program in a clone and install it."""
    extra = f"[{MCP}]" if program.has_mcp(program.find_environment()) else ""
    with explain_failures(), tempfile.TemporaryDirectory(prefix=f"{COMMAND}-") as folder:
        say("Building the program from the clone (about 30 seconds) ...")
        temporary = os.path.join(folder, "environment")
        builder.create(temporary, [f"{clone}{extra}"])
        run_verb([builder.find_python(temporary)], ["install_program", "clone", clone], say)


def run_command(words: list[str]) -> None:
    """Replace this process by the private command."""
    sys.stdout.flush()
    command = program.find_command()
    os.execv(command, [command, *words])  # noqa: S606 - no shell needed


# --- the new environment ---


def activate(environment: str, say: Say = print) -> None:
    """Test a new environment and make it the one in use; update what older versions wrote.

    A hook that runs meanwhile sees the old or the new one.  The switch comes last of all that
    may fail: before it, nothing has changed.
    """
    builder.run([os.path.join(environment, "bin", COMMAND), "--help"])
    demo.run_trial(environment)
    program.link_command(program.find_own_note().tool, say)
    builder.switch_to(program.data_folder(), environment)
    update_projects(say)


def update_projects(say: Say = print) -> None:
    """Update the hooks and the merge driver of all known projects that have them.

    Also take over what an older version recorded of pins and confidence, before a hook needs it.
    """
    for root in program.list_projects():
        installation.update_hooks(root, say)
        with suppress(OSError):  # the next session does it
            text_origins.look(Project(LevelPaths(root, os.environ), os.environ))
        if merge_driver.update(root):
            say(f"Updated the merge driver in the git configuration of {root}.")
    installation.update_hooks("", say)


# --- the MCP server ---


def lacks_mcp() -> bool:
    """Say whether the packages of the MCP server are missing.

    If only the program in the data folder has them, this process becomes that one.
    """
    if importlib.util.find_spec(MCP):
        return False
    if program.has_mcp(program.find_environment()):
        run_command(sys.argv[1:])
    return True
