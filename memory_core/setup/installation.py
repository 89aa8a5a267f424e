"""Install and remove: the hooks in settings files, and the environment that they run in.

    ~/.local/share/agent-memory/      (or below XDG_DATA_HOME)
      venv -> environments/NAME       the environment in use; an upgrade replaces this link
      environments/NAME/              a private Python environment with the package
        hooks -> .../site-packages/agent_memory_hooks
      backups/                        settings files as they were before the installation

install.sh runs this module from the clone, before anything is installed, so it imports the
standard library and this package only.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import NamedTuple

from memory_core import __version__
from memory_core.claude_code import headless, sample_events, settings_files, settings_json
from memory_core.document.diff import FileChange
from memory_core.git import merge_driver
from memory_core.memory.project import Project
from memory_core.setup import hook_runner
from memory_core.storage import file_io, paths
from memory_core.tasks import claude_md_import

TEMPLATE_NAME = "settings.template.json"
COMMAND = "agent-memory"

# The oldest version of Claude Code that agent-memory supports.
OLDEST_CLAUDE = "2.1.20"

# Seconds; `claude --version` takes one.
CLAUDE_TIMEOUT = 20

Say = Callable[[str], None]


class InstallRefused(Exception):
    """The reason why something cannot be done, for a person, and the exit status."""

    def __init__(self, sentence: str, status: int = 1) -> None:
        super().__init__(sentence)
        self.status = status


def run_guarded(verb: Callable[[], None]) -> int:
    """Run a verb; print what stopped it on stderr, and return the exit status."""
    try:
        verb()
    except InstallRefused as refusal:
        print(f"{COMMAND}: {refusal}", file=sys.stderr)
        return refusal.status
    except OSError as error:
        print(f"{COMMAND}: {error.filename or 'error'}: {error.strerror}", file=sys.stderr)
        return 1
    return 0


# --- the verbs ---


def install(project: str, user: bool = False, dry_run: bool = False, say: Say = print) -> None:
    """Test the hooks, and write them into the settings of a project or of the user."""
    target = _find_target(project, user)
    version = find_claude_version()
    wanted = settings_json.build_hooks(read_template(), version)
    change = _plan_change(target.path, lambda text: settings_json.add_hooks(text, wanted))
    if dry_run:
        _say_diff(change, say)
        return
    trial, backup = _write_tested(change)
    say(f"agent-memory {__version__}")
    say(f"  Hooks {'already installed' if _is_empty(change) else 'installed'}: {change.path}")
    if backup:
        say(f"  Backup of the previous settings: {backup}")
    if version is None:
        say(f"  No `claude` found: the hooks need Claude Code {OLDEST_CLAUDE} or newer.")
    missing = [event for event in settings_json.build_hooks(read_template()) if event not in wanted]
    if missing and version:
        number = ".".join(map(str, version))
        say(f"  Without {', '.join(missing)}: Claude Code {number} does not support it.")
    say("")
    say(f'Tested in a temporary project. The agent "{sample_events.AGENT}" reported this finding:')
    say(f"  {trial.memory_line}")
    say("The next prompt of that agent:")
    for line in trial.prompt.splitlines():
        say(f"  | {line}".rstrip())
    say("")
    where = "any project" if user else target.root
    say(f"Next: start a new Claude Code session in {where}; agents have their memory from then on.")
    say(f"To check the installation: {COMMAND} doctor")


def renew(path: str) -> str:
    """Update the hooks in a settings file; return the diff, "" for none.

    Raises InstallRefused if the hooks do not work or the file cannot be written.
    """
    wanted = settings_json.build_hooks(read_template(), find_claude_version())
    change = _plan_change(path, lambda text: settings_json.add_hooks(text, wanted))
    if _is_empty(change):
        return ""
    _write_tested(change)
    return change.diff().rstrip("\n")


def _write_tested(change: FileChange) -> tuple[TrialResult, str | None]:
    """Test the hooks of the new settings, back up the old ones, and write."""
    python = os.path.join(data_folder(), "venv", "bin", "python")
    if not os.access(python, os.X_OK):
        raise InstallRefused(f"{python} is missing: run ./install.sh from a clone of agent-memory")
    trial = run_trial((change.after or b"").decode(), os.path.dirname(data_folder()))
    backup = _back_up(change)
    _write(change)
    return trial, backup


def check_settings(project: str, user: bool = False) -> None:
    """Raise InstallRefused if `install` could not write the settings."""
    wanted = settings_json.build_hooks(read_template())
    target = _find_target(project, user)
    _plan_change(target.path, lambda text: settings_json.add_hooks(text, wanted))
    data_folder()


def uninstall(
    project: str,
    user: bool = False,
    everything: bool = False,
    dry_run: bool = False,
    say: Say = print,
) -> None:
    """Remove the hooks from the settings, and the imports of task memories from CLAUDE.md.

    With `everything` also remove the hooks from the user's settings, git's merge driver from
    the project, and the program.  Memory files stay.
    """
    target = _find_target(project, user)
    settings = [target.path]
    if not user:
        settings.append(os.path.join(target.root, ".claude", "settings.local.json"))
    if everything and not user:
        settings.append(_find_target(project, user=True).path)
    changes = [_plan_change(path, settings_json.remove_hooks) for path in settings]
    changes = [change for change in changes if not _is_empty(change)]
    if not changes:
        say(f"No agent-memory hooks in {target.path}.")
    for change in changes:
        _apply(change, dry_run, say)
    if not user:
        _remove_imports(paths.LevelPaths(target.root), dry_run, say)
    if everything:
        if not user:
            _remove_merge_driver(target.root, dry_run, say)
        _remove_program(dry_run, say)
    kept = os.path.join(target.root, paths.FOLDER_NAME)
    say(f"Kept: {kept} (memory files, history, config.yml).")
    if not everything and os.path.lexists(data_folder()):
        say(f"Kept: {data_folder()} (the program; --all removes it too).")


def _apply(change: FileChange, dry_run: bool, say: Say) -> None:
    if dry_run:
        _say_diff(change, say)
        return
    _write(change)
    file_io.remove(_backup_path(change.path))
    say(f"Removed the hooks from {change.path}.")


def _remove_imports(level_paths: paths.LevelPaths, dry_run: bool, say: Say) -> None:
    """Remove the imports of task memories from the project's CLAUDE.md."""
    if dry_run:
        for path, *texts in claude_md_import.plan_removal(level_paths):
            before, after = (text.encode("utf-8", "surrogateescape") for text in texts)
            _say_diff(FileChange(path, before, after or None), say)
    else:
        for name in claude_md_import.remove(level_paths):
            say(f"Removed the import of task memory from {os.path.join(level_paths.root, name)}.")


