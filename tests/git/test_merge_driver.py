"""Merging memories with real git: by item with the merge driver, repaired later without it."""

import doctest
import json
import shutil
import sys
from pathlib import Path

import pytest

from memory_core.document import markdown
from memory_core.document.merge_learnings import Learning
from memory_core.git import driver_notice, merge_driver
from memory_core.storage.project import find_project
from memory_core.tasks import task_actions
from support.calls import SESSION, begin_session
from support.command_line import Person
from support.files import read_files
from support.git import git, name_author
from support.lessons import save_learnings
from support.memory_files import make_conflict
from support.pages import read_turns
from support.sandbox import Sandbox

FACT = "Services talk through the event bus, never directly"
MEMORIES = ".claude-mpm/memories"
ATTRIBUTES = f"{MEMORIES}/.gitattributes"
ANN, BOB = "The bank answers in XML", "Prices live in a third database"


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


@pytest.fixture
def team_project(shop: Sandbox) -> Sandbox:
    """Create a git project with the merge driver installed."""
    merge_driver.install(shop.open_project())
    commit(shop.root)
    return shop


def add(folder: Path, text: str, directory: str = MEMORIES) -> None:
    with (folder / directory / "engineer.md").open("a") as file:
        file.write(f"- {text}\n")
    commit(folder, text)


def branch(folder: Path, name: str, text: str) -> None:
    git(folder, "checkout", "-qb", name, "main")
    add(folder, text)
    git(folder, "checkout", "-q", "main")


def items(folder: Path, directory: str = MEMORIES) -> list[str]:
    document = markdown.parse_document((folder / directory / "engineer.md").read_text())
    assert document.markers == []
    return [item.text for item in document.items]


# Git operations with the merge driver.

MERGE = "merge -q --no-edit ann"
BRINGS = [
    [MERGE],
    ["rebase -q ann"],
    ["cherry-pick ann"],
    ["worktree add -qb tree ../tree main", f"-C ../tree {MERGE}", "merge -q tree"],
    ["stash", MERGE, "stash pop"],
]


def merge(folder: Path) -> None:
    git(folder, *MERGE.split())


@pytest.mark.parametrize("commands", BRINGS)
def test_items_of_both_sides_are_kept(team_project: Sandbox, commands: list[str]) -> None:
    root = team_project.root
    branch(root, "ann", ANN)
    add(root, BOB)
    if "stash" in commands:
        team_project.append_to_memory("engineer", "- not committed\n")
    for command in commands:
        git(root, *command.split())
    assert {FACT, ANN, BOB} <= set(items(root))
    assert "stash" not in commands or "not committed" in items(root)
    assert not any(driver_notice.is_driver_missing(str(tree)) for tree in root.parent.glob("tree"))


def learn(sandbox: Sandbox, text: str, kind: str = "architecture") -> None:
    save_learnings(sandbox.open_project(), "engineer", [Learning(kind, text)], text)
    commit(sandbox.root, text)


def test_archive_and_history_are_merged(team_project: Sandbox) -> None:
    team_project.configure("memory: {limits: {max_items_per_section: 2}}")
    learn(team_project, "The first")
    git(team_project.root, "checkout", "-qb", "ann")
    learn(team_project, ANN)
    git(team_project.root, "checkout", "-q", "main")
    learn(team_project, BOB)
    merge(team_project.root)
    archived = (team_project.memories / "archive" / "engineer.md").read_text()
    assert archived.count("[Project Architecture] The first\n") == archived.count("## ") == 1
    history = (team_project.memories / "history" / "engineer.jsonl").read_text()
    assert [each in archived + history for each in (ANN, BOB, "<<<<<<<")] == [True, True, False]


def test_a_project_below_the_root_of_the_repository(tmp_path: Path) -> None:
    root, directory = tmp_path / "many projects", ".claude-mpm/team"
    inner = root / "a shop"
    (inner / directory).mkdir(parents=True)
    (inner / ".claude-mpm" / "config.yml").write_text(f"memory: {{directory: {directory}}}")
    (inner / directory / "engineer.md").write_text(f"## A\n- {FACT}\n")
    git(root, "init", "-q")
    project = find_project(str(inner), {"HOME": str(tmp_path)})
    assert merge_driver.install(project).attribute_files == [f"{directory}/.gitattributes"]
    commit(root)
    git(root, "checkout", "-qb", "ann")
    add(inner, ANN, directory)
    git(root, "checkout", "-q", "main")
    add(inner, BOB, directory)
    merge(root)
    assert items(inner, directory) == [FACT, BOB, ANN]


def test_an_archived_task_memory_keeps_its_sections(shop: Sandbox) -> None:
    archived = shop.root / "backlog" / "memory" / "archive" / "task-1.md"
    archived.parent.mkdir(parents=True)
    files = merge_driver.install(shop.open_project()).attribute_files
    assert files == [ATTRIBUTES, "backlog/memory/.gitattributes"]
    text = "---\ntask_id: task-1\n---\n\n# T\n\n## Requirements\n\n## Notes\n- p\n\n## References\n"
    archived.write_text(text)
    commit(shop.root)
    git(shop.root, "checkout", "-qb", "ann")
    archived.write_text(text.replace("- p", "- p\n- a"))
    commit(shop.root)
    git(shop.root, "checkout", "-q", "main")
    archived.write_text(text.replace("- p", "- p\n- b"))
    commit(shop.root)
    merge(shop.root)
    assert archived.read_text() == text.replace("- p", "- p\n- b\n- a")


