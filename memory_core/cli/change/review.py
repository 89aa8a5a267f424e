"""`agent-memory review`: decide on learnings that wait, and on texts that came from elsewhere."""

from __future__ import annotations

import shutil
from contextlib import suppress
from typing import Annotated, Any

from memory_core.cli.change import review_pr
from memory_core.cli.change.edit import edit_copy
from memory_core.cli.common.arguments import User, agent_argument, flag, option
from memory_core.cli.common.entries import (
    INDENT,
    Entry,
    print_entries,
    print_list,
    print_sentence,
    wrap_text,
)
from memory_core.cli.common.inputs import ask_line, can_ask, read_key
from memory_core.cli.common.notes import format_command, note_undefined, note_undo, print_result
from memory_core.cli.common.scopes import Scope, find_agents_or_ids, find_level, require_person
from memory_core.cli.errors import CommandRefused, describe_error
from memory_core.cli.output import (
    is_terminal,
    print_json,
    print_line,
    print_note,
    select_fields,
)
from memory_core.curation import agent_status, lookup, review as waiting_list
from memory_core.curation.item_actions import SavedItem
from memory_core.curation.review import WaitingItem, format_accepted, item_to_json
from memory_core.document import markdown
from memory_core.history import rights
from memory_core.origin import text_origins
from memory_core.origin.text_origins import Row
from memory_core.text.phrases import format_count

Names = Annotated[
    list[str] | None, agent_argument("Agents, or learnings by id or text.", default="all that wait")
]
PullRequest = Annotated[str | None, option("BASE", "Print the changes since commit BASE.", "--pr")]
Commit = Annotated[str | None, option("SHA", "With --new: those that this commit brought.")]
Author = Annotated[str | None, option("EMAIL", "With --new: those of this author.")]

QUESTION = "[a]ccept [e]dit [r]eject [m]ove [s]kip [q]uit [?]: "

HELP = """\
a  accept: add it to the memory
e  edit: change the text in your editor, and add it
r  reject: remove it from this list
m  move: add it to the memory of another agent
s  skip: decide later
q  quit, also Ctrl-C: what is left waits"""

RULE_NOTE = (
    "Of a rule that a run reported as wrong: accept keeps it, reject moves it to the archive."
)

KEYS = {action[0]: action for action in waiting_list.ACTIONS}

ACCEPTED, MINE = "accepted", "mine"

NOTHING_WAITS = "No learning waits for you."


def review(
    names: Names = None,
    list_: Annotated[bool, flag("--list", "List them; the default without a terminal.")] = False,
    accept: Annotated[bool, flag("--accept", "Add them to the memory.")] = False,
    reject: Annotated[bool, flag("--reject", "Drop them; wrong rules go to the archive.")] = False,
    all_: Annotated[bool, flag("--all", "All that wait, or all of the agents named.")] = False,
    pr: PullRequest = None,
    new: Annotated[bool, flag("--new", "Review texts that came from elsewhere.")] = False,
    mine: Annotated[bool, flag("--mine", "Say that lines of unknown origin are yours.")] = False,
    commit: Commit = None,
    author: Author = None,
    user: User = False,
) -> None:
    """Decide on learnings that were not saved and wait for you.

    On a terminal, one key decides on each; ? lists the keys. What you accept is trusted
    like your own items. --pr exits 1 if an item would wait for you.

    \b
    Example:
      agent-memory review engineer --accept --all
    """
    if pr is not None:
        if any((names, list_, accept, reject, all_, user, new)):
            raise CommandRefused("--pr goes with --json only: it compares all agents")
        review_pr.print_changes(pr)
        return
    if sum((list_, accept, reject)) > 1:
        raise CommandRefused("--list, --accept and --reject exclude each other")
    if not (new or mine) and (commit is not None or author is not None):
        raise CommandRefused("--commit and --author require --new")
    if (new or mine) and reject:
        raise CommandRefused("--new and --reject exclude each other")
    scope, words = find_level(user), list(names or [])
    asks = not list_ and can_ask()
    if new or mine:
        decision = MINE if mine else ACCEPTED if accept else None
        _review_new(scope, words, decision, (commit, author), asks)
    elif accept or reject:
        _decide(scope, waiting_list.choose(*scope, words, all_), accept)
    else:
        _review_waiting(scope, words, asks)


