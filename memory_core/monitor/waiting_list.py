"""List the learnings of an agent that wait for a person, and the items that may be poisoned."""

from __future__ import annotations

from typing import Any

from memory_core.document import markdown
from memory_core.origin import text_origins
from memory_core.selection import splitting
from memory_core.storage.database import review_table
from memory_core.storage.store import Store
from memory_core.text.times import format_utc

# The end of the reason of a text that is in the memory file.
IN_FILE = "; it is in the file, but agents do not receive it"


def list_entries(store: Store, agent: str) -> list[dict[str, Any]]:
    """Return all that waits, oldest first, each once, with all fields of `review_table`."""
    entries = [*store.read_review(agent), *list_poisoned(store, agent)]
    return list({entry["id"]: entry for entry in entries}.values())


def list_poisoned(store: Store, agent: str) -> list[dict[str, Any]]:
    """Return what agents do not receive of a memory file because it may be poisoned."""
    try:
        snapshot = store.read(agent)
    except OSError:
        return []
    if not snapshot:
        return []
    guard = text_origins.make_guard(store, agent)
    document = markdown.parse_document(snapshot.text)
    texts = [(item.text, item.nested, reason) for item, reason in guard.list_held(document)]
    parts = splitting.list_headings(document) + splitting.list_paragraphs(document)
    texts += [(text, "", guard.find_reason(text)) for *_, text in parts]
    changed = format_utc(snapshot.changed)
    return [_make_entry(agent, *fields, changed) for fields in texts if fields[-1]]


def _make_entry(agent: str, text: str, nested: str, reason: str, time: str) -> dict[str, Any]:
    fields = {"content": text, "nested": nested, "time": time, "reason": reason + IN_FILE}
    return review_table.complete({**fields, "id": review_table.make_id(agent, fields)})
