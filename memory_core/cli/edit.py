"""`agent-memory edit`: a memory in the person's own editor."""

from __future__ import annotations

import os
import sys
import time

import typer

from memory_core.cli import Refused
from memory_core.cli.common import Agent, User, check_user, hint, project_of
from memory_core.cli.known import known_or_new, note_undefined
from memory_core.cli.output import answer_to, can_ask, note, out, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.editing import Finding, Kept, Taken
    from memory_core.memory import Project

# As git has it: a command with one of these is for the shell.
FOR_SHELL = frozenset("|&;<>()$`\\\"'*?[#~=%\n")

# What a shell, and a process, says of a program that Ctrl-C ended.
INTERRUPTED = (-2, 130)
NOT_FOUND = 127

# Seconds: nobody reads a file in less, so the editor has not waited for the person.
AT_ONCE = 0.5

AGAIN, KEEP, BACK = "e", "k", "b"


def edit(ctx: typer.Context, agent: Agent, user: User = False) -> None:
    """Open a memory in your editor, and look at it afterwards.

    That is $VISUAL, else $EDITOR, else vi.  It has a copy: the memory changes when you
    are done, at once, and what agents learned meanwhile is there as well.
    What is odd is shown, and you may edit again, keep it, or go back.
    Exit 1 when something is odd and nobody is there to answer.
    undo takes back what became of items; where other text changes, all as it was before
    is left in a file that is named.

    \b
    Example:
      EDITOR="sed -i.old s/never/seldom/" agent-memory edit engineer
    """
    from memory_core import editing

    check_user(user)
    project = project_of(ctx)
    level = project.level(user)
    name = known_or_new(project, agent, level)
    taken = editing.take(project, name, level)
    desk = Desk(os.path.basename(level.path(name)), taken.text)
    try:
        odd = _edited(project, name, taken, desk)
        if odd is None:
            note("Nothing is changed.")
        else:
            done = editing.keep(project, name, taken, desk.text(), level)
            before = desk.leave_before() if done.other and not taken.is_new else ""
            desk.is_done = True
            _tell(name, done, before, user)
            if taken.is_new:
                note_undefined(project, name)
    finally:
        desk.leave()
    if odd:
        raise typer.Exit(1)


class Desk:
    """The copy that the editor has; what a person wrote there stays unless it is done with."""

    def __init__(self, name: str, text: str) -> None:
        import tempfile

        # Of its own, for editors leave files beside it; and of this user alone.
        self.folder = tempfile.mkdtemp(prefix="agent-memory-")
        self.path = os.path.join(self.folder, name)
        self.before = text.encode("utf-8", "surrogateescape")
        self.is_done = self.has_before = False
        with open(self.path, "wb") as file:
            file.write(self.before)

    def text(self) -> str:
        try:
            with open(self.path, "rb") as file:
                return file.read().decode("utf-8", "surrogateescape")
        except FileNotFoundError:
            raise Refused("the editor has left no file; nothing is changed", 1) from None

    def leave_before(self) -> str:
        """Leave the text from before the edit in the place of the copy; return where."""
        path = os.path.join(self.folder, f"before-{os.path.basename(self.path)}")
        with open(path, "wb") as file:
            file.write(self.before)
        self.has_before = True
        os.unlink(self.path)
        return path

    def leave(self) -> None:
        """Clear the desk, but for what a person wrote, or wrote over, and has nowhere else."""
        import shutil

        if self.has_before:
            return
        if not self.is_done and self._is_written():
            note(f"What you wrote is in {self.path}")
        else:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _is_written(self) -> bool:
        try:
            with open(self.path, "rb") as file:
                return file.read() != self.before
        except OSError:
            return False


def _edited(project: Project, agent: str, taken: Taken, desk: Desk) -> list[Finding] | None:
    """Let the person edit; return what is odd and to be told, or None where all stays as it is."""
    from memory_core import editing

    while True:
        editor, seconds = _open(desk.path)
        if editing.is_untouched(taken, desk.text()):
            if seconds < AT_ONCE and can_ask():
                note(f"{editor} was back at once: it may need an option to wait, as `code --wait`.")
            desk.is_done = True
            return None
        found = editing.findings(project, agent, desk.text())
        for each in found:
            where = f"{os.path.basename(desk.path)}:{each.line}".removesuffix(":0")
            note(text_of(f"{where}: {each.what}"))
        if not found or not can_ask():
            return found
        choice = _choice()
        if choice != AGAIN:
            desk.is_done = choice == BACK
            return [] if choice == KEEP else None


def _choice() -> str:
    """Ask what is to become of a text with something odd in it; no answer leaves it on the desk."""
    while True:
        answer = answer_to("Edit again, keep it, or go back? [E/k/b]: ")
        if not answer:
            raise Refused("no answer; nothing is changed", 1)
        word = answer.strip().lower() or AGAIN
        if word in (AGAIN, KEEP, BACK):
            return word


def _open(path: str) -> tuple[str, float]:
    """Let the person's editor have a file until it is closed; return it, and the seconds.

    Raises Refused where that fails.
    """
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or _vi()
    began = time.monotonic()
    status = _run(editor, path)
    if status in INTERRUPTED:
        raise KeyboardInterrupt
    if status:
        told = "is not there" if status == NOT_FOUND else f"ended with status {status}"
        raise Refused(f"the editor {editor!r} {told}; nothing is changed", 1)
    return editor, time.monotonic() - began


def _vi() -> str:
    if not (sys.stdin and sys.stdin.isatty() and sys.stdout and sys.stdout.isatty()):
        raise Refused("vi needs a terminal; VISUAL or EDITOR may name what needs none", 1)
    return "vi"


def _run(editor: str, path: str) -> int:
    """Run an editor as git does; Ctrl-C is for it alone."""
    import signal
    import subprocess

    words = editor.split()
    if not words or FOR_SHELL & set(editor):
        words = ["sh", "-c", f'{editor} "$@"', editor]
    try:
        process = subprocess.Popen([*words, path])
    except FileNotFoundError:
        return NOT_FOUND
    except OSError as error:
        raise Refused(f"the editor {editor!r}: {error.strerror}; nothing is changed", 1) from None
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        return process.wait()
    finally:
        signal.signal(signal.SIGINT, before)


def _tell(agent: str, done: Kept, before: str, user: bool) -> None:
    out(f"{agent}: {_summary(done)}")
    if done.meanwhile:
        note("What was written meanwhile is there as well.")
    has_items = done.added or done.changed or done.removed
    if has_items:
        what = "the items back; other text is changed as well" if done.other else "it back"
        note(f"{hint('undo', user)} takes {what}.")
    else:
        note("undo knows items only: other text is in git's history, where it was committed.")
    if before:
        note(f"All as it was before is in {before}")


def _summary(done: Kept) -> str:
    from memory_core.overview import counted

    found = {"added": done.added, "changed": done.changed, "removed": done.removed}
    told = [(len(texts), verb) for verb, texts in found.items() if texts]
    if not told:
        return "text was changed, and no item"
    first, verb = told[0]
    rest = [f"{number} {verb}" for number, verb in told[1:]]
    return ", ".join([f"{counted(first, 'item')} {verb}", *rest])
