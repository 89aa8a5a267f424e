"""The table of changes: texts before and after, versions, changes that an editor had not seen."""

from __future__ import annotations

import itertools
import sqlite3
from pathlib import Path

import pytest

from memory_core.storage.database import change_table, state_db
from memory_core.storage.database.change_table import LAST, NEW, OLD, TextStep
from memory_core.storage.paths import LevelPaths
from memory_core.text import digests

QA = "qa"


@pytest.fixture
def paths(tmp_path: Path) -> LevelPaths:
    (tmp_path / "shop").mkdir()
    return LevelPaths(str(tmp_path / "shop"), {"HOME": str(tmp_path / "home")})


def write(paths: LevelPaths, *texts: str | None, stem: str = QA) -> None:
    """Write the texts one after the other; the change to "b" is "b", at the time "tb"."""
    number = change_table.read_sequence(paths)
    for before, after in itertools.pairwise(texts):
        number += 1
        times = (f"t{before}" if before else "", f"t{after}" if after else "")
        name = f"{after}{len(change_table.list_changes(paths, stem))}"
        change_table.begin(paths, stem, number, [TextStep(name, before, after, *times)])
        change_table.finish(paths, stem, [name])


@pytest.mark.parametrize(
    "texts",
    [
        (None, "a"),
        ("a", None),
        ("a", "b"),
        ("a", "a"),
        ("\udce9\ud83d", "é\0\r\n"),
        ("", "x" * 10**6),
    ],
)
def test_a_step_keeps_both_texts(paths: LevelPaths, texts: tuple[str | None, str | None]) -> None:
    change_table.begin(paths, QA, 1, [TextStep("c1", *texts)])
    assert change_table.read_steps(paths, QA, ["c1", "c2"]) == {"c1": TextStep("c1", *texts)}
    assert change_table.read_steps(paths, "ops", ["c1"]) == {}


def test_older_changes_lose_their_texts(paths: LevelPaths, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(change_table, "KEPT_TEXTS", 2)
    write(paths, "x", "y", stem="ops")
    write(paths, "a", "b", "c", "d")
    steps = change_table.read_steps(paths, QA, ["b0", "c1", "d2"])
    assert [step and step.before for step in steps.values()] == [None, "b", "c"]
    assert change_table.identify(paths, QA, "a") == OLD
    assert change_table.read_steps(paths, "ops", ["y0"])["y0"] == TextStep("y0", "x", "y")
    monkeypatch.setattr(change_table, "KEPT_ROWS", 3)
    write(paths, "d", "e")
    assert change_table.list_changes(paths, QA) == ["c1", "d2", "e3"]
    assert change_table.list_kept(paths, QA) == ["d2", "e3"]


def test_two_writes_of_one_change_are_one_step(paths: LevelPaths) -> None:
    for texts in (("x", "a"), ("a", "b")):  # the first try has failed
        change_table.begin(paths, QA, 1, [TextStep("c1", *texts)])
    change_table.finish(paths, QA, ["c1"])
    change_table.begin(paths, QA, 2, [TextStep("c1", "b", "c")])
    assert change_table.read_steps(paths, QA, ["c1"]) == {"c1": TextStep("c1", "a", "c")}


def test_versions_are_recognised(paths: LevelPaths) -> None:
    write(paths, "a", "b", "c", "a")
    change_table.begin(paths, QA, 9, [TextStep("killed", "a", "k")])
    found = {text: change_table.identify(paths, QA, text) for text in "abck"}
    assert found == {"a": LAST, "b": OLD, "c": OLD, "k": NEW}


@pytest.mark.parametrize(
    ("before", "text", "expected"),
    [("a", "c", True), ("b", "c", True), ("c", "c", True), ("a", "b", False), ("x", "c", False)],
)
def test_only_writes_of_this_machine_continue_a_text(
    paths: LevelPaths, before: str, text: str, expected: bool
) -> None:
    write(paths, "a", "b", "c")
    assert change_table.is_continued(paths, QA, digests.hash_text(before), text) == expected


# Texts that were written, the time in an editor's header, and the changes that it has not seen.
LATER = [
    ("ab", "ta", ["b0"]),
    ("ab", "tb", []),
    ("abc", "ta", ["b0", "c1"]),
    ("abac", "ta", ["c2"]),  # undo has restored the version
    ("ab", "tx", None),
]


@pytest.mark.parametrize(("texts", "time", "expected"), LATER)
def test_later_changes(
    paths: LevelPaths, texts: str, time: str, expected: list[str] | None
) -> None:
    write(paths, *texts)
    assert change_table.list_later(paths, QA, time) == expected


def test_a_new_name_has_the_changes(paths: LevelPaths) -> None:
    write(paths, "a", "b")
    write(paths, "x", "y", stem="ops")
    state_db.write(paths.state, lambda db: change_table.rename(db, QA, "ops"))
    assert change_table.list_changes(paths, QA) == []
    assert change_table.read_steps(paths, "ops", ["b0", "y0"]) == {"b0": TextStep("b0", "a", "b")}


def test_the_number_of_a_change_is_that_of_all_agents(paths: LevelPaths) -> None:
    assert change_table.read_sequence(paths) == 0
    write(paths, "a", "b", "c")
    write(paths, "x", "y", stem="ops")
    assert change_table.read_sequence(paths) == 3


def test_a_locked_database_keeps_a_change_from_beginning(paths: LevelPaths) -> None:
    write(paths, "a", "b")
    paths.state.busy_seconds = 0.01
    other = sqlite3.connect(paths.state.locate(state_db.FILE_NAME), isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(OSError, match="locked"):
        write(paths, "b", "c")
    change_table.finish(paths, QA, ["b0"])  # the file is written: nothing is to be done again
    other.close()
    assert change_table.list_changes(paths, QA) == ["b0"]


def test_older_files_are_taken_over(paths: LevelPaths) -> None:
    a, b, c = map(digests.hash_text, "abc")
    paths.state.append("versions/qa", f"- c1 t1\n{a}\n{b}\nt1 c2 t2\nt2 c3 t3\n{b}\n{c}\n".encode())
    paths.state.append("versions/ops", b"damaged\n- c4 t4\n\xff\n")
    paths.state.append("sequence", b"6\n8\n7\n-1\nx\n")
    assert change_table.read_sequence(paths) == 8
    write(paths, "x", "y", stem="new")
    assert not [name for name in ("versions", "sequence") if paths.state.status(name)]
    assert change_table.list_changes(paths, QA) == ["c1", "c2", "c3"]
    assert change_table.list_changes(paths, "ops") == ["c4"]
    assert change_table.list_kept(paths, QA) == []  # nothing to undo
    found = {text: change_table.identify(paths, QA, text) for text in "abc"}
    assert found == {"a": OLD, "b": OLD, "c": LAST}
    assert change_table.list_later(paths, QA, "t1") == ["c2", "c3"]
    assert change_table.read_steps(paths, QA, ["c1", "c2"]) == {"c1": None, "c2": None}
