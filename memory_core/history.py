"""history/AGENT.jsonl beside the memories: what became of each item, one record a line.

Written under the agent's lock, before the memory itself is: a writer that is killed in
between leaves records of what the next one does again.
"""

from __future__ import annotations

import os

from memory_core import digests, fastjson, places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from memory_core.past import Record

# Records of two branches are all true: git is to keep both.
ATTRIBUTES = "*.jsonl merge=union\n"

# From so many bytes of plain lines on, about 1,200 records, the older ones are packed.
PACK_AT = 256 * 1024

# What a packed line holds: what became of items, or finished runs and errors.
ITEMS, RUNS = "items", "runs"

# So many stay lines that people can read.
PLAIN = 200

# What a packed line may unfold to: far beyond any history, so that none fills the memory.
LARGEST = 256 * 1024 * 1024

TEXTS = (
    *("time", "kind", "id", "agent", "text", "section", "nested", "was", "after", "run"),
    *("session", "source", "origin", "change", "type", "outcome", "tool", "resolution"),
)
NUMBERS = ("v", "n", "confidence", "duration_ms", "tokens", "tool_uses")
TYPED = frozenset((*TEXTS, *NUMBERS))


def read(path: str, runs: bool = True) -> list[Record]:
    """Return the records of a history, those that are whole; raises OSError.

    A line that was torn, or that a merge left behind, is passed over.  Who has no need of
    the records of `runs` is spared those that are packed.
    """
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
    except FileNotFoundError:
        return []
    return _records(text, spared="" if runs else f'"of": "{RUNS}"')


def learned(path: str, since: str) -> list[str]:
    """Return when items were learned from a time on that were not taken back; raises OSError.

    Each time stands for one item, in no order.  Lines as we write them are not decoded: that
    takes the most time by far.
    """
    try:
        with open(path, "rb") as file:
            text = file.read().decode("utf-8", "replace")
    except FileNotFoundError:
        return []
    if '"packed"' in text:
        text = _with_packed(text, since)
    told = _learned_at_a_glance(text)
    if told is None:
        from memory_core import past

        records = past.ordered(_records(_young(text, since), is_packed=True))
        gone = past.undone(records)
        left = [each for each in records if past.change_of(each) not in gone]
        told = [(each["time"], each["id"]) for each in left if each["kind"] == "learned"]
    return [time for time, _id in set(told) if time >= since]


def _learned_at_a_glance(text: str) -> list[tuple[str, str]] | None:
    """Return (time, id) of what was learned; None where some of it cannot be seen so."""
    import re  # which a hook does without

    is_torn = text.count("}\n") < text.count("\n") or not text.endswith("\n")
    if is_torn or '"undone"' in text:
        return None
    told = re.findall('"time": "([^"]+)", "kind": "learned", "id": "([^"]+)"', text)
    return told if len(told) == text.count('"learned"') else None


def _young(text: str, since: str) -> str:
    """Return the lines that may tell of something learned since a time, or taken back."""
    lines = text.split("\n")
    young = [line for line in lines if '"learned"' in line and _may_be_since(line, since)]
    return "\n".join([*young, *(line for line in lines if '"undone"' in line)])


def _with_packed(text: str, since: str) -> str:
    """Unpack what may hold lines so young: each is older than PLAIN lines that are not packed."""
    lines = [line for line in text.split("\n") if line]
    plain = [line for line in lines if not _is_packed(line)]
    parts = ["\n".join(plain)]
    if sum(_may_be_since(line, since) for line in plain) >= PLAIN:
        for line in filter(_is_packed, lines):
            if f'"of": "{RUNS}"' not in line[:40]:
                parts.append(_unpacked(str((_loaded(line) or {}).get("packed"))).strip("\n"))
    return "".join(f"{part}\n" for part in parts if part)


def _may_be_since(line: str, since: str) -> bool:
    """Say whether a line may tell of so late a time; one that we did not write may."""
    before = '"time": "'
    at = line.find(before, 0, 60) + len(before)
    return at < len(before) or line[at : at + len(since)] >= since


