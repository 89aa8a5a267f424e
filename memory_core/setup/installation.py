"""Install, update and remove the hooks in settings files.

install.sh runs this module from the clone, before anything is installed, so it imports the
standard library and this package only.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial

from memory_core import __version__
from memory_core.claude_code import agent_names, headless, settings_files, settings_json
from memory_core.claude_code.agent_definitions import BUILT_IN_AGENTS
from memory_core.document.diff import FileChange
from memory_core.files.problems import describe_expected
from memory_core.files.safe_files import Refused, SafeFiles
from memory_core.git import driver_notice, merge_driver
from memory_core.origin import text_origins
from memory_core.setup import demo, hook_runner, initialize, program
from memory_core.setup.builder import InstallRefused
from memory_core.setup.program import COMMAND, Removal, Say
from memory_core.storage import paths, typed_command
from memory_core.storage.project import Project, find_project
from memory_core.tasks import backlog_folder, claude_md_import

NO_MEMORY = "no memory yet"
OF_CLAUDE_CODE = f"{NO_MEMORY} (an agent of Claude Code)"


def run_guarded(verb: Callable[[], None]) -> int:
    """Run a verb; print what stopped it on stderr, and return the exit status."""
    try:
        verb()
    except InstallRefused as refusal:
        sentence = typed_command.name_command(str(refusal), os.environ)
        print(f"{COMMAND}: {sentence}", file=sys.stderr)
        return refusal.status
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        print(f"{COMMAND}: {describe_expected(error)}", file=sys.stderr)
        return 1
    return 0


# --- the verbs ---


def install(project: str, user: bool = False, dry_run: bool = False, say: Say = print) -> None:
    """Test the hooks, and write them into the settings of a project or of the user.

    `check_settings` comes before it.
    """
    target = _find_new_target(project, user)
    change = _plan_hooks(target, find_parts(target.project, user))
    if dry_run:
        program.say_diff(change, say)
        if refusal := target.find_refusal():
            say(f"Would not write: {refusal}.")
        return
    _test()
    backup = write_settings(change)
    if not user:
        with suppress(OSError):
            target.project.paths.state.make_root()  # so that an upgrade finds the project
    off = settings_files.find_disabling_file(settings_files.read_settings(target.root, os.environ))
    verb = "already there" if not change.diff() else "written" if off else "installed"
    say(f"agent-memory {__version__}")
    say(f"  Hooks {verb}: {change.path}")
    if backup:
        say(f"  Backup of the previous settings: {backup}")
    if not headless.is_supported(headless.find_version(os.environ)):
        say(f"  The hooks need Claude Code {headless.OLDEST_CLAUDE} or newer, which was not found.")
    say("  Tested in a temporary project: the next prompt of an agent had the finding it reported.")
    program.note_command(say)
    for line in [] if user else _describe_project(target):
        say(line)
    say(f"To check the installation: {program.format_command()} doctor")
    if off:
        say(
            f"Claude Code does not run the hooks: {off.path} has {off.off_switch}. Remove it first."
        )
        return
    where = "any project" if user else target.root
    say(f"Next: start a new Claude Code session in {where}; agents have their memory from then on.")


def _describe_project(target: SettingsTarget) -> Iterator[str]:
    """Yield what a person has to know about the memory of a project."""
    project = find_project(target.root, {**os.environ, "CLAUDE_PROJECT_DIR": target.root})
    root = project.paths.root
    if root != os.path.realpath(target.root):
        yield f"The memory files are those of {root}, for all its sessions."
    yield from describe_agents(project)
    text_origins.look(project)
    for question in text_origins.take_news(project):
        yield typed_command.name_command(question, os.environ)


def describe_agents(project: Project) -> list[str]:
    """Return lines for a person: each agent, whether it has a memory, and the next step."""
    with_memory = [agent for agent in project.store.agents() if project.serves(agent)]
    without = initialize.list_agents_without_memory(project.store, project.environ)
    states = dict.fromkeys(with_memory, "has a memory") | dict.fromkeys(without, NO_MEMORY)
    for name in BUILT_IN_AGENTS:
        if not {name, agent_names.id_of(name)} & states.keys():
            states[name] = OF_CLAUDE_CODE
    rows = {name: text for name, text in states.items() if project.serves(name)}
    if not rows:
        return ["config.yml gives no agent a memory here."]
    lines = [f"  {name:<16}  {text}" for name, text in rows.items()]
    command = program.format_command()
    if with_memory:
        advice = [f"To see a memory: {command} show {shlex.quote(with_memory[0])}"]
    else:
        first = shlex.quote(next(iter(rows)))
        advice = [
            "An agent gets its memory file with its first finding.",
            f'To write a first rule yourself: {command} add {first} "Amounts are integer cents"',
        ]
    return ["Agents in this project:", *lines, *advice]


def renew(path: str) -> str:
    """Update the hooks in a settings file; return the diff, "" for none.

    Raises InstallRefused if the hooks do not work or the file cannot be written.
    """
    change = _plan_update(SettingsTarget(path))
    if change is None:
        return ""
    _test()
    write_settings(change)
    return change.diff().rstrip("\n")


def _plan_update(target: SettingsTarget) -> FileChange | None:
    """Return the change that gives a settings file the hooks of this version that it needs.

    None if it has them; raises InstallRefused if it cannot be written.  A project's file only
    gets those for its tasks, if it has only these or the user's settings have the others.
    """
    parts = find_parts(target.project, target.is_user)
    others = list_entries(target) or _list_targets("")
    if others and not (target.is_user or _has_hooks(target)):
        parts.remove(settings_json.BASIC)
    change = _plan_hooks(target, parts)
    if not change.diff():
        return None
    _check_writable(target)
    return change


def _plan_hooks(target: SettingsTarget, parts: list[str]) -> FileChange:
    """Return the change that gives a settings file these parts of the template."""
    wanted = settings_json.build_hooks(hook_runner.read_template(), parts)
    return _plan_change(target, lambda text: settings_json.add_hooks(text, wanted))


def _has_hooks(target: SettingsTarget) -> bool:
    """Say whether a settings file has hooks of every project; some of them may be missing."""
    template = hook_runner.read_template()
    tasks = settings_json.build_hooks(template, parts=[settings_json.TASKS])
    return any(entry.event not in tasks for entry in list_entries(target))


def list_entries(target: SettingsTarget) -> list[settings_json.HookEntry]:
    """Return the hooks of agent-memory in a settings file; none if it is invalid."""
    file = settings_files.read_file("", target.files, target.path)
    return file.own_hooks if file else []


def find_parts(project: Project, is_user: bool = False) -> list[str]:
    """Return the parts of the template that a project needs, or the user's settings."""
    has_tasks = not is_user and project.has_tasks
    needs_all = has_tasks or project.config["command_errors"]
    return [settings_json.BASIC, *([settings_json.TASKS] if needs_all else [])]


