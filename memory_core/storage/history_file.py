"""history/AGENT.jsonl: what became of each item of a memory, one record a line.

Written under the agent's lock before the memory itself.  A writer that is killed in between
leaves records of changes that the next writer makes again.
"""

from __future__ import annotations

import os

from memory_core.storage import file_io
from memory_core.text import digests, fastjson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memory_core.history.item_history import Record

# The records of two branches are all true: git keeps both.
GIT_ATTRIBUTES = "*.jsonl merge=union\n"

# From this size of plain lines on, about 1,200 records, the older ones are packed.
MIN_PACK_BYTES = 256 * 1024

# What a packed line holds: records of items, or of finished runs and errors.
ITEM_RECORDS, RUN_RECORDS = "items", "runs"

# The newest records, which stay lines that people can read.
PLAIN_LINES = 200

# A packed line may unfold to this size: far above any history, so that none fills the memory.
MAX_UNPACKED_BYTES = 256 * 1024 * 1024

TEXT_KEYS = (
    *("time", "kind", "id", "agent", "text", "section", "nested", "was", "after", "run"),
    *("session", "source", "origin", "change", "type", "outcome", "tool", "resolution"),
)
NUMBER_KEYS = ("v", "n", "confidence", "duration_ms", "tokens", "tool_uses")
TYPED_KEYS = frozenset((*TEXT_KEYS, *NUMBER_KEYS))


def read(path: str, runs: bool = True) -> list[Record]:
    """Return the valid records of a history; raises OSError.

    Incomplete lines and marks of a git conflict are skipped.  Without `runs`, packed records of
    runs are not decoded.
    """
    text = _read_file(path)
    return _parse_records(text, skip="" if runs else f'"of": "{RUN_RECORDS}"')


def _read_file(path: str) -> str:
    return file_io.read_bytes(path).decode("utf-8", "replace")


def read_learned_times(path: str, since: str) -> list[str]:
    """Return the times from `since` on at which items were learned, in any order.

    Items whose learning was undone do not count.  Raises OSError.
    """
    from memory_core.history import item_history

    records = item_history.sort_records(read(path, runs=False))
    undone = item_history.find_undone(records)
    learned = {
        (record["time"], record["id"])
        for record in records
        if record["kind"] == "learned" and item_history.change_of(record) not in undone
    }
    return [time for time, _id in learned if time >= since]


def find_bad_lines(path: str) -> list[int]:
    """Return the numbers of the lines that `read` skips, [] if the file cannot be read."""
    lines = file_io.read_text(path).split("\n")
    return [
        number for number, line in enumerate(lines, 1) if line.strip() and not _parse_records(line)
    ]


def _parse_records(text: str, skip: str = "") -> list[Record]:
    lines = text.split("\n")
    if skip:
        lines = [line for line in lines if skip not in line[:40] or not _is_packed(line)]
    records: list[Record] = []
    for value in _load_objects(lines):
        if "packed" in value:
            records += filter(_is_record, _load_objects(_unpack(str(value["packed"])).split("\n")))
        elif _is_record(value):
            records.append(value)
    return records


def _load_objects(lines: list[str]) -> list[dict[str, Any]]:
    """Return the lines that are JSON objects."""
    lines = [line for line in lines if line.startswith("{")]
    try:
        values = fastjson.loads(f"[{','.join(lines)}]")  # all at once takes a third less time
    except ValueError:
        values = [fastjson.load_object(line) for line in lines]
    return [value for value in values if type(value) is dict]


def _is_record(value: Record) -> bool:
    if not (value.get("time") and value.get("kind") and value.get("id")):
        return False
    # One pass over the keys: a writer reads thousands of records.
    return all(
        type(value[key]) in ((int, float) if key in NUMBER_KEYS else (str,))
        for key in value
        if key in TYPED_KEYS
    )


def append(path: str, records: list[Record]) -> int:
    """Append records and return the size of the file before, for `truncate`; raises OSError.

    Return -1 if there are no records.
    """
    if not records:
        return -1
    folder = os.path.dirname(path)
    os.makedirs(folder, exist_ok=True)
    file_io.write_once(os.path.join(folder, ".gitattributes"), GIT_ATTRIBUTES)
    return file_io.append(path, _format_lines(records))


def _format_lines(records: list[Record]) -> bytes:
    return "".join(f"{fastjson.dumps(record)}\n" for record in records).encode()


def truncate(path: str, size: int) -> None:
    """Cut the file back to a size that `append` returned; records that stay do no harm."""
    try:
        if size >= 0:
            os.truncate(path, size)
    except OSError:
        pass


def pack(path: str, size: int) -> None:
    """Pack the older records into one line if a history of `size` bytes has grown large.

    The caller holds the agent's lock.  Nothing is lost: a packed line holds the records
    unchanged, and lines that are packed already stay unchanged, even unreadable ones.  A
    failure to write leaves the file unchanged.
    """
    if size < MIN_PACK_BYTES:
        return
    lines = _read_file(path).split("\n")
    packed = [line for line in lines if _is_packed(line)]
    plain = [line for line in lines if not _is_packed(line)]
    if sum(map(len, plain)) < MIN_PACK_BYTES:
        return
    # By their text: a merge of branches may have doubled records.
    unique = {fastjson.dumps(record): record for record in _parse_records("\n".join(plain))}
    records = sorted(unique.values(), key=lambda record: str(record["time"]))
    older, newer = records[:-PLAIN_LINES], records[-PLAIN_LINES:]
    # Runs and errors are the most, and writers do not need them.
    runs = [record for record in older if record["kind"] in ("task", "error")]
    items = [record for record in older if record["kind"] not in ("task", "error")]
    for kind, part in ((ITEM_RECORDS, items), (RUN_RECORDS, runs)):
        if part:
            line = {"v": digests.RECORD_VERSION, "of": kind, "packed": _compress(part)}
            packed.append(fastjson.dumps(line))
    data = "".join(f"{line}\n" for line in packed).encode() + _format_lines(newer)
    try:
        file_io.replace(path, data)
    except OSError:
        pass


def _is_packed(line: str) -> bool:
    return line.startswith("{") and '"packed"' in line[:40]


def _compress(records: list[Record]) -> str:
    import binascii
    import zlib

    data = zlib.compress(_format_lines(records), 9)
    return binascii.b2a_base64(data, newline=False).decode()


def _unpack(text: str) -> str:
    """Return the lines in a packed one, "" if it is damaged."""
    import binascii
    import zlib

    try:
        unpacking = zlib.decompressobj()
        data = unpacking.decompress(binascii.a2b_base64(text), MAX_UNPACKED_BYTES)
        return data.decode("utf-8", "replace") if unpacking.eof else ""
    except (binascii.Error, ValueError, zlib.error):
        return ""
