"""Installing and removing: the settings of a project or a user, and the environment behind them.

    ~/.local/share/agent-memory/      (XDG_DATA_HOME, where that is set)
      venv -> environments/NAME       the one in use; an upgrade replaces this link
      environments/NAME/              a private Python environment with the package
        hooks -> .../site-packages/agent_memory_hooks
      backups/                        settings as they were before us

install.sh runs this from the clone too, by any Python and before anything is
installed: the standard library and our own pure modules have to do.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from typing import NamedTuple

from memory_core import __version__, client, places, samples, settings, store, task_delivery

TEMPLATE = "settings.template.json"
COMMAND = "agent-memory"

# `claude --version` takes a second at most; a hook's own timeout is 10 seconds.
CLAUDE_WAIT = 20
TRIAL_WAIT = 20

Say = Callable[[str], None]


class Refused(Exception):
    """What cannot be done, in a sentence for a person, and the exit status it stands for."""

    def __init__(self, sentence: str, status: int = 1) -> None:
        super().__init__(sentence)
        self.status = status


def guarded(verb: Callable[[], None]) -> int:
    """Run a verb for a door; say on stderr what stopped it, and return the exit status."""
    try:
        verb()
    except Refused as refusal:
        print(f"{COMMAND}: {refusal}", file=sys.stderr)
        return refusal.status
    except OSError as error:
        print(f"{COMMAND}: {error.filename or 'error'}: {error.strerror}", file=sys.stderr)
        return 1
    return 0


# --- the verbs ---


def install(project: str, user: bool = False, dry_run: bool = False, say: Say = print) -> None:
    """Put our hooks into the settings of a project, or of the user, and show that they work."""
    target = _target(project, user)
    version = claude_version()
    wanted = settings.block(template(), version)
    change = _change(target, lambda text: settings.merge(text, wanted))
    if dry_run:
        _say_diff(change, say)
        return
    trial, backup = _carry_out(change)
    _say_installed(change, wanted, version, backup, say)
    _say_trial(trial, say)


def _carry_out(change: Change) -> tuple[Trial, str | None]:
    """Try the hooks, keep the settings as they were, and write them."""
    # Before anything is written: settings with hooks that do not work help nobody.
    _expect_environment()
    trial = prove(change.text, os.path.dirname(data_folder()))
    backup = _back_up(change)
    _write(change)
    return trial, backup


def renew(path: str) -> str:
    """Bring our hooks in a settings file that has some up to date; return the diff, "" for none.

    Raises Refused where they do not work, or the file cannot be written.
    """
    wanted = settings.block(template(), claude_version())
    change = _change(Target(path, ""), lambda text: settings.merge(text, wanted))
    if change.is_none:
        return ""
    _carry_out(change)
    lines: list[str] = []
    _say_diff(change, lines.append)
    return "\n".join(lines)


def check(project: str, user: bool = False) -> None:
    """Raise Refused where `install` could not write the settings."""
    wanted = settings.block(template())
    _change(_target(project, user), lambda text: settings.merge(text, wanted))
    data_folder()


def uninstall(
    project: str,
    user: bool = False,
    everything: bool = False,
    dry_run: bool = False,
    say: Say = print,
) -> None:
    """Take our hooks out of the settings; with `everything`, the environment goes as well.

    A project's CLAUDE.md imports the memory of tasks no more.
    """
    target = _target(project, user)
    change = _change(target, settings.unmerge)
    if dry_run:
        _say_diff(change, say)
    elif change.is_none:
        say(f"No hooks of agent-memory in {change.path}.")
    else:
        _write(change)
        _forget_backup(change)
        say(f"Hooks removed from {change.path}.")
    if not user:
        _end_imports(places.Place(target.root), dry_run, say)
    say(f"Memories are never deleted; they are in {_memories(target)}.")
    if everything:
        _remove_environment(dry_run, say)
    elif os.path.lexists(data_folder()):
        say(f"The program is still in {data_folder()}; `uninstall --all` removes it too.")


def _end_imports(place: places.Place, dry_run: bool, say: Say) -> None:
    """Take what imports the memory of a task out of a project's CLAUDE.md."""
    if dry_run:
        for path, *texts in task_delivery.to_take_down(place):
            before, after = (text.encode("utf-8", "surrogateescape") for text in texts)
            _say_diff(Change(path, before, after or None), say)
    else:
        for name in task_delivery.take_down(place):
            say(f"The memory of tasks is no longer imported: {os.path.join(place.root, name)}.")


# --- settings files ---


class Target(NamedTuple):
    """Whose settings: the file, and the folder whose memories belong to it."""

    path: str
    root: str


