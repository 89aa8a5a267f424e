"""`agent-memory edit`: change a memory in an editor."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

from memory_core.cli.change.item import require_person_for
from memory_core.cli.common import inputs, notes
from memory_core.cli.common.arguments import User, agent_argument, argument
from memory_core.cli.common.scopes import Scope, find_agents, find_level, find_source
from memory_core.cli.errors import CommandRefused, exit_if
from memory_core.cli.output import print_line, print_note
from memory_core.curation import edit_session, lookup, searching
from memory_core.curation.edit_session import EditResult
from memory_core.history import item_history
from memory_core.text.phrases import format_count

STATUS_INTERRUPTED = 130  # of the shell that runs the editor

Text = Annotated[list[str] | None, argument("TEXT", "With the id of an item: its new text.")]


def edit(
    agent: Annotated[str, agent_argument("An agent, or the id of an item.", "AGENT|ID")],
    text: Text = None,
    user: User = False,
) -> None:
    """Edit a memory in your editor, or give an item a new text.

    Opens a copy in $VISUAL, $EDITOR or vi and merges your changes when you close it;
    undo takes them back. Exit 1 if lines of the text are odd.

    \b
    Example:
      EDITOR="sed -i.old s/never/seldom/" agent-memory edit engineer
    """
    project, level = scope = find_level(user)
    words = [agent, *(text or [])]
    size = 1 if lookup.is_item_id(project, agent, level) else 2
    if not searching.are_items(*scope, words[:size]):
        if text:
            raise CommandRefused(
                f"invalid id {words[-2]!r}: use agent-memory edit ID TEXT, or edit AGENT ID TEXT"
            )
        _edit_file(scope, *find_agents(scope, [agent], accept_new=True))
        return
    ((owner, name),) = searching.resolve_items(*scope, words[:size], [searching.IN_MEMORY])
    if not words[size:]:
        _edit_file(scope, owner)
        return
    new = " ".join(words[size:])
    source = find_source(project, [new])
    if source != item_history.PERSON_SOURCE:
        require_person_for(scope, [(owner, name)])
    result = edit_session.reword_item(project, owner, name, new, level, source)
    _print_result(scope, owner, result)
    for text_now in result.changed:
        print_note(f"Its id is now {item_history.id_of(text_now)}.")


def _edit_file(scope: Scope, agent: str) -> None:
    project, level = scope
    is_new, copy = not level.has_file(agent), edit_session.open_copy(project, agent, level)
    name = os.path.basename(level.path(agent))
    with edit_copy(name, copy) as edited:
        if edited == copy:
            print_note("Nothing is changed.  An editor such as VS Code needs its option --wait.")
            return
        if not edited.strip():
            raise CommandRefused(f"the file is empty; {inputs.NOTHING_CHANGED}", 1)
        source = find_source(project, [""])
        result = edit_session.save_copy(project, agent, copy, edited, level, source=source)
    warnings = edit_session.list_warnings(edited)
    for line, what in warnings:
        print_note(f"{name}:{line}: {what}")
    _print_result(scope, agent, result)
    if is_new:
        notes.note_undefined(project, agent)
    exit_if(warnings)


@contextmanager
def edit_copy(name: str, copy: str) -> Iterator[str]:
    """Return what a person makes of a text in the editor; it is kept if it cannot be saved."""
    # A folder of its own, because editors leave files next to the copy.
    path = Path(tempfile.mkdtemp(prefix="agent-memory-"), name)
    path.write_bytes(copy.encode("utf-8", "surrogateescape"))
    is_kept = False
    try:
        run_editor(path)
        yield _read(path)
    except BaseException:
        is_kept = path.is_file() and _read(path) != copy
        if is_kept:
            print_note(f"What you wrote is in {path}")
        raise
    finally:
        if not is_kept:
            shutil.rmtree(path.parent, ignore_errors=True)


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8", "surrogateescape")
    except FileNotFoundError:
        raise CommandRefused(f"the editor removed the file; {inputs.NOTHING_CHANGED}", 1) from None


def run_editor(path: Path) -> None:
    """Open a file in the user's editor, as git does, and wait for it."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
    if not (editor or inputs.can_ask()):
        raise CommandRefused("vi needs a terminal: set VISUAL or EDITOR to another editor", 1)
    editor = editor or "vi"
    # Ctrl-C is for the editor: neither its shell nor this process ends.
    process = subprocess.Popen(["sh", "-c", f'trap : INT; {editor} "$@"', editor, path])
    previous = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        status = process.wait()
    finally:
        signal.signal(signal.SIGINT, previous)
    if status == STATUS_INTERRUPTED:
        raise KeyboardInterrupt
    if status:
        failed = f"editor {editor!r} failed with status {status}"
        raise CommandRefused(f"{failed}; {inputs.NOTHING_CHANGED}", 1)


def _print_result(scope: Scope, agent: str, result: EditResult) -> None:
    changes = {"added": result.added, "changed": result.changed, "removed": result.removed}
    counts = [
        f"{format_count(len(texts), 'item')} {verb}" for verb, texts in changes.items() if texts
    ]
    print_line(f"{agent}: {', '.join(counts) or 'free text changed'}")
    if result.merged_others:
        print_note("Changes that were written meanwhile are kept.")
    notes.note_undo(scope)
