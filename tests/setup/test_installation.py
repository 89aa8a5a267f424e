"""install.sh and uninstalling, with real processes.

One environment is built for real, with pip from the package index. All other tests use it or a
copy of it.
"""

import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from memory_core.claude_code import claude_md, sample_events, settings_json
from memory_core.git import driver_notice
from memory_core.storage import paths
from memory_core.tasks import claude_md_import
from support.command_line import Done, read_stderr, read_stdout
from support.files import read_files, write, write_program
from support.paths import REPO
from support.processes import run_text
from support.ways import UNUSED

SHELLS = [shell for shell in ("sh", "dash", "bash", "zsh", "ksh") if shutil.which(shell)]

FOREIGN = """\
{
    "model": "opus",
    "hooks": {
        "PreToolUse": [{"matcher": "Task", "hooks": [{"type": "command", "command": "other"}]}],
        "Stop": []
    },
    "note": "\\u00e9 stays escaped"
}"""

BEFORE = {"no file": None, "empty file": "", "foreign hooks": FOREIGN}


class Machine:
    """A user's home, whose path has spaces, and a clone of this repository."""

    first: Done  # result of install.sh
    first_project: Path

    def __init__(self, folder: Path) -> None:
        self.home = folder / "my home"
        self.data = self.home / ".local" / "share" / "agent-memory"
        self.clone = folder / "my clone"
        self.bin = folder / "bin"
        self.python = self.data / "venv" / "bin" / "python"
        self.command = self.data / "venv" / "bin" / "agent-memory"
        self.link = self.home / ".local" / "bin" / "agent-memory"
        self.home.mkdir()
        self.bin.mkdir()
        self._folder = folder

    def copy_clone(self) -> None:
        shutil.copytree(REPO, self.clone, ignore=UNUSED)

    def project(self, name: str, text: str | None = None) -> Path:
        """Make a project, with these settings."""
        project = self._folder / name
        project.mkdir()
        if text is not None:
            (project / ".claude").mkdir()
            settings_of(project).write_bytes(text.encode())
        return project

    def env(self, **more: str) -> dict[str, str]:
        path = f"{self.bin}{os.pathsep}{os.environ['PATH']}"
        inherited = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
        return {**inherited, "HOME": str(self.home), "PATH": path, **more}

    def run(self, *command: object, cwd: Path | None = None, **env: str) -> Done:
        return run_text(command, env=self.env(**env), cwd=cwd or self.home)

    def install_sh(
        self, *arguments: object, clone: Path = REPO, cwd: Path | None = None, **env: str
    ) -> Done:
        python = ["--python", sys.executable] if "--python" not in arguments else []
        return self.run(clone / "install.sh", *python, *arguments, cwd=cwd, **env)

    def verb(self, name: str, *arguments: object, **env: str) -> Done:
        """Run `agent-memory install` or `agent-memory uninstall`."""
        return self.run(self.command, name, *arguments, **env)

    def has(self, name: str, script: str) -> Path:
        """Put a shell script on PATH."""
        write_program(self.bin / name, script)
        return self.bin / name


def run_hook(command: str, env: dict[str, str], cwd: Path, shell: str = "sh") -> Done:
    """Run a hook as Claude Code does, when an agent is called."""
    event = sample_events.build("pre", "engineer", env.get("CLAUDE_PROJECT_DIR", str(cwd)), "1")
    return run_text([shell, "-c", command], json.dumps(event), env=env, cwd=cwd)


