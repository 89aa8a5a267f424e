"""What a person sees of a learning that waits, as lines for all views of `agent-memory review`."""

from __future__ import annotations

from typing import Any, NamedTuple

from memory_core.curation.review import AcceptedItem, Preview, WaitingItem
from memory_core.secrets import scanner

INDENT = "  "


class DetailLine(NamedTuple):
    """A line of the details: its indentation, its text, and a style of `output.COLOURS` or ""."""

    indent: str
    text: str
    style: str = ""


def describe(item: WaitingItem, preview: Preview) -> list[DetailLine]:
    """Return the learning, why it waits, what its run read, and what accepting it would do."""
    first, *nested = item.text.splitlines()
    kind = f"[{item.entry['type']}] " if item.entry["type"] else ""
    lines = [DetailLine(INDENT, kind + first)]
    lines += [DetailLine(INDENT * 4, line) for line in nested]
    return lines + [
        DetailLine(INDENT * 2, scanner.redact(text), style)
        for text, style in (*_list_origin(item), *_list_effects(item, preview))
    ]


def _list_origin(item: WaitingItem) -> list[tuple[str, str]]:
    entry = item.entry
    about = [*item.reasons, f"since {entry['time'][:10]}" if entry["time"] else ""]
    about.append(f"run {entry['run']}" if entry["run"] else "")
    rows = [(f"why it waits: {'; '.join(filter(None, about))}", "")]
    if entry["reading"]:
        rows.append((f"the run read: {', '.join(entry['reading'])}", "warning"))
    if entry["tier"]:
        rows.append((f"origin: {entry['tier']}", ""))
    if any(scanner.REASON in reason for reason in item.reasons):
        rows.append(("a saves the text as it is here; e lets you change it", "note"))
    return rows


def _list_effects(item: WaitingItem, preview: Preview) -> list[tuple[str, str]]:
    """Return where the item would go, and the diff to a similar one."""
    is_rival = bool(item.entry["other"])
    rows = [(f"contradicts: {item.entry['other']}", "")] if is_rival else []
    if preview.problem:
        rows.append((f"cannot be accepted as it is: {preview.problem}", "warning"))
    elif preview.section:
        where = "already in" if preview.is_known else "goes to"
        rows.append((f"{where}: {preview.section}", ""))
    if preview.similar:
        rows.append(("replaces:" if preview.replaces else "similar, and stays:", ""))
        rows += [(f"- {preview.similar}", "broken"), (f"+ {item.text.splitlines()[0]}", "ok")]
    return rows


def format_accepted(item: AcceptedItem) -> str:
    verb = "Already known" if item.was_present else "Accepted"
    return f"{verb}: {item.agent}: {item.id} {item.text}"


def item_to_json(item: WaitingItem) -> dict[str, Any]:
    fields = {**item.entry, "reasons": item.reasons}
    shown = scanner.redact_values(fields).items()
    return {"agent": item.agent, **{name: None if value == "" else value for name, value in shown}}
