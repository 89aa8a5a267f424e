"""Receipts and run records: ids as file names, reading, clearing."""

from __future__ import annotations

import os
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from memory_core.storage import hook_files, paths, run_records


@given(st.text(st.characters(codec=None)))
def test_every_id_is_one_plain_part_of_a_path(name: str) -> None:
    plain = run_records.file_name_of(name)
    assert run_records.is_safe_id(plain) == bool(name)
    assert plain == name or not run_records.is_safe_id(name)


def make_level(folder: Path) -> paths.LevelPaths:
    return paths.LevelPaths(str(folder), {"HOME": str(folder)})


def test_a_record_combines_all_notes_of_a_run(tmp_path: Path) -> None:
    place = make_level(tmp_path)
    records = run_records.SessionRuns(place, "s1")
    assert records.record("a1") == {}
    records.note("a1", agent="engineer", keys=["x"])
    records.note("a1", ended=1.5, keys=["y"])
    path = Path(place.state.locate("runs", "s1", "a1.jsonl"))
    path.write_text(path.read_text() + '{"torn')
    assert records.record("a1") == {"agent": "engineer", "ended": 1.5, "keys": ["x", "y"]}


def test_only_old_records_are_cleared(tmp_path: Path) -> None:
    place = make_level(tmp_path)
    for session in ("old", "young"):
        run_records.SessionRuns(place, session).note("a1", agent="engineer")
        run_records.SessionRuns(place, session).add_receipt("toolu_1", "engineer")
    long_ago = 1_700_000_000
    for kind in ("runs", "receipts"):
        folder = Path(place.state.locate(kind, "old"))
        for path in [*folder.iterdir(), folder]:
            os.utime(path, (long_ago, long_ago))
    hook_files.clear_old(place)
    assert run_records.SessionRuns(place, "old").record("a1") == {}
    assert run_records.SessionRuns(place, "young").record("a1")
    assert run_records.SessionRuns(place, "young").find_open_receipts("engineer", "a1")
