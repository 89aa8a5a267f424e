"""Search items of all agents, in memories and archives, and restore archived ones."""

from __future__ import annotations

from itertools import islice
from typing import Any

from memory_core.curation import archive, lookup, searching
from memory_core.dashboard.page import Done, Page, View, Visit, read_number
from memory_core.dashboard.pages.common import attempt, find_agent
from memory_core.dashboard.rendering import make_link
from memory_core.secrets import scanner
from memory_core.text import word_search

HITS_ON_A_PAGE = 50
MAX_PAGES = 10  # later ones take longer, because the hits before them are searched again
PLACES = (*searching.PLACES, searching.IN_REVIEW)


def show_hits(visit: Visit) -> View:
    words, name, place = (visit.query.get(key, "") for key in ("q", "agent", "in"))
    store = visit.project.store
    agents = lookup.list_agents(store)
    values: dict[str, Any] = {
        "words": words,
        "agent": name,
        "place": place,
        "agents": agents,
        "places": PLACES,
    }
    if not words.strip():
        return View("search.html", {**values, "rows": None, "number": 1})
    if name:
        agents = [find_agent(visit, name)]
    places = [place] if place in PLACES else searching.PLACES
    unread: list[str] = []
    number = min(read_number(visit.query), MAX_PAGES)
    start = (number - 1) * HITS_ON_A_PAGE
    hits = searching.find_hits(store, words, agents, places, unread)
    found_hits = [*islice(hits, start, start + HITS_ON_A_PAGE + 1)]
    rows = [
        {"hit": hit, "parts": word_search.split_matches(scanner.redact(hit.text), words)}
        for hit in found_hits[:HITS_ON_A_PAGE]
    ]
    unread += map(str, store.files.refused.values())
    has_more = len(found_hits) > HITS_ON_A_PAGE
    values |= {"rows": rows, "unread": unread, "number": number, "has_more": has_more}
    return View("search.html", {**values, "is_last": number == MAX_PAGES})


def restore(visit: Visit) -> Done:
    """Put an archived item back, as `agent-memory restore` does."""
    project, key = visit.project, visit.form.get("item", "")
    location = make_link("search", q=visit.form.get("q", ""))

    agent = find_agent(visit, visit.form.get("agent", ""))

    def put_back() -> str:
        ((_agent, result),) = archive.restore(project, project.store, [(agent, key)])
        verb = "It is in the memory already" if result.was_present else "Restored"
        return f"{verb}: {agent}: {result.text}"

    return attempt(visit, agent, location, put_back)


PAGES = [
    Page("/search", show_hits, "Search", "s"),
    Page("/search/restore", restore, method="POST"),
]
