"""Edit a memory in an editor: open a copy, check it, and merge it back.

The editor has a copy, so the memory file never has half-written text.  Afterwards the copy is
merged item by item with changes that others wrote meanwhile, as one change.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from memory_core.curation import item_actions, lookup
from memory_core.document import edits, markdown, template
from memory_core.git import three_way
from memory_core.history import item_history, rights
from memory_core.memory import transaction
from memory_core.memory.agent_memory import AgentMemory
from memory_core.memory.loading import read_memory, record_difference
from memory_core.secrets import scanner
from memory_core.storage.project import Project
from memory_core.storage.store import Store
from memory_core.text import characters, sanitize


class EditResult(NamedTuple):
    """Texts of changed items, and whether changes of others were merged."""

    added: list[str]
    changed: list[str]
    removed: list[str]
    merged_others: bool = False


def open_copy(project: Project, agent: str, store: Store) -> str:
    """Return the memory's text, or for a new memory a header with the default headings."""
    snapshot = store.read(agent)
    if snapshot:
        return snapshot.text
    memory = read_memory(project, agent, store)
    return memory.text + template.render_headings(memory.limits)


# Warnings.


def list_warnings(text: str) -> list[tuple[int, str]]:
    """Return possible mistakes in the text, with their lines; they do not prevent saving it."""
    document = markdown.parse_document(text)
    return sorted([*document.warnings, *_check_lines(document.lines)])


def _check_lines(lines: list[str]) -> Iterator[tuple[int, str]]:
    """Warn of lines that an agent would receive in another form."""
    for number, line in enumerate(lines, 1):
        text = line.rstrip("\r\n")
        if (clean := scanner.redact(text)) != text:
            yield number, f"a secret: agents get {clean.strip()}"
        elif characters.clean(text) != text:
            yield number, "invisible characters or bytes that are not UTF-8: agents do not get them"


# Saving.


def save_copy(
    project: Project,
    agent: str,
    base: str,
    text: str,
    store: Store | None = None,
    source: str = item_history.PERSON_SOURCE,
) -> EditResult:
    """Merge a text that was `base` into the memory, as one change; changes by others are kept.

    Raises OSError if the memory cannot be locked, read or written; it is then unchanged.
    """

    def save(memory: AgentMemory) -> EditResult:
        has_others = memory.snapshot is not None and memory.text != base
        after = three_way.merge(base, memory.text, text) if has_others else text
        result = _apply(memory, markdown.parse_document(after), source)
        return result._replace(merged_others=has_others)

    return transaction.change_memory(project, agent, save, store)


def reword_item(
    project: Project,
    agent: str,
    name: str,
    text: str,
    store: Store,
    source: str = item_history.PERSON_SOURCE,
) -> EditResult:
    """Replace the text of the item with this name; its nested lines stay.

    Raises InvalidRequest if a line of the memory cannot hold the text, if it is empty, unchanged or
    another item's, or if it has a secret, and ItemNotFound.
    """
    line = sanitize.clean_line(text)
    if not line:
        raise item_actions.InvalidRequest("the new text is empty; agent-memory remove ID archives")
    if reason := scanner.refuse(text):
        raise item_actions.InvalidRequest(reason)

    def reword(memory: AgentMemory) -> EditResult:
        document = memory.document
        old = lookup.find_item(name, item_actions.list_items(memory))
        if text == old.text:
            raise item_actions.InvalidRequest("The text is unchanged.")
        new = item_history.id_of(line)
        if new != old.id and any(item_history.id_of(one.text) == new for one in document.items):
            way = f"agent-memory remove {old.id} archives this one"
            raise item_actions.InvalidRequest(f"item {new} has this text already; {way}")
        item = next(one for one in document.items if one.text == old.text)
        try:
            after = edits.replace_item(document, item, line)
        except ValueError as error:
            raise item_actions.InvalidRequest(str(error)) from None
        return _apply(memory, after, source, old.text)

    return transaction.change_memory(project, agent, reword, store)


def _apply(
    memory: AgentMemory, document: markdown.Document, source: str, reworded: str = ""
) -> EditResult:
    """Take an edited document; the only new item may have quite other words than `reworded`."""
    history = memory.history
    difference = item_history.compare(history, markdown.list_items(document))
    gone = [state for state in difference.gone if state.id == item_history.id_of(reworded)]
    if gone and len(difference.new) == 1:  # it is the new wording
        difference.new = [(*difference.new[0][:3], gone[0].id)]
        difference.gone.remove(gone[0])
    # Compare before the edits are recorded, while the history shows which items are new.
    changed = [text for text, _, _, was in difference.new if was or history.find(text)]
    added = [text for text, _, _, was in difference.new if not was and not history.find(text)]
    added += [text for text, _, _ in difference.returned]
    removed = [item.text for item in difference.gone]
    # The wording of an agent is a better wording of a run, and no edit of a person.
    is_persons = source == item_history.PERSON_SOURCE
    record_difference(memory, difference, "edited" if is_persons else "merged", source)
    memory.set_document(document, rights.PERSON if is_persons else rights.AGENT)
    return EditResult(added, changed, removed)
