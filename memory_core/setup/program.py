"""The program on this machine: its environments, and the links to the one in use.

    ~/.local/share/agent-memory/
      venv -> environments/NAME       what hooks run; an upgrade replaces this link
      environments/NAME/              a private Python environment with the package
        program.json                  its version, its packages, and how the user installed it
        packages -> .../site-packages
        plugin/                       the Claude Code plugin, as in a clone
        hooks -> packages/agent_memory_hooks
      backups/                        settings files as they were before the installation
      command                         what people type, see storage.typed_command
    ~/.local/bin/agent-memory         the command

Nothing outside of an environment refers to it by its name, only by the link `venv`.
"""

from __future__ import annotations

import glob
import json
import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from memory_core import __version__
from memory_core.claude_code import settings_json
from memory_core.document.diff import FileChange
from memory_core.files import file_actions, tree
from memory_core.files.safe_files import SafeFiles
from memory_core.setup import builder
from memory_core.setup.builder import InstallRefused
from memory_core.storage import event_log, paths, state_owner, typed_command
from memory_core.text.phrases import format_count

COMMAND = "agent-memory"

NOTE_NAME = "program.json"

# The tools that have put a command of their own into ~/.local/bin; `TOOL uninstall` removes it.
TOOLS = ("pipx", "uv tool", "pip")

# Below the home directory: the scripts of bash, zsh and fish, and the files that may read them.
ZSH_FOLDER, ZSH_NAME = ".zfunc", f"_{COMMAND}"
SCRIPTS = (
    f".bash_completions/{COMMAND}.sh",
    f"{ZSH_FOLDER}/{ZSH_NAME}",
    f".config/fish/completions/{COMMAND}.fish",
)
STARTS = (".bashrc", ".bash_profile", ".zshrc", ".config/fish/config.fish")

# typer's line for all scripts in ~/.zfunc.
ZSH_LINE = "fpath+=~/.zfunc; autoload -Uz compinit; compinit"

Say = Callable[[str], None]


class Removal(NamedTuple):
    """How something is removed: with `dry_run` it is only said."""

    dry_run: bool
    say: Say

    def remove(
        self, what: str, remove: Callable[[], object], change: FileChange | None = None
    ) -> None:
        """Remove something and say so; a dry run shows the change."""
        if not self.dry_run:
            remove()
        self.say(f"{'Would remove' if self.dry_run else 'Removed'} {what}.")
        if self.dry_run and change:
            say_diff(change, self.say)


def say_diff(change: FileChange, say: Say) -> None:
    """Say how a file changes."""
    if change.before == change.after:
        say(f"{change.path}: nothing to change.")
    # Bytes that are not UTF-8 are lone surrogates in the diff, which cannot be printed.
    text = change.diff().encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    for line in text.splitlines():
        say(line)


# --- places ---


def find_home() -> str:
    """Return the home directory; raises InstallRefused."""
    home = os.environ.get("HOME", "")
    if not os.path.isabs(home):
        raise InstallRefused(f"HOME is {home!r}: set it to an absolute path")
    return home


def data_folder() -> str:
    """Return the folder of the program: hooks cannot know XDG_DATA_HOME."""
    return os.path.dirname(find_link())


def find_link(home: str = "") -> str:
    """Return the path at which hooks find the program, for the user or another home."""
    return os.path.join(home or find_home(), settings_json.PROGRAM_LINK)


def _command_link() -> str:
    return os.path.join(find_home(), ".local", "bin", COMMAND)


def _is_own_link(link: str) -> bool:
    ending = os.path.join(COMMAND, "venv", "bin", COMMAND)
    return os.path.islink(link) and os.readlink(link).endswith(os.sep + ending)


def find_command() -> str:
    """Return the path of the private command."""
    return os.path.join(find_link(), "bin", COMMAND)


def format_command() -> str:
    """Return the command as the user can type it: its path, unless PATH leads to it."""
    if shutil.which(COMMAND) and not find_rival():
        return COMMAND
    if os.path.exists(find_command()):
        link = _command_link()
        return link if _is_own_link(link) else find_command()
    if find_own_note().tool == "uvx":
        return f"uvx {COMMAND}"
    return os.path.join(os.path.dirname(sys.executable), COMMAND)