def plan_task_hooks(project: Project) -> FileChange | None:
    """Return the change that adds the hooks for tasks, None without any hooks of agent-memory."""
    shared, local = _find_targets(project.paths.root)
    target = local if _has_hooks(local) and not _has_hooks(shared) else shared
    if not (_has_hooks(target) or any(map(_has_hooks, _find_targets("")))):
        return None
    return _plan_update(target)


def _test() -> None:
    """Test the program that hooks run."""
    environment = program.find_link()
    python = os.path.join(environment, "bin", "python")
    if not os.access(python, os.X_OK):
        raise InstallRefused(f"{python} is missing: run ./install.sh from a clone of agent-memory")
    demo.run_trial(environment)


def check_settings(project: str, user: bool = False) -> None:
    """Raise InstallRefused if `install` could not write the settings."""
    target = _find_new_target(project, user)
    _check_writable(target)
    _plan_hooks(target, [settings_json.BASIC])


def uninstall(
    project: str,
    user: bool = False,
    everything: bool = False,
    dry_run: bool = False,
    say: Say = print,
) -> None:
    """Remove the hooks from the settings, and the imports of task memories from CLAUDE.md.

    With `everything` also remove the hooks from the user's settings, git's merge driver from
    the project, the completion of shells, the program, and what it keeps about all projects.
    Memory files stay.
    """
    removal, target = program.Removal(dry_run, say), _find_target(project, user)
    targets = _find_targets("" if user else target.root)
    if everything and not user:
        targets += _find_targets("")
    has_hooks = [_remove_hooks(place, removal) for place in targets]
    if not any(has_hooks):
        say(f"No hooks to remove in {target.path}.")
    level = target.project.paths
    if not user:
        _remove_imports(backlog_folder.Folder(level.files), removal)
    if everything:
        _remove_program(target, removal)
    kept = {level.folder: "memory files, history, config.yml"}
    if not everything:
        kept[level.state.root] = "log, learnings that wait for you"
        kept[program.data_folder()] = "the program; --all removes it and the log"
    for path, what in kept.items():
        if os.path.lexists(path):
            say(f"Kept: {path} ({what}).")


