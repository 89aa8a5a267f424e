"""`agent-memory edit`: change a memory in an editor."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Annotated

from memory_core.cli.change.item import require_person_for
from memory_core.cli.common import inputs, notes
from memory_core.cli.common.arguments import User, agent_argument, argument
from memory_core.cli.common.scopes import Scope, find_agents, find_level, find_source
from memory_core.cli.errors import CommandRefused, exit_if
from memory_core.cli.output import print_line, print_note
from memory_core.curation import edit_session, lookup, searching
from memory_core.curation.edit_session import EditResult, EditWarning
from memory_core.history import item_history
from memory_core.text.phrases import format_count

# Git hands an editor command with one of these to the shell, and so does this command.
SHELL_CHARACTERS = frozenset("|&;<>()$`\\\"'*?[#~=%\n")

INTERRUPTED_STATUSES = (-2, 130)  # of a process and of a shell that Ctrl-C ended
STATUS_NOT_FOUND = 127

# An editor that takes less time did not wait for the person.
MIN_EDIT_SECONDS = 0.5

EDIT_AGAIN, KEEP, DISCARD = "e", "k", "d"


Text = Annotated[list[str] | None, argument("TEXT", "With the id of an item: its new text.")]


def edit(
    agent: Annotated[
        str, agent_argument("An agent in any case, or the id of an item.", "AGENT|ID")
    ],
    text: Text = None,
    user: User = False,
) -> None:
    """Edit a memory in your editor, or give an item a new text.

    Opens a copy in $VISUAL, $EDITOR or vi and merges your changes when you close it;
    undo takes them back. Exit 1 for problems without a terminal.

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
    hit = searching.find_by_id(level, name, [searching.IN_MEMORY], [owner])
    if not words[size:]:
        _edit_file(scope, hit.agent)
        return
    new = " ".join(words[size:])
    source = find_source(project, [new])
    if source != item_history.PERSON_SOURCE:
        require_person_for(scope, [(hit.agent, hit.id)], "change an item of a person")
    result = edit_session.reword_item(project, hit.agent, hit.text, new, level, source)
    _print_result(scope, hit.agent, result)
    for text_now in result.changed:
        print_note(f"Its id is now {item_history.id_of(text_now)}.")


def _edit_file(scope: Scope, agent: str) -> None:
    project, level = scope
    is_new, copy = not level.has_file(agent), edit_session.open_copy(project, agent, level)
    path = _write_copy(level.path(agent), copy)
    is_kept = False
    try:
        warnings = _edit_until_accepted(copy, path)
        if warnings is None:
            print_note("Nothing is changed.")
            return
        edited, source = _read(path), find_source(project, [""])
        result = edit_session.save_copy(project, agent, copy, edited, level, source=source)
    except BaseException:
        is_kept = path.is_file() and _read(path) != copy
        if is_kept:
            print_note(f"What you wrote is in {path}")
        raise
    finally:
        if not is_kept:
            shutil.rmtree(path.parent, ignore_errors=True)
    _print_result(scope, agent, result)
    if is_new:
        notes.note_undefined(project, agent)
    exit_if(warnings)


def _write_copy(target: str, copy: str) -> Path:
    # A folder of its own, because editors leave files next to the copy.
    folder = Path(tempfile.mkdtemp(prefix="agent-memory-"))
    path = folder / os.path.basename(target)
    path.write_bytes(copy.encode("utf-8", "surrogateescape"))
    return path


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8", "surrogateescape")
    except FileNotFoundError:
        raise CommandRefused(f"the editor removed the file; {inputs.NOTHING_CHANGED}", 1) from None


def _edit_until_accepted(copy: str, path: Path) -> list[EditWarning] | None:
    """Run the editor; return the warnings that nobody answered, or None to change nothing."""
    while True:
        start = time.monotonic()
        editor = run_editor(path)
        if _read(path) == copy:
            if time.monotonic() - start < MIN_EDIT_SECONDS and inputs.can_ask():
                print_note(
                    f"{editor} returned at once: it may need an option to wait, like `code --wait`"
                )
            return None
        if not _read(path).strip() and not inputs.can_ask():
            raise CommandRefused(f"the file is empty; {inputs.NOTHING_CHANGED}", 1)
        warnings = edit_session.list_warnings(_read(path))
        for line, what in warnings:
            print_note(f"{path.name}:{line}: {what}")
        if not warnings or not inputs.can_ask():
            return warnings
        choice = _ask_choice()
        if choice != EDIT_AGAIN:
            return [] if choice == KEEP else None


def _ask_choice() -> str:
    """Ask what to do about warnings; without an answer, the copy stays in its folder."""
    while True:
        answer = inputs.ask_line("Edit again, keep or discard? [E/k/d]: ")
        if not answer:
            raise CommandRefused(f"no answer; {inputs.NOTHING_CHANGED}", 1)
        choice = answer.strip().lower() or EDIT_AGAIN
        if choice in (EDIT_AGAIN, KEEP, DISCARD):
            return choice


def run_editor(path: Path) -> str:
    """Open a file in the user's editor and wait; return the editor command."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
    if not editor:
        if not (sys.stdin and sys.stdin.isatty() and sys.stdout and sys.stdout.isatty()):
            raise CommandRefused("vi needs a terminal: set VISUAL or EDITOR to another editor", 1)
        editor = "vi"
    try:
        status = _wait_for_editor(editor, path)
    except FileNotFoundError:
        status = STATUS_NOT_FOUND
    except OSError as error:
        raise CommandRefused(
            f"editor {editor!r}: {error.strerror}; {inputs.NOTHING_CHANGED}", 1
        ) from None
    if status in INTERRUPTED_STATUSES:
        raise KeyboardInterrupt
    if status:
        problem = "not found" if status == STATUS_NOT_FOUND else f"failed with status {status}"
        raise CommandRefused(f"editor {editor!r} {problem}; {inputs.NOTHING_CHANGED}", 1)
    return editor


def _wait_for_editor(editor: str, path: Path) -> int:
    """Run the editor as git does and return its status; Ctrl-C reaches only the editor."""
    words = editor.split()
    if not words or SHELL_CHARACTERS & set(editor):
        words = ["sh", "-c", f'{editor} "$@"', editor]
    process = subprocess.Popen([*words, path])
    previous = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        return process.wait()
    finally:
        signal.signal(signal.SIGINT, previous)


def _print_result(scope: Scope, agent: str, result: EditResult) -> None:
    changes = {"added": result.added, "changed": result.changed, "removed": result.removed}
    counts = [
        f"{format_count(len(texts), 'item')} {verb}" for verb, texts in changes.items() if texts
    ]
    print_line(f"{agent}: {', '.join(counts) or 'free text changed'}")
    if lost := len(result.without_section):
        print_line(f"{format_count(lost, 'item')} now in no section: headings begin with ##")
    if result.merged_others:
        print_note("Changes that were written meanwhile are kept.")
    notes.note_undo(scope)