def find_rival() -> str:
    """Return the path of another program that PATH has first under this name, "" for none."""
    first = shutil.which(COMMAND) or ""
    tools = os.path.join(os.path.dirname(find_own_note().place), COMMAND)
    own = map(os.path.realpath, (find_command(), tools, sys.argv[0]))
    return "" if os.path.realpath(first) in own else first


def note_command(say: Say) -> None:
    """Note what people type, if it is not the name, and say so if another program has the name."""
    files, command = SafeFiles(data_folder()), shlex.quote(format_command())
    if rival := find_rival():
        say(f"Another {COMMAND} is first on your PATH: {rival}. Type {command} instead.")
    if command == COMMAND:
        files.remove(typed_command.FILE)
    else:
        files.replace(typed_command.FILE, f"{command}\n".encode())


# --- the environment in use ---


class Note(NamedTuple):
    """What an environment notes: the version, the hash of its packages, and how it came there.

    That is the tool with which the user installed it, and its Python, or the folder of a clone.
    """

    version: str
    packages: str
    tool: str
    place: str


def find_environment() -> str:
    """Return the real path of the environment in use, "" if there is none."""
    link = find_link()
    works = os.access(os.path.join(link, "bin", "python"), os.X_OK)
    return os.path.realpath(link) if works else ""


def is_private() -> bool:
    """Say whether this process runs in an environment of the data folder."""
    folder = os.path.join(os.path.realpath(data_folder()), "environments")
    return os.path.dirname(os.path.realpath(sys.prefix)) == folder


def has_mcp(environment: str) -> bool:
    """Say whether an environment has the packages of the MCP server."""
    # Environments of the first versions have no link `packages`.
    path = os.path.join(glob.escape(environment), "lib", "python*", "site-packages", "mcp")
    return bool(environment and glob.glob(path))


def read_note(environment: str) -> Note | None:
    """Return the note of an environment; None without one, as of an older version."""
    try:
        with open(os.path.join(environment, NOTE_NAME), encoding="utf-8") as file:
            value = json.load(file)
        return Note(*(value[name] for name in Note._fields))
    except (OSError, ValueError, LookupError, TypeError):
        return None


def write_note(environment: str, note: Note) -> None:
    """Write the note of an environment."""
    text = json.dumps(note._asdict(), indent=2)
    SafeFiles(environment).replace(NOTE_NAME, f"{text}\n".encode())


def parse_version(text: str) -> tuple[tuple[int, ...], bool, tuple[int, ...]]:
    """Return a version in a form to compare: 1.2rc1 comes before 1.2, and 1.2 before 1.2.1."""
    match = re.match(r"([\d.]*\d)((?:a|b|rc|\.dev)?)(.*)", text)
    release, early, rest = match.groups() if match else ("0", "", "")
    numbers = [tuple(map(int, re.findall(r"\d+", part))) for part in (release, rest)]
    return numbers[0], not early, numbers[1]


def find_own_note() -> Note:
    """Return the note about the running program; one with a hash only if it has one."""
    if is_private() and (note := read_note(sys.prefix)):
        return note
    tools = {"pipx_metadata.json": "pipx", "uv-receipt.toml": "uv tool"}
    for name, tool in tools.items():
        if os.path.exists(os.path.join(sys.prefix, name)):
            return Note(__version__, "", tool, sys.executable)
    is_cached = re.search(r"/archive-v\d+/", f"{os.path.realpath(sys.prefix)}/")  # uv's cache
    tool, place = ("uvx", "") if is_cached else ("pip", sys.executable)
    return Note(__version__, "", tool, place)


def link_hooks(environment: str) -> None:
    """Give an environment the link to its hooks, and the plugin.

    Claude Code follows no links in a plugin, so its files are put together; hard links need no
    room.
    """
    os.symlink(os.path.join("packages", "agent_memory_hooks"), os.path.join(environment, "hooks"))
    packages, plugin = os.path.join(environment, "packages"), os.path.join(environment, "plugin")

    def copy(source: str, target: str) -> None:
        try:
            os.link(source, target)
        except OSError:  # the file system has none
            shutil.copyfile(source, target)

    names = {"": "agent_memory_plugin", "hooks": "agent_memory_hooks", "memory_core": "memory_core"}
    for name, source in names.items():
        folder, unused = os.path.join(packages, source), shutil.ignore_patterns("__pycache__")
        shutil.copytree(folder, os.path.join(plugin, name), ignore=unused, copy_function=copy)
    os.chmod(os.path.join(plugin, "bin", COMMAND), 0o755)  # noqa: S103 - a command


