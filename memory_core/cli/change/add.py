"""`agent-memory add`: a person adds items to a memory."""

from __future__ import annotations

from typing import Annotated, Any

from memory_core.cli.change.item import format_item, item_to_json
from memory_core.cli.common import acting, scopes
from memory_core.cli.common.arguments import Agent, User, argument
from memory_core.cli.common.entries import format_section
from memory_core.cli.common.inputs import read_input
from memory_core.cli.common.notes import note_undefined, print_result
from memory_core.cli.errors import CommandRefused
from memory_core.cli.output import print_note, select_fields
from memory_core.curation import item_actions, lookup
from memory_core.curation.item_actions import TeachResult
from memory_core.learning import type_names
from memory_core.learning.lines import remove_bullet

WORDS_HELP = "The text; - reads one item per line. The type: "
WORDS_HELP += f"{', '.join(type_names.TYPES)} (default)."

Words = Annotated[list[str], argument("[TYPE] TEXT", WORDS_HELP)]


def add(agent: Agent, words: Words, user: User = False) -> None:
    """Add an item to the memory of an agent.

    If the agent knows it already, the confidence rises.

    \b
    Example:
      agent-memory add engineer mistake "A payment sent twice is paid twice"
    """
    scope, agent = scopes.find_agent(agent, user, accept_new=True)
    type_, text = _split_words(words)
    is_new = not scope.level.list_files(agent)
    if is_new and lookup.is_agent(scope.project, text, scope.level):
        raise CommandRefused(f"the agent comes first: use agent-memory add {text} TEXT")
    is_first = not scope.level.files.is_folder(scope.level.folder)
    texts = _read_stdin() if text == "-" else [text]
    source = acting.find_source(scope.project, texts)
    result = item_actions.teach(scope.project, agent, type_, texts, scope.level, source=source)
    print_result(scope, [_taught_to_json(agent, result)], _describe_taught(result))
    for item in result.rivals:
        print_note(f"It contradicts an item, which agents do not receive now: {format_item(item)}")
    if result.waits:
        print_note(f"It waits for a person: {result.waits} (agent-memory review)")
    if is_first:
        print_note(f"Note: the first memory here; its folder is {scope.level.folder}.")
    if is_new:
        note_undefined(scope.project, agent)


def _split_words(words: list[str]) -> tuple[str, str]:
    """Return the type and the text.

    The first word is the type if it is one, or if a text in quotes follows.
    """
    is_typed = words[0] in type_names.TYPES or len(words) == 2
    type_, rest = (words[0], words[1:]) if is_typed else (type_names.DEFAULT_TYPE, words)
    if words[0].strip() and not rest:
        raise CommandRefused(f"missing text: use agent-memory add AGENT {words[0]} TEXT")
    text = " ".join(rest).strip()
    if not text:
        raise CommandRefused("the text is empty")
    try:
        item_actions.check_type(type_)
    except item_actions.InvalidRequest as error:
        raise CommandRefused(f"{error} (put a text in quotes)") from None
    return type_, text


def _describe_taught(result: TeachResult) -> list[str]:
    lines = []
    for taught in result.taught:
        verb = "Already known, confidence raised" if taught.was_present else "Added"
        lines.append(f"{verb}: {format_item(taught.item)}")
        lines += [f"  replaces: {taught.was}"] if taught.was else []
    lines += [f"Contradicted: {format_item(item)}" for item in result.doubted]
    return lines + [
        f"Archived: {format_section(section)}{text.splitlines()[0]}"
        for section, text in result.evicted
    ]


def _read_stdin() -> list[str]:
    try:
        lines = [line.strip() for line in read_input("-").decode("utf-8-sig").splitlines()]
    except UnicodeDecodeError:
        raise CommandRefused("stdin is not UTF-8 text") from None
    texts = list(map(remove_bullet, lines))
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
            select_fields(item, "id", "text", "confidence")
            for item in [*result.doubted, *result.rivals]
        ],
        "archived": [{"section": section, "text": text} for section, text in result.evicted],
    }
