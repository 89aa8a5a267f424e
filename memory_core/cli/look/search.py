"""`agent-memory search`: items that contain some words."""

from __future__ import annotations

from typing import Annotated, Literal

from memory_core.cli.common.arguments import Limit, User, agent_option, argument, option
from memory_core.cli.common.entries import Entry, print_list
from memory_core.cli.common.notes import format_command
from memory_core.cli.common.scopes import find_agents, find_level
from memory_core.cli.errors import exit_if
from memory_core.cli.output import print_note, print_problem, select_fields
from memory_core.curation import searching
from memory_core.document import markdown

STATES = {searching.IN_ARCHIVE: "archived", searching.IN_REVIEW: "to review since"}


PLACE_NAMES = "memory|archive|review"

Words = Annotated[list[str], argument("TEXT", "Words to find; all must occur, in any order.")]
Owners = Annotated[
    list[str] | None, agent_option("Search only this agent (repeatable).", default="all")
]
Place = Annotated[
    Literal["memory", "archive", "review"] | None,
    option(PLACE_NAMES, "Where to search.", "--in", default="memory and archive"),
]


def search(
    text: Words, agent: Owners = None, place: Place = None, number: Limit = None, user: User = False
) -> None:
    """Find items in memories and archives.

    Ignores case and accents; matches parts of words. Exit 1 if nothing is found.

    \b
    Example:
      agent-memory search event bus
    """
    scope = find_level(user)
    words = " ".join(text)
    agents = find_agents(scope, agent)
    places = [place] if place else searching.PLACES
    result = searching.search_items(scope.level, words, agents, places)
    hits = result.hits[:number]
    names = ("agent", "id", "text", "section", "nested", "day")
    rows = [{**select_fields(hit, *names), "in": hit.place} for hit in hits]
    print_list(rows, list(map(_to_entry, hits)), "Nothing found.", words)
    _note_archived(hits, user)
    if more := len(result.hits) - len(hits):
        print_note(f"{more} more found.")
    for message in result.unread:
        print_problem(message)
    exit_if(result.unread or not result.hits)


def _note_archived(hits: list[searching.ItemHit], user: bool) -> None:
    archived = [hit for hit in hits if hit.is_restorable]
    if archived:
        one = archived[0]
        words = f"{one.agent} {one.id}" if len(archived) == 1 else "AGENT ID"
        print_note(f"To restore an archived item: {format_command('restore', user)} {words}")


def _to_entry(hit: searching.ItemHit) -> Entry:
    day = f" {hit.day}" if hit.day else ""
    note = f"  ({STATES[hit.place]}{day})" if hit.place in STATES else ""
    text = markdown.join_nested(hit.text, hit.nested)
    return Entry((hit.agent,), (hit.agent,), (hit.id,), text, hit.section, note)
