"""Times and durations in the formats that users write."""

import pytest
from hypothesis import given, strategies as st

from memory_core.cli.common import arguments
from memory_core.cli.errors import CommandRefused
from memory_core.text.times import format_utc

NOW = 1_795_000_000.5  # 2026-11-18T11:06:40.500Z


def test_a_duration() -> None:
    for text, seconds in {
        "0d": 0,
        "45s": 45,
        "5m": 300,
        "12h": 43_200,
        "2w": 1_209_600,
        " 3 D ": 259_200,
        "36525d": 36_525 * 86_400,
    }.items():
        assert arguments.parse_duration(text) == seconds
    for text in ("", "d", "5", "5y", "-1d", "1.5d", "1d2h", "\u0663d", "36526d", "1\u212a"):
        with pytest.raises(CommandRefused, match="use a number and s, m, h, d or w"):
            arguments.parse_duration(text)


def test_a_moment() -> None:
    for text, moment in {
        "2d": "2026-11-16T11:06:40.500Z",
        "36525d": "1970-01-01T00:00:00.000Z",
        "2026-11-17": "2026-11-17T00:00:00.000Z",
        "2026-11-17T22:10": "2026-11-17T22:10:00.000Z",
        "2026-11-17 22:10:05": "2026-11-17T22:10:05.000Z",
        "2026-11-17T22:10:05.123Z": "2026-11-17T22:10:05.123Z",
        "2026-11-17 22:10:05-05:30": "2026-11-18T03:40:05.000Z",
        "1969-12-31": "1970-01-01T00:00:00.000Z",
        "9999-12-31": "9999-12-31T00:00:00.000Z",
    }.items():
        assert arguments.parse_time(text, NOW) == moment


def test_invalid_times() -> None:
    for text in (
        *("", "yesterday", "-1d", "5y", "2026-02-29", "2026-13-01", "26-11-01", "0000-01-01"),
        *("2026-11-17 22:60", "2026-11-17 22:10:62", "2026-11-17 22:10 CET"),
        "\u0662\u0660\u0662\u0666-11-17",
    ):
        with pytest.raises(CommandRefused, match="use 2d, 2026-11-20 or"):
            arguments.parse_time(text, NOW)


@given(st.integers(0, 4_000_000_000_000))
def test_times_of_records_are_read_exactly(milliseconds: int) -> None:
    text = format_utc(milliseconds / 1000)
    assert arguments.parse_time(text, NOW) == text
