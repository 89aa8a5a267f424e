"""Decide on the learnings that wait, one at a time, with the keys of `agent-memory review`."""

from __future__ import annotations

from typing import Any

from memory_core.curation import lookup, review
from memory_core.curation.review import NotWaiting, WaitingItem
from memory_core.dashboard.page import Done, NotFound, Page, View, Visit, divide
from memory_core.dashboard.pages.common import offer_undo
from memory_core.dashboard.rendering import make_link
from memory_core.files.problems import describe_expected
from memory_core.origin import text_origins
from memory_core.secrets import scanner
from memory_core.text import word_search

LEARNINGS_ON_A_PAGE = 50

FILTERS = ("agent", "q")

ACTIONS = ("accept", "edit", "move", "reject")


def show_review(visit: Visit) -> View:
    waiting = _list_waiting(visit, visit.query)
    key = visit.query.get("item", "")
    at = next((at for at, item in enumerate(waiting) if item.id == key), None)
    own = {} if at is None else {"page": str(at // LEARNINGS_ON_A_PAGE + 1)}
    page = divide(waiting, {**visit.query, **own}, LEARNINGS_ON_A_PAGE)
    if at is None:
        at = (page.number - 1) * LEARNINGS_ON_A_PAGE
    agents = visit.numbers.agents()
    values: dict[str, Any] = {
        "waiting": page,
        "at": at,
        "agents": agents,
        "agent": visit.query.get("agent", ""),
        "words": visit.query.get("q", ""),
        "is_gone": bool(key) and not any(item.id == key for item in waiting),
        "key": key,
    }
    if not waiting:
        return View("review.html", {**values, "current": None})
    current = waiting[at]
    neighbours = [
        waiting[place].id if 0 <= place < len(waiting) else "" for place in (at - 1, at + 1)
    ]
    values |= {"before": neighbours[0], "behind": neighbours[1], "current": current}
    return View("review.html", values | _describe(visit, current))


def _describe(visit: Visit, item: WaitingItem) -> dict[str, Any]:
    review.update_tiers(visit.project, visit.project.store, [item])
    preview = review.preview(visit.project, visit.project.store, item)
    first, *nested = item.text.splitlines()
    reasons = [scanner.redact(reason) for reason in item.reasons]
    return {
        "first": first,
        "nested": nested,
        "reasons": reasons,
        "verbs": ("Keep the rule", "Remove the rule") if item.is_rule else ("Accept", "Reject"),
        "may_mislead": any(reason.startswith(text_origins.REASON) for reason in item.reasons),
        "has_secret": any(scanner.REASON in reason for reason in item.reasons),
        "entry": scanner.redact_values(item.entry),
        "preview": preview._replace(similar=scanner.redact(preview.similar)),
    }


def _list_waiting(visit: Visit, fields: Any) -> list[WaitingItem]:
    """Return the learnings that wait, with the words and of the agent of a filter."""
    words = word_search.fold_text(fields.get("q", "")).split()
    numbers, agent = visit.numbers, fields.get("agent", "")
    return [
        item
        for name in numbers.agents()
        if not agent or name == agent
        for item in (WaitingItem(name, entry) for entry in numbers.waiting(name))
        if word_search.contains_all(f"{item.agent} {item.text}", words)
    ]


def decide(visit: Visit) -> Done:
    """Do what a button says; then show the next learning."""
    form = visit.form
    waiting, key, typed = _list_waiting(visit, form), form.get("item", ""), form.get("text", "")
    at = next((at for at, item in enumerate(waiting) if item.id == key), None)
    try:
        if at is None:
            raise NotWaiting(f"{key} does not wait any more: somebody has decided on it")
        message = _decide(visit, waiting[at])
    except NotWaiting as error:
        location = _make_location(visit, _find_next(waiting, at))
        return Done(location, f"{error}.", is_problem=True, typed=typed)
    except (ValueError, OSError) as error:
        if not (problem := describe_expected(error)):
            raise
        return Done(_make_location(visit, key), problem, is_problem=True, typed=typed)
    undo = offer_undo(visit, waiting[at].agent, _make_location(visit, key))
    return Done(_make_location(visit, _find_next(waiting, at)), scanner.redact(message), undo=undo)


def _decide(visit: Visit, item: WaitingItem) -> str:
    """Decide on a learning; raises ValueError and OSError, and then nothing is changed."""
    project, store, action = visit.project, visit.project.store, visit.form.get("action", "")
    if action not in ACTIONS:
        raise NotFound(f"There is no action {action!r}.")
    text, target = None, ""
    if action == "edit":
        text = visit.form.get("text", "").replace("\r\n", "\n")
        if text.strip() == item.text.strip():
            raise review.InvalidDecision("The text is unchanged.")
    if action == "move":
        target = lookup.find_agent(project, visit.form.get("target", ""), accept_new=True)
    if action == "reject":
        return review.reject(project, store, [item])[0]
    accepted = review.accept(project, store, [item], text, target)
    return "; ".join(map(review.format_accepted, accepted))


def _find_next(waiting: list[WaitingItem], at: int | None) -> str:
    """Return the id of the learning behind this one, or of the one before it."""
    if at is None or len(waiting) < 2:
        return ""
    return waiting[at + 1 if at + 1 < len(waiting) else at - 1].id


def _make_location(visit: Visit, key: str) -> str:
    return make_link("review", item=key, **{name: visit.form.get(name, "") for name in FILTERS})


PAGES = [
    Page("/review", show_review, "Review", "r"),
    Page("/review/decide", decide, method="POST"),
]
