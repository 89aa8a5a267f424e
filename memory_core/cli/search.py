"""`agent-memory search`: where some words occur, in memories and archives."""

from __future__ import annotations

from typing import Annotated

import typer

from memory_core.cli import Refused
from memory_core.cli.common import AsJson, User, check_user, complete_agents, hint, project_of
from memory_core.cli.output import as_json, cells, note, out, paint, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.searching import Hit, Search


def complete_places(incomplete: str) -> list[str]:
    from memory_core import searching

    return list(searching.PLACES)


def search(
    ctx: typer.Context,
    text: Annotated[
        list[str], typer.Argument(metavar="TEXT", help="Words that all occur, in any order.")
    ],
    agent: Annotated[
        list[str] | None,
        typer.Option(
            metavar="AGENT",
            help="Whose; may stand several times.",
            show_default="all",
            autocompletion=complete_agents,
        ),
    ] = None,
    place: Annotated[
        str | None,
        typer.Option(
            "--in",
            metavar="PLACE",
            help="memory or archive.",
            show_default="both",
            autocompletion=complete_places,
        ),
    ] = None,
    user: User = False,
    json: AsJson = False,
) -> None:
    """Find items in memories and archives.

    Upper or lower case and accents do not matter, and a word may be a part of another.
    Lines nested in an item and preferences are searched.
    Headings, quotes, other prose and what waits for review are not.
    Exit 1 when nothing is found.

    \b
    Example:
      agent-memory search event bus
    """
    from memory_core import searching
    from memory_core.cli.known import known_agent

    if place not in (None, *searching.PLACES):
        raise Refused(f"--in {place}: {' or '.join(searching.PLACES)} is expected")
    check_user(user)
    project = project_of(ctx)
    held, words = project.level(user), " ".join(text)
    names = [known_agent(project, name, held) for name in agent or []]
    found = searching.search(held, words, names, [place] if place else searching.PLACES)
    if json:
        as_json([_fields(each) for each in found.hits])
    else:
        _print(found, words, hint("restore", user))
    for sentence in found.unread:
        note(text_of(sentence))
    if found.unread or not found.hits:
        raise typer.Exit(1)


def _fields(hit: Hit) -> dict[str, object]:
    return {
        "agent": text_of(hit.agent),
        "in": hit.place,
        "id": hit.id,
        "text": text_of(hit.text),
        "section": text_of(hit.section) or None,
        "nested": text_of(hit.nested) or None,
        "day": text_of(hit.day) or None,
    }


def _print(found: Search, words: str, restore: str) -> None:
    width = max((cells(hit.agent) for hit in found.hits), default=0)
    for hit in found.hits:
        _print_hit(hit, words, f"{hit.agent}{' ' * (width - cells(hit.agent))}  {hit.id}  ")
    if not found.hits:
        note("Nothing found.")
    back = [hit for hit in found.hits if hit.can_return]
    if back:
        name, key = (back[0].agent, back[0].id) if len(back) == 1 else ("AGENT", "ID")
        note(text_of(f"{restore} {name} {key} brings back what is archived."))


def _print_hit(hit: Hit, words: str, head: str) -> None:
    from memory_core import searching

    day = f" {hit.day}" if hit.day else ""
    tail = f"  (archived{day})" if hit.place == searching.ARCHIVE else ""
    out(text_of(f"{head}[{hit.section}] "), *_lit(hit.text, words), text_of(tail))
    for line in hit.nested.split("\n") if hit.nested else ():
        out(" " * cells(head), *_lit(line.rstrip(), words))


def _lit(text: str, words: str) -> list[str]:
    """Return a text in parts, with what was looked for in colour."""
    from memory_core import searching

    parts = searching.marked(text_of(text), words)
    return [paint(part, "hit") if is_hit else part for part, is_hit in parts]
