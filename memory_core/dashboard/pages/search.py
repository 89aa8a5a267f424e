"""Search items of all agents, in memories and archives, and restore archived ones."""

from __future__ import annotations

from typing import Any

from memory_core.curation import item_actions, lookup, searching
from memory_core.dashboard.page import Done, View, Visit, attempt, divide, find_agent, make_link
from memory_core.secrets import scanner
from memory_core.text import word_search


def show_hits(visit: Visit) -> View:
    words, name = visit.query["q"], visit.query["agent"]
    store = visit.project.store
    agents = lookup.list_agents(store)
    values: dict[str, Any] = {"agents": agents}
    if not words.strip():
        return View("search.html", {**values, "part": None})
    if name:
        agents = [find_agent(visit, name)]
    result = searching.search_items(store, words, agents)
    part = divide(result.hits, visit.query)
    rows = [(hit, word_search.split_matches(scanner.redact(hit.text), words)) for hit in part.rows]
    values |= {"part": part._replace(rows=rows), "unread": result.unread}
    return View("search.html", values)


def restore(visit: Visit) -> Done:
    """Put an archived item back, as `agent-memory restore` does."""
    project, key = visit.project, visit.form["item"]
    location = make_link("search", q=visit.form["q"])

    agent = find_agent(visit, visit.form["agent"])

    def put_back() -> str:
        (result,) = item_actions.restore(project, project.store, [(agent, key)])
        verb = "It is in the memory already" if result.was_present else "Restored"
        return f"{verb}: {agent}: {result.text}"

    return attempt(visit, agent, location, put_back)
