"""The keys of `agent-memory review` on a terminal: one learning, one key, one change."""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from pathlib import Path

from memory_core.cli.change.edit import run_editor
from memory_core.cli.common.entries import print_sentence, wrap_text
from memory_core.cli.common.inputs import ask_line, read_key
from memory_core.cli.common.notes import note_undo
from memory_core.cli.common.scopes import LevelScope, find_agent
from memory_core.cli.errors import CommandRefused, describe_error
from memory_core.cli.output import paint, print_line, print_note
from memory_core.curation import review
from memory_core.curation.review import INDENT, DetailLine, WaitingItem
from memory_core.text.phrases import format_count

QUESTION = "[a]ccept [e]dit [r]eject [m]ove [s]kip [q]uit [?]: "

HELP = """\
a  accept: add it to the memory
e  edit: change the text in your editor, and add it
r  reject: remove it from this list
m  move: add it to the memory of another agent
s  skip: decide later
q  quit, also Ctrl-C: what is left waits"""


class ReviewSession:
    """The decisions of a person; each is saved at once.

    `items` are the learnings without a decision.  The methods that decide return a message for the
    person; they raise CommandRefused, ValueError and OSError, and then nothing is changed.
    """

    def __init__(self, scope: LevelScope, items: list[WaitingItem], user: bool) -> None:
        self.scope = scope
        self.user = user
        self.items = list(items)
        self._decisions: Counter[str] = Counter()

    def describe(self, item: WaitingItem) -> list[DetailLine]:
        return review.describe(item, review.preview(*self.scope, item))

    def accept(self, item: WaitingItem, text: str | None = None) -> str:
        """Accept a learning, or another text for it."""
        if text is not None and text.strip() == item.text.strip():
            raise CommandRefused("The text is unchanged.")
        accepted = review.accept(*self.scope, [item], text)
        self._note(item, "accepted")
        return "\n".join(map(review.format_accepted, accepted))

    def move(self, item: WaitingItem, name: str) -> str:
        """Accept a learning for the agent with this name."""
        target = find_agent(name, self.user, accept_new=True).agent
        accepted = review.accept(*self.scope, [item], None, target)
        self._note(item, "moved")
        return "\n".join(map(review.format_accepted, accepted))

    def reject(self, item: WaitingItem) -> str:
        review.reject(*self.scope, [item])
        self._note(item, "rejected")
        return "Rejected."

    def print_summary(self) -> None:
        """Print what was decided, what is left, and how to undo it."""
        done = [f"{count} {name}" for name, count in self._decisions.items()]
        print_note(", ".join([*done, f"{format_count(len(self.items), 'learning')} left"]) + ".")
        note_undo(self.scope.project, self.user)

    def _note(self, item: WaitingItem, name: str) -> None:
        self.items.remove(item)
        self._decisions[name] += 1


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
