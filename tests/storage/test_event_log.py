"""The event log: rotation, incomplete lines, times."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from memory_core.monitor import log_reading
from memory_core.storage import event_log, hook_files, run_records
from memory_core.storage.paths import LevelPaths
from memory_core.text.times import format_utc
from support.processes import read_output, release_programs, start_program


@pytest.fixture
def place(tmp_path: Path) -> LevelPaths:
    return LevelPaths(str(tmp_path), {"HOME": str(tmp_path)})


def test_a_rotated_log_is_read_whole(place: LevelPaths, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_log, "MAX_BYTES", 500_000)
    for number in range(45):
        event_log.write(place, f"agent.memory.{'ab'[number % 2]}", number=number, x="x" * 60_000)
    assert place.state.list_names() == [*sorted(event_log.FILES), "project.json"]
    numbers = [event["number"] for event in log_reading.read(place)]
    assert numbers == list(range(numbers[0], 45))
    assert 9 < len(numbers) < 45
    odd = [number for number in numbers if number % 2]
    assert [event["number"] for event in log_reading.read(place, ["agent.memory.b"])] == odd


def numbers(place: LevelPaths) -> list[object]:
    return [event["number"] for event in log_reading.read(place)]


def test_a_torn_line_damages_no_other_line(place: LevelPaths) -> None:
    event_log.write(place, "agent.memory.loaded", number=1)
    path = Path(place.state.locate("events.jsonl"))
    path.write_text(path.read_text() + '{"torn')
    event_log.write(place, "agent.memory.loaded", number=2)
    event_log.write(place, "agent.memory.loaded", number=3)
    assert numbers(place) == [1, 2, 3]
    lines = path.read_text().splitlines()
    assert lines.pop(1) == '{"torn'
    assert [json.loads(line)["number"] for line in lines] == [1, 2, 3]


# A process limit simulates a disk that is full after ten more bytes.
FULL = """
import os, resource, sys
from memory_core.storage import event_log, paths
place = paths.LevelPaths(sys.argv[1], {"HOME": sys.argv[1]})
event_log.write(place, "agent.memory.loaded", number=1)
size = os.path.getsize(place.state.locate("events.jsonl")) + 10
resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
event_log.write(place, "agent.memory.loaded", number=2)
"""


def test_a_partly_written_line_is_reported(place: LevelPaths, tmp_path: Path) -> None:
    command = [sys.executable, "-c", FULL, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr.startswith("agent-memory: [Errno 28] only part of a line could be written")
    assert '"number": 2}\n' in done.stderr
    event_log.write(place, "agent.memory.loaded", number=3)
    assert numbers(place) == [1, 3]


# Waits in an audit hook, just before the interpreter makes the call.
PAUSING = """
import sys
from memory_core.storage import event_log, paths
def pause(event, _arguments):
    if event == sys.argv[2]:
        print("ready", flush=True)
        sys.stdin.read()
sys.addaudithook(pause)
place = paths.LevelPaths(sys.argv[1], {"HOME": sys.argv[1]})
event_log.write(place, "agent.memory.loaded", number=0)
"""


@pytest.mark.parametrize("call", ["fcntl.flock", "os.rename"])
def test_two_processes_that_rotate_the_log_lose_no_line(
    place: LevelPaths, tmp_path: Path, call: str
) -> None:
    path = Path(place.state.make_folder()) / event_log.FILE_NAME
    path.write_text(json.dumps({"number": -1, "filler": "x" * event_log.MAX_BYTES}) + "\n")
    slow = start_program(PAUSING, tmp_path, call)
    event_log.write(place, "agent.memory.loaded", number=1)
    event_log.write(place, "agent.memory.loaded", number=2)
    release_programs([slow])
    read_output(slow)
    assert numbers(place) == [-1, 0, 1, 2]
    assert path.with_name("events.1.jsonl").stat().st_size > event_log.MAX_BYTES


def test_times_are_utc_with_milliseconds() -> None:
    assert format_utc(1_795_221_786.25) == "2026-11-21T00:43:06.250Z"


# Receipts and run records: ids as file names, reading, clearing.


@given(st.text(st.characters(codec=None)))
def test_every_id_is_one_plain_part_of_a_path(name: str) -> None:
    plain = run_records.file_name_of(name)
    assert run_records.is_safe_id(plain) == bool(name)
    assert plain == name or not run_records.is_safe_id(name)


def test_a_record_combines_all_notes_of_a_run(place: LevelPaths) -> None:
    records = run_records.SessionRuns(place, "s1")
    assert records.record("a1") == {}
    records.note("a1", agent="engineer", keys=["x"])
    records.note("a1", ended=1.5, keys=["y"])
    path = Path(place.state.locate("runs", "s1", "a1.jsonl"))
    path.write_text(path.read_text() + '{"torn')
    assert records.record("a1") == {"agent": "engineer", "ended": 1.5, "keys": ["x", "y"]}


def test_only_old_records_are_cleared(place: LevelPaths) -> None:
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
