"""Memory files: mode, file names, links, list of agents."""

from __future__ import annotations

from pathlib import Path

from memory_core.storage import paths, store


def test_a_file_keeps_its_mode_and_file_name(tmp_path: Path) -> None:
    files = store.Store(paths.LevelPaths(str(tmp_path)))
    folder = Path(files.folder)
    folder.mkdir(parents=True)
    old = folder / "Code_Reviewer_agent.md"
    old.write_text("- a\n")
    old.chmod(0o640)
    files.write("code-reviewer", "- b\n", files.read("code-reviewer"))
    assert [path.name for path in folder.glob("*.md")] == ["Code_Reviewer_agent.md"]
    assert old.read_text() == "- b\n"
    assert old.stat().st_mode & 0o777 == 0o640


def test_a_link_within_the_folder_is_written_through(tmp_path: Path) -> None:
    files = store.Store(paths.LevelPaths(str(tmp_path)))
    folder = Path(files.folder)
    folder.mkdir(parents=True)
    (folder / "shared.md").write_text("- a\n")
    (folder / "engineer.md").symlink_to("shared.md")
    files.write("engineer", "- b\n", files.read("engineer"))
    assert (folder / "engineer.md").is_symlink()
    assert (folder / "shared.md").read_text() == "- b\n"


def test_the_agents_with_a_memory(tmp_path: Path) -> None:
    files = store.Store(paths.LevelPaths(str(tmp_path)))
    assert files.agents() == []
    folder = Path(files.folder)
    (folder / "archive").mkdir(parents=True)
    for name in ("README.md", "PM.md", "engineer.md", "QA_agent.md", "notes.txt"):
        (folder / name).write_text("")
    assert files.agents() == ["PM", "engineer", "qa"]


def test_an_archived_item_is_written_once_a_day(tmp_path: Path) -> None:
    files = store.Store(paths.LevelPaths(str(tmp_path)))
    files.append("archive", "engineer", ["a", "b"], "2026-11-20 10:00:00")
    files.append("archive", "engineer", ["b", "c"], "2026-11-20 11:00:00")
    files.append("archive", "engineer", ["c"], "2026-11-21 10:00:00")
    text = (Path(files.folder) / "archive" / "engineer.md").read_text()
    assert text == "## 2026-11-20\n\n- a\n- b\n- c\n\n## 2026-11-21\n\n- c\n"