def _remove_merge_driver(root: str, dry_run: bool, say: Say) -> None:
    """Remove what `agent-memory git install` set in the project's clone."""
    if dry_run:
        say(f"Would remove git's merge driver for memory files from {root}, if it is installed.")
        return
    try:
        changes = merge_driver.uninstall(Project(paths.LevelPaths(root), os.environ))
    except merge_driver.NoRepository:
        return
    for name in changes.attribute_files:
        say(f"Removed the merge driver from {os.path.join(root, name)}; commit this change.")
    if changes.config:
        say(f"Removed the merge driver from the git configuration of {root}.")


# --- settings files ---


class SettingsTarget(NamedTuple):
    """A settings file, and the folder whose memory files belong to it."""

    path: str
    root: str


def _find_target(project: str, user: bool) -> SettingsTarget:
    if user:
        folder = settings_files.find_config_folder(os.environ)
        return SettingsTarget(os.path.join(folder, "settings.json"), _find_home())
    root = os.path.abspath(project)
    if not os.path.isdir(root):
        reason = "is not a folder" if os.path.lexists(root) else "does not exist"
        raise InstallRefused(f"{project} {reason}: give the folder of a project", 2)
    return SettingsTarget(os.path.join(root, ".claude", "settings.json"), root)


def _find_home() -> str:
    home = os.environ.get("HOME", "")
    if not os.path.isabs(home):
        raise InstallRefused(f"HOME is {home!r}: set it to an absolute path")
    return home


