"""`agent-memory review`: decide on learnings that wait, and on texts that came from elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

from memory_core.cli.change import review_pr, review_session
from memory_core.cli.common import acting
from memory_core.cli.common.arguments import AsJson, User, agent_argument, flag, option
from memory_core.cli.common.entries import Entry, print_entries
from memory_core.cli.common.inputs import can_ask, read_key
from memory_core.cli.common.notes import format_command, get_change, note_undo
from memory_core.cli.common.scopes import LevelScope, find_agents_or_ids, find_level
from memory_core.cli.errors import CommandRefused
from memory_core.cli.output import is_terminal, print_json, print_line, print_note
from memory_core.curation import agent_status, lookup
from memory_core.curation import review as waiting_list
from memory_core.curation.review import AcceptedItem, WaitingItem, format_accepted, item_to_json
from memory_core.document import markdown
from memory_core.history import rights
from memory_core.origin import text_origins
from memory_core.secrets import scanner
from memory_core.text.phrases import format_count

Names = Annotated[
    list[str] | None,
    agent_argument("Agents, or learnings by id or text.", default="all that wait"),
]
PullRequest = Annotated[
    str | None, option("BASE", "Print what changed since the commit BASE.", "--pr")
]
Commit = Annotated[str | None, option("SHA", "With --new: those that this commit brought.")]
Author = Annotated[str | None, option("EMAIL", "With --new: those of this author.")]

# The action without an option: decide on each learning, or list them without a terminal.
ASK = "ask"


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
        decision = MINE if mine else ACCEPTED if accept else None
        review_new(find_level(user), names, decision, (commit, author), user, json, list_)
        return
    if commit is not None or author is not None:
        raise CommandRefused("--commit and --author require --new")
    _review_waiting(list(names or []), "".join(actions) or ASK, all_, user, json)


def _review_waiting(words: list[str], action: str, is_all: bool, user: bool, json: bool) -> None:
    """List the learnings that wait, or decide on those that the words name."""
    scope = find_level(user)
    is_any = is_all or action in ("list", ASK)
    chosen = waiting_list.choose(scope.project, scope.level, words, is_any)
    if action in ("list", ASK):
        if chosen and action == ASK and not json and can_ask() and is_terminal():
            review_session.run(scope, chosen, user)
        else:
            _show(scope, chosen, words, user, json)
        return
    accepted: list[AcceptedItem] = []
    if action == "reject":
        lines = waiting_list.reject(*scope, chosen)
    else:
        acting.require_person(scope.project, "accept learnings")
        accepted = waiting_list.accept(*scope, chosen)
        lines = list(map(format_accepted, accepted))
    if json:
        learnings, items = list(map(item_to_json, chosen)), [one._asdict() for one in accepted]
        fields = {"learnings": learnings, "items": items, "change": get_change(scope.project)}
        print_json({"decision": f"{action}ed", **fields})
        return
    for line in lines:
        print_line(line)
    if not chosen:
        print_note("No learning waits for you.")
    note_undo(scope.project, user)


def _show(
    scope: LevelScope, chosen: list[WaitingItem], words: list[str], user: bool, json: bool
) -> None:
    if json:
        print_json([item_to_json(item) for item in chosen])
        return
    print_entries([_to_entry(item) for item in chosen])
    if chosen:
        print_note(f"Accept or reject with: {format_command('review --accept ID', user)}")
        if any(item.is_rule for item in chosen):
            what = f"--accept to keep the rule, --reject to {review_session.REMOVE}"
            print_note(f"If a run reported it as wrong: {what}")
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


def _to_entry(item: WaitingItem) -> Entry:
    entry = item.entry
    parts = ["; ".join(item.reasons), f"run {entry['run']}" if entry["run"] else ""]
    parts += [f"read {text}" for text in entry["reading"]]
    parts += [entry["tier"], entry["time"][:10]]
    note = scanner.redact(f"  ({', '.join(filter(None, parts))})")
    return Entry((item.agent,), (item.agent,), (item.id,), item.text, entry["type"], note)


if TYPE_CHECKING:
    from memory_core.origin.text_origins import JudgedText, Row

ACCEPTED, MINE = "accepted", "mine"
MIN_COMMIT = 4  # characters of a commit's name

NEW_QUESTION = "[a]ccept, [o] all of the author, [m]ine, [s]kip, [q]uit [?]: "
NEW_HELP = """\
a  accept the texts of this commit
o  accept the texts of all commits of this author
m  say that you wrote these texts
s  skip: decide later
q  quit, also Ctrl-C: what is left waits"""


def review_new(
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
    rows = _choose_rows(text_origins.find_commits(level, new), *origin)
    if decision:
        text_origins.accept(level, _list_texts(rows), is_mine=decision == MINE)
    if json:
        print_json({"decision": decision, "items": [_new_to_json(row) for row in rows]})
    elif decision:
        if decision == MINE:
            print_entries(list(map(_new_to_entry, rows)))
        print_line(f"{decision.capitalize()}: {format_count(len(rows), 'item')}.")
    elif rows and not is_list and can_ask() and is_terminal():
        _ask_about_new(scope, rows)
    else:
        _print_new(rows, user)
    if not json and (count := len(waiting_list.list_waiting(level, agents))):
        verb = "waits" if count == 1 else "wait"
        command = format_command("review", user)
        print_note(f"{format_count(count, 'learning')} {verb} for you: {command}")


def _choose_rows(rows: list[Row], commit: str | None, author: str | None) -> list[Row]:
    """Return the rows of a commit and of an author."""
    if commit is not None:
        is_long = len(commit) >= MIN_COMMIT
        rows = [row for row in rows if is_long and row[0].name.startswith(commit)]
    if author is not None:
        rows = [row for row in rows if row[0].name and row[0].email == author]
    if not rows and (commit or author) is not None:
        raise CommandRefused("no text of such a commit waits (agent-memory review --new --list)")
    return rows


def _ask_about_new(scope: LevelScope, rows: list[Row]) -> None:
    """Show the texts commit by commit, and do what the keys say."""
    count = 0
    try:
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
                acting.require_person(scope.project, "accept items")
                text_origins.accept(scope.level, _list_texts(group), key == "m")
                count += len(group)
    except KeyboardInterrupt:
        pass
    print_note(f"{format_count(count, 'item')} accepted, {len(rows)} left.")


def _list_texts(rows: Iterable[Row]) -> list[JudgedText]:
    return [text for _commit, text in rows]


def _print_new(rows: list[Row], user: bool) -> None:
    print_entries(list(map(_new_to_entry, rows)))
    if not rows:
        print_note("No item came from elsewhere that you have not reviewed.")
        return
    accept = format_command("review --new --accept", user)
    remove, mine = (format_command(words, user) for words in ("remove ID", "review --mine"))
    some = "[--commit SHA] [--author EMAIL]"
    print_note(f"Accept them: {accept} {some}.  If you wrote them: {mine}.  Remove one: {remove}")


def _new_to_entry(row: Row) -> Entry:
    commit, item = row
    author = f"{commit.author} <{commit.email}>" if commit.name else commit.author
    whole = " ".join(filter(None, (commit.name[:10], author, commit.day)))
    note = f"  ({item.tier})" if is_terminal() else f"  ({item.tier}, {whole})"
    text = markdown.join_nested(item.text, item.nested)
    return Entry((whole, item.agent), (item.agent,), (item.id,), text, note=note)


def _new_to_json(row: Row) -> dict[str, Any]:
    commit, item = row
    return {
        **item._asdict(),
        "text": scanner.redact(item.text),
        "nested": scanner.redact(item.nested) or None,
        "commit": commit.name or None,
        "author": commit.author if commit.name else None,
        "email": commit.email or None,
    }
