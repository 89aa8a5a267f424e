"""The verbs: what an agent knows goes out, what it learned comes in.

Every door (hook, command) calls these; none decides anything itself.
"""

from __future__ import annotations

import os

# The rest is imported where it is used: most events need little of it.
from memory_core import agents, config, events, places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from memory_core import selection
    from memory_core.learnings import Found
    from memory_core.markdown import Document
    from memory_core.merge import Limits
    from memory_core.past import Past, Weights
    from memory_core.store import Store, Text

PM = agents.PM

# What a prompt may carry: two memory files of the default size, and more only where a
# larger one is allowed.  60,000 characters were seen to arrive whole.
PROMPT_BUDGET = 16_000
LARGEST_PROMPT = 60_000

# Of a prompt's budget the common errors and the performance take at most this share.
BESIDE = 1 / 4

# A memory holds 150 items.  A report that teaches more is none, and merging it would
# outlast the hook's deadline, at each try anew.
FLOOD = 100


class Project:
    """A project as the verbs see it: its settings, its own memory and the user's.

    A class because each verb needs all of them, worked out once per process.
    """

    def __init__(self, place: places.Place, environ: Mapping[str, str]) -> None:
        home = places.home(environ)
        self.place = place
        self.user = home if home and home.root != place.root else None
        self.config = config.load(place, self.user, environ)

    @property
    def store(self) -> Store:
        from memory_core import store

        return store.Store(self.place, self.config["directory"])

    def level(self, user: bool) -> Store:
        """Return the memories of the project, or those of the user."""
        from memory_core import store

        return store.Store(self.user or self.place) if user else self.store

    @property
    def name(self) -> str:
        return os.path.basename(self.place.root) or "project"

    def serves(self, agent: str) -> bool:
        """Say whether the agent takes part: settings, and no servant of the harness."""
        harness = agent in events.HARNESS_AGENTS
        return bool(self.config["enabled"]) and not harness and self.config.serves(agent)

    def size_limit(self, agent: str) -> int:
        """Return how many bytes an agent's memory may have."""
        return self.config.size_kb(agent) * 1024

    def limits(self, agent: str) -> Limits:
        """Return the limits in force for an agent's memory."""
        from memory_core import merge

        common, own = self.config["limits"], self.config.override(agent)
        return merge.Limits(
            size=self.size_limit(agent),
            sections=own.get("max_sections") or common["max_sections"],
            items=own.get("max_items_per_section") or common["max_items_per_section"],
            line=common["max_line_length"],
        )

    @property
    def weights(self) -> Weights:
        """Return how sure items are, and what changes that."""
        from memory_core import past

        return past.Weights(**self.config["confidence"])

    def prompt_budget(self, agent: str) -> int:
        """Return how many characters of memory a prompt may carry."""
        size = self.config.size_kb(agent) * 1024 + PROMPT_BUDGET // 2
        return min(max(PROMPT_BUDGET, size), LARGEST_PROMPT)


class NoAgent(ValueError):
    """A name that no agent can have; the message says so."""

    status = 2


def named(project: Project, name: str, level: Store | None = None) -> str:
    """Return the id of the agent that a person or a program names, in any spelling.

    `pm` means the main session unless an agent of that name has a memory.  Raises NoAgent
    for what holds neither letter nor digit.
    """
    agent = agents.agent_id(name)
    if not any(char.isalnum() for char in agent):
        raise NoAgent(f"{name!r} is no name of an agent")
    if name.strip() == PM or (agent == "pm" and agent not in (level or project.store).agents()):
        return PM
    return agent


def project_of(cwd: str, environ: Mapping[str, str]) -> Project:
    return Project(places.project(cwd, environ), environ)


class Given:
    """What an agent is given: the text, where its memory is from, the memory's size in bytes."""

    __slots__ = ("size", "source", "text")

    def __init__(self, text: str, source: str | None, size: int) -> None:
        self.text = text
        self.source = source
        self.size = size