def read_template() -> str:
    """Return settings.template.json: from the package, or from the clone that contains it."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    path = os.path.join(package, TEMPLATE_NAME)
    if not os.path.exists(path):
        path = os.path.join(os.path.dirname(package), TEMPLATE_NAME)
    with open(path, encoding="utf-8") as file:
        return file.read()


def _plan_change(path: str, edit: Callable[[str], str]) -> FileChange:
    """Return the change that `edit` makes to a settings file."""
    before = _read(path)
    try:
        after = edit((before or b"").decode()).encode()
    except (UnicodeDecodeError, settings_json.InvalidSettings) as error:
        raise InstallRefused(f"{path}: {error}. The file was not changed.") from None
    was_created = bool(before) and _read(_backup_path(path)) != b""
    is_gone = not after and (was_created or before is None)
    return FileChange(path, before, None if is_gone else after)


def _is_empty(change: FileChange) -> bool:
    return change.before == change.after


def _read(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def _write(change: FileChange) -> None:
    """Replace the file, unless somebody has changed it since it was read."""
    if _is_empty(change):
        return
    path = os.path.realpath(change.path)  # dotfile managers make it a link, which stays
    if os.path.exists(path) and not os.access(path, os.W_OK):
        raise InstallRefused(f"{change.path} is write-protected. It was not changed.")
    if _read(path) != change.before:
        raise InstallRefused(f"{change.path} was changed by another program just now. Try again.")
    if change.after is None:
        os.unlink(path)
        with suppress(OSError):  # it has other files
            os.rmdir(os.path.dirname(path))
    else:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        file_io.replace(path, change.after)


def _say_diff(change: FileChange, say: Say) -> None:
    if _is_empty(change):
        say(f"{change.path}: nothing to change.")
    # Bytes that are not UTF-8 are lone surrogates in the diff, which cannot be printed.
    text = change.diff().encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    for line in text.splitlines():
        say(line)


def _backup_path(path: str) -> str:
    """Return the path of the backup of a settings file.

    It is outside of the project: settings may contain secrets, and somebody may commit a file
    that they do not know.
    """
    root = os.path.dirname(os.path.dirname(path))
    digest = hashlib.sha256(os.fsencode(path)).hexdigest()[:12]
    name = f"{os.path.basename(root)[:100]}-{digest}-settings.json"
    return os.path.join(data_folder(), "backups", name)


def _back_up(change: FileChange) -> str | None:
    """Copy the settings file and return the path, unless it has hooks of agent-memory already."""
    if (
        _is_empty(change)
        or change.before is None
        or settings_json.find_entries(change.before.decode())
    ):
        return None
    backup = _backup_path(change.path)
    os.makedirs(os.path.dirname(backup), mode=0o700, exist_ok=True)
    shutil.copy2(change.path, backup)
    return backup


# --- Claude Code ---


def find_claude_version() -> settings_json.Version | None:
    """Return the version of the installed Claude Code, None if there is none."""
    claude = headless.find_claude(os.environ)
    if claude is None:
        return None
    # 2.1.20 creates its configuration folder even for this; keep it out of the user's home.
    with tempfile.TemporaryDirectory(prefix=f"{COMMAND}-") as folder:
        try:
            output = subprocess.run(
                [claude, "--version"],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=CLAUDE_TIMEOUT,
                env={**os.environ, "CLAUDE_CONFIG_DIR": folder, "DISABLE_AUTOUPDATER": "1"},
                check=False,
            ).stdout
        except (OSError, subprocess.TimeoutExpired):
            return None
    match = re.search(r"\b(\d+)\.(\d+)\.(\d+)\b", output)
    return tuple(map(int, match.groups())) if match else None


# --- the trial ---


class TrialResult(NamedTuple):
    """The item that the trial added to the memory file, and the next prompt."""

    memory_line: str
    prompt: str


def run_trial(text: str, data_home: str) -> TrialResult:
    """Run the hooks of settings in a temporary project: a report, then the next delegation.

    Raises InstallRefused if the report is not saved or is not in the next prompt.
    """
    commands = {
        entry.event: str(entry.value["command"]) for entry in settings_json.find_entries(text)
    }
    inherited = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("CLAUDE", "AGENT_MEMORY"))
    }
    with tempfile.TemporaryDirectory(prefix=f"{COMMAND}-") as folder:
        root, home = os.path.join(folder, "shop"), os.path.join(folder, "home")
        os.makedirs(os.path.join(root, paths.FOLDER_NAME))
        os.mkdir(home)  # keeps the user's memory and config.yml out of the trial
        environ = {**inherited, "HOME": home, "XDG_DATA_HOME": data_home}
        project = Project(paths.LevelPaths(root), environ)
        _run_hook(project, commands["PostToolUse"], "post", environ)
        path = project.store.path(sample_events.AGENT)
        lines = (_read(path) or b"").decode(errors="replace").splitlines()
        item = next((line for line in lines if sample_events.LEARNING in line), None)
        if item is None:
            raise InstallRefused("trial: the PostToolUse hook did not save the agent's report")
        reply = _run_hook(project, commands["PreToolUse"], "pre", environ).reply
        return TrialResult(item, _read_prompt(reply))


def _run_hook(
    project: Project, command: str, kind: str, environ: Mapping[str, str]
) -> hook_runner.HookResult:
    event = sample_events.build(kind, sample_events.AGENT, project.paths.root, kind)
    data = json.dumps(event).encode()
    result = hook_runner.run(project, ["sh", "-c", command], data, environ)
    if result.fault:
        raise InstallRefused(f"trial: the {event['hook_event_name']} hook {result.fault}")
    return result


def _read_prompt(reply: Mapping[str, object] | None) -> str:
    try:
        prompt = str(reply["hookSpecificOutput"]["updatedInput"]["prompt"])  # type: ignore[index]
    except (KeyError, TypeError):
        raise InstallRefused(f"trial: the PreToolUse hook returned no prompt: {reply}") from None
    if not (prompt.startswith(sample_events.PROMPT) and sample_events.LEARNING in prompt):
        raise InstallRefused(f"trial: the prompt lacks the task or the memory: {prompt}")
    return prompt


# --- the environment ---


def data_folder() -> str:
    """Return the folder of agent-memory in the user's data folder."""
    data_home = os.environ.get("XDG_DATA_HOME") or os.path.join(_find_home(), ".local", "share")
    if not os.path.isabs(data_home):
        raise InstallRefused(f"XDG_DATA_HOME is {data_home!r}: set it to an absolute path")
    return os.path.join(data_home, COMMAND)


