"""`agent-memory review`: decide on learnings that wait for a person."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from memory_core.cli.change import review_new, review_pr, review_session
from memory_core.cli.common import acting
from memory_core.cli.common.arguments import AsJson, User, agent_argument, flag
from memory_core.cli.common.entries import Entry, print_entries
from memory_core.cli.common.inputs import can_ask
from memory_core.cli.common.notes import format_command, get_change, note_undo
from memory_core.cli.common.scopes import LevelScope, find_level
from memory_core.cli.errors import CommandRefused
from memory_core.cli.output import is_terminal, print_json, print_line, print_note
from memory_core.curation import agent_status
from memory_core.curation import review as waiting_list
from memory_core.curation.review import AcceptedItem, WaitingItem, format_accepted, item_to_json
from memory_core.secrets import scanner

Names = Annotated[
    list[str] | None,
    agent_argument("Agents, or learnings by id or text.", show_default="all that wait"),
]
PullRequest = Annotated[
    str | None,
    typer.Option("--pr", metavar="BASE", help="Print what changed since the commit BASE."),
]

Commit = Annotated[
    str | None, typer.Option(metavar="SHA", help="With --new: those that this commit brought.")
]
Author = Annotated[
    str | None, typer.Option(metavar="EMAIL", help="With --new: those of this author.")
]

# The action without an option: decide on each learning, or list them without a terminal.
ASK = "ask"


def review(
    names: Names = None,
    list_: Annotated[bool, flag("--list", "List them; the default without a terminal.")] = False,
    accept: Annotated[bool, flag("--accept", "Add them to the memory.")] = False,
    reject: Annotated[bool, flag("--reject", "Remove them from the list.")] = False,
    all_: Annotated[bool, flag("--all", "All that wait, or all of the agents named.")] = False,
    pr: PullRequest = None,
    new: Annotated[bool, flag("--new", "Review texts that came from elsewhere.")] = False,
    mine: Annotated[bool, flag("--mine", "Say that lines of unknown origin are yours.")] = False,
    commit: Commit = None,
    author: Author = None,
    user: User = False,
    json: AsJson = False,
) -> None:
    """Decide on learnings that were not saved and wait for you.

    On a terminal, one key decides on each; ? lists the keys. What you accept becomes an
    item of yours. --pr exits 1 if an item would wait for you.

    \b
    Example:
      agent-memory review engineer --accept --all
    """
    flags = {"list": list_, "accept": accept, "reject": reject}
    actions = [name for name, is_given in flags.items() if is_given]
    if pr is not None:
        if names or actions or all_ or user or new:
            raise CommandRefused("--pr goes with --json only: it compares all agents")
        review_pr.print_changes(pr, json)
        return
    if len(actions) > 1:
        raise CommandRefused(f"--{actions[0]} and --{actions[1]} exclude each other")
    if new or mine:
        if not {*actions} <= {"list", "accept"}:
            raise CommandRefused(f"--new and --{actions[0]} exclude each other")
        if accept or mine:
            acting.require_person(find_level(user).project, "accept items")
        decision = review_new.MINE if mine else review_new.ACCEPTED if accept else None
        review_new.run(find_level(user), names, decision, (commit, author), user, json, list_)
        return
    if commit is not None or author is not None:
        raise CommandRefused("--commit and --author require --new")
    _review_waiting(list(names or []), "".join(actions) or ASK, all_, user, json)


def _review_waiting(
    words: list[str],
    action: str,
    is_all: bool,
    user: bool,
    json: bool,
) -> None:
    """List the learnings that wait, or decide on those that the words name."""
    scope = find_level(user)
    is_any = is_all or action in ("list", ASK)
    chosen = waiting_list.choose(scope.project, scope.level, words, os.environ, is_any)
    if action in ("list", ASK):
        if chosen and action == ASK and not json and can_ask() and is_terminal():
            review_session.run(scope, chosen, user)
        else:
            _show(scope, chosen, words, user, json)
        return
    if action != "reject":
        acting.require_person(scope.project, "accept learnings")
    _apply(scope, chosen, action, user, json)


def _show(
    scope: LevelScope, chosen: list[WaitingItem], words: list[str], user: bool, json: bool
) -> None:
    if json:
        print_json([item_to_json(item) for item in chosen])
        return
    print_entries([_to_entry(item) for item in chosen])
    if chosen:
        print_note(f"Accept or reject with: {format_command('review --accept ID', user)}")
    else:
        print_note("No learning waits for you.")
    _show_stale(scope, words)


def _show_stale(scope: LevelScope, words: list[str]) -> None:
    """Print the items of all agents, or of those named, that may be out of date."""
    agents = [agent for agent in scope.level.agents() if agent in words]
    stale = agent_status.list_stale(*scope, agents) if agents or not words else []
    if not stale:
        return
    print_note("These items may be out of date; change or remove them:")
    entries = []
    for agent, key, text, gone in stale:
        note = f"  ({', '.join(gone.values())})"
        entries.append(Entry((agent,), (agent,), (key,), text, note=note))
    print_entries(entries)


def _apply(
    scope: LevelScope,
    chosen: list[WaitingItem],
    action: str,
    user: bool,
    json: bool,
) -> None:
    accepted: list[AcceptedItem] = []
    if action == "reject":
        waiting_list.reject(*scope, chosen)
    else:
        accepted = waiting_list.accept(*scope, chosen)
    if json:
        items = [item._asdict() for item in accepted]
        learnings = [item_to_json(item) for item in chosen]
        change = get_change(scope.project)
        fields = {"learnings": learnings, "items": items, "change": change}
        decision = "rejected" if action == "reject" else "accepted"
        print_json({"decision": decision, **fields})
        return
    for line in [*map(format_accepted, accepted)] or [
        f"Rejected: {item.agent}: {item.text.partition(chr(10))[0]}" for item in chosen
    ]:
        print_line(line)
    if not chosen:
        print_note("No learning waits for you.")
    note_undo(scope.project, user)


def _to_entry(item: WaitingItem) -> Entry:
    entry = item.entry
    parts = ["; ".join(item.reasons), f"run {entry['run']}" if entry["run"] else ""]
    parts += [f"read {text}" for text in entry["reading"]]
    parts += [entry["tier"], entry["time"][:10]]
    note = scanner.redact(f"  ({', '.join(filter(None, parts))})")
    return Entry((item.agent,), (item.agent,), (item.id,), item.text, entry["type"], note)