class Change(NamedTuple):
    """What is to become of a settings file; None is no file."""

    path: str
    before: bytes | None
    after: bytes | None

    @property
    def is_none(self) -> bool:
        return self.before == self.after

    @property
    def text(self) -> str:
        return (self.after or b"").decode()


def _target(project: str, user: bool) -> Target:
    if user:
        home = _home()
        return Target(os.path.join(client.config_folder(os.environ), "settings.json"), home)
    root = os.path.abspath(project)
    if not os.path.isdir(root):
        reason = "is not a folder" if os.path.lexists(root) else "does not exist"
        raise Refused(f"{project} {reason}", 2)
    return Target(os.path.join(root, ".claude", "settings.json"), root)


def _home() -> str:
    home = os.environ.get("HOME", "")
    if not os.path.isabs(home):
        raise Refused("HOME is not set to an absolute path")
    return home


def _memories(target: Target) -> str:
    return os.path.join(target.root, ".claude-mpm", "memories")


def template() -> str:
    """Return settings.template.json: beside this module once installed, above it in a clone."""
    here = os.path.dirname(os.path.abspath(__file__))
    installed = os.path.join(here, TEMPLATE)
    path = installed if os.path.exists(installed) else os.path.join(os.path.dirname(here), TEMPLATE)
    with open(path, encoding="utf-8") as file:
        return file.read()


def _change(target: Target, edit: Callable[[str], str]) -> Change:
    before = _bytes(target.path)
    try:
        after = edit(_decoded(target.path, before or b"")).encode()
    except settings.Refused as refusal:
        raise Refused(f"{target.path}: {refusal}. The file is left as it is.") from None
    if before and not after and not _stood_empty(target.path):
        return Change(target.path, before, None)  # a file that we had made
    return Change(target.path, before, after if after or before is not None else None)


