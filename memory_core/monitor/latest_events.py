"""Read the events of a log backwards.  A page shows the newest ones, and the log may have 15 MB."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from memory_core.files.safe_files import SafeFiles
from memory_core.storage import event_log
from memory_core.text import fastjson

PART_BYTES = 128 * 1024


def read_latest(state: SafeFiles) -> Iterator[dict[str, Any]]:
    """Yield the logged events, newest first; lines that are not events are skipped."""
    for name in event_log.FILES[::-1]:
        try:
            descriptor = state.open(name, os.O_RDONLY)
        except OSError:
            continue  # not there yet, or refused
        try:
            for line in _read_lines(descriptor):
                event = fastjson.load_object(line.decode("utf-8", "replace"))
                if event:
                    yield event
        finally:
            os.close(descriptor)


def _read_lines(descriptor: int) -> Iterator[bytes]:
    """Yield the lines of a file, the last one first."""
    end, rest = os.fstat(descriptor).st_size, b""
    while end > 0:
        start = max(0, end - PART_BYTES)
        first, *lines = (os.pread(descriptor, end - start, start) + rest).split(b"\n")
        yield from reversed(lines)
        end, rest = start, first
    yield rest
