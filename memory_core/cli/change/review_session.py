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
from memory_core.curation.review import AcceptedItem, WaitingItem
from memory_core.text.phrases import format_count

QUESTION = "[a]ccept [e]dit [r]eject [m]ove [s]kip [q]uit [?]: "

HELP = """\
a  accept: add it to the memory
e  edit: change the text in your editor, and add it
r  reject: remove it from this list
m  move: add it to the memory of another agent
s  skip: decide later
q  quit, also Ctrl-C: what is left waits"""

INDENT = "    "

SKIPPED = "skipped"


def run(scope: LevelScope, waiting: list[WaitingItem], user: bool) -> None:
    """Show the learnings one by one, and do what the keys say; each decision is saved at once."""
    counts: Counter[str] = Counter()
    try:
        for number, item in enumerate(waiting, 1):
            _print_item(item, f"{number} of {len(waiting)}")
            decision = _decide(scope, item, user)
            if not decision:
                break
            counts[decision] += 1
    except KeyboardInterrupt:
        pass
    left = len(waiting) - counts.total() + counts.pop(SKIPPED, 0)
    done = [f"{count} {decision}" for decision, count in counts.items()]
    print_note(", ".join([*done, f"{format_count(left, 'learning')} left"]) + ".")
    note_undo(scope.project, user)


def _print_item(item: WaitingItem, position: str) -> None:
    entry, width = item.entry, shutil.get_terminal_size().columns
    print_line(paint(f"{item.agent}  {position}", "bold"))
    first, *nested = item.text.splitlines()
    kind = f"[{entry['type']}] " if entry["type"] else ""
    lines = [*wrap_text(kind + first, width, "  ", INDENT)]
    for line in nested:
        lines += wrap_text(line, width, INDENT * 2, INDENT * 3)
    about = f"why it waits: {entry['reason'] or 'unknown'}; since {entry['time'][:10]}"
    about += f"; run {entry['run']}" if entry["run"] else ""
    if entry["other"]:
        lines += wrap_text(f"contradicts: {entry['other']}", width, INDENT, INDENT)
    for line in [*lines, *wrap_text(about, width, INDENT, INDENT)]:
        print_line(line)


def _decide(scope: LevelScope, item: WaitingItem, user: bool) -> str:
    """Return what was done with a learning, "" to quit."""
    while True:
        key = read_key(QUESTION).lower()
        if key in ("", "q"):
            return ""
        if key == "s":
            return SKIPPED
        try:
            decision = _apply(scope, item, key, user)
        except review.NotWaiting as error:
            print_note(str(error))
            return SKIPPED
        except (CommandRefused, ValueError, OSError) as error:
            print_note(describe_error(error)[0])
            continue
        if decision:
            return decision


def _apply(scope: LevelScope, item: WaitingItem, key: str, user: bool) -> str:
    """Do what a key says; return "" if the learning still waits."""
    if key == "r":
        review.reject(*scope, [item])
        print_line("Rejected.")
        return "rejected"
    text, target = None, ""
    if key == "e":
        text = edit_text(item)
        if text.strip() == item.text.strip():
            print_note("The text is unchanged.")
            return ""
    elif key == "m":
        name = ask_line("Agent: ").strip()
        if not name:
            return ""
        target = find_agent(name, user, accept_new=True).agent
    elif key != "a":
        print_note(HELP)
        return ""
    for accepted in review.accept(*scope, [item], text, target):
        print_sentence(format_accepted(accepted))
    return "moved" if target else "accepted"


def format_accepted(item: AcceptedItem) -> str:
    verb = "Already known" if item.was_present else "Accepted"
    return f"{verb}: {item.agent}: {item.id} {item.text}"


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
