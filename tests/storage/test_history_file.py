"""Packing of a large history file, after which all queries have the same results."""

from __future__ import annotations

import base64
import json
import random
import zlib
from pathlib import Path
from typing import Any

import pytest

from memory_core.files.safe_files import SafeFiles
from memory_core.history import item_history
from memory_core.storage import history_file
from support.command_line import Person
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


def plain(path: Path) -> list[str]:
    return [line for line in path.read_text().splitlines() if '"packed"' not in line]


@pytest.fixture
def large(sandbox: Sandbox) -> Path:
    """Create a memory history that is large enough to be packed at the next write."""
    path = sandbox.memories / "history" / "engineer.jsonl"
    open_history(path).append(make_records(1600))
    known = item_history.History(open_history(path).read())
    sandbox.write_memory("engineer", *[each.text for each in known if each.is_present])
    text = (sandbox.memories / "engineer.md").read_text().replace("Project Architecture", "A")
    (sandbox.memories / "engineer.md").write_text(text)
    assert path.stat().st_size > history_file.MIN_PACK_BYTES
    return path


def open_history(path: Path) -> history_file.HistoryFile:
    return history_file.HistoryFile(SafeFiles(str(path.parent)), path.name)


def pack(path: Path) -> None:
    open_history(path).pack(path.stat().st_size)


def test_the_next_write_packs(sandbox: Sandbox, large: Path, tmp_path: Path) -> None:
    person = Person(sandbox, tmp_path)
    before = person.read_json("log")
    item = person.read_json("list", "engineer")[0]
    assert person.run("confirm", "engineer", item["id"]).returncode == 0
    assert len(large.read_text().splitlines()) == 1 + history_file.PLAIN_LINES
    after = person.read_json("log")
    assert after[0]["kind"] == "confirmed"
    assert after[1:] == before
    assert len(plain(large)) == history_file.PLAIN_LINES
    packed = large.read_bytes()
    pack(large)
    assert large.read_bytes() == packed


def test_a_small_history_is_not_packed(tmp_path: Path) -> None:
    path = tmp_path / "qa.jsonl"
    open_history(path).append(make_records(300))
    before = path.read_bytes()
    pack(path)
    assert path.read_bytes() == before


def test_runs_of_older_versions_are_read_apart_and_packed_lines_stay(large: Path) -> None:
    tasks = [
        {"v": 1, "time": at(number), "kind": "task", "id": f"{number:010}", "outcome": "done"}
        for number in range(300)
    ]
    open_history(large).append(tasks)
    pack(large)
    packed, *rest = large.read_text().splitlines()
    old = packed.replace('"packed"', '"of": "runs", "packed"', 1)  # items are not expected in it
    assert len(open_history(large).read()) == 1600
    assert len(open_history(large).read_runs()) == 300
    open_history(large).append(make_records(1600, first=1600))
    pack(large)
    assert large.read_text().splitlines()[0] == packed
    assert len(open_history(large).read()) == 3200
    large.write_text("\n".join([old, *rest, ""]))
    assert len(open_history(large).read()) == len(rest) == history_file.PLAIN_LINES
    assert len(open_history(large).read_runs()) == 300


def test_what_runs_were_about_is_removed_from_packed_lines(large: Path) -> None:
    records = open_history(large).read()
    lines = [json.dumps({**record, "about": "invoices"}) for record in records]
    large.write_text("\n".join([*lines, ""]))
    pack(large)
    packed, *rest = large.read_text().splitlines()
    large.write_text("\n".join([packed, packed[:-9], *rest, ""]))
    assert open_history(large).drop_abouts(write=True) == 1 + len(rest)
    assert open_history(large).drop_abouts(write=True) == 0
    assert open_history(large).read() == records
    assert large.read_text().splitlines()[1] == packed[:-9]


def test_a_damaged_packed_line_is_skipped_and_kept(large: Path) -> None:
    pack(large)
    packed, *rest = large.read_text().splitlines()
    for damaged in (packed[: len(packed) // 10], packed[:-9], packed[:100] + packed[200:]):
        large.write_text("\n".join([damaged, *rest, ""]))
        assert open_history(large).read() == [json.loads(line) for line in rest]
    open_history(large).append(make_records(1600, first=1600))
    pack(large)
    assert large.read_text().splitlines()[0] == damaged


@pytest.mark.parametrize("text", ["", "no base64 ~", "AAAA", "eJwDAAAAAAE="])
def test_packed_lines_of_other_programs_are_skipped(tmp_path: Path, text: str) -> None:
    path = tmp_path / "qa.jsonl"
    (record,) = make_records(1)
    path.write_text(json.dumps({"v": 1, "packed": text}) + "\n" + json.dumps(record) + "\n")
    assert open_history(path).read() == [record]


@pytest.mark.parametrize("seed", range(5))
def test_a_packed_and_an_unpacked_branch_merge(large: Path, seed: int) -> None:
    base = open_history(large).read()
    ours, theirs = make_records(30, 1600), make_records(30, 1700)
    other = large.with_name("other.jsonl")
    open_history(other).append([*base, *theirs])
    open_history(large).append(ours)
    pack(large)
    lines = list(dict.fromkeys([*large.read_text().splitlines(), *other.read_text().splitlines()]))
    random.Random(seed).shuffle(lines)  # as a union merge may order them
    large.write_text("\n".join([*lines, ""]))
    merged = item_history.sort_records(open_history(large).read())
    assert merged == item_history.sort_records([*base, *ours, *theirs])
    pack(large)
    assert item_history.sort_records(open_history(large).read()) == merged


def test_of_a_huge_history_the_newest_part_is_read(sandbox: Sandbox) -> None:
    path = sandbox.memories / "history" / "engineer.jsonl"
    (record,) = make_records(1)
    open_history(path).append([record])
    with path.open("r+b") as file:
        file.truncate(1 << 40)
    newest = make_records(3, first=10)
    open_history(path).append(newest)
    assert open_history(path).read() == newest
    pack(path)  # it is too large to be read whole, so it stays
    assert path.stat().st_size > 1 << 40


def test_packed_lines_unfold_to_a_limited_size(tmp_path: Path) -> None:
    """The newest lines count; a few kilobytes may hold gigabytes."""
    path = tmp_path / "qa.jsonl"
    huge = b" " * history_file.MAX_UNPACKED_BYTES
    line = {"v": 1, "packed": base64.b64encode(zlib.compress(huge + b"\n")).decode()}
    (record,) = make_records(1)
    path.write_text(f"{json.dumps(line)}\n" * 50 + json.dumps(record) + "\n")
    assert open_history(path).read() == [record]
