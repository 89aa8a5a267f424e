"""History files: large ones, and those whose older lines an older version has packed."""

import base64
import json
import zlib
from pathlib import Path
from typing import Any

import pytest

from memory_core.files.safe_files import SafeFiles
from memory_core.history import item_history
from memory_core.storage import history_file
from support.memory_files import pack_history
from support.sandbox import Sandbox

WORDS = [f"Fact number {number} of the shop" for number in range(40)]


def at(number: int) -> str:
    return f"2026-11-{1 + number // 1440:02}T{number // 60 % 24:02}:{number % 60:02}:00.000Z"


def make_records(count: int, first: int = 0) -> list[item_history.Record]:
    """Return records of items that are learned, confirmed, evicted and restored."""
    kinds = ("learned", "reinforced", "evicted", "restored")
    records = []
    for number in range(first, first + count):
        text, kind = WORDS[number % len(WORDS)], kinds[number // len(WORDS) % 4]
        fields: dict[str, Any] = {"section": "A", "run": f"a{number}", "source": "agent"}
        fields |= {"agent": "engineer", "change": f"{at(number)}-{first}", "session": "s" * 60}
        records.append(item_history.make_record(kind, at(number), text, **fields))
    return records


RECORDS, RUNS, PLAIN_LINES = make_records(1600), 300, 200


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """Create a history with lines of items and runs that an older version packed."""
    path = tmp_path / "engineer.jsonl"
    task = {"v": 1, "kind": "task", "outcome": "done"}
    tasks = [{**task, "time": at(number), "id": f"{number:010}"} for number in range(RUNS)]
    open_history(path).append(tasks)
    open_history(path).append(RECORDS)
    pack_history(path, PLAIN_LINES)
    return path


def open_history(path: Path) -> history_file.HistoryFile:
    return history_file.HistoryFile(SafeFiles(str(path.parent)), path.name)


def test_packed_lines_are_read_and_runs_apart(large: Path) -> None:
    history = open_history(large)
    assert history.read() == RECORDS
    assert len(history.read_runs()) == RUNS
    history.append(make_records(3, first=1600))
    assert history.read() == [*RECORDS, *make_records(3, first=1600)]


def test_what_runs_were_about_is_removed_from_packed_lines(tmp_path: Path) -> None:
    path = tmp_path / "qa.jsonl"
    path.write_text("".join(json.dumps({**one, "about": "invoices"}) + "\n" for one in RECORDS))
    pack_history(path, PLAIN_LINES)
    packed, *rest = path.read_text().splitlines()
    path.write_text("\n".join([packed, packed[:-9], *rest, ""]))
    assert open_history(path).drop_abouts(write=True) == 1 + len(rest)
    assert open_history(path).drop_abouts(write=True) == 0
    assert open_history(path).read() == RECORDS
    assert path.read_text().splitlines()[1] == packed[:-9]


def test_a_damaged_packed_line_is_skipped(large: Path) -> None:
    packed, runs, *rest = large.read_text().splitlines()
    odd = [json.dumps({"v": 1, "packed": text}) for text in ("", "no base64 ~", "eJwDAAAAAAE=")]
    for damaged in (packed[: len(packed) // 10], packed[:-9], packed[:100] + packed[200:], *odd):
        large.write_text("\n".join([damaged, runs, *rest, ""]))
        assert open_history(large).read() == [json.loads(line) for line in rest]


def test_of_a_huge_history_the_newest_part_is_read(sandbox: Sandbox) -> None:
    path = sandbox.memories / "history" / "engineer.jsonl"
    (record,) = make_records(1)
    open_history(path).append([record])
    with path.open("r+b") as file:
        file.truncate(1 << 40)
    newest = make_records(3, first=10)
    open_history(path).append(newest)
    assert open_history(path).read() == newest


def test_packed_lines_unfold_to_a_limited_size(tmp_path: Path) -> None:
    """The newest lines count; a few kilobytes may hold gigabytes."""
    path = tmp_path / "qa.jsonl"
    huge = b" " * history_file.MAX_UNPACKED_BYTES
    line = {"v": 1, "packed": base64.b64encode(zlib.compress(huge + b"\n")).decode()}
    (record,) = make_records(1)
    path.write_text(f"{json.dumps(line)}\n" * 50 + json.dumps(record) + "\n")
    assert open_history(path).read() == [record]
