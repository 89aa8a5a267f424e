"""Decide on the learnings that wait, one at a time, with the keys of `agent-memory review`."""

from __future__ import annotations

from typing import Any

from memory_core.curation import review
from memory_core.curation.review import WaitingItem
from memory_core.dashboard.page import (
    Done,
    Fields,
    NotFound,
    View,
    Visit,
    attempt,
    divide,
    make_link,
)
from memory_core.origin import text_origins
from memory_core.secrets import scanner
from memory_core.text import word_search

FILTERS = ("agent", "q")


def show_review(visit: Visit) -> View:
    waiting, key = _list_waiting(visit, visit.query), visit.query["item"]
    place = next((at for at, item in enumerate(waiting) if item.id == key), None)
    page = divide(waiting, visit.query, at=place)
    at = page.start if place is None else place
    values: dict[str, Any] = {
        "waiting": page,
        "at": at,
        "agents": visit.numbers.agents(),
        "is_gone": bool(key) and place is None,
    }
    if not waiting:
        return View("review.html", {**values, "current": None})
    current = waiting[at]
    before = waiting[at - 1].id if at else ""
    behind = waiting[at + 1].id if at + 1 < len(waiting) else ""
    values |= {"before": before, "behind": behind, "current": current}
    return View("review.html", values | _describe(visit, current))


def _describe(visit: Visit, item: WaitingItem) -> dict[str, Any]:
    review.update_origins(visit.project, visit.project.store, [item])
    return {
        "may_mislead": any(reason.startswith(text_origins.REASON) for reason in item.reasons),
        "entry": scanner.redact_values(item.entry),
        "preview": review.preview(visit.project, visit.project.store, item),
    }


def _list_waiting(visit: Visit, fields: Fields) -> list[WaitingItem]:
    """Return the learnings that wait, with the words and of the agent of a filter."""
    words = word_search.fold_text(fields["q"]).split()
    return [
        item
        for item in review.list_waiting(visit.project.store)
        if fields["agent"] in ("", item.agent)
        and word_search.contains_all(f"{item.agent} {item.text}", words)
    ]


def decide(visit: Visit) -> Done:
    """Do what a button says; then show the next learning, or the one before it."""
    waiting, key = _list_waiting(visit, visit.form), visit.form["item"]
    at = next((at for at, item in enumerate(waiting) if item.id == key), None)
    if at is None:
        problem = f"{key} does not wait any more: somebody has decided on it."
        typed = visit.form["text"]
        return Done(_make_location(visit, ""), problem, is_problem=True, typed=typed)
    item, others = waiting[at], [*waiting[at + 1 :], *waiting[:at][-1:]]
    done = attempt(visit, item.agent, _make_location(visit, key), lambda: _decide(visit, item))
    following = others[0].id if others else ""
    return done if done.is_problem else done._replace(location=_make_location(visit, following))


def _decide(visit: Visit, item: WaitingItem) -> str:
    action, form = visit.form["action"], visit.form
    if action not in review.ACTIONS:
        raise NotFound(f"There is no action {action!r}.")
    value = form["target" if action == review.MOVE else "text"]
    store = visit.project.store
    return review.decide(visit.project, store, item, action, value.replace("\r\n", "\n"))


def _make_location(visit: Visit, key: str) -> str:
    return make_link("review", item=key, **{name: visit.form[name] for name in FILTERS})
