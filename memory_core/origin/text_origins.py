"""Read, decide and list where the texts of memories came from; the front of this wing.

The other wings import no other module of it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cache
from itertools import groupby
from typing import NamedTuple

from memory_core.document import edits, markdown, template
from memory_core.document.block_reader import Item
from memory_core.document.markdown import Document
from memory_core.history import item_history, rights
from memory_core.history.item_history import History
from memory_core.history.rights import Origins, make_key
from memory_core.origin import arrivals, ledger, line_origins
from memory_core.origin.arrivals import look, take_news
from memory_core.origin.checking import REASON, find_reason, hold
from memory_core.origin.ledger import (
    add_origins,
    read_history,
    read_origins,
    rename_origins,
)
from memory_core.origin.line_origins import Commit
from memory_core.origin.reading import read_transcript
from memory_core.origin.word_weights import rate
from memory_core.selection import splitting
from memory_core.storage.config_yml import default_settings
from memory_core.storage.database import last_look
from memory_core.storage.project import Project
from memory_core.storage.store import Store

# Why agents do not receive a text with these settings.
STRICT_REASON, OUTSIDE_REASON = "trust: strict", "hold_outside"


class JudgedText(NamedTuple):
    """A text of a memory file, with its nested lines and its origin; an item has an `id`."""

    agent: str
    id: str
    text: str
    nested: str
    origin: str


Row = tuple[Commit, JudgedText]


class Guard:
    """The check of an agent's texts by their origins on this machine.

    Texts on which a person decided here pass.  Of the others it stops those of other origins than
    `given`, if there are any, and those that may be poisoned.  `has_news` returns whether the file
    has lines since the last look that git did not bring.
    """

    def __init__(
        self, origins: Origins, has_news: Callable[[], bool], given: Collection[str] = ()
    ) -> None:
        self.origins = origins
        self._find_recorded = cache(origins.find)
        self.given = given
        self._has_news: Callable[[], bool] = cache(has_news)

    def find_reason(self, text: str, nested: str = "") -> str:
        """Return why agents do not receive a text with its nested lines, "" if they may."""
        origin = self.find_origin(text, nested)
        if self.given and origin not in self.given:
            return OUTSIDE_REASON if rights.AGENT in self.given else STRICT_REASON
        if origin in rights.DECIDED:
            return ""
        is_known = self._find_recorded(text, nested) in (rights.AGENT, rights.UNKNOWN)
        is_inside = is_known or self.is_new(text, nested)
        return find_reason(f"{text}\n{nested}", not is_inside)

    def is_new(self, text: str, nested: str = "") -> bool:
        """Return whether a text came into the file since the last look, and not by git."""
        return self._find_recorded(text, nested) == "" and self._has_news()

    def find_origin(self, text: str, nested: str = "", has_read_outside: bool = False) -> str:
        """Return the origin of a text; `has_read_outside`: its history says so."""
        return rights.judge_origin(self._find_recorded(text, nested), has_read_outside)

    def list_held(self, document: Document) -> list[tuple[Item, str]]:
        """Return the items that agents do not receive before a person decides, with the reasons."""
        reasons = [(item, self.find_reason(item.text, item.nested)) for item in document.items]
        return [(item, reason) for item, reason in reasons if reason]

    def hide_headings(self, document: Document) -> Document:
        """Return a document whose headings are those that agents receive."""
        lines = list(document.lines)
        for start, end, heading in reversed(splitting.list_headings(document)):
            if self._is_strange(heading):
                lines[start:end] = [f"{splitting.format_heading(template.OTHER_TITLE)}\n"]
        return document if lines == document.lines else markdown.parse_document("".join(lines))

    def name_section(self, title: str) -> str:
        """Return the title of a section as agents receive it."""
        if template.is_known(title) or not self._is_strange(splitting.format_heading(title)):
            return title
        return template.OTHER_TITLE

    def _is_strange(self, heading: str) -> bool:
        """Return whether a heading is from elsewhere, or held, and no person has accepted it."""
        is_inside = self.find_origin(heading) in rights.INSIDE or self.is_new(heading)
        return not is_inside or self.find_reason(heading) != ""


def is_strict(project: Project) -> bool:
    """Return whether agents receive only what was reviewed on this machine: `memory.trust`."""
    return bool(project.config["trust"] == default_settings.STRICT)


def list_given_origins(project: Project) -> Collection[str]:
    """Return the origins of texts that agents receive, () for all."""
    if is_strict(project):
        return rights.DECIDED
    return rights.INSIDE if project.config["hold_outside"] else ()


def make_guard(
    store: Store, agent: str, project: Project | None = None, history: History | None = None
) -> Guard:
    """Return the check of an agent's texts at a level; settings are for the project's level.

    Without a project, it only finds the texts that may be poisoned.  `history` is that of
    `read_history`, if the caller has it; one without origins could not be read, so nothing is
    known of the texts.  Raises OSError.
    """
    given: Collection[str] = ()
    if project and store.paths is project.paths:
        given = list_given_origins(project)
    origins = history.origins if history else read_origins(store, agent, project)
    if origins is None:
        return Guard(Origins(), lambda: False, given)
    return Guard(origins, lambda: arrivals.has_news(store, agent), given)


def list_texts(project: Project, store: Store, agent: str, looks: bool = True) -> list[JudgedText]:
    """Return the texts of an agent's memory file with their origins.

    A text of the user's level without an origin is the user's.  Unless it `looks`, the caller has
    called `look`, which is for all agents.  Raises OSError.
    """
    if looks:
        look(project)
    texts = arrivals.list_texts(store, agent)
    history = read_history(project, store, agent) if texts else History()
    guard = make_guard(store, agent, project, history)
    judged = []
    for text, nested in texts:
        state = history.find(text)
        origin = guard.find_origin(text, nested, bool(state and state.reading))
        judged.append(JudgedText(agent, item_history.id_of(text), text, nested, origin))
    return judged


def read_text_origins(project: Project, store: Store, agent: str) -> dict[str, str]:
    """Return the origins of the texts of an agent's memory file.  Raises OSError."""
    return {item.text: item.origin for item in list_texts(project, store, agent)}