def _remove_program(target: SettingsTarget, removal: Removal) -> None:
    """Remove what serves all projects, and say which of them have hooks."""
    if not target.is_user:
        _remove_merge_driver(target.project, removal)
    program.remove_completion(removal)
    others = [root for root in program.list_projects() if root != os.path.realpath(target.root)]
    left = [target.path for root in others for target in _list_targets(root)]
    command = program.format_command()
    program.remove(os.path.dirname(target.project.paths.state.root), removal)
    if left:
        removal.say("These settings still have hooks, which do nothing without the program.")
        removal.say(
            f"To remove them, run {command} uninstall PROJECT first,"
            " or later ./install.sh --uninstall PROJECT:"
        )
        for path in left:
            removal.say(f"  {path}")


def _remove_hooks(target: SettingsTarget, removal: Removal) -> bool:
    """Remove the hooks from a settings file; return whether it has or may have some."""
    change = _plan_change(target, settings_json.remove_hooks)
    if not change.diff() and not target.files.refused:
        return False
    if refusal := target.find_refusal():
        removal.say(f"Not changed: {refusal}. Remove the hooks in it yourself, if any.")
        return True
    is_committed = merge_driver.is_tracked(change.path)
    removal.remove(f"the hooks from {change.path}", partial(write_settings, change), change)
    if not removal.dry_run:
        SafeFiles(program.data_folder()).remove(_backup_path(change.path))
    if is_committed:
        removal.say("It is committed: if your team keeps the hooks, do not commit this change.")
    return True


def _remove_imports(folder: backlog_folder.Folder, removal: Removal) -> None:
    """Remove the imports of task memories from the project's CLAUDE.md."""
    for change in claude_md_import.plan_removal(folder):
        path = os.path.join(folder.root, change.path)
        shown = change._replace(path=path, after=change.after or None)
        remove = partial(claude_md_import.remove, folder)
        removal.remove(f"the import of task memory from {path}", remove, shown)


def _remove_merge_driver(project: Project, removal: Removal) -> None:
    """Remove what `agent-memory git install` set in the project's clone; keep what is committed."""
    root = project.paths.root
    remove = partial(merge_driver.uninstall, project, with_tracked=False)
    with suppress(merge_driver.NoRepository, OSError):  # git may be gone
        if driver_notice.find_driver(root, "--local"):
            removal.remove(f"the merge driver from {root}, except from committed files", remove)


def _list_targets(root: str) -> list[SettingsTarget]:
    """Return those of `_find_targets` that have hooks of agent-memory."""
    return [target for target in _find_targets(root) if list_entries(target)]


# --- settings files ---


class SettingsTarget:
    """A settings file, and the folder whose memory files belong to it.

    `files` reads it, also through links of the user.  Nothing is written through a link.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        folder = os.path.dirname(path)
        self.is_user = folder == _config_folder()
        self.root = program.find_home() if self.is_user else os.path.dirname(folder)
        place = folder if self.is_user else self.root
        self.files = SafeFiles(place, follows_links=self.is_user)

    @property
    def project(self) -> Project:
        level = paths.LevelPaths(self.root, os.environ, is_user=self.is_user)
        return Project(level, os.environ)

    def find_refusal(self) -> str:
        """Return why the file is not written, for example because it is a link; "" if it is."""
        try:
            os.close(SafeFiles(self.files.root).open(self.path, os.O_WRONLY))
        except FileNotFoundError:
            return ""
        except Refused as refusal:
            return f"{self.files.locate(refusal.path)} {refusal.reason}"
        return ""


def _find_targets(root: str) -> list[SettingsTarget]:
    """Return both settings files of a project, the committed one first, or the user's for ""."""
    if not root:
        return [SettingsTarget(os.path.join(_config_folder(), "settings.json"))]
    names = (settings_files.PROJECT_SETTINGS, settings_files.LOCAL_SETTINGS)
    return [SettingsTarget(os.path.join(root, name)) for name in names]


