"""The keys of `agent-memory review` on a terminal: one learning, one key, one change."""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from contextlib import suppress
from pathlib import Path

from memory_core.cli.change.edit import run_editor
from memory_core.cli.common.entries import print_sentence, wrap_text
from memory_core.cli.common.inputs import ask_line, read_key
from memory_core.cli.common.notes import note_undo
from memory_core.cli.common.scopes import Scope
from memory_core.cli.errors import CommandRefused, describe_error
from memory_core.cli.output import paint, print_line, print_note
from memory_core.curation import review
from memory_core.curation.review import INDENT, WaitingItem
from memory_core.text.phrases import format_count

QUESTION = "[a]ccept [e]dit [r]eject [m]ove [s]kip [q]uit [?]: "
RULE_QUESTION = "[a] keep [e]dit [r]emove [m]ove [s]kip [q]uit [?]: "

HELP = """\
a  accept: add it to the memory
e  edit: change the text in your editor, and add it
r  reject: remove it from this list
m  move: add it to the memory of another agent
s  skip: decide later
q  quit, also Ctrl-C: what is left waits"""
REMOVE = "remove the rule (it goes to the archive; agent-memory restore brings it back)"
RULE_HELP = HELP.replace("accept: add it to the memory", "keep the rule")
RULE_HELP = RULE_HELP.replace("reject: remove it from this list", REMOVE)

KEYS = {"a": review.ACCEPT, "e": review.EDIT, "r": review.REJECT, "m": review.MOVE}

# What the keys that decide do.
DECISIONS = {"a": ["accepted"], "e": ["accepted"], "r": ["rejected"], "m": ["moved"]}
RULE_DECISIONS = DECISIONS | {"a": ["kept"], "r": ["archived"]}


def run(scope: Scope, items: list[WaitingItem]) -> None:
    """Show the learnings one by one, do what the keys say, and print what was decided."""
    done: Counter[str] = Counter()
    with suppress(KeyboardInterrupt):
        for number, item in enumerate(items):
            _print_item(scope, item, f"{number + 1} of {len(items)}")
            key = _decide(scope, item)
            if key == "q":
                break
            done.update((RULE_DECISIONS if item.is_rule else DECISIONS).get(key, []))
    counts = [f"{count} {name}" for name, count in done.items()]
    left = format_count(len(items) - done.total(), "learning")
    print_note(f"{', '.join([*counts, left])} left.")
    note_undo(scope)


def _print_item(scope: Scope, item: WaitingItem, position: str) -> None:
    width = shutil.get_terminal_size().columns
    print_line(paint(f"{item.agent}  {position}", "bold"))
    for indent, text, style in review.describe(item, review.preview(*scope, item)):
        rest = indent + (INDENT if indent != INDENT * 2 else "")
        for line in wrap_text(text, width, indent, rest):
            print_line(paint(line, style) if style else line)


def _decide(scope: Scope, item: WaitingItem) -> str:
    """Return the key of what was done; q means quit, s that nothing is decided."""
    while True:
        key = read_key(RULE_QUESTION if item.is_rule else QUESTION).lower() or "q"
        if key in "qs":
            return key
        try:
            message = _apply(scope, item, key)
        except review.NotWaiting as error:
            print_note(str(error))
            return "s"
        except (CommandRefused, ValueError, OSError) as error:
            print_note(describe_error(error)[0])
            continue
        if message:
            print_sentence(message)
            return key


def _apply(scope: Scope, item: WaitingItem, key: str) -> str:
    """Do what a key says and return a message; "" if nothing was decided."""
    value = ""
    if key not in KEYS:
        print_note(RULE_HELP if item.is_rule else HELP)
        return ""
    if key == "e":
        value = edit_text(item)
    elif key == "m" and not (value := ask_line("Agent: ").strip()):
        return ""
    return review.decide(*scope, item, KEYS[key], value)


def edit_text(item: WaitingItem) -> str:
    """Return the text of a learning as the person leaves it in the editor.

    The lines below the first one are nested below the item.
    """
    with tempfile.TemporaryDirectory(prefix="agent-memory-", ignore_cleanup_errors=True) as folder:
        path = Path(folder, "learning.md")
        path.write_text(f"{item.text}\n", encoding="utf-8", errors="replace")
        run_editor(path)
        return path.read_text(encoding="utf-8", errors="replace")