def test_the_first_task_memory_gets_the_attributes(team_project: Sandbox) -> None:
    memory = team_project.root / "backlog" / "memory" / "5.md"
    task_actions.start(team_project.open_project(), "5")
    commit(team_project.root)
    git(team_project.root, "checkout", "-qb", "ann")
    for text in (ANN, BOB):
        task_actions.add_note(team_project.open_project(), "5", text)
        commit(team_project.root)
        git(team_project.root, "checkout", "-q", "main")
    merge(team_project.root)
    assert f"## Notes\n- {BOB}\n- {ANN}\n\n## References" in memory.read_text()


# Installing and uninstalling the driver.


@pytest.fixture
def person(shop: Sandbox, tmp_path: Path) -> Person:
    person = Person(shop, tmp_path)
    person.env |= name_author("ann")
    return person


@pytest.mark.parametrize(
    "words", [["git", "install"], ["tidy", "--yes"], ["task", "decide", "5", "XML"]]
)
def test_a_conflict_in_a_task_memory_is_resolved(person: Person, words: list[str]) -> None:
    person.succeed("task", "start", "5", "--title", "Bank")
    memory = person.sandbox.root / "backlog" / "memory" / "5.md"
    notes = make_conflict(f"- {BOB}\n", f"- {ANN}\n")
    times = make_conflict("updated: '2026-11-20'\n", "updated: '2026-11-21'\n")
    text = memory.read_text().replace("## Notes\n", f"## Notes\n{notes}")
    memory.write_text(text.replace("archived:", f"{times}archived:"))
    person.succeed(*words)
    after = memory.read_text()
    assert f"## Notes\n- {BOB}\n- {ANN}\n\n## References" in after
    assert after.count("title: Bank") == 1
    assert "<<<<" not in after


def test_without_a_repository_or_git(person: Person) -> None:
    done = person.run("git", "install", PATH=str(person.bin))
    assert (done.returncode, done.stderr) == (1, "agent-memory: git: No such file or directory\n")
    shutil.rmtree(person.sandbox.root / ".git")
    before = read_files(person.sandbox.root)
    for word in ("install", "uninstall"):
        done = person.run("git", word)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert "is in no git repository" in done.stderr
    assert read_files(person.sandbox.root) == before


def test_install_and_uninstall_commands(person: Person) -> None:
    config = person.sandbox.root / ".git" / "config"
    own_config = config.read_bytes()
    expected = {"attributes": [ATTRIBUTES], "config": True, "ignored": False, "mended": []}
    assert person.read_json("git", "install") == expected
    commit(person.sandbox.root)
    before = read_files(person.sandbox.root)
    assert person.read_json("git", "install") == {**expected, "attributes": [], "config": False}
    assert read_files(person.sandbox.root) == before
    assert person.read_json("git", "uninstall") == expected
    assert config.read_bytes() == own_config
    path = person.sandbox.root / ATTRIBUTES
    assert not path.exists()
    for lines, deed in (("", "removed"), ("*.png binary\nPM.md merge=ours", "changed")):
        path.write_text(lines)
        person.run("git", "install")
        assert person.run("git", "uninstall").stdout.startswith(f"{deed} {ATTRIBUTES}: commit it\n")
    assert path.read_text() == f"{lines}\n"
    assert not merge_driver.uninstall(person.sandbox.open_project())


def test_ignored_memories_are_reported(person: Person) -> None:
    (person.sandbox.root / ".gitignore").write_text(".claude-mpm\n")
    git(person.sandbox.root, "rm", "-rq", "--cached", ".claude-mpm")
    assert "git ignores the memories here" in person.run("git", "install").stderr


# A clone without the driver.


def test_a_folder_without_git_needs_no_driver(team_project: Sandbox) -> None:
    path = team_project.root / ".git"
    shutil.rmtree(path)
    assert not driver_notice.is_driver_missing(str(team_project.memories))
    for odd in ("odd", "gitdir: ../nowhere/worktrees/x\n"):
        path.write_text(odd)
        assert not driver_notice.is_driver_missing(str(team_project.memories))


def test_a_missing_driver_program_loses_nothing(team_project: Sandbox) -> None:
    """If the driver is missing, its command makes git run its own text merge."""
    gone = merge_driver.build_command().replace(sys.executable, "/gone/python")
    git(team_project.root, "config", "merge.agent-memory.driver", gone)
    branch(team_project.root, "ann", ANN)
    add(team_project.root, BOB)
    with pytest.raises(AssertionError, match="CONFLICT"):
        git(team_project.root, "merge", "--no-edit", "ann")
    text = team_project.read_memory("engineer")
    assert all(each in text for each in ("<<<<<<< ours", ANN, BOB, ">>>>>>> theirs"))
    assert git(team_project.root, "status", "--porcelain").startswith("UU")


