"""`agent-memory review --new`: the texts of memories that came from elsewhere."""

from __future__ import annotations

from typing import Any

from memory_core.cli.common.entries import Entry, print_entries
from memory_core.cli.common.notes import format_command
from memory_core.cli.common.scopes import LevelScope, find_agents_or_ids
from memory_core.cli.output import print_json, print_line, print_note
from memory_core.curation import lookup
from memory_core.curation import review as waiting_list
from memory_core.document import markdown
from memory_core.git import unreviewed
from memory_core.git.unreviewed import JudgedText
from memory_core.text import secrets
from memory_core.text.phrases import format_count
from memory_core.trust import ledger


def run(
    scope: LevelScope,
    names: list[str] | None,
    accept: bool,
    mine: bool,
    user: bool,
    json: bool,
) -> None:
    """List the texts of these agents, or those with these ids; or accept them, or call them own."""
    project, level = scope
    agents, ids = find_agents_or_ids(scope, names)
    new = unreviewed.list_new(project, level, agents, with_held=not accept)
    if mine and not ids:  # what came from elsewhere is nobody's by a word for all
        new = [text for text in new if text.tier == ledger.UNKNOWN]
    new = list(dict.fromkeys(lookup.find_item(key, new) for key in ids)) if ids else new
    decision = "mine" if mine else "accepted" if accept else None
    if decision:
        unreviewed.accept(level, new, is_mine=mine)
    if json:
        print_json({"decision": decision, "items": list(map(to_json, new))})
    elif decision:
        print_line(f"{decision.capitalize()}: {format_count(len(new), 'item')}.")
    else:
        _print(scope, new, user)
    if not json and (count := len(waiting_list.list_waiting(level, agents))):
        verb = "waits" if count == 1 else "wait"
        command = format_command("review", user)
        print_note(f"{format_count(count, 'learning')} {verb} for you: {command}")


def _print(scope: LevelScope, new: list[JudgedText], user: bool) -> None:
    print_entries(
        [
            Entry(
                (item.agent,),
                (item.agent,),
                (item.id,),
                _format_text(item),
                note=f"  ({item.tier})",
            )
            for item in new
        ]
    )
    if not new:
        print_note("No item came from elsewhere that you have not reviewed.")
        return
    accept = format_command("review --new --accept", user)
    remove, mine = (format_command(words, user) for words in ("remove ID", "review --new --mine"))
    print_note(f"Accept them: {accept}.  If you wrote them: {mine}.  Remove one: {remove}")


def _format_text(item: JudgedText) -> str:
    return secrets.redact(markdown.join_nested(item.text, item.nested))


def to_json(item: JudgedText) -> dict[str, Any]:
    return {
        **item._asdict(),
        "text": secrets.redact(item.text),
        "nested": secrets.redact(item.nested) or None,
    }