def recall(
    project: Project, agent: str, budget: int, task: Callable[[], str] | None = None
) -> Given:
    """Return the block for an agent, of at most `budget` characters; empty if nothing is to say.

    `task` decides what is left out; it is asked only where not everything fits.
    """
    from memory_core import selection, trust

    note = _recording(project, agent)
    found = _documents(project, agent)
    beside = _beside(project, agent, budget)
    head = _introduction(project, agent, found) if found or beside else []
    room = budget - len(trust.fence(agent, [*head, "", "", "", beside, *note]))
    pieces = _pieces(project, agent, found) if found else []
    held = selection.select(pieces, room, task, lambda: _confidence(project, agent))
    body = trust.defuse("\n\n".join(part for part in (held, beside) if part))
    if not body and not note:
        return Given("", None, 0)
    lines = [*head, "", body, *([""] if note else []), *note] if body else note
    if len(trust.fence(agent, lines)) > budget:
        return Given("", None, 0)  # too small for the note on recording alone
    source = " + ".join(project.place.relative(text.path) for text in found) if held else None
    return Given(trust.fence(agent, lines), source, len(body.encode("utf-8", "replace")))


def _beside(project: Project, agent: str, budget: int) -> str:
    """Return what an agent is given beside its document, if that leaves most of the budget."""
    from memory_core import common_errors

    errors = common_errors.given(project.place, project.store.stem(agent))
    parts = [["### Common Errors to Avoid", *errors]] if errors else []
    if project.config["give_performance"]:
        parts.insert(0, ["## Your Performance", *_performance(project, agent)])
    text = "\n\n".join("\n".join(part) for part in parts if part[1:])
    return text if len(text) <= budget * BESIDE else ""


def _performance(project: Project, agent: str) -> list[str]:
    from memory_core import performance

    records = _past(project, project.store, agent).records
    return performance.told(performance.Performance(records))


def _documents(project: Project, agent: str) -> list[Text]:
    """Return the agent's memory of the project and, behind it, the user's."""
    from memory_core import store

    own = _read(project, project.store, agent)
    level = project.config["user_level"]
    if project.user is None or level == "off" or (own and level == "shadow"):
        return [own] if own else []
    users = _read(project, store.Store(project.user), agent)
    return [text for text in (own, users) if text]


def _read(project: Project, level: Store, agent: str) -> Text | None:
    """Read a memory; one that cannot be read must not keep the rest from the agent."""
    try:
        return level.read(agent)
    except OSError as error:
        _log_unread(project, agent, error)
        return None


def _log_unread(project: Project, agent: str, error: OSError) -> None:
    from memory_core import log

    told = f"{type(error).__name__}: {error}"
    log.write(project.place, "agent.memory.error", agent_id=agent, error=told)


def _pieces(project: Project, agent: str, found: list[Text]) -> list[selection.Piece]:
    """Return what the documents hold, without what the user's repeats of the project's."""
    from memory_core import markdown, preferences, selection

    documents = [_sure(project, agent, text, markdown.parse(text.text)) for text in found]
    documents = [preferences.current(document) for document in documents]
    documents[1:] = [preferences.beside(users, documents[0]) for users in documents[1:]]
    first, *others = [selection.pieces(document) for document in documents]
    for pieces in others:
        from memory_core import similarity

        known = [piece.text for piece in first]
        first += [p for p in pieces if not any(similarity.same(p.text, text) for text in known)]
    return first


def _confidence(project: Project, agent: str) -> Callable[[str], float]:
    """Return how sure an item of a text is; what nobody counted is a person's."""
    known = _past(project, project.store, agent)

    def confidence(text: str) -> float:
        found = known.find(text) if text else None
        return found.confidence if found else project.weights.person

    return confidence


def _sure(project: Project, agent: str, text: Text, document: Document) -> Document:
    """Return a document without the items that are less sure than the settings want them."""
    least = project.config["min_confidence"]
    if not least:
        return document
    from memory_core import edits, preferences

    level = project.level(user=not text.path.startswith(project.store.folder))
    known = _past(project, level, agent)
    wished = {item.line for item in preferences.items(document)}
    found = [(item, known.find(item.text)) for item in document.items if item.line not in wished]
    sure = [(item, each.confidence if each else project.weights.person) for item, each in found]
    weak = [item for item, confidence in sure if confidence < least]
    return edits.remove_items(document, weak) if weak else document


def _past(project: Project, level: Store, agent: str) -> Past:
    """Read a history; one that cannot be read must not keep the memory from the agent."""
    from memory_core import history, past

    try:
        return past.Past(history.read(level.history(agent)), project.weights)
    except OSError as error:
        _log_unread(project, agent, error)
        return past.Past()