def activate(environment: str, say: Say = print) -> None:
    """Test a new environment and make it the one in use.

    A hook that runs meanwhile sees the old or the new one.  The old one stays until the next
    upgrade.
    """
    _link_hooks(environment)
    _try_environment(environment)
    link = os.path.join(data_folder(), "venv")
    before = os.path.realpath(link)
    file_io.replace_link(link, os.path.join("environments", os.path.basename(environment)))
    _link_command(os.path.join(link, "bin", COMMAND), say)
    folder = os.path.realpath(os.path.dirname(environment))
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        # An environment without `hooks` is being built by another install.sh.
        is_old = path not in (os.path.realpath(environment), before)
        if is_old and os.path.lexists(os.path.join(path, "hooks")):
            shutil.rmtree(path)


def _link_hooks(environment: str) -> None:
    packages = os.path.realpath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 2))
    hooks = os.path.join(packages, "agent_memory_hooks")
    if not os.path.isfile(os.path.join(hooks, "pre_tool_use.py")):
        raise InstallRefused(f"{hooks} has no hooks: the package is incomplete")
    target = os.path.relpath(hooks, os.path.realpath(environment))
    file_io.replace_link(os.path.join(environment, "hooks"), target)


def _try_environment(environment: str) -> None:
    command = os.path.join(environment, "bin", COMMAND)
    process = subprocess.run([command, "--help"], capture_output=True, text=True, check=False)
    if process.returncode:
        raise InstallRefused(f"the new command fails: {process.stderr.strip()}")
    with tempfile.TemporaryDirectory(prefix=f"{COMMAND}-") as data_home:
        os.mkdir(os.path.join(data_home, COMMAND))
        os.symlink(environment, os.path.join(data_home, COMMAND, "venv"))
        hooks = settings_json.build_hooks(read_template())
        run_trial(settings_json.add_hooks("", hooks), data_home)


def _link_command(command: str, say: Say) -> None:
    folder = os.path.join(_find_home(), ".local", "bin")
    link = os.path.join(folder, COMMAND)
    if os.path.lexists(link) and not _is_own_link(link):
        say(f"Not replaced: {link} belongs to another program. Use {command}.")
        return
    os.makedirs(folder, exist_ok=True)
    file_io.replace_link(link, command)
    say(f"Command installed: {link}")
    if folder not in os.environ.get("PATH", "").split(os.pathsep):
        say(f"{folder} is not on your PATH: add it, or run {link}.")


def _is_own_link(link: str) -> bool:
    ending = os.path.join(COMMAND, "venv", "bin", COMMAND)
    return os.path.islink(link) and os.readlink(link).endswith(os.sep + ending)


def _remove_program(dry_run: bool, say: Say) -> None:
    link = os.path.join(_find_home(), ".local", "bin", COMMAND)
    removed = [link] if _is_own_link(link) else []
    for path in [*removed, data_folder()]:
        if not os.path.lexists(path):
            continue
        say(f"{'Would remove' if dry_run else 'Removed'} {path}.")
        if not dry_run:
            os.unlink(path) if os.path.islink(path) else shutil.rmtree(path)
    if not dry_run:
        say("Hooks in the settings of other projects do nothing from now on.")