def read_tree(folder: Path) -> dict[str, bytes]:
    """Return the bytes of each file below a folder, and each folder."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b""
        for path in sorted(folder.rglob("*"))
    }


def settings_of(project: Path) -> Path:
    return project / ".claude" / "settings.json"


def commands_of(project: Path) -> dict[str, str]:
    entries = settings_json.find_entries(settings_of(project).read_text(encoding="utf-8"))
    return {entry.event: entry.command for entry in entries}


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    """Return a machine on which install.sh has run and the clone was then deleted."""
    machine = Machine(tmp_path_factory.mktemp("machine"))
    machine.copy_clone()
    project = machine.project("first shop", FOREIGN)
    machine.first = machine.install_sh(".", clone=machine.clone, cwd=project)
    machine.first_project = project
    assert machine.first.returncode == 0, machine.first.stderr
    shutil.rmtree(machine.clone)
    return machine


@pytest.fixture
def fresh(tmp_path: Path) -> Machine:
    """Return a machine without agent-memory."""
    return Machine(tmp_path)


@pytest.fixture
def project(installed: Machine, tmp_path: Path) -> Iterator[Path]:
    """A project without settings, on the machine with agent-memory."""
    folder = tmp_path / "my shop"
    folder.mkdir()
    yield folder
    assert not (installed.home / ".claude-mpm").exists(), "a trial has touched the user's memory"


# --- installing ---


def test_installing_changes_only_the_settings(installed: Machine) -> None:
    done, project = installed.first, installed.first_project
    assert (done.returncode, done.stderr) == (0, "")
    assert "\n  Tested in a temporary project: " in done.stdout
    assert "\n  general-purpose   no memory yet (an agent of Claude Code)\n" in done.stdout
    text = settings_of(project).read_text()
    assert settings_json.remove_hooks(text) == FOREIGN
    assert len(settings_json.find_entries(text)) == 7
    assert str(installed.home) not in text
    assert [path.name for path in project.rglob("*")] == [".claude", "settings.json"]
    assert not (installed.home / ".claude-mpm").exists()
    assert not (installed.home / ".claude").exists()


def test_the_command_is_linked_and_runs_without_the_clone(installed: Machine) -> None:
    assert not installed.clone.exists()
    assert os.readlink(installed.link) == str(installed.command)
    assert installed.run(installed.link, "--help").returncode == 0
    assert f"{installed.link.parent} is not on your PATH" in installed.first.stdout


@pytest.mark.parametrize("shell", SHELLS)
def test_the_written_command_works_in_any_shell_and_folder(
    installed: Machine, project: Path, shell: str, tmp_path: Path
) -> None:
    installed.verb("install", project)
    elsewhere = tmp_path / "else where"
    elsewhere.mkdir()
    env = installed.env(CLAUDE_PROJECT_DIR=str(project), PATH="/usr/bin:/bin")
    shown = read_stdout(run_hook(commands_of(project)["PreToolUse"], env, elsewhere, shell))
    assert sample_events.PROMPT in shown


def test_a_rival_on_path_is_named_and_all_texts_lead_to_the_program(
    installed: Machine, project: Path
) -> None:
    path = f"{installed.bin}:{installed.link.parent}:{os.environ['PATH']}"
    rival = installed.has("agent-memory", "exit 64")
    try:
        shown = read_stdout(installed.verb("install", project, PATH=path))
        advice = f"{rival}. Type '{installed.link}'"
        assert f"Another agent-memory is first on your PATH: {advice}" in shown
        added = installed.run(
            installed.link, "add", "engineer", "Amounts are cents", cwd=project, PATH=path
        )
        undo = added.stderr.partition("Undo with: ")[2].partition("\n")[0]
        undone = installed.run("sh", "-c", undo, cwd=project, PATH=path)
        assert undone.returncode == 0, undone.stderr
        doctor = installed.run(installed.link, "doctor", cwd=project, PATH=path)
        assert f"another agent-memory is first on PATH: {rival}" in doctor.stdout
    finally:
        rival.unlink()
    read_stdout(installed.verb("install", project, PATH=os.environ["PATH"]))
    assert (installed.data / "command").read_text() == f"'{installed.link}'\n"
    assert "Another" not in read_stdout(installed.verb("install", project, PATH=path))
    assert not (installed.data / "command").exists()


def test_a_part_of_a_repository_has_its_own_hooks(installed: Machine, project: Path) -> None:
    part = project / "api"
    part.mkdir()
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    shown = read_stdout(installed.verb("install", part))
    assert f"The memory files are those of {project}, for all its sessions.\n" in shown
    deeper = part / "v2"
    write(deeper / ".claude" / "settings.local.json", "{}")
    installed_here = "installed in project settings"
    states = {part: installed_here, deeper: installed_here, project: "not installed"}
    for folder, state in states.items():
        assert f"Hooks: {state}" in installed.run(installed.link, "status", cwd=folder).stdout
    assert "no hooks" not in installed.run(installed.link, "doctor", cwd=part).stdout


def test_user_level_installation(installed: Machine, tmp_path: Path) -> None:
    read_stdout(installed.verb("install", "--user"))
    assert len(commands_of(installed.home)) == 7
    assert installed.verb("uninstall", "--user").returncode == 0
    folder = tmp_path / "claude config"
    assert installed.verb("install", "--user", CLAUDE_CONFIG_DIR=str(folder)).returncode == 0
    assert (folder / "settings.json").exists()
    assert not (installed.home / ".claude").exists()


@pytest.mark.parametrize(
    ("script", "is_old"),
    [("echo '2.0.76 (Claude Code)'", True), ("exit 1", True), ("echo '2.1.20'", False)],
)
def test_an_unsupported_claude_code_is_reported(
    installed: Machine, project: Path, script: str, is_old: bool
) -> None:
    claude = installed.has("claude", script)
    done = installed.verb("install", project)
    claude.unlink()
    assert done.returncode == 0
    assert len(commands_of(project)) == 7
    assert ("need Claude Code 2.1.20 or newer" in done.stdout) == is_old


def link(path: Path, target: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)


@pytest.mark.parametrize("linked", [".claude/settings.json", ".claude", "settings.json"])
def test_settings_are_not_written_through_a_link(
    installed: Machine, project: Path, tmp_path: Path, linked: str
) -> None:
    """Those of the user are read through it."""
    is_users = linked == "settings.json"
    words, option = (["--user"], " --user") if is_users else ([project], "")
    env = {"CLAUDE_CONFIG_DIR": str(project)} if is_users else {}
    outside = tmp_path / "outside"
    target = outside / "settings.json" if linked == ".claude" else outside
    write(target, "{}")
    link(project / linked, outside)
    said = read_stderr(installed.verb("install", *words, **env), 1)
    assert f"{project / linked} is a link, which is not followed." in said
    assert f"install{option} --dry-run\n" in said.partition("to add there: ")[2]
    shown = read_stdout(installed.verb("install", *words, "--dry-run", **env))
    assert shown.count('"command": "agent_memory=') == 7
    assert f"Would not write: {project / linked} is a link" in shown
    text = settings_json.add_hooks("", block())
    target.write_text(text)
    shown = read_stdout(installed.verb("install", *words, "--dry-run", **env))
    assert ("nothing to change" in shown) == is_users
    removed = read_stdout(installed.verb("uninstall", *words, **env))
    assert f"Not changed: {project / linked} is a link" in removed
    assert target.read_text() == text


def test_an_installation_notes_the_project_and_nothing_of_the_trial(
    installed: Machine, project: Path
) -> None:
    state = installed.home / ".local" / "state"
    before = read_tree(state)
    assert installed.verb("install", project).returncode == 0
    folder, *files = sorted(read_tree(state).keys() - before.keys())
    assert files == [f"{folder}/{name}" for name in ("project.json", "settings", "state.db")]


def test_a_backup_is_kept_and_named(installed: Machine, project: Path) -> None:
    write(settings_of(project), FOREIGN)
    settings_of(project).chmod(0o640)
    done = installed.verb("install", project)
    assert stat.S_IMODE(settings_of(project).stat().st_mode) == 0o640
    backup = Path(done.stdout.partition("Backup of the previous settings: ")[2].split("\n")[0])
    assert backup.read_text() == FOREIGN
    assert backup.is_relative_to(installed.data)
    installed.verb("uninstall", project)
    assert not backup.exists()


def test_a_user_who_names_a_project_as_well_is_refused(installed: Machine, project: Path) -> None:
    for words in (["install", project], ["uninstall", project], ["--project", project, "install"]):
        said = read_stderr(installed.run(installed.command, *words, "--user"), 2)
        assert f"--user is for all projects: leave out {project}\n" in said
    assert not (installed.home / ".claude").exists()


def test_hooks_that_claude_code_does_not_run_are_not_called_installed(
    installed: Machine, project: Path
) -> None:
    write(settings_of(project), '{"disableAllHooks": true}')
    shown = read_stdout(installed.verb("install", project))
    assert f"  Hooks written: {settings_of(project)}\n" in shown
    reason = f"{settings_of(project)} has disableAllHooks. Remove it first."
    assert shown.endswith(f"\nClaude Code does not run the hooks: {reason}\n")
    assert "from then on" not in shown


def test_hooks_that_do_not_work_are_not_written(installed: Machine, project: Path) -> None:
    script = installed.data / "venv" / "hooks" / "post_tool_use.py"
    text = script.read_text()
    script.write_text("raise SystemExit('broken on purpose')\n")
    done = installed.verb("install", project)
    script.write_text(text)
    assert done.returncode == 1
    assert "PostToolUse hook ended with status 1: broken on purpose" in done.stderr
    assert read_tree(project) == {}


# --- hooks that only some projects need ---


def list_task_hooks(project: Path) -> list[str | None]:
    entries = settings_json.find_entries(settings_of(project).read_text(encoding="utf-8"))
    matchers = [entry.matcher or "" for entry in entries]
    return sorted(matcher for matcher in matchers if "Bash" in matcher or "backlog" in matcher)


TASK_HOOKS = ["Bash", "^(Bash|mcp__backlog__.*)$", "mcp__backlog__.*"]


def test_installing_adds_the_hooks_for_tasks_where_they_are_needed(
    installed: Machine, project: Path
) -> None:
    def install() -> list[str | None]:
        assert installed.verb("install", project).returncode == 0
        return list_task_hooks(project)

    assert install() == []
    plain = settings_of(project).read_bytes()
    (project / "backlog").mkdir()
    assert install() == TASK_HOOKS
    (project / "backlog").rmdir()
    assert install() == []
    assert settings_of(project).read_bytes() == plain
    write(project / ".claude-mpm" / "config.yml", "memory: {command_errors: true}\n")
    assert install() == TASK_HOOKS
    assert installed.verb("uninstall", project).returncode == 0
    assert not settings_of(project).exists()


@pytest.mark.parametrize("level", ["local", "user", "none"])
def test_task_init_adds_the_hooks_for_tasks(installed: Machine, project: Path, level: str) -> None:
    """To the settings that have the other hooks; to the project's if they are the user's."""
    if level != "none":
        installed.verb("install", "--user" if level == "user" else project)
    path = settings_of(project)
    if level == "local":
        path = path.rename(path.with_name("settings.local.json"))
    (project / "backlog").mkdir()
    done = installed.run(installed.command, "task", "init", "--yes", cwd=project)
    assert done.returncode == 0
    assert done.stderr.startswith("Done.  The next session and its agents receive the notes")
    assert (project / "CLAUDE.md").exists()
    assert path.exists() == (level != "none")
    if path.exists():
        path.rename(settings_of(project))
        assert list_task_hooks(project) == TASK_HOOKS
    if level == "user":
        assert set(commands_of(project)) == {"PostToolUse", "PostToolUseFailure"}
        installed.verb("uninstall", "--user")
    again = installed.run(installed.command, "task", "init", "--yes", cwd=project)
    assert "Nothing to do" in again.stderr
    installed.verb("uninstall", project)
    assert not settings_of(project).exists()


# --- users who have not installed it ---


def test_hooks_are_silent_without_an_installation(fresh: Machine) -> None:
    project = fresh.project("shop", settings_json.add_hooks("", block()))
    for is_broken in (False, True):
        if is_broken:  # a Python without a hooks folder next to it
            link(fresh.python, Path(sys.executable))
        for command in commands_of(project).values():
            for env in (fresh.env(), {"PATH": "/usr/bin:/bin"}):
                done = run_hook(command, env, project)
                assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def block() -> settings_json.HookGroups:
    return settings_json.build_hooks((REPO / "settings.template.json").read_text())


# --- uninstalling ---


@pytest.mark.parametrize("name", BEFORE)
def test_uninstalling_restores_the_bytes(installed: Machine, project: Path, name: str) -> None:
    text = BEFORE[name]
    if text is not None:
        write(settings_of(project), text)
    before = read_tree(project)
    for is_installed in (False, True):
        if is_installed:
            assert installed.verb("install", project).returncode == 0
            assert read_tree(project) != before
        shown = read_stdout(installed.verb("uninstall", project))
        assert ("No hooks to remove" in shown) == (not is_installed)
        assert read_tree(project) == before


def test_the_project_may_be_the_current_folder_or_an_option(
    installed: Machine, project: Path
) -> None:
    command = installed.command
    assert installed.run(command, "install", cwd=project).returncode == 0
    assert len(commands_of(project)) == 7
    assert installed.run(command, "--project", project, "uninstall").returncode == 0
    assert read_tree(project) == {}
    assert installed.verb("install", project, "--dry-run").stdout.startswith("--- /dev/null\n")
    said = read_stderr(installed.verb("install", project / "gone"), 2)
    assert f"{project}/gone does not exist: give the folder of a project\n" in said
    assert read_tree(project) == {}


def test_uninstalling_keeps_memories_and_state_and_says_where_they_are(
    installed: Machine, project: Path
) -> None:
    installed.verb("install", project)
    memory = project / ".claude-mpm" / "memories" / "engineer.md"
    write(memory, "- kept\n")
    state = paths.LevelPaths(str(project), installed.env()).state
    state.make_root()
    done = installed.verb("uninstall", project)
    assert memory.read_text() == "- kept\n"
    assert f"Kept: {memory.parent.parent} (memory files" in done.stdout
    assert f"Kept: {state.root} (log, learnings that wait for you)" in done.stdout
    assert Path(state.root).exists()


def test_uninstalling_removes_the_tasks_from_claude_md(fresh: Machine) -> None:
    """From a clone, with the standard library only."""
    project = fresh.project("shop", settings_json.add_hooks("", block()))
    backlog, mine = project / "backlog", b"# Caf\xe9\r\n"
    text = claude_md.set_import(mine.decode("utf-8", "surrogateescape"), ["@backlog/CLAUDE.md"])
    (project / "CLAUDE.md").write_bytes(text.encode("utf-8", "surrogateescape"))
    write(backlog / "CLAUDE.md", claude_md.set_import("", ["@memory/task-1.md"]))
    write(backlog / "memory" / "task-1.md", "kept\n")
    write(backlog / "memory" / claude_md_import.COPY_FOLDER / "task-1.md", "a copy\n")
    before = read_tree(fresh.home.parent)
    shown = fresh.install_sh("--uninstall", "--dry-run", project)
    assert "-@backlog/CLAUDE.md" in shown.stdout
    assert "-@memory/task-1.md" in shown.stdout
    assert '"command": "agent_memory=' in shown.stdout
    assert read_tree(fresh.home.parent) == before
    said = read_stdout(fresh.install_sh("--uninstall", project))
    removed = "Removed the import of task memory from "
    assert f"{removed}{project / 'CLAUDE.md'}.\n{removed}{backlog / 'CLAUDE.md'}.\n" in said
    assert read_files(project) == {"CLAUDE.md": mine, "backlog/memory/task-1.md": b"kept\n"}


def test_option_all_removes_only_the_program_and_its_state(fresh: Machine) -> None:
    project = fresh.project("shop", settings_json.add_hooks("", block()))
    state, other = fresh.home / ".local" / "state", fresh.link.parent / "other"
    folders = (fresh.data / "environments" / "1" / "bin", fresh.data / "backups")
    for folder in (*folders, state / "agent-memory" / "shop-1" / "runs", state / "another"):
        folder.mkdir(parents=True)
    (fresh.data / "venv").symlink_to("environments/1")
    link(fresh.link, fresh.command)
    other.touch()
    before = read_tree(fresh.home)
    shown = fresh.install_sh("--uninstall", "--all", "--dry-run", project)
    assert f"Would remove {fresh.link}" in shown.stdout
    assert f"Would remove {state / 'agent-memory'}.\n" in shown.stdout
    assert read_tree(fresh.home) == before
    read_stdout(fresh.install_sh("--uninstall", "--all", project))
    assert not fresh.data.exists()
    assert list(fresh.link.parent.iterdir()) == [other]
    assert list(state.iterdir()) == [state / "another"]
    assert not settings_of(project).exists()


def test_option_all_keeps_what_a_team_has_committed(fresh: Machine) -> None:
    project = fresh.project("shop", settings_json.add_hooks("", block()))
    committed = project / ".claude-mpm" / "memories" / ".gitattributes"
    own = project / "backlog" / "memory" / ".gitattributes"
    for path in (committed, own):
        write(path, f"{driver_notice.ATTRIBUTE_LINE}\n")
    for words in (
        ["init", "-q"],
        ["config", "merge.agent-memory.driver", "agent-memory %O %A %B %P"],
        ["add", committed, settings_of(project)],
    ):
        fresh.run("git", "-C", project, *words)
    shown = read_stdout(fresh.install_sh("--uninstall", "--all", "--dry-run", project))
    removed = f"the merge driver from {project}, except from committed files.\n"
    assert f"Would remove {removed}" in shown
    said = read_stdout(fresh.install_sh("--uninstall", "--all", project))
    assert f"Removed {removed}" in said
    assert "It is committed: if your team keeps the hooks, do not commit" in said
    assert committed.read_text() == f"{driver_notice.ATTRIBUTE_LINE}\n"
    assert not own.exists()
    assert "agent-memory" not in (project / ".git" / "config").read_text()


# One for each state; the content does not matter.
WAITING_FILES = (
    *("inbox/1-1~qa.json", "review/engineer.jsonl", "review/qa.md", "spool/ops/1-1.json"),
    "state.db",
)


def test_option_all_keeps_learnings_that_wait(fresh: Machine) -> None:
    states = fresh.home / ".local" / "state" / "agent-memory"
    (states / "blog-2" / "review").mkdir(parents=True)
    for number, name in enumerate(WAITING_FILES):
        write(states / f"shop-{number}" / name, "{")
    before, project = read_files(states), fresh.project("shop", "")
    for options in (["--dry-run"], []):
        assert (states / "blog-2").exists()
        shown = read_stdout(fresh.install_sh("--uninstall", "--all", *options, project))
        kept = f"your decisions, undo and waiting learnings, {len(WAITING_FILES)} projects"
        assert f"Kept: {states} ({kept}; to forget them, delete it).\n" in shown
        assert read_files(states) == before
    assert not (states / "blog-2").exists()


# --- dry runs ---


def test_a_dry_run_changes_nothing(fresh: Machine) -> None:
    project = fresh.project("shop", FOREIGN)
    before = read_tree(fresh.home.parent)
    shown = read_stdout(fresh.install_sh("--dry-run", project))
    assert f"+++ {settings_of(project)}\n" in shown
    assert '+                        "command": "agent_memory=' in shown
    assert f"Would install the program with {sys.executable} in {fresh.data}" in shown
    assert read_tree(fresh.home.parent) == before


# --- input that is refused before anything is built ---


def test_broken_settings_are_refused_and_not_changed(fresh: Machine) -> None:
    project = fresh.project("shop", "")
    settings_of(project).write_bytes(b'{\n "a": "\xe9"}')
    before = read_tree(fresh.home.parent)
    said = read_stderr(fresh.install_sh(project), 1)
    assert f"{settings_of(project)}: 'utf-8' codec can't decode byte 0xe9" in said
    assert len(said.splitlines()) == 1
    assert read_tree(fresh.home.parent) == before


WRONG_USE = [
    (["gone"], 2, "gone does not exist"),
    (["/dev/null"], 2, "/dev/null is not a folder"),
    (["a", "b"], 2, "more than one PROJECT"),
    (["--what"], 2, "unknown option --what"),
    (["--python"], 2, "--python needs a value"),
    (["--all"], 2, "--all needs --uninstall"),
    ([], 2, "name a PROJECT, such as ~/shop, or --user for all projects"),
    (["--dry-run"], 2, "name a PROJECT, such as ~/shop, or --user for all projects"),
    ([".", "--user"], 2, "--user is for all projects: leave out ."),
    (["--program", "."], 2, "--program stands alone"),
    (["--program", "--uninstall"], 2, "--program stands alone"),
    ([REPO], 2, f"{REPO} is a clone of this program: name a project, or use --user"),
    (["."], 2, "is your home folder: name a project, or use --user"),
    ([".", "--python", "/nowhere/python"], 1, "/nowhere/python is not a Python of"),
    ([".", "--python=/bin/sh"], 1, "/bin/sh is not a Python of"),
]


@pytest.mark.parametrize(("arguments", "status", "complaint"), WRONG_USE)
def test_usage_errors_are_one_sentence(
    fresh: Machine, arguments: list[object], status: int, complaint: str
) -> None:
    said = read_stderr(fresh.run(REPO / "install.sh", *arguments), status)
    assert complaint in said
    assert len(said.splitlines()) == 1
    assert read_tree(fresh.home) == {}


def test_help_needs_no_home(fresh: Machine) -> None:
    shown = read_stdout(fresh.install_sh("--help"))
    assert shown.startswith("Usage: ./install.sh PROJECT|--user")
    said = read_stderr(fresh.install_sh(".", HOME=""), 1)
    assert said == "agent-memory: HOME is '': set it to an absolute path\n"


def test_an_old_python_is_skipped(fresh: Machine) -> None:
    for name in PYTHONS[:4]:
        fresh.has(name, "echo 'the shim knows no such version' >&2\nexit 127")
    fresh.has("python3", f'exec "{sys.executable}" "$@"')
    project = fresh.project("shop")
    shown = read_stdout(fresh.run(REPO / "install.sh", project, "--dry-run"))
    assert f"install the program with {sys.executable} in" in shown


def test_a_missing_python_is_explained(fresh: Machine) -> None:
    for name in PYTHONS:
        fresh.has(name, "exit 1")
    said = read_stderr(fresh.run(REPO / "install.sh", ".", "--dry-run"), 1)
    assert said.startswith("install.sh: no Python 3.10 or newer found: install one, or ")


def test_a_python_without_sqlite_is_refused(fresh: Machine) -> None:
    lacks = "import sys; sys.modules['sqlite3'] = None"
    python = fresh.has("lame", f'exec "{sys.executable}" -I -c "{lacks}\n$3"')
    said = read_stderr(fresh.run(REPO / "install.sh", ".", "--dry-run", "--python", python), 1)
    assert "it needs its module sqlite3 (Debian: apt install python3; " in said


PYTHONS = ["python3.13", "python3.12", "python3.11", "python3.10", "python3", "python"]


# --- a build that fails ---


@pytest.mark.slow
def test_a_failing_build_changes_nothing(fresh: Machine) -> None:
    fresh.has("uv", "echo 'uv: no index' >&2\nexit 1")
    project = fresh.project("shop", FOREIGN)
    done = fresh.install_sh(project, PIP_NO_INDEX="1", PIP_FIND_LINKS="")
    assert done.returncode == 1
    assert "uv failed: uv: no index. Trying pip ..." in done.stdout
    (line,) = done.stderr.splitlines()
    assert line.startswith("agent-memory: pip failed: ERROR: No matching dist")
    assert line.endswith(". Nothing was changed.")
    assert_not_installed(fresh, project)


def assert_not_installed(fresh: Machine, project: Path) -> None:
    assert settings_of(project).read_text() == FOREIGN
    assert not fresh.data.exists()
    assert not fresh.link.exists()


def use_index(port: int) -> dict[str, str]:
    env = {"PIP_INDEX_URL": f"http://127.0.0.1:{port}/", "PIP_CONFIG_FILE": os.devnull}
    return {**env, "NO_PROXY": "*", "PIP_FIND_LINKS": ""}


INTERRUPTED = b"agent-memory: interrupted. Nothing was changed.\n"


@pytest.mark.slow
def test_an_interrupted_build_leaves_nothing(fresh: Machine) -> None:
    """Ctrl-C while pip waits for a package index that does not answer."""
    project = fresh.project("shop", FOREIGN)
    with socket.create_server(("127.0.0.1", 0)) as index:
        pipe, env = subprocess.PIPE, fresh.env(**use_index(index.getsockname()[1]))
        command = [str(REPO / "install.sh"), "--python", sys.executable, str(project)]
        how: dict[str, Any] = {"stdout": pipe, "stderr": pipe, "start_new_session": True}
        process = subprocess.Popen(command, env=env, **how)
        index.settimeout(120)
        with index.accept()[0]:
            os.killpg(process.pid, signal.SIGINT)
            stderr = process.communicate(timeout=60)[1]
    assert (process.returncode, stderr) == (130, INTERRUPTED)
    assert_not_installed(fresh, project)


# --- upgrading ---


def has_another_version(machine: Machine, before: Path) -> None:
    """Give a machine a clone with version 9.9.9, and a `uv` that copies the environment before."""
    if not machine.clone.exists():
        machine.copy_clone()
    package = machine.clone / "memory_core" / "__init__.py"
    package.write_text(package.read_text().replace("__version__ = ", '__version__ = "9.9.9" or '))
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    folder = f"${{5%/bin/python}}/lib/{version}/site-packages"
    copy = f"""
        for last; do :; done
        case $1 in
            venv) cp -R '{before}/.' "$last" ;;
            pip)
                cp "$last/memory_core/__init__.py" "{folder}/memory_core/"
                sed -i 's|^memory_core/__init__.py,sha256=|&new|' "{folder}"/agent_*/RECORD ;;
        esac
    """
    machine.has("uv", copy)


def kill_tree(pid: int) -> None:
    """Kill a process and its children at once; on Linux."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    os.kill(pid, signal.SIGKILL)
    for child in children:
        kill_tree(int(child))


