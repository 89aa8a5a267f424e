"""The keys of `agent-memory review` on a terminal: one learning, one key, one change."""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from memory_core.cli.change.edit import run_editor
from memory_core.cli.common.entries import print_sentence, wrap_text
from memory_core.cli.common.inputs import ask_line, read_key
from memory_core.cli.common.notes import note_undo
from memory_core.cli.common.scopes import LevelScope, find_agent
from memory_core.cli.errors import CommandRefused, describe_error
from memory_core.cli.output import paint, print_line, print_note
from memory_core.curation import review, undo
from memory_core.curation.review import WaitingItem
from memory_core.curation.views import review_details
from memory_core.curation.views.review_details import INDENT, DetailLine
from memory_core.text.phrases import format_count

QUESTION = "[a]ccept [e]dit [r]eject [m]ove [s]kip [u]ndo [q]uit [?]: "

HELP = """\
a  accept: add it to the memory
e  edit: change the text in your editor, and add it
r  reject: remove it from this list
m  move: add it to the memory of another agent
s  skip: decide later
u  undo: take back the last decision
q  quit, also Ctrl-C: what is left waits"""


class Decision(NamedTuple):
    """A decision: the learning, its place in the list, what was done, the number of changes before.

    The changes are those of the project.
    """

    item: WaitingItem
    place: int
    name: str
    start: int


class ReviewSession:
    """The decisions of a person; each is saved at once, and the last one can be undone.

    `items` are the learnings without a decision.  The methods that decide return a message for the
    person; they raise CommandRefused, ValueError and OSError, and then nothing is changed.
    """

    def __init__(self, scope: LevelScope, items: list[WaitingItem], user: bool) -> None:
        self.scope = scope
        self.user = user
        self.items = list(items)
        self._decisions: list[Decision] = []
        self._changes = scope.project.changes

    def describe(self, item: WaitingItem) -> list[DetailLine]:
        return review_details.describe(item, review.preview(*self.scope, item))

    def accept(self, item: WaitingItem, text: str | None = None) -> str:
        """Accept a learning, or another text for it."""
        if text is not None and text.strip() == item.text.strip():
            raise CommandRefused("The text is unchanged.")
        start = len(self._changes)
        accepted = review.accept(*self.scope, [item], text)
        self._note(item, "accepted", start)
        return "\n".join(map(review_details.format_accepted, accepted))

    def move(self, item: WaitingItem, name: str) -> str:
        """Accept a learning for the agent with this name."""
        target, start = find_agent(name, self.user, accept_new=True).agent, len(self._changes)
        accepted = review.accept(*self.scope, [item], None, target)
        self._note(item, "moved", start)
        return "\n".join(map(review_details.format_accepted, accepted))

    def reject(self, item: WaitingItem) -> str:
        start = len(self._changes)
        review.reject(*self.scope, [item])
        self._note(item, "rejected", start)
        return "Rejected."

    def undo(self) -> WaitingItem:
        """Undo the last decision; return its learning, which waits again in its old place."""
        if not self._decisions:
            raise CommandRefused("There is no decision to undo.")
        item, place, name, start = self._decisions[-1]
        if not self._changes[start:]:
            raise CommandRefused(f"{item.id} cannot wait again: it was {name} without a change.")
        undo.undo_changes(*self.scope, self._changes[start:])
        del self._changes[start:], self._decisions[-1]
        self.items.insert(place, item)
        return item

    def print_summary(self) -> None:
        """Print what was decided, what is left, and how to undo it."""
        counts = Counter(decision.name for decision in self._decisions)
        done = [f"{count} {name}" for name, count in counts.items()]
        print_note(", ".join([*done, f"{format_count(len(self.items), 'learning')} left"]) + ".")
        note_undo(self.scope.project, self.user)

    def _note(self, item: WaitingItem, name: str, start: int) -> None:
        place = self.items.index(item)
        self._decisions.append(Decision(self.items.pop(place), place, name, start))


def run(session: ReviewSession) -> None:
    """Show the learnings one by one, do what the keys say, and print what was decided."""
    waiting, skipped = list(session.items), list[WaitingItem]()
    try:
        while rest := [item for item in session.items if item not in skipped]:
            _print_item(session, rest[0], f"{len(waiting) - len(rest) + 1} of {len(waiting)}")
            key = _decide(session, rest[0])
            if key == "q":
                break
            skipped += rest[:1] if key == "s" else []
    except KeyboardInterrupt:
        pass
    session.print_summary()


def _print_item(session: ReviewSession, item: WaitingItem, position: str) -> None:
    width = shutil.get_terminal_size().columns
    print_line(paint(f"{item.agent}  {position}", "bold"))
    for indent, text, style in session.describe(item):
        rest = indent + (INDENT if indent != INDENT * 2 else "")
        for line in wrap_text(text, width, indent, rest):
            print_line(paint(line, style) if style else line)


def _decide(session: ReviewSession, item: WaitingItem) -> str:
    """Return the key of what was done; q means quit, s that nothing is decided."""
    while True:
        key = read_key(QUESTION).lower() or "q"
        if key in "qs":
            return key
        try:
            message = _apply(session, item, key)
        except review.NotWaiting as error:
            print_note(str(error))
            return "s"
        except (CommandRefused, ValueError, OSError) as error:
            print_note(describe_error(error)[0])
            continue
        if message:
            print_sentence(message)
            return key


def _apply(session: ReviewSession, item: WaitingItem, key: str) -> str:
    """Do what a key says; return "" if nothing was decided."""
    if key == "a":
        return session.accept(item)
    if key == "e":
        return session.accept(item, edit_text(item))
    if key == "r":
        return session.reject(item)
    if key == "m":
        name = ask_line("Agent: ").strip()
        return session.move(item, name) if name else ""
    if key == "u":
        return f"Undone: {session.undo().id} waits again."
    print_note(HELP)
    return ""


def edit_text(item: WaitingItem) -> str:
    """Return the text of a learning as the person leaves it in the editor.

    The lines below the first one are nested below the item.
    """
    folder = Path(tempfile.mkdtemp(prefix="agent-memory-"))
    try:
        path = folder / "learning.md"
        path.write_text(f"{item.text}\n", encoding="utf-8", errors="replace")
        run_editor(path)
        return path.read_text(encoding="utf-8", errors="replace")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