def odd_lines(path: str) -> list[int]:
    """Return the numbers of the lines that `read` passes over, none where nothing can be read."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = file.read().split("\n")
    except OSError:
        return []
    return [number for number, line in enumerate(lines, 1) if line.strip() and not _records(line)]


def _records(text: str, is_packed: bool = False, spared: str = "") -> list[Record]:
    lines = [line for line in text.split("\n") if line.startswith("{")]
    if spared:
        lines = [line for line in lines if spared not in line[:40] or not _is_packed(line)]
    try:
        found = fastjson.loads(f"[{','.join(lines)}]")  # at once: in a third less time
    except ValueError:
        found = [_loaded(line) for line in lines]
    if not any(type(each) is dict and "packed" in each for each in found):
        return [each for each in found if type(each) is dict and _is_record(each)]
    return [record for each in found for record in _whole(each, is_packed)]


def _loaded(line: str) -> Any:
    try:
        return fastjson.loads(line)
    except ValueError:
        return None


def _whole(value: object, is_packed: bool) -> Iterator[Record]:
    """Give what is a record with all that each has, and what a packed line holds of such."""
    if not isinstance(value, dict):
        return
    packed = value.get("packed")
    if type(packed) is str and not is_packed:
        yield from _records(_unpacked(packed), is_packed=True)
    elif _is_record(value):
        yield value


def _is_record(value: Record) -> bool:
    if not (value.get("time") and value.get("kind") and value.get("id")):
        return False
    # Each key is looked at once: a writer reads thousands of records.
    return all(
        type(value[key]) in ((int, float) if key in NUMBERS else (str,))
        for key in value
        if key in TYPED
    )


def append(path: str, records: list[Record]) -> int:
    """Add records at the end, on lines of their own even behind a torn one; raises OSError.

    Return how many bytes the file had, for `cut`; -1 where nothing is to be added.
    """
    if not records:
        return -1
    folder = os.path.dirname(path)
    os.makedirs(folder, exist_ok=True)
    places.write_once(os.path.join(folder, ".gitattributes"), ATTRIBUTES)
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
    descriptor = os.open(path, flags, 0o666)
    try:
        return places.append(path, descriptor, _lines(records))
    finally:
        os.close(descriptor)


def _lines(records: list[Record]) -> bytes:
    return "".join(f"{fastjson.dumps(record)}\n" for record in records).encode()


def cut(path: str, size: int) -> None:
    """Take back what was appended to so many bytes; what cannot be cut does no harm."""
    try:
        if size >= 0:
            os.truncate(path, size)
    except OSError:
        pass


# A history that grew: its older lines are packed into one, without loss.


def pack(path: str, size: int) -> None:
    """Pack the older lines where a history, which had `size` bytes, has grown large.

    The caller holds the agent's lock.  Nothing that the history tells changes: a packed
    line holds the records as they are, and those that are packed already stay as they
    stand, even where they cannot be read.  What fails leaves the file as it was.
    """
    if size < PACK_AT:
        return
    with open(path, encoding="utf-8", errors="replace") as file:
        lines = [line.rstrip("\n") for line in file]
    packed = [line for line in lines if _is_packed(line)]
    plain = [line for line in lines if not _is_packed(line)]
    if sum(map(len, plain)) < PACK_AT:
        return
    from memory_core import store

    once = {fastjson.dumps(record): record for record in _records("\n".join(plain))}
    records = sorted(once.values(), key=lambda record: str(record["time"]))
    older, newer = records[:-PLAIN], records[-PLAIN:]
    packed += [_as_line(part, each) for part, each in _parts(older).items() if each]
    data = "".join(f"{line}\n" for line in packed).encode() + _lines(newer)
    try:
        store.replace(path, data)
    except OSError:
        pass  # it has all that it had


def _is_packed(line: str) -> bool:
    return line.startswith("{") and '"packed"' in line[:40]


def _parts(records: list[Record]) -> dict[str, list[Record]]:
    """Part records of runs, of which there are the most, from those that a writer needs."""
    parts: dict[str, list[Record]] = {ITEMS: [], RUNS: []}
    for record in records:
        parts[RUNS if record["kind"] in ("task", "error") else ITEMS].append(record)
    return parts


def _as_line(part: str, records: list[Record]) -> str:
    return fastjson.dumps({"v": digests.VERSION, "of": part, "packed": _packed(_lines(records))})


def _packed(data: bytes) -> str:
    import binascii
    import zlib

    return binascii.b2a_base64(zlib.compress(data, 9), newline=False).decode()


def _unpacked(text: str) -> str:
    """Return the lines of a packed one; none of one that is torn, or was not made by us."""
    import binascii
    import zlib

    try:
        unpacking = zlib.decompressobj()
        data = unpacking.decompress(binascii.a2b_base64(text), LARGEST)
        return data.decode("utf-8", "replace") if unpacking.eof else ""
    except (binascii.Error, ValueError, zlib.error):
        return ""
