"""The events of a log, newest first."""

from __future__ import annotations

import json
from itertools import islice

import pytest

from memory_core.monitor import latest_events
from memory_core.monitor.latest_events import read_latest
from support.sandbox import Sandbox


def write_log(sandbox: Sandbox, name: str, *lines: str) -> None:
    sandbox.state.mkdir(parents=True, exist_ok=True)
    text = "".join(f"{line}\n" for line in lines)
    (sandbox.state / name).write_text(text, encoding="utf-8")


def make_lines(first: int, count: int, text: str = "") -> list[str]:
    return [json.dumps({"event": "x", "number": first + at, "text": text}) for at in range(count)]


def read_numbers(sandbox: Sandbox) -> list[int]:
    return [event["number"] for event in read_latest(sandbox.paths.state)]


@pytest.mark.parametrize("part", [1, 7, 50, 100_000])
def test_all_files_are_read_backwards(
    sandbox: Sandbox, part: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(latest_events, "PART_BYTES", part)
    assert read_numbers(sandbox) == []
    for at, name in enumerate(("events.2.jsonl", "events.1.jsonl", "events.jsonl")):
        write_log(sandbox, name, *make_lines(at * 10, 10, "é" * at))
    assert read_numbers(sandbox) == [*range(30)][::-1]


def test_other_lines_are_skipped(sandbox: Sandbox) -> None:
    write_log(sandbox, "events.jsonl", "", "no event", *make_lines(1, 2), "[1]", '{"event": "cut')
    assert read_numbers(sandbox) == [2, 1]


def test_only_what_is_wanted_is_read(sandbox: Sandbox) -> None:
    write_log(sandbox, "events.jsonl", *make_lines(0, 9_000, "x" * 50))
    newest = islice(read_latest(sandbox.paths.state), 3)
    assert [event["number"] for event in newest] == [8999, 8998, 8997]
