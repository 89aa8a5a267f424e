"""`agent-memory rename` and `delete`."""

import pytest

from memory_core.storage.store import Store
from support.command_line import ITEM, Person, check_refused
from support.files import read_files
from support.inbox import add_report
from support.review import make_waiting


@pytest.fixture
def busy(person: Person) -> Person:
    """Return a user with a memory, an archive, and learnings that wait for a person."""
    person.sandbox.write_memory("engineer", ITEM, "Tests need redis")
    person.sandbox.append_to_memory("engineer", "\n## Notes\n\nAsk the platform team first.\n")
    person.run("confirm", "engineer", "event bus")
    person.run("remove", "engineer", "redis")
    store_of(person).add_to_review("engineer", [make_waiting("Long ago")], "2026-11-20")
    return person


def store_of(person: Person) -> Store:
    return person.sandbox.open_project().store


def test_rename_moves_everything(busy: Person) -> None:
    add_report(busy.sandbox.paths)
    done = busy.succeed("rename", "Engineer", "backend")
    store = store_of(busy)
    assert store.agents() == store.agents_with_history() == store.agents_to_review() == ["backend"]
    texts = " ".join(item["text"] for item in busy.read_json("list", "backend"))
    assert ITEM in texts
    assert "Retries" in texts
    assert "redis" in busy.run("restore", "backend").stdout
    assert "confirmed" in busy.run("log", "backend").stdout
    assert "no agent named backend is defined" in done.stderr
    command = done.stderr.splitlines()[0].removeprefix("Undo with: ")
    assert busy.run_shell(command).returncode == 0
    assert store.agents() == ["engineer"]


def test_a_rename_is_a_change_like_any_other(busy: Person) -> None:
    removal = busy.read_json("log", "engineer", "-n", "1")[0]["change"]
    busy.run("rename", "engineer", "backend")
    shown = busy.run("log", "-n", "1").stdout
    assert "renamed" in shown
    assert "engineer -> backend" in shown
    for words, agent in [
        ("undo", "engineer"),
        ("redo", "backend"),
        ("rename backend api", "api"),
        ("undo 2", "engineer"),
        ("redo", "api"),
        ("undo", "backend"),
        ("undo --dry-run", "backend"),
        (f"undo {removal}", "backend"),
    ]:
        busy.succeed(*words.split())
        assert store_of(busy).agents() == [agent]
    assert len(busy.read_json("list", "backend")) == 2


def test_a_rename_is_not_undone_once_the_old_name_is_in_use(busy: Person) -> None:
    busy.run("rename", "engineer", "backend")
    busy.run("add", "engineer", "pattern", "A new beginning")
    change = busy.read_json("log", "backend", "-n", "1")[0]["change"]
    reason = "engineer has files already"
    check_refused(busy, {f"{change} --dry-run": reason, change: reason}, status=1, prefix="undo")
    assert busy.run("undo", "2").returncode == 1


def test_a_refused_rename_changes_nothing(busy: Person) -> None:
    busy.sandbox.write_memory("qa", ITEM)
    cases = {
        "engineer qa": "qa has files already (.claude-mpm/memories/qa.md); agent-memory add",
        "engineer engineer": "engineer has this name already",
        "engineer ../../evil": "invalid agent name",
        "engineer PM": "PM is the main session",
        "enginer backend": "did you mean engineer?",
        "explore backend": "explore has no memory yet",
    }
    check_refused(busy, cases, prefix="rename")
    check_refused(busy, {"delete explore": "explore has no memory to delete\n"}, status=1)


def test_delete_archives_everything_and_undo_restores_the_files(busy: Person) -> None:
    busy.run("add", "qa", "Tests need redis")
    texts = {path: path.read_bytes() for path in busy.sandbox.memories.glob("*.md")}
    before = read_files(busy.sandbox.root)
    done = busy.run("delete", "engineer", "qa")
    assert (done.returncode, read_files(busy.sandbox.root)) == (0, before)
    assert done.stderr.endswith("run it with --yes to change it.\n")
    done = busy.succeed("delete", "engineer", "qa", "--yes")
    assert not list(busy.sandbox.memories.glob("*.md"))
    archive = (busy.sandbox.memories / "archive" / "engineer.md").read_text()
    assert f"- [Project Architecture] {ITEM}\n" in archive
    assert "Ask the platform team first.\n" in archive
    assert busy.run("undo").returncode == 0  # it is one change
    assert {path: path.read_bytes() for path in busy.sandbox.memories.glob("*.md")} == texts