# What an upgrade writes into the new environment, in this order.
STAGES = {
    "the environment": "bin/python",
    "the packages": "lib/python*/site-packages/memory_core",
    "the note": "program.json",
    "the links": "hooks",
}


@pytest.mark.slow
@pytest.mark.parametrize("stage", STAGES)
def test_a_killed_upgrade_changes_nothing(installed: Machine, project: Path, stage: str) -> None:
    """Whatever is complete, hooks run a whole program, and the next upgrade clears up."""
    assert installed.verb("install", project).returncode == 0
    command = commands_of(project)["PreToolUse"]
    env = installed.env(CLAUDE_PROJECT_DIR=str(project))
    before = (installed.data / "venv").resolve()
    environments = before.parent
    older = set(environments.iterdir())
    has_another_version(installed, before)
    words = [installed.clone / "install.sh", "--python", sys.executable, "--program"]
    process = subprocess.Popen(
        list(map(str, words)), env=env, stdout=subprocess.DEVNULL, start_new_session=True
    )
    while process.poll() is None:
        new = set(environments.iterdir()) - older
        if any(list(environment.glob(STAGES[stage])) for environment in new):
            kill_tree(process.pid)
    assert process.returncode == -signal.SIGKILL
    assert sample_events.PROMPT in read_stdout(run_hook(command, env, project))
    done = installed.run(*words)
    assert done.returncode == 0, done.stderr
    now = (installed.data / "venv").resolve()
    assert set(environments.iterdir()) <= {before, now, *older}
    assert sample_events.PROMPT in read_stdout(run_hook(command, env, project))


