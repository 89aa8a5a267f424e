"""What a page receives, what it returns, and what several pages use."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from memory_core.curation import change_log, lookup
from memory_core.files.problems import describe_expected
from memory_core.monitor.numbers import Numbers
from memory_core.secrets import scanner
from memory_core.storage.project import Project
from memory_core.text import sanitize

PREFIX = "/dashboard"

MAX_NOTICE = 400  # characters of a message, which quotes a text of any length


Fields = defaultdict[str, str]  # texts by their names; a missing one is empty


@dataclass
class Visit:
    """One request for a page.

    `project` is opened for this request; `numbers` are read when a page asks for them.
    `names` are the parts of the path that its pattern names, `query` the parameters behind "?",
    which templates know, too, `form` those of a POST; of a parameter that occurs several times,
    the last one.
    """

    project: Project
    names: Fields
    query: Fields
    form: Fields

    @cached_property
    def numbers(self) -> Numbers:
        return Numbers(self.project)


class View(NamedTuple):
    """A template and its values."""

    template: str
    values: dict[str, Any]
    status: int = 200


class Done(NamedTuple):
    """The answer to a form: go to this page, below PREFIX, and show the message there.

    A problem is a message why nothing was done.  `undo` is the agent and the short id of a change
    that the message offers to undo, and the page to show then.  `typed` is a text of the form that
    would else be lost.
    """

    location: str
    message: str
    is_problem: bool = False
    undo: tuple[str, str, str] | None = None
    typed: str = ""


class NotFound(Exception):
    """There is no such thing; the message says what."""


class Page(NamedTuple):
    """A row of the table of pages.

    `path` is below PREFIX.  Pages with a `title` are in the navigation; the keys "g" and `key`
    open them.
    """

    path: str
    show: Callable[[Visit], View | Done]
    title: str = ""
    key: str = ""
    method: str = "GET"


class Part(NamedTuple):
    """One page of a long list, which begins with the row `start` of all `total` rows.

    `number` counts from 1 to `last`.
    """

    rows: list[Any]
    start: int
    number: int
    last: int
    total: int


def divide(rows: Sequence[Any], query: Fields, size: int = 50, at: int | None = None) -> Part:
    """Return the part of a list with the row `at`, or that the query parameter `page` asks for.

    A number that is too large, or none, means the last or the first part.
    """
    last = max(1, -(-len(rows) // size))
    wanted = query["page"] if at is None else str(at // size + 1)
    is_number = wanted.isascii() and wanted.isdecimal()
    number = min(max(int(wanted[:9]), 1), last) if is_number else 1
    start = (number - 1) * size
    return Part([*rows[start : start + size]], start, number, last, len(rows))


def make_link(*parts: str, **query: object) -> str:
    """Return the address of a page; each part and value is quoted, an empty value left out."""
    path = "/".join((PREFIX, *(quote(part, safe="") for part in parts)))
    given = urlencode({name: value for name, value in query.items() if value not in ("", None)})
    return f"{path}?{given}" if given else path


def find_agent(visit: Visit, name: str) -> str:
    """Return an agent with exactly this id; raises NotFound.

    An agent that is only in the event log exists, too: it was called, and has learned nothing yet.
    """
    if lookup.is_known(visit.project, name) or name in visit.numbers.agents():
        return name
    raise NotFound(f"There is no agent {name!r} here.")


def attempt(visit: Visit, agent: str, location: str, action: Callable[[], str]) -> Done:
    """Return the message of an action on a memory, or why it was not done."""
    try:
        message = sanitize.shorten(scanner.redact(action()), MAX_NOTICE)
    except (ValueError, OSError) as error:
        if not (problem := describe_expected(error)):
            raise
        return Done(location, problem, is_problem=True, typed=visit.form["text"])
    changes = [change_log.short_id(change) for change in visit.project.changes]
    return Done(location, message, undo=(agent, changes[0], location) if changes else None)
