"""history/AGENT.jsonl beside the memories: what became of each item, one record a line.

Written under the agent's lock, before the memory itself is: a writer that is killed in
between leaves records of what the next one does again.
"""

from __future__ import annotations

import os

from memory_core import fastjson, places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memory_core.past import Record


def read(path: str) -> list[Record]:
    """Return the records of a history, those that are whole; raises OSError.

    A line that was torn, or that a merge left behind, is passed over.
    """
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = [line for line in file.read().split("\n") if line.startswith("{")]
    except FileNotFoundError:
        return []
    try:
        found = fastjson.loads(f"[{','.join(lines)}]")  # at once: in a third less time
    except ValueError:
        found = [_loaded(line) for line in lines]
    return [record for record in found if _is_whole(record)]


def _loaded(line: str) -> Any:
    try:
        return fastjson.loads(line)
    except ValueError:
        return None


def _is_whole(record: object) -> bool:
    """Say whether a record has what all have, and texts only."""
    if not isinstance(record, dict) or not all(map(record.get, ("time", "kind", "id"))):
        return False
    return all(type(record.get(key, "")) is str for key in TEXTS)


# Records of two branches are all true: git is to keep both.
ATTRIBUTES = "*.jsonl merge=union\n"

TEXTS = ("time", "kind", "id", "text", "section", "was", "run", "session", "source")


def append(path: str, records: list[Record]) -> int:
    """Add records at the end, on lines of their own even behind a torn one; raises OSError.

    Return how many bytes the file had, for `cut`; -1 where nothing is to be added.
    """
    if not records:
        return -1
    folder = os.path.dirname(path)
    os.makedirs(folder, exist_ok=True)
    places.write_once(os.path.join(folder, ".gitattributes"), ATTRIBUTES)
    data = "".join(f"{fastjson.dumps(record)}\n" for record in records).encode()
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
    descriptor = os.open(path, flags, 0o666)
    try:
        return places.append(path, descriptor, data)
    finally:
        os.close(descriptor)


def cut(path: str, size: int) -> None:
    """Take back what was appended to so many bytes; what cannot be cut does no harm."""
    try:
        if size >= 0:
            os.truncate(path, size)
    except OSError:
        pass
