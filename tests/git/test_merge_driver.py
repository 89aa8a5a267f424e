"""Merging memories with real git: by item with the merge driver, repaired later without it."""

from __future__ import annotations

import doctest
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memory_core.document import markdown
from memory_core.files.safe_files import Refused
from memory_core.git import merge_driver
from memory_core.learning import extraction
from memory_core.memory import remember
from memory_core.memory.project import Project, find_project
from support.command_line import Person
from support.files import read_files
from support.paths import REPO
from support.sandbox import Sandbox
from tools import simulation

PAGE = (REPO / "docs" / "team.md").read_text(encoding="utf-8")
FACT = "Services talk through the event bus, never directly"
ANN, BOB = "The bank answers in XML", "Prices live in a third database"


def git(folder: Path, *words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    names = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main")
    command = ["git", *names, *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert not check or done.returncode == 0, done.stdout + done.stderr
    return done


def commit(folder: Path, what: str = "x") -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", what)


@pytest.fixture
def shop(sandbox: Sandbox) -> Sandbox:
    """Create a git project with one memory."""
    sandbox.write_memory("engineer", FACT)
    git(sandbox.root, "init", "-q")
    commit(sandbox.root)
    return sandbox


def project_in(sandbox: Sandbox) -> Project:
    return find_project(str(sandbox.root), sandbox.env)


def project_at(folder: Path) -> Project:
    return find_project(str(folder), {})


@pytest.fixture
def team_project(shop: Sandbox) -> Sandbox:
    """Create a git project with the merge driver installed."""
    merge_driver.install(project_in(shop))
    commit(shop.root)
    return shop


def add(folder: Path, text: str, directory: str = ".claude-mpm/memories") -> None:
    path = folder / directory / "engineer.md"
    with path.open("a") as file:
        file.write(f"- {text}\n")
    commit(folder, text)


def branch(folder: Path, name: str, text: str) -> None:
    git(folder, "checkout", "-qb", name, "main")
    add(folder, text)
    git(folder, "checkout", "-q", "main")


def items(folder: Path, directory: str = ".claude-mpm/memories") -> list[str]:
    text = (folder / directory / "engineer.md").read_text()
    document = markdown.parse_document(text)
    assert document.markers == []
    return [item.text for item in document.items]


# Git operations with the merge driver.


def merged(folder: Path) -> None:
    git(folder, "merge", "-q", "--no-edit", "ann")


def rebased(folder: Path) -> None:
    git(folder, "rebase", "-q", "ann")


def picked(folder: Path) -> None:
    git(folder, "cherry-pick", "ann")


def in_worktree(folder: Path) -> None:
    tree = folder.parent / "a tree"
    git(folder, "worktree", "add", "-qb", "tree", str(tree), "main")
    git(tree, "merge", "-q", "--no-edit", "ann")
    assert not merge_driver.is_driver_missing(str(tree / ".claude-mpm" / "memories"))
    git(folder, "merge", "-q", "tree")


def stashed(folder: Path) -> None:
    add(folder, "a third one")
    git(folder, "reset", "-q", "--soft", "HEAD^")
    git(folder, "stash")
    git(folder, "merge", "-q", "--no-edit", "ann")
    git(folder, "stash", "pop")


@pytest.mark.parametrize("bring", [merged, rebased, picked, in_worktree, stashed])
def test_items_of_both_sides_are_kept(team_project: Sandbox, bring: Callable[[Path], None]) -> None:
    branch(team_project.root, "ann", ANN)
    add(team_project.root, BOB)
    bring(team_project.root)
    assert {FACT, ANN, BOB} <= set(items(team_project.root))


def test_archive_and_history_are_merged(team_project: Sandbox) -> None:
    team_project.configure("memory: {limits: {max_items_per_section: 2}}")

    def learn(text: str) -> None:
        found = extraction.Extraction([extraction.Learning("architecture", text)], [], [])
        remember.save_learnings(project_in(team_project), "engineer", [found], text)
        commit(team_project.root, text)

    learn("The first")
    git(team_project.root, "checkout", "-qb", "ann")
    learn(ANN)
    git(team_project.root, "checkout", "-q", "main")
    learn(BOB)
    merged(team_project.root)
    folder = team_project.memories
    archived = (folder / "archive" / "engineer.md").read_text()
    assert archived.count("[Project Architecture] The first\n") == 1
    assert archived.count("\n## ") + archived.startswith("## ") == 1
    history = (folder / "history" / "engineer.jsonl").read_text()
    assert ANN in history
    assert BOB in history
    assert "<<<<<<<" not in archived + history


def test_a_project_below_the_root_of_the_repository(tmp_path: Path) -> None:
    root = tmp_path / "many projects"
    inner = root / "a shop"
    (inner / ".claude-mpm").mkdir(parents=True)
    (inner / ".claude-mpm" / "config.yml").write_text("memory: {directory: .claude-mpm/team}")
    folder = inner / ".claude-mpm" / "team"
    folder.mkdir(parents=True)
    (folder / "engineer.md").write_text(f"## A\n- {FACT}\n")
    git(root, "init", "-q")
    project = find_project(str(inner), {"HOME": str(tmp_path)})
    assert merge_driver.install(project).attribute_files == [".claude-mpm/team/.gitattributes"]
    commit(root)
    git(root, "checkout", "-qb", "ann")
    add(inner, ANN, ".claude-mpm/team")
    git(root, "checkout", "-q", "main")
    add(inner, BOB, ".claude-mpm/team")
    merged(root)
    assert items(inner, ".claude-mpm/team") == [FACT, BOB, ANN]


def test_invalid_utf_8_is_kept(team_project: Sandbox) -> None:
    path = team_project.memories / "engineer.md"
    path.write_bytes(b"## A\n- caf\xe9\n")
    commit(team_project.root)
    branch(team_project.root, "ann", ANN)
    path.write_bytes(path.read_bytes() + b"- na\xefve\n")
    commit(team_project.root)
    merged(team_project.root)
    assert path.read_bytes() == b"## A\n- caf\xe9\n- na\xefve\n" + f"- {ANN}\n".encode()


def test_task_memories_are_merged_in_projects_with_tasks(shop: Sandbox) -> None:
    (shop.root / "backlog").mkdir()
    assert merge_driver.install(project_in(shop)).attribute_files == [
        ".claude-mpm/memories/.gitattributes",
        "backlog/memory/.gitattributes",
    ]
    attribute = git(shop.root, "check-attr", "merge", "backlog/memory/task-1/a.md").stdout
    assert attribute.endswith("merge: agent-memory\n")


# Installing and uninstalling the driver.


def test_installing_twice_changes_nothing(team_project: Sandbox) -> None:
    config = (team_project.root / ".git" / "config").read_bytes()
    assert not merge_driver.install(project_in(team_project))
    assert (team_project.root / ".git" / "config").read_bytes() == config
    assert git(team_project.root, "status", "--porcelain").stdout == ""


def test_uninstall_keeps_other_lines(shop: Sandbox) -> None:
    attributes = shop.memories / ".gitattributes"
    attributes.write_text("*.png binary\nPM.md merge=ours")
    before = read_files(shop.root / ".claude-mpm")
    config = (shop.root / ".git" / "config").read_bytes()
    done = merge_driver.install(project_in(shop))
    assert done.config
    assert attributes.read_text().startswith("*.png binary\nPM.md merge=ours\n#")
    done = merge_driver.uninstall(project_in(shop))
    assert done.config
    assert (shop.root / ".git" / "config").read_bytes() == config
    after = read_files(shop.root / ".claude-mpm")
    assert after.pop("memories/.gitattributes") == before.pop("memories/.gitattributes") + b"\n"
    assert {name: after[name] for name in before} == before
    assert not merge_driver.uninstall(project_in(shop))


def test_uninstall_removes_a_file_that_install_created(team_project: Sandbox) -> None:
    merge_driver.uninstall(project_in(team_project))
    assert not (team_project.memories / ".gitattributes").exists()


@pytest.fixture
def person(shop: Sandbox, tmp_path: Path) -> Person:
    made = Person(shop, tmp_path)
    for role in ("AUTHOR", "COMMITTER"):
        made.env |= {f"GIT_{role}_NAME": "ann", f"GIT_{role}_EMAIL": "ann@example.org"}
    return made


def test_without_a_repository(person: Person) -> None:
    shutil.rmtree(person.sandbox.root / ".git")
    before = read_files(person.sandbox.root)
    for word in ("install", "uninstall"):
        done = person.run("git", word)
        assert done.returncode == 2
        assert done.stderr.count("\n") == 1
        assert "is in no git repository" in done.stderr
    assert read_files(person.sandbox.root) == before


def test_without_git(person: Person) -> None:
    done = person.run("git", "install", PATH=str(person.bin))
    assert (done.returncode, done.stderr) == (1, "agent-memory: there is no `git` on PATH\n")


def test_json(person: Person) -> None:
    path = ".claude-mpm/memories/.gitattributes"
    expected = {"attributes": [path], "config": True, "ignored": False, "mended": []}
    assert person.read_json("git", "install") == expected
    assert person.read_json("git", "install") == {**expected, "attributes": [], "config": False}
    assert person.read_json("git", "uninstall") == expected


def test_uninstall_says_whether_the_file_is_gone(person: Person) -> None:
    path = person.sandbox.memories / ".gitattributes"
    person.run("git", "install")
    done = person.run("git", "uninstall")
    assert done.stdout.startswith("removed .claude-mpm/memories/.gitattributes: commit it\n")
    person.run("git", "install")
    path.write_text(f"*.png binary\n{path.read_text()}")
    done = person.run("git", "uninstall")
    assert done.stdout.startswith("changed .claude-mpm/memories/.gitattributes: commit it\n")


def test_ignored_memories_are_reported(person: Person) -> None:
    (person.sandbox.root / ".gitignore").write_text(".claude-mpm\n")
    git(person.sandbox.root, "rm", "-rq", "--cached", ".claude-mpm")
    assert "git ignores the memories here" in person.run("git", "install").stderr


# A clone without the driver.


def clone_without_driver(sandbox: Sandbox) -> Path:
    folder = sandbox.root.parent / "clone"
    git(sandbox.root, "clone", "-q", ".", str(folder))
    return folder


def test_a_clone_without_the_driver_gets_a_notice(team_project: Sandbox, tmp_path: Path) -> None:
    clone = clone_without_driver(team_project)
    folder = str(clone / ".claude-mpm" / "memories")
    assert not merge_driver.is_driver_missing(str(team_project.memories))
    assert merge_driver.is_driver_missing(folder)
    assert merge_driver.format_notice(folder).count("\n") == 0
    assert merge_driver.INSTALL_COMMAND in merge_driver.format_notice(folder)
    merge_driver.install(project_at(clone))
    assert not merge_driver.is_driver_missing(folder)
    assert merge_driver.format_notice(folder) == ""


def test_a_driver_in_the_user_config_counts(
    team_project: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone = clone_without_driver(team_project)
    monkeypatch.setenv("HOME", str(team_project.home))
    (team_project.home / ".gitconfig").write_text(f"{merge_driver.CONFIG_SECTION}\n\tdriver = x\n")
    assert not merge_driver.is_driver_missing(str(clone / ".claude-mpm" / "memories"))


@pytest.mark.parametrize("name", ["no .git", "an odd .git", "a .git that leads nowhere"])
def test_a_folder_without_git_needs_no_driver(team_project: Sandbox, name: str) -> None:
    shutil.rmtree(team_project.root / ".git")
    if name == "an odd .git":
        (team_project.root / ".git").write_text("odd")
    if name == "a .git that leads nowhere":
        (team_project.root / ".git").write_text("gitdir: ../nowhere/worktrees/x\n")
    assert merge_driver.is_driver_missing(str(team_project.memories)) == (name != "no .git")


def test_the_doctor_reports_a_missing_driver(team_project: Sandbox, tmp_path: Path) -> None:
    somebody = Person(team_project, tmp_path)
    assert ("warning", "git") not in somebody.list_findings()
    git(team_project.root, "config", "--unset", "merge.agent-memory.driver")
    git(team_project.root, "config", "--unset", "merge.agent-memory.name")
    assert ("warning", "git") in somebody.list_findings()
    git(
        team_project.root,
        "config",
        "merge.agent-memory.driver",
        "/gone/python -I /gone/x %O || git x",
    )
    assert ("warning", "git") in somebody.list_findings()


def test_installing_repairs_a_text_conflict(team_project: Sandbox) -> None:
    clone = clone_without_driver(team_project)
    add(clone, ANN)
    add(team_project.root, BOB)
    git(clone, "fetch", "-q", str(team_project.root), "main")
    assert git(clone, "merge", "FETCH_HEAD", check=False).returncode == 1
    path = clone / ".claude-mpm" / "memories" / "engineer.md"
    assert "<<<<<<<" in path.read_text()
    (done,) = merge_driver.install(project_at(clone)).resolutions
    assert (done.agent, done.refused) == ("engineer", "")
    assert items(clone) == [FACT, ANN, BOB]


def test_a_missing_driver_program_loses_nothing(team_project: Sandbox) -> None:
    """If the driver is missing, its command makes git run its own text merge."""
    gone = merge_driver.build_command().replace(sys.executable, "/gone/python")
    git(team_project.root, "config", "merge.agent-memory.driver", gone)
    branch(team_project.root, "ann", ANN)
    add(team_project.root, BOB)
    assert git(team_project.root, "merge", "--no-edit", "ann", check=False).returncode == 1
    text = team_project.read_memory("engineer")
    assert all(each in text for each in ("<<<<<<< ours", ANN, BOB, ">>>>>>> theirs"))
    assert git(team_project.root, "status", "--porcelain").stdout.startswith("UU")


def test_the_driver_is_named_by_the_link_even_if_it_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / ".local" / "share" / "agent-memory"
    environment = data / "environments" / "20260101-101112-7"
    environment.mkdir(parents=True)
    (environment / "hooks").symlink_to("site-packages")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(sys, "prefix", str(environment))
    command = merge_driver.build_command()
    assert command.startswith(f"{data}/venv/bin/python -I -S {data}/venv/packages/memory_core/")


def test_a_text_merge_without_conflict_succeeds(team_project: Sandbox) -> None:
    git(
        team_project.root,
        "config",
        "merge.agent-memory.driver",
        "false || git merge-file -q %A %O %B",
    )
    branch(team_project.root, "ann", ANN)
    path = team_project.memories / "engineer.md"
    path.write_text(path.read_text().replace("# engineer", "# Engineer"))
    commit(team_project.root)
    merged(team_project.root)
    assert items(team_project.root) == [FACT, ANN]


def test_unreadable_files_are_left_to_git(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ours = tmp_path / "ours"
    ours.write_text("- a\n")
    assert (
        merge_driver.merge_file(str(tmp_path / "none"), str(ours), str(ours), "a/engineer.md") == 1
    )
    assert ours.read_text() == "- a\n"
    assert capsys.readouterr().err.startswith("agent-memory: engineer.md is merged as text: ")


def test_a_huge_file_and_a_link_are_left_to_git(tmp_path: Path) -> None:
    huge, link, plain = (tmp_path / name for name in ("huge", "link", "plain"))
    with open(huge, "wb") as file:
        file.truncate(1 << 30)
    plain.write_text("- a\n")
    link.symlink_to(plain)
    for one in (huge, link):
        for three in ((one, plain, plain), (plain, one, plain), (plain, plain, one)):
            assert merge_driver.merge_file(*map(str, three), "a/engineer.md") == 1
    assert plain.read_text() == "- a\n"


def test_attributes_are_not_written_through_a_link(shop: Sandbox) -> None:
    """Git does not read them through a link either."""
    outside = shop.home / "attributes"
    outside.write_text("x\n")
    (shop.memories / ".gitattributes").symlink_to(outside)
    with pytest.raises(Refused) as caught:
        merge_driver.install(project_in(shop))
    assert str(caught.value) == (
        ".claude-mpm/memories/.gitattributes is a link, which is not followed, by git neither:"
        " replace it by a file with the line *.md merge=agent-memory"
    )
    assert outside.read_text() == "x\n"
    assert "agent-memory" not in (shop.root / ".git" / "config").read_text()


def test_a_folder_that_looks_like_a_repository_runs_no_program(person: Person) -> None:
    memories = person.sandbox.memories
    for name in ("objects", "refs"):
        (memories / name).mkdir(parents=True)
    (memories / "HEAD").write_text("ref: refs/heads/main\n")
    program = f'"touch {person.sandbox.home}/has-run; false"'
    core = f"[core]\nrepositoryformatversion = 0\nworktree = .\nfsmonitor = {program}\n"
    (memories / "config").write_text(core)
    done = person.run("git", "install")
    assert (done.returncode, (person.sandbox.home / "has-run").exists()) == (2, False)
    assert (memories / "config").read_text() == core


@pytest.mark.parametrize("linked", [".claude-mpm", ".claude-mpm/memories"])
def test_nothing_is_installed_in_a_linked_folder(shop: Sandbox, linked: str) -> None:
    outside = shop.home / "outside"
    shutil.move(shop.root / linked, outside)
    (shop.root / linked).symlink_to(outside)
    before = read_files(outside)
    with pytest.raises(Refused):
        merge_driver.install(project_in(shop))
    assert read_files(outside) == before


# Whole histories.


@pytest.mark.parametrize("seed", range(8))
def test_clones_neither_lose_nor_duplicate_items(seed: int) -> None:
    _seed, counts = simulation.play(seed)
    assert (counts["duplicates"], counts["missing"]) == (0, 0)


# The page.


def turns() -> list[tuple[str, str]]:
    blocks = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    found = [turn for block in blocks for turn in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    return [(turn.partition("\n")[0], turn.partition("\n")[2]) for turn in found]


def test_console_sessions_of_the_page(person: Person) -> None:
    git(person.sandbox.root, "branch", "-qM", "main")
    del person.env["CLAUDE_PROJECT_DIR"]  # the page changes into a second clone
    assert len(turns()) > 10
    for line, expected in turns():
        done = person.run_shell(line)
        team_project = f"{(done.stdout + done.stderr).rstrip()}\n".lstrip("\n")
        if " pull " in line:  # the output before that is git's own message about a conflict
            team_project = team_project.split("\n")[-2] + "\n"
        if expected or not line.startswith("git"):
            assert doctest.OutputChecker().check_output(expected, team_project, doctest.ELLIPSIS), (
                team_project
            )


# Callers of the driver.


def test_a_session_start_reports_a_missing_driver(team_project: Sandbox) -> None:
    clone = clone_without_driver(team_project)
    event = {"hook_event_name": "SessionStart", "session_id": "s1", "source": "startup"}
    env = {"CLAUDE_PROJECT_DIR": str(clone)}
    team_project.run_hook("session_start", event, **env)  # it says that all items are new
    reply = json.loads(team_project.run_hook("session_start", event, **env).stdout)
    assert reply == {
        "systemMessage": merge_driver.format_notice(str(clone / ".claude-mpm" / "memories"))
    }
    (clone / ".claude-mpm" / "memories" / "PM.md").write_text(f"## A\n- {FACT}\n")
    reply = json.loads(team_project.run_hook("session_start", event, **env).stdout)
    assert FACT in reply["hookSpecificOutput"]["additionalContext"]
    assert merge_driver.INSTALL_COMMAND not in reply["hookSpecificOutput"]["additionalContext"]
    assert merge_driver.INSTALL_COMMAND in reply["systemMessage"]
    merge_driver.install(project_at(clone))
    assert (
        "systemMessage" not in team_project.run_hook("session_start", event, **env).stdout.decode()
    )


def test_the_next_write_repairs_conflict_markers(shop: Sandbox) -> None:
    path = shop.memories / "engineer.md"
    head = path.read_text()
    path.write_text(f"{head}<<<<<<< ours\n- {ANN}\n=======\n- {BOB}\n>>>>>>> theirs\n")
    found = extraction.Extraction([extraction.Learning("tip", "The lift is slow")], [], [])
    remember.save_learnings(project_in(shop), "engineer", [found], "a1")
    assert items(shop.root) == [FACT, ANN, BOB, "The lift is slow"]
    assert not markdown.parse_document(path.read_text()).markers