def _bytes(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def _decoded(path: str, data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        where = settings.Refused(data[: error.start].decode(), error.start, "not UTF-8")
        raise Refused(f"{path}: {where}. The file is left as it is.") from None


def _stood_empty(path: str) -> bool:
    """Say whether there was an empty file before us, rather than none."""
    return _bytes(_backup_path(path)) == b""


def _write(change: Change) -> None:
    """Put the new text in place, whole, unless the file has changed since it was read."""
    if change.is_none:
        return
    path = os.path.realpath(change.path)  # a link, as dotfile managers make, stays a link
    if os.path.exists(path) and not os.access(path, os.W_OK):
        raise Refused(f"{change.path} is write-protected. It is left as it is.")
    if _bytes(path) != change.before:
        raise Refused(f"{change.path} has just been changed by someone else. Please try again.")
    if change.after is None:
        os.unlink(path)
        _remove_if_empty(os.path.dirname(path))
    else:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        store.replace(path, change.after)


def _remove_if_empty(folder: str) -> None:
    try:
        os.rmdir(folder)
    except OSError:
        pass  # it holds more than our settings


def _say_diff(change: Change, say: Say) -> None:
    if change.is_none:
        say(f"{change.path}: nothing to change.")
        return
    before, after = (
        (data or b"").decode("utf-8", "replace").splitlines(keepends=True)
        for data in (change.before, change.after)
    )
    old = change.path if change.before is not None else os.devnull
    new = change.path if change.after is not None else os.devnull
    for line in difflib.unified_diff(before, after, old, new):
        say(line.rstrip("\r\n"))
        if not line.endswith(("\n", "\r")):
            say("\\ No newline at end of file")


# --- backups ---


def _backup_path(path: str) -> str:
    """Return where the settings at `path` are kept as they were before us.

    Not beside them: a stray file in a repository is soon committed, and settings
    may hold secrets.
    """
    root = os.path.dirname(os.path.dirname(path))
    digest = hashlib.sha256(os.fsencode(path)).hexdigest()[:12]
    name = f"{os.path.basename(root)[:100]}-{digest}-settings.json"
    return os.path.join(data_folder(), "backups", name)


def _back_up(change: Change) -> str | None:
    """Keep the settings as they are, unless they hold our hooks already."""
    if change.is_none or change.before is None or settings.entries(change.before.decode()):
        return None
    backup = _backup_path(change.path)
    os.makedirs(os.path.dirname(backup), mode=0o700, exist_ok=True)
    shutil.copy2(change.path, backup)  # with its mode
    return backup


def _forget_backup(change: Change) -> None:
    backup = _backup_path(change.path)
    if os.path.exists(backup):
        os.unlink(backup)


# --- Claude Code ---


def claude_version() -> settings.Version | None:
    """Return the version of the installed Claude Code, or None where none answers."""
    own_folder = os.path.join(os.environ.get("HOME", ""), ".claude", "local", "claude")
    claude = shutil.which("claude") or shutil.which(own_folder)
    if claude is None:
        return None
    try:
        answer = _version_line(claude)
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.search(r"\b(\d+)\.(\d+)\.(\d+)\b", answer)
    return tuple(int(part) for part in match.groups()) if match else None


def _version_line(claude: str) -> str:
    # 2.1.20 makes its folder even for this question; not in the user's home.
    with tempfile.TemporaryDirectory(prefix=f"{COMMAND}-") as folder:
        return subprocess.run(
            [claude, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=CLAUDE_WAIT,
            env={**os.environ, "CLAUDE_CONFIG_DIR": folder, "DISABLE_AUTOUPDATER": "1"},
            check=False,
        ).stdout


# --- the trial ---


class Trial(NamedTuple):
    """What came of the sample events: the line in the memory file, and the next prompt."""

    learned: str
    prompt: str


def prove(text: str, data_home: str) -> Trial:
    """Drive the hooks of these settings as Claude Code does, away from anyone's memory.

    An agent reports, then the same agent is started again.  Raises Refused where
    the report is not kept or does not come back.
    """
    commands = {entry.event: str(entry.value["command"]) for entry in settings.entries(text)}
    with tempfile.TemporaryDirectory(prefix=f"{COMMAND}-") as folder:
        project = os.path.join(folder, "shop")
        os.makedirs(os.path.join(project, ".claude-mpm"))  # or a folder above would be taken
        environ = _trial_environ(folder, project, data_home)
        _drive(commands["PostToolUse"], "post", project, environ)
        learned = _learned(project)
        reply = _drive(commands["PreToolUse"], "pre", project, environ)
        return Trial(learned, _prompt(reply, project))


def _trial_environ(folder: str, project: str, data_home: str) -> Mapping[str, str]:
    ours = ("CLAUDE", "AGENT_MEMORY")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    home = os.path.join(folder, "home")
    os.mkdir(home)
    # The user's own memory and config.yml are under HOME; the program is not.
    return {
        **inherited,
        "HOME": home,
        "XDG_DATA_HOME": data_home,
        "CLAUDE_PROJECT_DIR": project,
    }


def _drive(command: str, kind: str, project: str, environ: Mapping[str, str]) -> bytes:
    event = samples.sample(kind, samples.AGENT, project, kind)
    name = event["hook_event_name"]
    try:
        done = subprocess.run(
            ["sh", "-c", command],
            input=json.dumps(event).encode(),
            capture_output=True,
            cwd=project,
            env=environ,
            timeout=TRIAL_WAIT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise Refused(f"trial: the {name} hook took longer than {TRIAL_WAIT} s") from None
    complaint = done.stderr.decode(errors="replace").strip()
    if done.returncode or complaint:
        reason = complaint or "without a word"
        raise Refused(f"trial: the {name} hook ended with status {done.returncode}: {reason}")
    return done.stdout


def _learned(project: str) -> str:
    path = os.path.join(project, ".claude-mpm", "memories", f"{samples.AGENT}.md")
    for line in (_bytes(path) or b"").decode(errors="replace").splitlines():
        if samples.LEARNED in line:
            return line
    raise Refused(f"trial: a report was given to the PostToolUse hook, but {_why(project)}")


def _prompt(reply: bytes, project: str) -> str:
    try:
        prompt = json.loads(reply)["hookSpecificOutput"]["updatedInput"]["prompt"]
    except (ValueError, KeyError, TypeError):
        said = reply.decode(errors="replace") or _why(project)
        raise Refused(f"trial: the PreToolUse hook gave no prompt: {said}") from None
    if not (prompt.startswith(samples.TASK) and samples.LEARNED in prompt):
        raise Refused(f"trial: the agent's prompt lacks its task or its memory: {prompt}")
    return str(prompt)


def _why(project: str) -> str:
    """Return what the event log of the trial says last."""
    log = _bytes(os.path.join(project, ".claude-mpm", "logs", "events.jsonl")) or b""
    lines = log.decode(errors="replace").splitlines()
    return f"its log says {lines[-1]}" if lines else "nothing happened"


# --- what is said at the end ---


def _say_installed(
    change: Change,
    wanted: settings.Block,
    version: settings.Version | None,
    backup: str | None,
    say: Say,
) -> None:
    say(f"agent-memory {__version__}")
    done = "hooks are there already" if change.is_none else "hooks written"
    say(f"  {done}: {change.path}")
    if backup:
        say(f"  as it was before: {backup}")
    if version is None:
        say("  no `claude` found: hooks for all events, which Claude Code knows from 2.0.76 on")
    missing = [event for event in settings.block(template()) if event not in wanted]
    if missing and version:
        number = ".".join(map(str, version))
        say(f"  without {', '.join(missing)}: Claude Code {number} does not know it")


def _say_trial(trial: Trial, say: Say) -> None:
    say("")
    say(f'A trial in a temporary project. The agent "{samples.AGENT}" reported; learned:')
    say(f"  {trial.learned}")
    say("The prompt of its next task:")
    for line in trial.prompt.splitlines():
        say(f"  | {line}".rstrip())


# --- the environment ---


def data_folder() -> str:
    """Return our folder below the user's data folder."""
    data_home = os.environ.get("XDG_DATA_HOME") or os.path.join(_home(), ".local", "share")
    if not os.path.isabs(data_home):
        raise Refused(f"XDG_DATA_HOME is not an absolute path: {data_home}")
    return os.path.join(data_home, COMMAND)


def _expect_environment() -> None:
    python = os.path.join(data_folder(), "venv", "bin", "python")
    if not os.access(python, os.X_OK):
        raise Refused(f"there is no {python}: run ./install.sh from a clone of agent-memory")


def adopt(environment: str, say: Say = print) -> None:
    """Make a newly built environment the one that is used, once it has shown that it works.

    A hook that runs meanwhile sees the old one or the new one: the switch is one
    rename, and the one before stays until the next upgrade.
    """
    _link_hooks(environment)
    _try(environment)
    link = os.path.join(data_folder(), "venv")
    before = os.path.realpath(link)
    _point(link, os.path.join("environments", os.path.basename(environment)))
    _link_command(os.path.join(link, "bin", COMMAND), say)
    _sweep(os.path.dirname(environment), {os.path.realpath(environment), before})


def _link_hooks(environment: str) -> None:
    packages = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    hooks = os.path.join(packages, "agent_memory_hooks")
    if not os.path.isfile(os.path.join(hooks, "pre_tool_use.py")):
        raise Refused(f"{hooks} holds no hooks: the package is not complete")
    target = os.path.relpath(hooks, os.path.realpath(environment))
    _point(os.path.join(environment, "hooks"), target)


def _try(environment: str) -> None:
    command = os.path.join(environment, "bin", COMMAND)
    done = subprocess.run([command, "--help"], capture_output=True, text=True, check=False)
    if done.returncode:
        raise Refused(f"the new command fails: {done.stderr.strip()}")
    with tempfile.TemporaryDirectory(prefix=f"{COMMAND}-") as data_home:
        os.mkdir(os.path.join(data_home, COMMAND))
        os.symlink(environment, os.path.join(data_home, COMMAND, "venv"))
        prove(settings.merge("", settings.block(template())), data_home)


def _point(link: str, target: str) -> None:
    """Make or replace a symbolic link in one step."""
    if os.path.lexists(link) and not os.path.islink(link):
        raise Refused(f"{link} is in the way: it is not a link of agent-memory")
    new = f"{link}.{os.getpid()}"
    os.symlink(target, new)
    os.replace(new, link)


def _link_command(command: str, say: Say) -> None:
    folder = os.path.join(_home(), ".local", "bin")
    link = os.path.join(folder, COMMAND)
    if os.path.lexists(link) and not _is_our_link(link):
        say(f"{link} is not ours and stays; our command is {command}")
        return
    os.makedirs(folder, exist_ok=True)
    _point(link, command)
    if folder not in os.environ.get("PATH", "").split(os.pathsep):
        say(f"{folder} is not on your PATH: until it is, start {link} by its full name.")


def _is_our_link(link: str) -> bool:
    ending = os.path.join(COMMAND, "venv", "bin", COMMAND)
    return os.path.islink(link) and os.readlink(link).endswith(os.sep + ending)


def _sweep(folder: str, kept: set[str]) -> None:
    """Remove environments of earlier installations; one without hooks is still being built."""
    for name in os.listdir(folder):
        path = os.path.join(os.path.realpath(folder), name)
        if path not in kept and os.path.lexists(os.path.join(path, "hooks")):
            shutil.rmtree(path)


def _remove_environment(dry_run: bool, say: Say) -> None:
    folder = data_folder()
    link = os.path.join(_home(), ".local", "bin", COMMAND)
    paths = [
        os.path.join(folder, name) for name in ("venv", "environments", "backups", "completions")
    ]
    if _is_our_link(link):
        paths.insert(0, link)
    for path in paths:
        if os.path.lexists(path):
            say(f"{'Would remove' if dry_run else 'Removed'} {path}.")
            if not dry_run:
                _remove(path)
    if not dry_run:
        _remove_if_empty(folder)
        say("Hooks that other projects' settings still name do nothing from now on.")


def _remove(path: str) -> None:
    if os.path.islink(path):
        os.unlink(path)
    else:
        shutil.rmtree(path)
