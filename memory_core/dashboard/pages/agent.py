"""The pages of one agent: its memory, its history, and the difference between two times."""

from __future__ import annotations

from memory_core.claude_code.agent_names import PM
from memory_core.curation import change_log, edit_session, item_actions, lookup, memory_view, undo
from memory_core.dashboard.page import (
    PREFIX,
    Done,
    NotFound,
    View,
    Visit,
    attempt,
    divide,
    find_agent,
    make_link,
)
from memory_core.files.problems import describe_expected
from memory_core.history import item_history
from memory_core.learning import type_names
from memory_core.secrets import scanner

ITEMS_ON_A_PAGE = 100
MAX_TIMES = 200  # in the form of the diff


def show_memory(visit: Visit) -> View:
    agent = find_agent(visit, visit.names["agent"])
    try:
        status, every = memory_view.read_view(visit.numbers, agent)
    except OSError as error:
        return View("unreadable.html", {"agent": agent, "problem": describe_expected(error)})
    wanted = visit.query["item"]
    ids = [part.item and part.item.state.id for part in every]
    place = ids.index(wanted) if wanted in ids else None
    parts = divide(every, visit.query, ITEMS_ON_A_PAGE, place)
    values = {"agent": agent, "status": status, "parts": parts, "types": [*type_names.TYPES]}
    return View("agent.html", {**values, "pm": PM, "counts": visit.numbers.total(agent)})


def show_history(visit: Visit) -> View:
    agent = find_agent(visit, visit.names["agent"])
    item = visit.query["item"]
    entries = change_log.read_timeline(visit.project, visit.project.store, agent, item)
    page = divide(entries, visit.query)
    befores = [*(entry.time for entry in entries[page.start + 1 :]), ""]
    rows = [*zip(page.rows, befores, strict=False)]
    return View("history.html", {"agent": agent, "item": item, "changes": page, "rows": rows})


def show_diff(visit: Visit) -> View:
    """Compare two times; by default the last change."""
    agent, store = find_agent(visit, visit.names["agent"]), visit.project.store
    changes = change_log.read_timeline(visit.project, store, agent)
    entries = [entry for entry in changes if entry.is_move][:MAX_TIMES]
    start = visit.query.get("from", entries[1].time if len(entries) > 1 else "")
    end = visit.query["to"]
    diff = change_log.compare(visit.project, store, agent, start, end).diff if entries else ""
    values = {"agent": agent, "entries": entries, "start": start, "end": end}
    return View("diff.html", {**values, "lines": _split_diff(diff)})


def _split_diff(diff: str) -> list[str]:
    """Return the lines below the names of the files, without secrets."""
    return scanner.redact(diff).removesuffix("\n").split("\n")[2:]


def change_item(visit: Visit) -> Done:
    """Do what a button of an item says, with the functions of the commands."""
    agent, action = find_agent(visit, visit.names["agent"]), visit.form["action"]
    if action not in ("edit", *item_actions.JUDGEMENTS):
        raise NotFound(f"There is no action {action!r}.")
    location = make_link("agents", agent, page=visit.form["page"])
    change = _reword if action == "edit" else _judge
    return attempt(visit, agent, location, lambda: change(visit, agent))


def add_item(visit: Visit) -> Done:
    """Add an item of a person, as the command does."""
    agent = find_agent(visit, visit.names["agent"])
    kind, text = visit.form["type"], " ".join(visit.form["text"].split())

    def do() -> str:
        result = item_actions.teach(visit.project, agent, kind, [text], visit.project.store)
        taught = result.taught[0]
        verb = "Already known" if taught.was_present else "Added"
        return f"{verb}: {taught.id} {taught.text}."

    return attempt(visit, agent, make_link("agents", agent), do)


def _judge(visit: Visit, agent: str) -> str:
    kind, key = visit.form["action"], visit.form["item"]
    (item,) = item_actions.judge_items(visit.project, [(agent, key)], kind)
    return f"{item_actions.JUDGEMENTS[kind]}: {item.id} {item.text} ({item.confidence:.1f})."


def _reword(visit: Visit, agent: str) -> str:
    project, text = visit.project, " ".join(visit.form["text"].split())
    result = edit_session.reword_item(project, agent, visit.form["item"], text, project.store)
    now = next(iter(result.changed), text)
    return f"Changed: {item_history.id_of(now)} {now}."


def undo_change(visit: Visit) -> Done:
    agent = find_agent(visit, visit.names["agent"])
    back = visit.form["back"]
    history = make_link("agents", agent, "history", page=visit.form["page"])
    location = back if back.startswith(f"{PREFIX}/") else history
    done = attempt(visit, agent, location, lambda: _undo(visit))
    is_gone = not lookup.is_known(visit.project, agent)
    return done._replace(location=make_link()) if is_gone else done


def _undo(visit: Visit) -> str:
    """Undo a change in all memories that it changed."""
    project = visit.project
    result = undo.undo_changes(project, project.store, [visit.form["change"]])
    words = [
        f"{'Redone' if is_redo else 'Undone'}: change {change_log.short_id(change.id)}"
        f" of {change.time[:16].replace('T', ' ')}"
        for change, is_redo in result.effects
    ]
    kept = f" Later changes of {', '.join(result.merged)} are kept." if result.merged else ""
    return f"{', '.join(words)}.{kept}"
