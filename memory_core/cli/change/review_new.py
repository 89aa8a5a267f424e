"""`agent-memory review --new`: the texts of memories that came from elsewhere, by commit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from memory_core.cli.common import scopes
from memory_core.cli.common.entries import Entry, print_entries
from memory_core.cli.common.notes import can_ask, format_command, read_key
from memory_core.cli.common.scopes import LevelScope, find_agents_or_ids
from memory_core.cli.errors import CommandRefused
from memory_core.cli.output import is_terminal, print_json, print_line, print_note
from memory_core.curation import lookup
from memory_core.curation import review as waiting_list
from memory_core.document import markdown
from memory_core.history import rights
from memory_core.origin import text_origins
from memory_core.secrets import scanner
from memory_core.text.phrases import format_count

if TYPE_CHECKING:
    from memory_core.origin.text_origins import JudgedText, Row

ACCEPTED, MINE = "accepted", "mine"
MIN_COMMIT = 4  # characters of a commit's name

QUESTION = "[a]ccept, [o] all of the author, [m]ine, [s]kip, [q]uit [?]: "
HELP = """\
a  accept the texts of this commit
o  accept the texts of all commits of this author
m  say that you wrote these texts
s  skip: decide later
q  quit, also Ctrl-C: what is left waits"""


def run(
    scope: LevelScope,
    names: list[str] | None,
    decision: str | None,
    origin: tuple[str | None, str | None],
    user: bool,
    json: bool,
    is_list: bool,
) -> None:
    """List the texts of these agents, or those with these ids; or accept them, or call them own.

    `origin` are a commit and the address of an author, which both may be None.
    """
    project, level = scope
    agents, ids = find_agents_or_ids(scope, names)
    is_narrow = bool(ids or any(origin))
    new = text_origins.list_new(project, level, agents, with_held=decision != ACCEPTED)
    if decision == MINE and not is_narrow:  # what came from elsewhere is nobody's by a word for all
        new = [text for text in new if text.tier == rights.UNKNOWN]
    new = list(dict.fromkeys(lookup.find_item(key, new) for key in ids)) if ids else new
    rows = _choose(text_origins.find_commits(level, new), *origin)
    if decision:
        text_origins.accept(level, _list_texts(rows), is_mine=decision == MINE)
    if json:
        print_json({"decision": decision, "items": [to_json(row) for row in rows]})
    elif decision:
        if decision == MINE:
            print_entries(list(map(_make_entry, rows)))
        print_line(f"{decision.capitalize()}: {format_count(len(rows), 'item')}.")
    elif rows and not is_list and can_ask() and is_terminal():
        _ask(scope, rows)
    else:
        _print(rows, user)
    if not json and (count := len(waiting_list.list_waiting(level, agents))):
        verb = "waits" if count == 1 else "wait"
        command = format_command("review", user)
        print_note(f"{format_count(count, 'learning')} {verb} for you: {command}")


def _choose(rows: list[Row], commit: str | None, author: str | None) -> list[Row]:
    """Return the rows of a commit and of an author."""
    if commit is not None:
        is_long = len(commit) >= MIN_COMMIT
        rows = [row for row in rows if is_long and row[0].name.startswith(commit)]
    if author is not None:
        rows = [row for row in rows if row[0].name and row[0].email == author]
    if not rows and (commit or author) is not None:
        raise CommandRefused("no text of such a commit waits (agent-memory review --new --list)")
    return rows


def _ask(scope: LevelScope, rows: list[Row]) -> None:
    """Show the texts commit by commit, and do what the keys say."""
    count = 0
    try:
        while rows:
            commit = rows[0][0]
            group = [row for row in rows if row[0] == commit]
            print_entries(list(map(_make_entry, group)))
            key = read_key(QUESTION).lower() or "q"
            if key == "q":
                break
            if key == "o" and commit.name:
                group = [row for row in rows if row[0].email == commit.email]
            elif key not in "ams":
                print_note(HELP)
                continue
            rows = [row for row in rows if row not in group]
            if key != "s":
                count += _accept(scope, group, key == "m")
    except KeyboardInterrupt:
        pass
    print_note(f"{format_count(count, 'item')} accepted, {len(rows)} left.")


def _accept(scope: LevelScope, rows: list[Row], is_mine: bool) -> int:
    scopes.require_person(scope.project, "accept items")
    text_origins.accept(scope.level, _list_texts(rows), is_mine)
    return len(rows)


def _list_texts(rows: Iterable[Row]) -> list[JudgedText]:
    return [text for _commit, text in rows]


def _print(rows: list[Row], user: bool) -> None:
    print_entries(list(map(_make_entry, rows)))
    if not rows:
        print_note("No item came from elsewhere that you have not reviewed.")
        return
    accept = format_command("review --new --accept", user)
    remove, mine = (format_command(words, user) for words in ("remove ID", "review --mine"))
    some = "[--commit SHA] [--author EMAIL]"
    print_note(f"Accept them: {accept} {some}.  If you wrote them: {mine}.  Remove one: {remove}")


def _make_entry(row: Row) -> Entry:
    commit, item = row
    author = f"{commit.author} <{commit.email}>" if commit.name else commit.author
    whole = " ".join(filter(None, (commit.name[:10], author, commit.day)))
    note = f"  ({item.tier})" if is_terminal() else f"  ({item.tier}, {whole})"
    return Entry((whole, item.agent), (item.agent,), (item.id,), _format_text(item), note=note)


def _format_text(item: JudgedText) -> str:
    return scanner.redact(markdown.join_nested(item.text, item.nested))


def to_json(row: Row) -> dict[str, Any]:
    commit, item = row
    return {
        **vars(item),
        "text": scanner.redact(item.text),
        "nested": scanner.redact(item.nested) or None,
        "commit": commit.name or None,
        "author": commit.author if commit.name else None,
        "email": commit.email or None,
    }
