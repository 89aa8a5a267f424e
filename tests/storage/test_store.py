"""Memory files: mode, file names, links, list of agents."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_core.files.safe_files import Refused, TooLarge
from memory_core.storage import paths, store


def open_store(root: Path) -> store.Store:
    return store.Store(paths.LevelPaths(str(root), {"HOME": str(root.parent)}))


def test_a_file_keeps_its_mode_and_file_name(tmp_path: Path) -> None:
    files = open_store(tmp_path)
    folder = Path(files.folder)
    folder.mkdir(parents=True)
    old = folder / "Code_Reviewer_agent.md"
    old.write_text("- a\n")
    old.chmod(0o640)
    files.write("code-reviewer", "- b\n", files.read("code-reviewer"))
    assert [path.name for path in folder.glob("*.md")] == ["Code_Reviewer_agent.md"]
    assert old.read_text() == "- b\n"
    assert old.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("is_inside", [True, False])
def test_a_link_is_no_memory_file(tmp_path: Path, is_inside: bool) -> None:
    files = open_store(tmp_path / "project")
    folder = Path(files.folder)
    folder.mkdir(parents=True)
    target = (folder if is_inside else tmp_path) / "shared.md"
    target.write_text("- a\n")
    (folder / "engineer.md").symlink_to(target)
    assert files.read("engineer") is None
    with pytest.raises(Refused, match=r"engineer\.md is a link, which is not followed"):
        files.write("engineer", "- b\n", None)
    assert target.read_text() == "- a\n"


def test_a_link_of_the_user_is_written_through(tmp_path: Path) -> None:
    files = store.Store(paths.LevelPaths(str(tmp_path), {"HOME": str(tmp_path)}, is_user=True))
    folder = Path(files.folder)
    folder.mkdir(parents=True)
    (tmp_path / "shared.md").write_text("- a\n")
    (folder / "engineer.md").symlink_to("../../shared.md")
    files.write("engineer", "- b\n", files.read("engineer"))
    assert (folder / "engineer.md").is_symlink()
    assert (tmp_path / "shared.md").read_text() == "- b\n"


def test_a_huge_memory_file_is_not_read(tmp_path: Path) -> None:
    files = open_store(tmp_path)
    folder = Path(files.folder)
    folder.mkdir(parents=True)
    with (folder / "engineer.md").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(TooLarge, match=r"engineer\.md is larger than 1 MB"):
        files.read("engineer")


def test_the_agents_with_a_memory(tmp_path: Path) -> None:
    files = open_store(tmp_path)
    assert files.agents() == []
    folder = Path(files.folder)
    (folder / "archive").mkdir(parents=True)
    for name in ("README.md", "PM.md", "engineer.md", "QA_agent.md", "notes.txt"):
        (folder / name).write_text("")
    assert files.agents() == ["PM", "engineer", "qa"]


def test_an_archived_item_is_written_once_a_day(tmp_path: Path) -> None:
    files = open_store(tmp_path)
    files.add_to_archive("engineer", ["a", "b"], "2026-11-20 10:00:00")
    files.add_to_archive("engineer", ["b", "c"], "2026-11-20 11:00:00")
    files.add_to_archive("engineer", ["c"], "2026-11-21 10:00:00")
    text = (Path(files.folder) / "archive" / "engineer.md").read_text()
    assert text == "## 2026-11-20\n\n- a\n- b\n- c\n\n## 2026-11-21\n\n- c\n"


def test_an_archive_that_is_too_large_to_be_compared_gets_items_at_its_end(tmp_path: Path) -> None:
    files = open_store(tmp_path)
    files.add_to_archive("engineer", ["a"], "2026-11-20 10:00:00")
    path = Path(files.folder) / "archive" / "engineer.md"
    with path.open("a") as file:
        file.write("- x\n" * 300_000)
    files.add_to_archive("engineer", ["b", "c"], "2026-11-21 10:00:00")
    assert path.read_text().endswith("- x\n\n## 2026-11-21\n\n- b\n- c\n")
