"""state.db: made when something is kept, taken over, set aside when damaged, left when newer."""

from __future__ import annotations

import sqlite3
import stat
from pathlib import Path

import pytest

from memory_core.storage.database import state_db
from memory_core.storage.paths import StateFiles


@pytest.fixture
def state(tmp_path: Path) -> StateFiles:
    (tmp_path / "shop").mkdir()
    return StateFiles(str(tmp_path / "shop"), str(tmp_path / "state"))


def add(state: StateFiles, name: str, value: str = "1") -> None:
    def insert(db: sqlite3.Connection) -> None:
        db.execute("INSERT INTO notes VALUES (?, ?)", (name, value))

    state_db.write(state, insert)


def list_names(state: StateFiles) -> list[str]:
    return state_db.read(
        state,
        lambda db: [name for (name,) in db.execute("SELECT name FROM notes WHERE name != 'id'")],
    )


def locate(state: StateFiles) -> Path:
    return Path(state.locate(state_db.FILE_NAME))


def test_reading_makes_no_file(state: StateFiles) -> None:
    assert list_names(state) == []
    assert not Path(state.root).exists()


def test_what_is_written_is_there_for_this_user_alone(state: StateFiles) -> None:
    add(state, "a")
    assert list_names(state) == ["a"]
    assert stat.S_IMODE(locate(state).stat().st_mode) == 0o600


def test_a_failed_change_is_gone_as_a_whole(state: StateFiles) -> None:
    add(state, "a")

    def insert_twice(db: sqlite3.Connection) -> None:
        db.execute("INSERT INTO notes VALUES ('b', '1')")
        db.execute("INSERT INTO notes VALUES ('a', '1')")

    with pytest.raises(OSError, match="UNIQUE"):
        state_db.write(state, insert_twice)
    assert list_names(state) == ["a"]


@pytest.mark.parametrize("size", [0, 100, 4096, 8192])
def test_a_cut_file_is_set_aside(state: StateFiles, size: int) -> None:
    add(state, "a", "x" * 20_000)
    locate(state).write_bytes(locate(state).read_bytes()[:size])
    assert list_names(state) == []
    add(state, "b")
    assert list_names(state) == ["b"]
