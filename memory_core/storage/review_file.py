"""review/AGENT.jsonl: an agent's learnings that wait for a person, one a line, on this machine.

An entry is a dict of texts: `id`, `time` (ISO 8601, or only the day), `type`, `content` and
`reason`; where they are known also `nested` (lines below the item), `run`, `session`, `source`,
`other`, the text of the item that it contradicts, and `tier`, from whom it is.  Two fields are
lists of short texts: `reasons`, and `reading`, what the run read from outside.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from typing import Any

from memory_core.files import file_actions
from memory_core.files.safe_files import TooLarge
from memory_core.storage.paths import LevelPaths
from memory_core.storage.state_folder import MAX_REVIEW_BYTES, REVIEW_FOLDER
from memory_core.text import digests, fastjson, similarity

Waiting = dict[str, Any]


NEEDED_FIELDS = ("type", "content", "reason")
FIELDS = ("id", "time", *NEEDED_FIELDS, "nested", "run", "session", "source", "other", "tier")
LISTS = ("reasons", "reading")
MAX_LISTED = 5

# A hook compares its entries with a file of up to this size.
MAX_COMPARED_BYTES = 1_000_000


def add(paths: LevelPaths, stem: str, agent: str, entries: list[Waiting], time: str) -> None:
    """Append entries that do not wait yet; the caller holds the agent's lock.  Raises OSError.

    `time` is for entries without one.  The id depends on the words only: a learning that several
    runs report waits once.
    """
    path = _path(stem)
    try:
        before = paths.state.read(path, MAX_COMPARED_BYTES).decode("utf-8", "replace")
    except TooLarge:
        before = ""  # `read` skips what is there twice
    lines: dict[str, str] = {}
    for entry in entries:
        key = make_id(agent, entry)
        if f'"id": "{key}"' not in before:
            entry = {**entry, "id": key, "time": entry.get("time") or time}
            filled = {name: entry[name] for name in (*FIELDS, *LISTS) if entry.get(name)}
            lines.setdefault(key, f"{fastjson.dumps(filled)}\n")
    if lines:
        paths.state.append(path, "".join(lines.values()).encode())
        file_actions.sync(paths.state, path)


def make_id(agent: str, entry: Waiting) -> str:
    words = [similarity.normalize_text(entry.get(name, "")) for name in ("content", "other")]
    return digests.hash_text("\n".join((agent, *words, entry.get("nested", ""))))


def read(paths: LevelPaths, stem: str, agent: str) -> list[Waiting]:
    """Return the entries with all fields, oldest first; [] if the files cannot be read."""
    by_id: dict[str, Waiting] = {}
    for entry in parse(paths.state.read_text(_path(stem), MAX_REVIEW_BYTES)):
        entry["id"] = _get_id(agent, entry)
        by_id.setdefault(entry["id"], entry)
    return list(by_id.values())


def parse(text: str) -> list[Waiting]:
    """Return the entries in the text of a file, with all fields; other lines are skipped."""
    return list(map(complete, filter(is_entry, map(fastjson.load_object, text.split("\n")))))


def is_entry(value: Waiting) -> bool:
    """Check that a value has the text of a learning, and that the fields of the first version,
    where it has them, are texts.
    """
    texts = [value.get(name, "") for name in FIELDS if name != "tier"]
    return all(isinstance(text, str) for text in texts) and bool(value.get("content"))


def complete(entry: Waiting) -> Waiting:
    """Return an entry with all fields; what is no text in `tier` and LISTS is left out."""
    tier = "".join(_list_texts(entry.get("tier")))
    lists = {name: _list_texts(entry.get(name))[:MAX_LISTED] for name in LISTS}
    return {name: entry.get(name, "") for name in FIELDS} | lists | {"tier": tier}


def _list_texts(value: object) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [text for text in values if isinstance(text, str) and text]


def format_line(entry: Waiting) -> str:
    """Return an entry as one item of Markdown, for the archive."""
    line = f"[{entry['type']}] {entry['content']} ({entry['reason']})"
    return "\n".join(filter(None, (line, entry.get("nested"))))


def _get_id(agent: str, entry: Waiting) -> str:
    return entry.get("id") or make_id(agent, entry)


def remove(paths: LevelPaths, stem: str, agent: str, ids: Collection[str]) -> None:
    """Remove entries; the caller holds the agent's lock.  Raises OSError.

    Lines that are not entries stay.
    """
    state, path = paths.state, _path(stem)
    lines = state.read(path, MAX_REVIEW_BYTES).decode("utf-8", "replace").split("\n")
    left = [line for line in lines if line and not _is_listed(line, agent, ids)]
    if left:
        state.replace(path, "".join(f"{line}\n" for line in left).encode())
    else:
        state.remove(path)


def _is_listed(line: str, agent: str, ids: Collection[str]) -> bool:
    entry = fastjson.load_object(line)
    return is_entry(entry) and _get_id(agent, entry) in ids


def list_file_names(paths: LevelPaths) -> list[str]:
    """Return names as those of memory files, one of each agent with a file here."""
    names = paths.state.list_names(REVIEW_FOLDER)
    return [f"{name.removesuffix('.jsonl')}.md" for name in names if name.endswith(".jsonl")]


def _path(stem: str) -> str:
    return os.path.join(REVIEW_FOLDER, f"{stem}.jsonl")