@pytest.mark.slow
def test_an_upgrade_keeps_the_environment_before(installed: Machine) -> None:
    project, environments = installed.first_project, installed.data / "environments"
    text = settings_of(project).read_bytes()
    before = environments / os.path.basename(os.readlink(installed.data / "venv"))
    elsewhere = installed.home.parent / "elsewhere"
    for folder in (elsewhere, environments / "earlier" / "hooks", environments / "being-built"):
        folder.mkdir(parents=True)
    installed.link.unlink()
    installed.link.write_text("someone else's\n")
    has_another_version(installed, before)

    command, runs = commands_of(project)["PreToolUse"], 0
    env = installed.env(CLAUDE_PROJECT_DIR=str(elsewhere))
    with ThreadPoolExecutor() as threads:
        upgrade = threads.submit(installed.install_sh, project, clone=installed.clone)
        while not upgrade.done():  # agents continue to work meanwhile
            assert sample_events.PROMPT in read_stdout(run_hook(command, env, project))
            runs += 1
    done = upgrade.result()

    assert runs > 5
    assert (done.returncode, done.stderr) == (0, "")
    assert "agent-memory 9.9.9\n" in done.stdout
    now = os.path.basename(os.readlink(installed.data / "venv"))
    assert now != before.name
    assert "uv failed" not in done.stdout
    there = {path.name for path in environments.iterdir()}
    assert there == {before.name, now}  # without what a killed build has left
    assert settings_of(project).read_bytes() == text
    assert installed.link.read_text() == "someone else's\n"
    assert f"Not replaced: {installed.link} belongs to another program" in done.stdout