def link_command(tool: str, say: Say) -> None:
    """Link the command into ~/.local/bin, unless another program has the name.

    The tools that install commands have put theirs there themselves.
    """
    command, link = find_command(), _command_link()
    folder = os.path.dirname(link)
    if os.path.lexists(link) and not _is_own_link(link):
        if tool not in TOOLS:
            say(f"Not replaced: {link} belongs to another program. Use {command}.")
        return
    os.makedirs(folder, exist_ok=True)
    builder.replace_link(link, command)
    say(f"Command installed: {link}")
    if folder not in os.environ.get("PATH", "").split(os.pathsep):
        say(f"{folder} is not on your PATH: add it, or run {link}.")


# --- projects ---


def list_projects() -> list[str]:
    """Return the folders of all projects with a state on this machine, except the home folder."""
    home = paths.find_state_home(data_folder(), os.environ)
    own = os.path.realpath(find_home())
    roots = (path for _state, path in state_owner.list_owners(home))
    return sorted(path for path in roots if os.path.isdir(path) and path != own)


def remove(states: str, removal: Removal) -> None:
    """Remove the program, the command, and the logs of all projects in the folder `states`.

    All else of a state is kept if it has learnings that no memory has, or what a person decided.
    """
    link = _command_link()
    note = read_note(find_environment())
    folders = [os.path.join(states, name) for name in SafeFiles(states).list_names()]
    kept = list(filter(_is_needed, folders))
    removed = [*([link] if _is_own_link(link) else []), data_folder()]
    removed += [path for path in folders if path not in kept] if kept else [states]
    removed += [os.path.join(path, name) for path in kept for name in event_log.FILES]
    for path in filter(os.path.lexists, removed):
        removal.remove(path, partial(builder.remove_all, path))
    if note and note.tool in TOOLS:
        removal.say(f"Kept: the package {COMMAND}; to remove it: {note.tool} uninstall {COMMAND}")
    if kept:
        what = f"your decisions, undo and waiting learnings, {format_count(len(kept), 'project')}"
        removal.say(f"Kept: {states} ({what}; to forget them, delete it).")


def _is_needed(folder: str) -> bool:
    """Say whether a state has more than logs: decisions, learnings that wait, undo."""
    logs = {state_owner.OWNER_FILE, *event_log.FILES}
    return any(set(names) - logs for _folder, names in tree.walk(SafeFiles(folder), ""))


# --- the completion of shells ---


def remove_completion(removal: Removal) -> None:
    """Remove what `agent-memory --install-completion` leaves in the home directory.

    typer writes a script for the shell, and for bash and zsh lines into the file that the shell
    reads when it starts.
    """
    files = SafeFiles(os.path.expanduser("~"))
    lines = [f"source '{files.locate(script)}'" for script in SCRIPTS]
    if files.list_names(ZSH_FOLDER) == [ZSH_NAME]:
        lines.append(ZSH_LINE)
    for start in STARTS:
        _remove_lines(files, start, lines, removal)
    for script in filter(files.has_entry, SCRIPTS):
        removal.remove(files.locate(script), partial(files.delete, script))
        file_actions.remove_folder(files, os.path.dirname(script))


def _remove_lines(files: SafeFiles, name: str, lines: list[str], removal: Removal) -> None:
    """Remove these lines from a file, each with the empty line before it."""
    before = files.read(name)
    for refusal in files.refused.values():
        removal.say(
            f"~/{refusal}: remove these lines yourself, if they are there: {'; '.join(lines)}"
        )
    files.refused.clear()
    pattern = b"|".join(re.escape(line.encode()) for line in lines)
    after = re.sub(rb"^\n?(?:%b)\n" % pattern, b"", before, flags=re.MULTILINE)
    if after != before:
        place = f"the completion from {files.locate(name)}"
        removal.remove(place, partial(files.replace, name, after))
    if COMMAND.encode() in after:
        removal.say(f"{files.locate(name)} still mentions {COMMAND}: remove such lines yourself.")