def _review_waiting(scope: Scope, words: list[str], asks: bool) -> None:
    """Ask about the learnings that the words name, or list them."""
    chosen = waiting_list.choose(*scope, words, True)
    if chosen and asks:
        _ask_about_waiting(scope, chosen)
        return
    print_list(list(map(item_to_json, chosen)), list(map(_to_entry, chosen)), NOTHING_WAITS)
    if chosen:
        command = format_command("review --accept ID", scope.is_user)
        print_note(f"Accept or reject with: {command}")
    if any(item.is_rule for item in chosen):
        print_note(RULE_NOTE)
    _print_stale(scope, words)


def _decide(scope: Scope, chosen: list[WaitingItem], accept: bool) -> None:
    accepted: list[SavedItem] = []
    if accept:
        require_person(scope.project, "accept learnings")
        accepted = waiting_list.accept(*scope, chosen)
        lines = list(map(format_accepted, accepted))
    else:
        lines = waiting_list.reject(*scope, chosen)
    items = [select_fields(item, "agent", "id", "text", "was_present") for item in accepted]
    learnings = list(map(item_to_json, chosen))
    decision = "accepted" if accept else "rejected"
    fields = {"decision": decision, "learnings": learnings, "items": items}
    print_result(scope, [fields], lines)
    if not chosen:
        print_note(NOTHING_WAITS)


def _print_stale(scope: Scope, words: list[str]) -> None:
    """Print the items of all agents, or of those named, that may be out of date."""
    agents = [agent for agent in scope.level.agents() if agent in words]
    stale = list(agent_status.list_stale(*scope, agents)) if agents or not words else []
    if stale:
        print_note("These items may be out of date; change or remove them:")
    entries = [
        Entry((agent,), (agent,), (key,), text, note=f"  ({', '.join(gone.values())})")
        for agent, key, text, gone in stale
    ]
    print_entries(entries)


def _to_entry(item: WaitingItem) -> Entry:
    entry = item.entry
    parts = ["; ".join(item.reasons), f"run {entry['run']}" if entry["run"] else ""]
    parts += [f"read {text}" for text in entry["reading"]]
    parts += [entry["origin"], entry["time"][:10]]
    note = f"  ({', '.join(filter(None, parts))})"
    return Entry((item.agent,), (item.agent,), (item.id,), item.text, entry["type"], note)


def _ask_about_waiting(scope: Scope, items: list[WaitingItem]) -> None:
    """Show the learnings one by one, do what the keys say, and print what was decided."""
    count = 0
    width = shutil.get_terminal_size().columns
    with suppress(KeyboardInterrupt):
        for number, item in enumerate(items, 1):
            print_line(f"{item.agent}  {number} of {len(items)}", style="bold")
            shown = waiting_list.preview(*scope, item)
            for indent, text, style in waiting_list.describe(item, shown):
                for line in wrap_text(text, width, indent, indent + INDENT):
                    print_line(line, style=style)
            if item.is_rule:
                print_note(RULE_NOTE)
            key = _ask_about(scope, item)
            if key == "q":
                break
            count += key != "s"
    print_note(f"{format_count(count, 'learning')} decided, {len(items) - count} left.")
    note_undo(scope)


def _ask_about(scope: Scope, item: WaitingItem) -> str:
    """Return the key of what was done; q means quit, s that nothing is decided."""
    while True:
        key = read_key(QUESTION).lower() or "q"
        if key in "qs":
            return key
        if key not in KEYS:
            print_note(HELP)
            continue
        try:
            if key == "e":  # the lines below the first one are nested below the item
                with edit_copy("learning.md", f"{item.text}\n") as text:
                    print_sentence(waiting_list.decide(*scope, item, KEYS[key], text))
                return key
            value = ask_line("Agent: ").strip() if key == "m" else ""
            print_sentence(waiting_list.decide(*scope, item, KEYS[key], value))
            if key == "m":
                note_undefined(scope.project, lookup.find_agent(scope.project, value, scope.level))
            return key
        except (CommandRefused, ValueError, OSError) as error:
            print_note(describe_error(error)[0])


NEW_QUESTION = "[a]ccept, [o] all of the author, [m]ine, [s]kip, [q]uit [?]: "
NEW_HELP = """\
a  accept the texts of this commit
o  accept the texts of all commits of this author
m  say that you wrote these texts
s  skip: decide later
q  quit, also Ctrl-C: what is left waits"""


