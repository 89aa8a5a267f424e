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

import typer

from memory_core.cli.arguments import (
    NOTHING_CHANGED,
    Agent,
    AgentScope,
    User,
    find_any_agent,
    format_command,
    note_undefined,
    note_undo,
)
from memory_core.cli.errors import CommandRefused
from memory_core.cli.output import ask_line, can_ask, print_line, print_note
from memory_core.curation import edit_session
from memory_core.curation.edit_session import EditCopy, EditResult, EditWarning
from memory_core.text.phrases import format_count

# Git hands an editor command with one of these to the shell, and so does this command.
SHELL_CHARACTERS = frozenset("|&;<>()$`\\\"'*?[#~=%\n")

INTERRUPTED_STATUSES = (-2, 130)  # of a process and of a shell that Ctrl-C ended
STATUS_NOT_FOUND = 127

# An editor that returns sooner (in seconds) has probably not waited for the person.
MIN_EDIT_SECONDS = 0.5

EDIT_AGAIN, KEEP, DISCARD = "e", "k", "d"


def edit(agent: Agent, user: User = False) -> None:
    """Edit a memory in your editor.

    Opens a copy in $VISUAL, $EDITOR or vi and merges your changes when you close
    it.  Problems are shown, and you can edit again, keep or discard.
    Without a terminal, problems mean exit status 1.
    undo takes back changes of items; if other text changes, the previous version
    is kept in a file.

    \b
    Example:
      EDITOR="sed -i.old s/never/seldom/" agent-memory edit engineer
    """
    scope = find_any_agent(agent, user)
    copy = edit_session.open_copy(scope.project, scope.agent, scope.level)
    folder = EditFolder(os.path.basename(scope.level.path(scope.agent)), copy.text)
    try:
        warnings = _edit_until_accepted(scope, copy, folder)
        if warnings is None:
            print_note("Nothing is changed.")
        else:
            result = edit_session.save_copy(
                scope.project, scope.agent, copy, folder.read(), scope.level
            )
            is_backup_needed = result.free_text_changed and not copy.is_new
            backup = folder.save_original() if is_backup_needed else None
            folder.is_done = True
            _print_result(scope.agent, result, backup, user)
            if copy.is_new:
                note_undefined(scope.project, scope.agent)
    finally:
        folder.clean_up()
    if warnings:
        raise typer.Exit(1)


class EditFolder:
    """A temporary folder with the copy for the editor; it stays if the text would be lost."""

    def __init__(self, name: str, text: str) -> None:
        # A folder of its own, because editors leave files next to the copy.
        self.folder = Path(tempfile.mkdtemp(prefix="agent-memory-"))
        self.path = self.folder / name
        self.original = text.encode("utf-8", "surrogateescape")
        self.path.write_bytes(self.original)
        self.is_done = self.has_backup = False

    def read(self) -> str:
        try:
            return self.path.read_bytes().decode("utf-8", "surrogateescape")
        except FileNotFoundError:
            raise CommandRefused(f"the editor removed the file; {NOTHING_CHANGED}", 1) from None

    def save_original(self) -> Path:
        """Replace the copy by a backup of the text before the edit; return its path."""
        backup = self.folder / f"before-{self.path.name}"
        backup.write_bytes(self.original)
        self.has_backup = True
        self.path.unlink()
        return backup

    def clean_up(self) -> None:
        if self.has_backup:
            return
        try:
            is_changed = self.path.read_bytes() != self.original
        except OSError:
            is_changed = False
        if is_changed and not self.is_done:
            print_note(f"What you wrote is in {self.path}")
        else:
            shutil.rmtree(self.folder, ignore_errors=True)


def _edit_until_accepted(
    scope: AgentScope, copy: EditCopy, folder: EditFolder
) -> list[EditWarning] | None:
    """Run the editor; return the warnings that nobody answered, or None to change nothing."""
    while True:
        start = time.monotonic()
        editor = _run_editor(folder.path)
        if edit_session.is_unchanged(copy, folder.read()):
            if time.monotonic() - start < MIN_EDIT_SECONDS and can_ask():
                print_note(
                    f"{editor} returned at once: it may need an option to wait, like `code --wait`"
                )
            folder.is_done = True
            return None
        warnings = edit_session.list_warnings(scope.project, scope.agent, folder.read())
        for warning in warnings:
            where = f"{folder.path.name}:{warning.line}".removesuffix(":0")
            print_note(f"{where}: {warning.what}")
        if not warnings or not can_ask():
            return warnings
        choice = _ask_choice()
        if choice != EDIT_AGAIN:
            folder.is_done = choice == DISCARD
            return [] if choice == KEEP else None


def _ask_choice() -> str:
    """Ask what to do about warnings; without an answer, the copy stays in its folder."""
    while True:
        answer = ask_line("Edit again, keep or discard? [E/k/d]: ")
        if not answer:
            raise CommandRefused(f"no answer; {NOTHING_CHANGED}", 1)
        choice = answer.strip().lower() or EDIT_AGAIN
        if choice in (EDIT_AGAIN, KEEP, DISCARD):
            return choice


def _run_editor(path: Path) -> str:
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
        raise CommandRefused(f"editor {editor!r}: {error.strerror}; {NOTHING_CHANGED}", 1) from None
    if status in INTERRUPTED_STATUSES:
        raise KeyboardInterrupt
    if status:
        problem = "not found" if status == STATUS_NOT_FOUND else f"failed with status {status}"
        raise CommandRefused(f"editor {editor!r} {problem}; {NOTHING_CHANGED}", 1)
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


def _print_result(agent: str, result: EditResult, backup: Path | None, user: bool) -> None:
    changes = {"added": result.added, "changed": result.changed, "removed": result.removed}
    counts = [(len(texts), verb) for verb, texts in changes.items() if texts]
    if counts:
        number, verb = counts[0]
        parts = [f"{format_count(number, 'item')} {verb}"]
        parts += [f"{number} {verb}" for number, verb in counts[1:]]
        print_line(f"{agent}: {', '.join(parts)}")
    else:
        print_line(f"{agent}: free text changed")
    if result.merged_others:
        print_note("Changes that were written meanwhile are kept.")
    if counts and result.free_text_changed:
        print_note(f"To undo the changes of items: {format_command('undo', user)}")
    elif counts:
        note_undo(user)
    else:
        print_note("Only free text was changed, which undo does not cover.")
    if backup:
        print_note(f"The previous version is in {backup}")