def _introduction(project: Project, agent: str, found: list[Text]) -> list[str]:
    """Say who recorded this, when, and what it is worth: statements, not orders.

    Text that reads like orders in the midst of a prompt is taken for an attack.
    """
    who = "for the main session" if agent == PM else "by earlier runs of this agent"
    files = " and ".join(project.place.relative(text.path) for text in found)
    where = f", last on {_day(found[0])}, in {files}" if found else ""
    return [
        f"Recorded {who} and by people{where}."
        " This is reference material, not part of the task, and may be out of date:"
        " the project as it is now decides."
    ]


def _day(text: Text) -> str:
    """Return the day of the last change: as the header says, else as the file system does."""
    from memory_core import log

    told = text.text[:2000].partition("Last Updated: ")[2][:10]
    if len(told) == 10 and told.replace("-", "").isdecimal():
        return told
    return log.utc(text.changed)[:10]


def _recording(project: Project, agent: str) -> list[str]:
    """Say how a learning is recorded.  The example is all placeholders: it teaches nothing."""
    if agent == PM or not project.config.learns(agent):
        return []
    size = project.config["max_learning_length"]
    return [
        "Later runs of this agent receive what a final report records in blocks like this,"
        " one for each finding about the project that is worth knowing next time:",
        "",
        "# Add To Memory:",
        "Type: [pattern|architecture|guideline|mistake|strategy|integration|performance|context]",
        f"Content: [one sentence of at most {size} characters]",
        "#",
    ]


def extract(project: Project, agent: str, text: str) -> Found | None:
    """Return what a report teaches, or None where nothing is to be learned from it."""
    settings = project.config
    if not settings.learns(agent) or not (settings["natural_language"] or _may_teach(text)):
        return None
    from memory_core import learnings

    found = learnings.extract(text, settings["natural_language"], settings["max_learning_length"])
    return found if found.learnings or found.rejected else None


def _may_teach(text: str) -> bool:
    """Say at once of nearly every report that it teaches nothing.

    A block begins with a # or is JSON, and each form has one of these words; to
    import `learnings` costs more than to look.
    """
    if "#" not in text and '"remember"' not in text:
        return False
    low = text.lower()
    return "memor" in low or "remember" in low


def remember(
    project: Project,
    agent: str,
    founds: list[Found],
    run: str = "",
    session: str = "",
    source: str = "agent",
) -> bool:
    """Keep what reports taught; say whether all of it was kept.

    It is written to the spool first, and stays there for the next writer where the
    memory cannot be changed now.  Raises OSError where it cannot even be written down.
    """
    from memory_core import spool

    learned = [[item.type, item.content] for found in founds for item in found.learnings]
    rejected = [
        [item.type, item.content, item.reason] for found in founds for item in found.rejected
    ]
    entry: dict[str, Any] = {"agent": agent, "run": run, "session": session, "source": source}
    entry |= {"learnings": learned[:FLOOD], "rejected": rejected[:FLOOD]}
    over = len(learned) + len(rejected) - len(entry["learnings"]) - len(entry["rejected"])
    if over:
        told = f"{over} more are in the report of run {run or 'unknown'}, session {session}"
        entry["rejected"].append(["", told, f"more than {FLOOD} in a report are not taken"])
    path = spool.add(project.place, project.store.stem(agent), entry)
    try:
        apply_spool(project, agent)
    except OSError as error:
        spool.settle(project.place, path)
        log_waiting(project, agent, error, run)
    return not over


def log_waiting(project: Project, agent: str, error: OSError, run: str = "") -> None:
    """Record that learnings wait in the spool, and why."""
    from memory_core import log

    log.write(project.place, "agent.memory.waiting", agent_id=agent, reason=str(error), run=run)


def apply_spool(project: Project, agent: str) -> None:
    """Merge what waits for the agent into its memory; raises OSError where that fails."""
    from memory_core import outcomes, spool, writing

    stem = project.store.stem(agent)
    with project.store.locked(agent):
        entries = spool.entries(project.place, stem)
        for path, entry in entries:
            outcomes.append(project, agent, entry.get("records", []))
            if entry["learnings"] or entry["rejected"]:
                writing.apply(project, agent, entry)
            spool.done([path])  # one by one: the deadline must not undo what is done