def _config_folder() -> str:
    return os.path.abspath(settings_files.find_config_folder(os.environ))


def _find_target(project: str, user: bool) -> SettingsTarget:
    if user and project:
        raise InstallRefused(f"--user is for all projects: leave out {project}", 2)
    root = "" if user else os.path.abspath(project)
    if root and not os.path.isdir(root):
        reason = "is not a folder" if os.path.lexists(root) else "does not exist"
        raise InstallRefused(f"{project} {reason}: give the folder of a project", 2)
    return _find_targets(root)[0]


def _find_new_target(project: str, user: bool) -> SettingsTarget:
    """Return the target of an installation, which the home folder and a clone of it are not."""
    target = _find_target(project, user)
    root = os.path.realpath(target.root)
    if not user and root == os.path.realpath(program.find_home()):
        raise InstallRefused(f"{root} is your home folder: name a project, or use --user", 2)
    if not user and os.path.isfile(os.path.join(root, "memory_core", "setup", "activation.py")):
        raise InstallRefused(f"{root} is a clone of this program: name a project, or use --user", 2)
    return target


def _check_writable(target: SettingsTarget) -> None:
    """Raise InstallRefused if the file is a link or write-protected."""
    if refusal := target.find_refusal():
        option = " --user" if target.is_user else ""
        advice = f"To print the hooks to add there: {COMMAND} install{option} --dry-run"
        raise InstallRefused(f"{refusal}. It was not changed. {advice}")


def _plan_change(target: SettingsTarget, edit: Callable[[str], str]) -> FileChange:
    """Return the change that `edit` makes to a settings file."""
    opened = target.files.read_with_status(target.path)  # None if it is absent, or refused
    before = opened[0] if opened else None
    try:
        after = edit((before or b"").decode()).encode()
    except (UnicodeDecodeError, settings_json.InvalidSettings) as error:
        raise InstallRefused(f"{target.path}: {error}. The file was not changed.") from None
    backups, backup = SafeFiles(program.data_folder()), _backup_path(target.path)
    was_empty = before == b"" or (backups.is_file(backup) and not backups.read(backup))
    return FileChange(target.path, before, after or (b"" if was_empty else None))


def write_settings(change: FileChange) -> str | None:
    """Replace a settings file, unless somebody has changed it since it was read.

    Return the path of its backup, if it had no hooks of agent-memory before.
    """
    if not change.diff():
        return None
    backup, files = None, SafeFiles(SettingsTarget(change.path).files.root)
    if change.before is not None and not settings_json.find_entries(change.before.decode()):
        backup = _backup_path(change.path)
        SafeFiles(program.data_folder(), private=True).replace(backup, change.before)

    def check() -> None:
        if files.read(change.path) != (change.before or b""):
            reason = "was changed by another program just now. Try again."
            raise InstallRefused(f"{change.path} {reason}")

    if change.after is not None:
        files.replace(change.path, change.after, check)
        return backup
    check()
    files.delete(change.path)
    with suppress(OSError):  # it has other files
        os.rmdir(os.path.dirname(change.path))
    return backup


def _backup_path(path: str) -> str:
    """Return the path of the backup of a settings file.

    It is outside of the project: settings may contain secrets, and somebody may commit a file
    that they do not know.
    """
    root = os.path.dirname(os.path.dirname(path))
    digest = hashlib.sha256(os.fsencode(path)).hexdigest()[:12]
    name = f"{os.path.basename(root)[:100]}-{digest}-settings.json"
    return os.path.join(program.data_folder(), "backups", name)


# --- upgrades ---


def update_hooks(root: str, say: Say) -> None:
    """Update the hooks of a project that has them, or of the user for "" as the root."""
    for target in _list_targets(root):
        try:
            if change := _plan_update(target):
                write_settings(change)
                say(f"Updated the hooks in {change.path}.")
        except (OSError, InstallRefused) as error:
            say(f"Not updated: {error}")
