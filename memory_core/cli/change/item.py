"""`agent-memory add`, `remove`, `restore`, `share` and others: what people do to items."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

import typer

from memory_core.claude_code.agent_names import PM
from memory_core.cli.common import arguments, scopes
from memory_core.cli.common.arguments import (
    ITEM_HELP,
    Agent,
    AsJson,
    Items,
    User,
    agent_option,
    flag,
)
from memory_core.cli.common.entries import Entry, format_section, print_entries, print_sentence
from memory_core.cli.common.notes import get_change, note_undefined, note_undo, read_input
from memory_core.cli.errors import CommandRefused
from memory_core.cli.output import enable_pager, print_json, print_line, print_note, select_fields
from memory_core.curation import agent_context, archive, item_actions, lookup, searching
from memory_core.curation.archive import RestoreResult
from memory_core.curation.item_actions import RatedItem, ShareResult, SourceItem, TeachResult
from memory_core.learning import type_names
from memory_core.storage.project import Project
from memory_core.storage.store import Store

# What only a person may do, by the kind of the history record.
PERSONS_KINDS = {
    "confirmed": "confirm items",
    **dict.fromkeys(("pinned", "unpinned"), "pin items"),
}

# What an agent may do to items that are no person's.
VERBS = {"contradicted": "contradict", "removed": "remove"}

MOST_NAMED = 5  # items in a warning

# By the kind of the history record.
RESULT_WORDS = {
    "confirmed": "Confirmed",
    "contradicted": "Contradicted",
    "removed": "Archived",
    "pinned": "Pinned",
    "unpinned": "Unpinned",
}


def confirm(items: Items, user: User = False, json: AsJson = False) -> None:
    """Record that items are right: their confidence rises.

    \b
    Example:
      agent-memory confirm engineer "event bus"
    """
    _change("confirmed", items, user, json)


def contradict(items: Items, user: User = False, json: AsJson = False) -> None:
    """Record that items are wrong: their confidence falls.

    The items stay in the memory.

    \b
    Example:
      agent-memory contradict engineer "event bus"
    """
    _change("contradicted", items, user, json)


def remove(items: Items, user: User = False, json: AsJson = False) -> None:
    """Move items to the archive.

    agent-memory restore puts an item back.

    \b
    Example:
      agent-memory remove engineer "event bus"
    """
    _change("removed", items, user, json)


def pin(items: Items, user: User = False, json: AsJson = False) -> None:
    """Give items to the agent with every task, whatever the task is.

    \b
    Example:
      agent-memory pin engineer "event bus"
    """
    _change("pinned", items, user, json)


def unpin(items: Items, user: User = False, json: AsJson = False) -> None:
    """Give items to the agent only if they fit its task.

    \b
    Example:
      agent-memory unpin 17e4
    """
    _change("unpinned", items, user, json)


def _change(kind: str, items: list[str], user: bool, json: bool) -> None:
    project, level = scope = scopes.find_level(user)
    if kind in PERSONS_KINDS:
        scopes.require_person(project, PERSONS_KINDS[kind])
    names = scopes.find_items(scope, items, [searching.IN_MEMORY])
    if kind in VERBS:
        scopes.require_person_for(scope, names, f"{VERBS[kind]} an item of a person")
    changed = item_actions.judge_items(project, names, kind, level)
    if json:
        common = {"kind": kind, "change": get_change(project)}
        rows = [{"agent": agent, **common, **item_to_json(item)} for agent, item in changed]
        print_json(rows if len(rows) > 1 else rows[0])
        return
    for _agent, item in changed:
        print_line(f"{RESULT_WORDS[kind]}: {format_item(item)}")
    if kind == "pinned":
        _warn_of_full_budget(project, {agent for agent, _item in changed})
    note_undo(project, user)


def _warn_of_full_budget(project: Project, agents: Iterable[str]) -> None:
    """Say which pinned items of these agents do not fit into a prompt any more."""
    for agent in sorted(agents):
        choices = agent_context.preview_block(project, agent).choices
        left = [one.passage for one in choices if one.passage.is_wished and not one.is_chosen]
        if left:
            pins = sum(one.passage.is_wished for one in choices)
            names = ", ".join(passage.short_id or passage.section for passage in left[:MOST_NAMED])
            budget = project.config["selection"]["budget_tokens"]
            what = f"{len(left)} of {pins} pins of {agent} do not fit into {budget} tokens: {names}"
            print_sentence(what, level="warning")


def format_item(item: RatedItem) -> str:
    return f"{item.id} {format_section(item.section)}{item.text} ({item.confidence:.1f})"


def item_to_json(item: RatedItem) -> dict[str, Any]:
    return {
        "id": item.id,
        "text": item.text,
        "section": item.section or None,
        "confidence": item.confidence,
    }


Words = Annotated[
    list[str],
    typer.Argument(
        metavar="[TYPE] TEXT",
        help="The text; - reads one item per line. The type: "
        f"{', '.join(type_names.TYPES)} (default).",
    ),
]


def add(
    agent: Agent,
    words: Words,
    user: User = False,
    json: AsJson = False,
) -> None:
    """Add an item to the memory of an agent.

    If the agent knows it already, the confidence rises.

    \b
    Example:
      agent-memory add engineer mistake "A payment sent twice is paid twice"
    """
    scope = scopes.find_agent(agent, user, accept_new=True)
    type_, text = _split_words(words)
    is_new = not scope.level.list_files(scope.agent)
    is_first = not scope.level.files.is_folder(scope.level.folder)
    texts = _read_stdin() if text == "-" else [text]
    source = scopes.find_source(scope.project, texts)
    result = item_actions.teach(
        scope.project, scope.agent, type_, texts, scope.level, source=source
    )
    if json:
        print_json({**_taught_to_json(scope.agent, result), "change": get_change(scope.project)})
        return
    _print_taught(result)
    if result.waits:
        print_note(f"It waits for a person: {result.waits} (agent-memory review)")
    note_undo(scope.project, user)
    if is_first:
        print_note(f"Note: the first memory here; its folder is {scope.level.folder}.")
    if is_new:
        note_undefined(scope.project, scope.agent)


def _split_words(words: list[str]) -> tuple[str, str]:
    """Return the type and the text: the first word is a type if others follow."""
    type_ = words[0] if len(words) > 1 else type_names.DEFAULT_TYPE
    text = " ".join(words[1:] or words).strip()
    if not text:
        raise CommandRefused("the text is empty")
    if len(words) == 1 and type_names.type_of(text):
        raise CommandRefused(f"missing text: use agent-memory add AGENT {text} TEXT")
    try:
        item_actions.check_type(type_)
    except item_actions.InvalidRequest as error:
        raise CommandRefused(f"{error} (put a text in quotes)") from None
    return type_, text


def _print_taught(result: TeachResult) -> None:
    for taught in result.taught:
        verb = "Already known, confidence raised" if taught.was_present else "Added"
        print_line(f"{verb}: {format_item(taught.item)}")
        if taught.was:
            print_line(f"  replaces: {taught.was}")
    for item in result.doubted:
        print_line(f"Contradicted: {format_item(item)}")
    for item in result.rivals:
        print_note(f"It contradicts an item, which agents do not receive now: {format_item(item)}")
    for section, text in result.evicted:
        print_line(f"Archived: {format_section(section)}{text.splitlines()[0]}")


def _read_stdin() -> list[str]:
    try:
        lines = [line.strip() for line in read_input("-").decode("utf-8-sig").splitlines()]
    except UnicodeDecodeError:
        raise CommandRefused("stdin is not UTF-8 text") from None
    texts = [line[2:].strip() if line[:2] in ("- ", "* ", "+ ") else line for line in lines]
    if not any(texts):
        raise CommandRefused("stdin is empty: at least one line is expected")
    return [text for text in texts if text]


def _taught_to_json(agent: str, result: TeachResult) -> dict[str, Any]:
    return {
        "agent": agent,
        "items": [
            {**item_to_json(taught.item), "known": taught.was_present, "was": taught.was or None}
            for taught in result.taught
        ],
        "contradicted": [
            {"id": item.id, "text": item.text, "confidence": item.confidence}
            for item in [*result.doubted, *result.rivals]
        ],
        "archived": [{"section": section, "text": text} for section, text in result.evicted],
    }


ArchivedItems = Annotated[
    list[str],
    typer.Argument(
        metavar="[AGENT] [ITEM]",
        help="An agent and a text, or ids; without: list.",
        autocompletion=arguments.suggest_agents,
    ),
]


def restore(
    items: ArchivedItems,
    user: User = False,
    json: AsJson = False,
) -> None:
    """List archived items, or restore them.

    \b
    Example:
      agent-memory restore engineer
    """
    scope = scopes.find_level(user)
    if len(items) == 1 and lookup.is_agent(scope.project, items[0], scope.level):
        _list_archive(scopes.AgentScope(*scope, *scopes.find_agents(scope, items)), json)
        return
    scopes.require_person(scope.project, "restore items")
    places = (searching.IN_ARCHIVE, searching.IN_MEMORY)
    named = scopes.find_items(scope, items, places)
    results = archive.restore(*scope, named)
    if json:
        rows = [
            _restored_to_json(agent, result, get_change(scope.project)) for agent, result in results
        ]
        print_json(rows if len(rows) > 1 else rows[0])
        return
    for _agent, result in results:
        _print_restored(result)
    note_undo(scope.project, user)


def _restored_to_json(agent: str, result: RestoreResult, change: str | None) -> dict[str, Any]:
    return {
        "agent": agent,
        **select_fields(result, "file", "section", "text", known="was_present"),
        "change": change,
    }


def _print_restored(result: RestoreResult) -> None:
    first = result.text.splitlines()[0]
    if result.was_present:
        print_line(f"Already in {result.file}: {first}")
    else:
        print_line(f"Restored to {result.file} [{result.section}]: {first}")


def _list_archive(scope: scopes.AgentScope, json: bool) -> None:
    items = archive.list_absent(scope.level, scope.agent)
    if json:
        print_json([{**item._asdict(), "day": item.day or None} for item in items])
        return
    enable_pager()
    width = len(str(len(items)))
    entries = []
    for item in items:
        cells = (f"{item.number:{width}}", item.day)
        entries.append(Entry((scope.agent,), (), cells, item.text, item.section))
    print_entries(entries)
    if not items:
        print_note(f"The archive of {scope.agent} is empty.")


Item = Annotated[list[str], typer.Argument(metavar="ITEM", help=ITEM_HELP)]
To = Annotated[list[str] | None, agent_option("--to", help="Agent to copy to (repeatable).")]
All = Annotated[bool, flag("--all", "Copy to every agent with a memory except PM.")]
ToUser = Annotated[bool, flag("--user", "Copy to the agent's user-level memory.")]
From = Annotated[str | None, agent_option("--from", help="Agent to copy from.", show_default="any")]


def share(
    item: Item,
    to: To = None,
    all_: All = False,
    user: ToUser = False,
    from_: From = None,
    json: AsJson = False,
) -> None:
    """Copy items to other agents or to your user level.

    Several words are ids, or else the text of one item.

    \b
    Example:
      agent-memory share "event bus" --user
    """
    if sum(map(bool, (to, all_, user))) != 1:
        raise CommandRefused("one of --to AGENT, --all and --user is required")
    scopes.find_level(user)  # refuses --user without a home directory
    scope = scopes.find_level()
    owners = scopes.find_agents(scope, [from_]) if from_ else scope.level.agents()
    names = item if all(map(lookup.is_id, item)) else [" ".join(item)]
    sources = [item_actions.find_source(*scope, owners, name) for name in names]
    targets = [_list_targets(scope, source, to or [], user) for source in sources]
    copied = item_actions.copy_items(scope.project, list(zip(sources, targets, strict=True)))
    copies = list(zip(sources, copied, strict=True))
    if json:
        common = {"change": get_change(scope.project)}
        rows = [{**_copies_to_json(*copy), **common} for copy in copies]
        print_json(rows if len(rows) > 1 else rows[0])
        return
    for source, results in copies:
        for result in results:
            _print_copy(source, result)
    note_undo(scope.project, user)


def _copies_to_json(source: SourceItem, results: list[ShareResult]) -> dict[str, Any]:
    renamed = {"user": "is_user", "known": "was_present"}
    return {
        "from": source.agent,
        **select_fields(source, "id", "text", "section", "confidence"),
        "shared": [
            select_fields(result, "agent", "text", "section", **renamed) for result in results
        ],
    }


def _list_targets(
    scope: scopes.LevelScope, source: SourceItem, names: list[str], user: bool
) -> list[tuple[str, Store]]:
    if user:
        if scope.project.user_paths is None:
            raise CommandRefused(
                "this folder is your home directory: its memories are your user level already"
            )
        return [(source.agent, scope.project.level(user=True))]
    agents = scopes.find_agents(scope, names) or [
        agent for agent in scope.level.agents() if agent not in (source.agent, PM)
    ]
    if not agents:
        raise CommandRefused(f"no agent other than {source.agent} has a memory here", 1)
    return [(agent, scope.level) for agent in dict.fromkeys(agents)]


def _print_copy(source: SourceItem, result: ShareResult) -> None:
    target = f"{result.agent} (user level)" if result.is_user else result.agent
    if result.was_present:
        print_line(f"{target} already knows: {result.text}")
    else:
        section = f" [{result.section}]" if result.section else ""
        print_line(f"{source.agent} -> {target}{section}: {result.text}")