def list_new(
    project: Project, store: Store, agents: Iterable[str] = (), with_held: bool = False
) -> list[JudgedText]:
    """Return the texts that came from elsewhere and that nobody reviewed on this machine.

    With `trust: strict` they are all that nobody reviewed, with `hold_outside: true` also those of
    runs that read from outside.  Those that may be poisoned wait in the review; `with_held` has
    them if their origin is unknown.  A memory that cannot be read has none.
    """
    given = list_given_origins(project) or (*rights.INSIDE, rights.TAINTED)
    new: list[JudgedText] = []
    look(project)
    for agent in agents or store.agents():
        try:
            texts = list_texts(project, store, agent, looks=False)
            guard = make_guard(store, agent)
        except OSError:
            continue  # the doctor reports it
        new += [
            text
            for text in texts
            if text.origin not in given
            and (
                (with_held and text.origin == rights.UNKNOWN)
                or not guard.find_reason(text.text, text.nested)
            )
        ]
    return new


def find_commits(store: Store, texts: Iterable[JudgedText]) -> list[Row]:
    """Return texts with the commit that brought each of them, by commit; the oldest comes first."""
    rows: list[Row] = []
    for agent, group in groupby(texts, lambda text: text.agent):
        keys = {make_key(text.text, text.nested): text for text in group}
        brought = line_origins.find_commits(store.path(agent), keys)
        rows += [(brought[key][0], text) for key, text in keys.items()]
    return sorted(rows, key=lambda row: (not row[0].name, row[0].seconds, row[0]))


def remove_held(project: Project, store: Store, agent: str, text: str) -> str:
    """Return the text of a memory file without the parts that agents do not receive.

    Its title, which has no origin, is the agent's name.
    """
    guard = make_guard(store, agent, project)
    document = markdown.parse_document(text)
    waiting = [item for item, _reason in guard.list_held(document)]
    document = guard.hide_headings(edits.remove_items(document, waiting))
    lines = list(document.lines)
    for start, end, paragraph in splitting.list_paragraphs(document):
        if guard.find_reason(paragraph):
            lines[start:end] = [""] * (end - start)
    for heading in document.headings:
        if heading.rank == 1:
            lines[heading.line] = f"# {agent}\n"
    return "".join(lines)


def list_reported(project: Project, store: Store) -> list[JudgedText]:
    """Return these texts; none before a session has reported them."""
    return list_new(project, store) if last_look.read_look(store.paths.state) else []


def accept(store: Store, texts: Sequence[JudgedText], is_mine: bool = False) -> None:
    """Record that a person reviewed these texts on this machine, or wrote them.  Raises OSError."""
    origin = rights.HAND if is_mine else rights.REVIEWED
    for agent in sorted({text.agent for text in texts}):
        own = [(text.text, text.nested) for text in texts if text.agent == agent]
        with store.lock(agent):
            ledger.add_origins(store, agent, dict.fromkeys(own, origin))
    arrivals.count_again(store)