def _review_new(
    scope: Scope,
    names: list[str],
    decision: str | None,
    origin: tuple[str | None, str | None],
    asks: bool,
) -> None:
    """List the texts of these agents, or those with these ids; or accept them, or call them own.

    `origin` are a commit and the address of an author, which both may be None.
    """
    if decision:
        require_person(scope.project, "accept items")
    agents, ids = find_agents_or_ids(scope, names)
    new = text_origins.list_new(*scope, agents, with_held=decision != ACCEPTED)
    if ids:
        new = list(dict.fromkeys(lookup.find_item(key, new) for key in ids))
    elif decision == MINE and not any(origin):  # a word for all makes nothing from elsewhere own
        every, new = new, [text for text in new if text.origin == rights.UNKNOWN]
        if every and not new:
            print_note("What came from elsewhere becomes yours by ID, --commit or --author.")
    rows = _choose_rows(text_origins.find_commits(scope.level, new), *origin)
    if decision:
        text_origins.accept(scope.level, [text for _commit, text in rows], decision == MINE)
        if decision == MINE:
            print_entries(list(map(_new_to_entry, rows)))
        print_line(f"{decision.capitalize()}: {format_count(len(rows), 'item')}.")
        _note_no_undo(scope, len(rows))
    elif rows and asks:
        _ask_about_new(scope, rows)
    else:
        _print_new(scope, rows)
    print_json({"decision": decision, "items": list(map(_new_to_json, rows))})


def _choose_rows(rows: list[Row], commit: str | None, author: str | None) -> list[Row]:
    """Return the rows of a commit and of an author."""
    if commit is not None:
        rows = [row for row in rows if lookup.is_id(commit) and row[0].name.startswith(commit)]
    if author is not None:
        rows = [row for row in rows if row[0].name and row[0].email == author]
    if not rows and (commit or author) is not None:
        raise CommandRefused("no text of such a commit waits (agent-memory review --new --list)")
    return rows


def _ask_about_new(scope: Scope, rows: list[Row]) -> None:
    """Show the texts commit by commit, and do what the keys say."""
    count = 0
    with suppress(KeyboardInterrupt):
        while rows:
            commit = rows[0][0]
            group = [row for row in rows if row[0] == commit]
            print_entries(list(map(_new_to_entry, group)))
            key = read_key(NEW_QUESTION).lower() or "q"
            if key == "q":
                break
            if key == "o" and commit.name:
                group = [row for row in rows if row[0].email == commit.email]
            elif key not in "ams":
                print_note(NEW_HELP)
                continue
            rows = [row for row in rows if row not in group]
            if key != "s":
                require_person(scope.project, "accept items")
                text_origins.accept(scope.level, [text for _commit, text in group], key == "m")
                count += len(group)
    print_note(f"{format_count(count, 'item')} accepted, {len(rows)} left.")
    _note_no_undo(scope, count)


def _note_no_undo(scope: Scope, count: int) -> None:
    """Say that the next undo is not of these decisions, if there are any."""
    if count:
        remove = format_command("remove ID", scope.is_user)
        print_note(f"undo does not take this back; remove an item with: {remove}")


def _print_new(scope: Scope, rows: list[Row]) -> None:
    print_entries(list(map(_new_to_entry, rows)))
    if not rows:
        print_note("No item came from elsewhere that you have not reviewed.")
        return
    some = "review --new --accept [--commit SHA] [--author EMAIL]"
    commands = (some, "remove ID", some.replace("accept", "mine ID"))
    accept, remove, mine = (format_command(words, scope.is_user) for words in commands)
    print_note(f"Accept them: {accept}.  If you wrote them: {mine}.  Remove one: {remove}")


def _new_to_entry(row: Row) -> Entry:
    commit, item = row
    author = f"{commit.author} <{commit.email}>" if commit.name else commit.author
    whole = " ".join(filter(None, (commit.name[:10], author, commit.day)))
    note = f"  ({item.origin})" if is_terminal() else f"  ({item.origin}, {whole})"
    text = markdown.join_nested(item.text, item.nested)
    return Entry((whole, item.agent), (item.agent,), (item.id,), text, note=note)


def _new_to_json(row: Row) -> dict[str, Any]:
    commit, item = row
    return {
        **item._asdict(),
        "nested": item.nested or None,
        "commit": commit.name or None,
        "author": commit.author if commit.name else None,
        "email": commit.email or None,
    }
