"""Memory files: file names, list of agents, archive, locks."""

from pathlib import Path

import pytest
from filelock import FileLock, Timeout

from memory_core.storage import paths, store


def open_store(root: Path) -> tuple[store.Store, Path]:
    """Return a store and its folder, which exists."""
    files = store.Store(paths.LevelPaths(str(root), {"HOME": str(root.parent)}))
    Path(files.folder).mkdir(parents=True)
    return files, Path(files.folder)


def test_a_file_keeps_its_name(tmp_path: Path) -> None:
    files, folder = open_store(tmp_path)
    old = folder / "Code_Reviewer_agent.md"
    old.write_text("- a\n")
    files.write("code-reviewer", "- b\n", files.read("code-reviewer"))
    assert [path.name for path in folder.glob("*.md")] == ["Code_Reviewer_agent.md"]
    assert old.read_text() == "- b\n"


def test_the_agents_with_a_memory(tmp_path: Path) -> None:
    files, folder = open_store(tmp_path)
    assert files.agents() == []
    (folder / "archive").mkdir()
    for name in ("README.md", "PM.md", "engineer.md", "QA_agent.md", "notes.txt"):
        (folder / name).write_text("")
    assert files.agents() == ["PM", "engineer", "qa"]


def test_an_archived_item_is_written_once_a_day(tmp_path: Path) -> None:
    files, folder = open_store(tmp_path)
    files.add_to_archive("engineer", ["a", "b"], "2026-11-20 10:00:00")
    files.add_to_archive("engineer", ["b", "c"], "2026-11-20 11:00:00")
    files.add_to_archive("engineer", ["c"], "2026-11-21 10:00:00")
    path = folder / "archive" / "engineer.md"
    assert path.read_text() == "## 2026-11-20\n\n- a\n- b\n- c\n\n## 2026-11-21\n\n- c\n"
    with path.open("a") as file:
        file.write("- x\n" * 300_000)
    files.add_to_archive("engineer", ["c", "d"], "2026-11-22 10:00:00")
    assert path.read_text().endswith("- x\n\n## 2026-11-22\n\n- c\n- d\n"), "not compared"


def test_our_lock_and_one_of_filelock_exclude_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program may lock a memory with the library; ours does not import it, which takes long."""
    monkeypatch.setattr(store, "LOCK_TIMEOUT", 0.0)
    files, folder = open_store(tmp_path)
    theirs = FileLock(folder.parent / "locks" / "engineer.lock")
    with files.lock("engineer"), pytest.raises(Timeout):
        theirs.acquire(timeout=0)
    with theirs, pytest.raises(store.LockTimeout), files.lock("engineer"):
        pass
    with files.lock("engineer"):
        pass