def test_the_driver_is_named_by_the_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = tmp_path / "home" / ".local" / "share" / "agent-memory"
    environment = data / "environments" / "20260101-101112-7"
    environment.mkdir(parents=True)
    (environment / "hooks").symlink_to("site-packages")
    monkeypatch.setattr(sys, "prefix", str(environment))
    command = merge_driver.build_command()
    assert command.startswith(f"{data}/venv/bin/python -I -S {data}/venv/packages/memory_core/")


def test_unreadable_files_stay_with_git(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    none, huge, link, plain = (tmp_path / name for name in ("none", "huge", "link", "plain"))
    with open(huge, "wb") as file:
        file.truncate(1 << 30)
    plain.write_text("- a\n")
    link.symlink_to(plain)
    for one in (none, huge, link):
        for base, ours, theirs in ((one, plain, plain), (plain, one, plain), (plain, plain, one)):
            sides = str(base), str(ours), str(theirs)
            assert merge_driver.merge_file(*sides, "a/engineer.md") == 1
            assert capsys.readouterr().err.startswith("agent-memory: engineer.md is merged as text")
    assert plain.read_text() == "- a\n"


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


def test_branches_that_merge_each_other_lose_and_double_nothing(team_project: Sandbox) -> None:
    """Their next merge has two bases, which git merges first."""
    root = team_project.root
    branch(root, "ann", ANN)
    add(root, BOB)
    git(root, "branch", "old")
    merge(root)
    git(root, "checkout", "-q", "ann")
    git(root, "merge", "-q", "--no-edit", "old")
    add(root, "Logs rotate at midnight")
    git(root, "checkout", "-q", "main")
    add(root, "The lift is slow")
    merge(root)
    expected = [FACT, ANN, BOB, "Logs rotate at midnight", "The lift is slow"]
    assert sorted(items(root)) == sorted(expected)


# The page.


def test_console_sessions_of_the_page(person: Person) -> None:
    git(person.sandbox.root, "branch", "-qM", "main")
    del person.env["CLAUDE_PROJECT_DIR"]  # the page changes into a second clone
    check = doctest.OutputChecker().check_output
    turns = read_turns("docs/team.md")
    assert len(turns) > 10
    for line, expected in turns:
        done = person.run_shell(line)
        shown = f"{(done.stdout + done.stderr).rstrip()}\n".lstrip("\n")
        if " pull " in line:  # the output before that is git's own message about a conflict
            shown = shown.split("\n")[-2] + "\n"
        if expected or not line.startswith("git"):
            assert check(expected, shown, doctest.ELLIPSIS), shown


# Callers of the driver.


def test_a_session_reports_a_missing_driver(team_project: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    clone = Sandbox(tmp_path / "other")
    git(team_project.root, "clone", "-q", ".", str(clone.root))
    assert not driver_notice.is_driver_missing(str(team_project.memories))
    (notice,) = driver_notice.list_notices(str(clone.memories), {})
    assert "came from elsewhere" in begin_session(clone).removeprefix(notice)
    assert begin_session(clone) == notice
    (clone.memories / "PM.md").write_text(f"## A\n- {FACT}\n")
    reply = json.loads(clone.run_hook("session_start", SESSION).stdout)
    assert FACT in reply["hookSpecificOutput"]["additionalContext"]
    assert driver_notice.INSTALL_COMMAND not in reply["hookSpecificOutput"]["additionalContext"]
    assert driver_notice.INSTALL_COMMAND in reply["systemMessage"]
    config = team_project.home / ".gitconfig"
    config.write_text(f'[merge "{driver_notice.DRIVER_NAME}"]\n\tdriver = x\n')
    assert not driver_notice.is_driver_missing(str(clone.memories)), "the user's config counts"
    config.unlink()
    merge_driver.install(clone.open_project())
    assert "merge" not in begin_session(clone)


def test_the_next_write_repairs_conflict_markers(shop: Sandbox) -> None:
    shop.append_to_memory("engineer", make_conflict(f"- {ANN}\n", f"- {BOB}\n", base=""))
    learn(shop, "The lift is slow", "tip")
    assert items(shop.root) == [FACT, ANN, BOB, "The lift is slow"]


@pytest.mark.parametrize("base", [b"\xef\xbb\xbf## A\n- a\n", b"## A\n- caf\xe9\n"])
def test_a_byte_order_mark_and_invalid_utf_8_stay(tmp_path: Path, base: bytes) -> None:
    sides = [tmp_path / name for name in ("base", "ours", "theirs")]
    for path, item in zip(sides, (b"", b"- na\xefve\n", b"- c\n"), strict=True):
        path.write_bytes(base + item)
    assert merge_driver.merge_file(*map(str, sides), "qa.md") == 0
    assert sides[1].read_bytes() == base + b"- na\xefve\n- c\n"
