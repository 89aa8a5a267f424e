"""`agent-memory add`: a person teaches an agent."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from memory_core.cli import Refused
from memory_core.cli.app import suggestion
from memory_core.cli.common import Agent, AsJson, User, check_user, hint, project_of
from memory_core.cli.known import known_or_new, note_undefined
from memory_core.cli.output import as_json, note, out, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.people import Lesson, Taught, Told


def complete_types(ctx: Any, args: Any, incomplete: str) -> Any:
    from memory_core.cli import completing

    return list(completing.types())


def add(
    ctx: typer.Context,
    agent: Agent,
    type_: Annotated[
        str,
        typer.Argument(
            metavar="TYPE",
            help="pattern, architecture, guideline, mistake, ...: decides on the section.",
            autocompletion=complete_types,
        ),
    ],
    text: Annotated[
        str,
        typer.Argument(
            metavar="TEXT",
            help="One line, of at most 100 characters (memory.max_learning_length);"
            " - takes each line of stdin.",
        ),
    ],
    user: User = False,
    json: AsJson = False,
) -> None:
    """Teach an agent one thing.

    What it knows already becomes surer; what has no room goes to the archive.
    With - all lines of stdin are taught, or none; the sign of a list item is left out.
    An agent needs no memory yet, nor any definition.

    \b
    Example:
      agent-memory add engineer mistake "A payment sent twice is paid twice"
    """
    from memory_core import people

    check_user(user)
    project = project_of(ctx)
    level = project.level(user)
    name = known_or_new(project, agent, level)
    _check_type(type_)
    is_new = not level.files(name)
    done = people.teach(project, name, type_, _contents(text), level)
    if json:
        as_json(_fields(name, done))
        return
    for line in _told(done):
        out(text_of(line))
    note(f"{hint('undo', user)} takes it back.")
    if is_new:
        note_undefined(project, name)


def _check_type(told: str) -> None:
    from memory_core import judging, learnings

    if not judging.type_of(learnings.clean(told)):
        near = suggestion(told.lower(), list(judging.TYPES))
        raise Refused(f"no type {told!r}{near}\nThere are {', '.join(judging.TYPES)}")


def _contents(text: str) -> list[str]:
    """Return what is to be taught: the text, or what stands on the lines of stdin."""
    if text != "-":
        return [text]
    data = sys.stdin.buffer.read() if sys.stdin else b""
    try:
        lines = map(_bare, data.decode("utf-8-sig").splitlines())
    except UnicodeDecodeError:
        raise Refused("stdin is no text in UTF-8") from None
    found = [line for line in lines if line]
    if not found:
        raise Refused("stdin has no line to teach")
    return found


def _bare(line: str) -> str:
    line = line.strip()
    return line[2:].strip() if line[:2] in ("- ", "* ", "+ ") else line


def _told(done: Lesson) -> Iterator[str]:
    for each in done.taught:
        yield f"{'Said already' if each.known else 'Added'}: {_item(each.item)}"
        if each.was:
            yield f"  in the place of: {each.was}"
    for less_sure in done.doubted:
        yield f"Contradicted: {_item(less_sure)}"
    for section, text in done.left:
        first = text.partition("\n")[0]
        yield f"To the archive [{section}]: {first}"


def _item(told: Told) -> str:
    return f"{told.id} [{told.section}] {told.text} ({told.confidence:.1f})"


def _fields(agent: str, done: Lesson) -> dict[str, object]:
    return {
        "agent": agent,
        "items": [_item_fields(each) for each in done.taught],
        "contradicted": [
            {"id": each.id, "text": text_of(each.text), "confidence": each.confidence}
            for each in done.doubted
        ],
        "archived": [
            {"section": text_of(section), "text": text_of(text)} for section, text in done.left
        ],
    }


def _item_fields(taught: Taught) -> dict[str, object]:
    told = taught.item
    return {
        "id": told.id,
        "text": text_of(told.text),
        "section": text_of(told.section) or None,
        "confidence": told.confidence,
        "known": taught.known,
        "was": text_of(taught.was) or None,
    }
