"""history/AGENT.jsonl: what became of each item of a memory, one record a line.

Written under the agent's lock before the memory itself.  A writer that is killed in between
leaves records of changes that the next writer makes again.  Older versions packed many records
into one line, which is still read.
"""

from __future__ import annotations

import binascii
import os
import zlib
from contextlib import suppress

from memory_core.files import file_actions
from memory_core.files.safe_files import SafeFiles, UsedInPart
from memory_core.history.item_history import Record
from memory_core.text import fastjson

# The records of two branches are all true: git keeps both.
GIT_ATTRIBUTES = "*.jsonl merge=union\n"

# Records of older versions, which `state.db` has taken over.
RUN_KINDS = ("task", "error")

# Of a larger file the end is read, which is the newest part.
MAX_BYTES = 8_000_000

# All packed lines that are read unfold to this size at most, the newest ones first.
MAX_UNPACKED_BYTES = 8_000_000

# Of more records the newest are used: a hook has a second and 64 MB for all of its work.
MAX_RECORDS = 15_000

TEXT_KEYS = "time kind id agent text section nested was run session source origin change type"
TYPES: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(TEXT_KEYS.split(), (str,)),
    **dict.fromkeys(("v", "seq", "n", "confidence"), (int, float)),
}


class HistoryFile:
    """The history of one agent, in the file `path`."""

    def __init__(self, files: SafeFiles, path: str) -> None:
        self.files = files
        self.path = path

    def read(self) -> list[Record]:
        """Return the valid records, without those of runs; raises OSError.

        Incomplete lines and marks of a git conflict are skipped.
        """
        records = _parse_records(self._read_lines(), skip='"of": "runs"')
        return [record for record in records if record["kind"] not in RUN_KINDS]

    def read_runs(self) -> list[Record]:
        """Return the records of runs and errors, which older versions wrote; raises OSError."""
        records = _parse_records(self._read_lines())
        return [record for record in records if record["kind"] in RUN_KINDS]

    def _read_lines(self) -> list[str]:
        """Return the lines, of a very large file the newest ones."""
        data, is_whole = self.files.read_end(self.path, MAX_BYTES)
        if not is_whole:
            name = self.files.relative(self.path)
            self.files.refused[name] = UsedInPart(name, "is larger than 8 MB, its end is used")
        lines = _split_end(data, MAX_RECORDS)
        return lines if is_whole or len(lines) == MAX_RECORDS else lines[1:]

    def append(self, records: list[Record]) -> int:
        """Append records and return the size of the file before, for `truncate`; raises OSError.

        Return -1 if there are no records.
        """
        if not records:
            return -1
        attributes = os.path.join(os.path.dirname(self.path), ".gitattributes")
        file_actions.write_once(self.files, attributes, GIT_ATTRIBUTES)
        return self.files.append(self.path, _format_lines(records))

    def truncate(self, size: int) -> None:
        """Cut the file back to a size that `append` returned; records that stay do no harm."""
        with suppress(OSError):
            if size >= 0:
                file_actions.truncate(self.files, self.path, size)

    def drop_abouts(self, write: bool) -> int:
        """Remove what runs were about, which older versions wrote; return the number of records.

        The caller holds the agent's lock.  A file too large to be read whole is left as it is.
        Raises OSError.
        """
        status = self.files.status(self.path)
        lines = self._read_lines() if status and status.st_size <= MAX_BYTES else []
        changed = [_drop_about_of_line(line) for line in lines]
        count = sum(new != old for new, old in zip(changed, lines, strict=True))
        if count and write:
            self.files.replace(self.path, "".join(f"{line}\n" for line in changed).encode())
        return count


def _parse_records(lines: list[str], skip: str = "") -> list[Record]:
    """Return the newest records in these lines, without packed lines that begin with `skip`."""
    newest: list[str] = []
    room = MAX_UNPACKED_BYTES
    for line in reversed(lines):
        if len(newest) >= MAX_RECORDS:
            break
        if not _is_packed(line):
            newest.append(line)
        elif not skip or skip not in line[:40]:
            data = _unpack(str(fastjson.load_object(line).get("packed")), room)
            room -= len(data)
            newest += reversed(_split_end(data, MAX_RECORDS - len(newest)))
    values = map(fastjson.load_object, newest[MAX_RECORDS - 1 :: -1])
    return [value for value in values if _is_record(value)]


def _split_end(data: bytes, count: int) -> list[str]:
    """Return the last lines, at most `count`; of many lines, the others cost no memory."""
    lines = data.rsplit(b"\n", count)
    return [line.decode("utf-8", "replace") for line in lines[-count:]]


def _is_record(value: Record) -> bool:
    is_named = value.get("time") and value.get("kind") and value.get("id")
    # One pass over the keys: a writer reads thousands of records.
    is_typed = all(type(value[key]) in TYPES[key] for key in value if key in TYPES)
    return bool(is_named and is_typed) and 0 <= value.get("confidence", 0) <= 1


def _format_lines(records: list[Record]) -> bytes:
    return "".join(f"{fastjson.dumps(record)}\n" for record in records).encode()


def _drop_about_of_line(line: str) -> str:
    """Return a line, which may be packed, without `about`; other lines stay byte for byte."""
    inner = unpack_line(line).split("\n") if _is_packed(line) else [line]
    records = [record for record in map(fastjson.load_object, inner) if record]
    if not any("about" in record for record in records):
        return line
    records = [{name: one[name] for name in one if name != "about"} for one in records]
    if _is_packed(line):
        data = binascii.b2a_base64(zlib.compress(_format_lines(records), 9), newline=False)
        records = [{**fastjson.load_object(line), "packed": data.decode()}]
    return fastjson.dumps(records[0])


def unpack_line(line: str) -> str:
    """Return the lines in a packed line, "" for another line and for a damaged one."""
    if not _is_packed(line):
        return ""
    data = _unpack(str(fastjson.load_object(line).get("packed")), MAX_UNPACKED_BYTES)
    return data.decode("utf-8", "replace")


def _is_packed(line: str) -> bool:
    return line.startswith("{") and '"packed"' in line[:40]


def _unpack(text: str, room: int) -> bytes:
    """Return the lines in a packed one, b"" if it is damaged or larger than `room` bytes."""
    try:
        unpacking = zlib.decompressobj()
        data = unpacking.decompress(binascii.a2b_base64(text), max(room, 1))
        return data if unpacking.eof else b""
    except (binascii.Error, ValueError, zlib.error):
        return b""
