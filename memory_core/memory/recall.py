"""Build the text block that an agent receives: its memory, and how to record learnings."""

from __future__ import annotations

from memory_core.claude_code import agent_names

# Other modules are imported where they are used: most events need few of them.

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memory_core.document.markdown import Document
    from memory_core.history.item_history import History
    from memory_core.memory.project import Project
    from memory_core.memory.selection import Passage
    from memory_core.storage.store import FileSnapshot, Store

# Claude Code puts a longer additionalContext into a file (seen from 2.1.90: 9,900
# characters arrive whole, 10,000 do not).
CONTEXT_LIMIT = 9_900

# Maximum share of a prompt's budget for the common errors and the performance.
EXTRAS_SHARE = 1 / 4

# The length of a sentence that the recording note asks for; longer ones are learned, too.
NOTE_LENGTH = 150

# Separates the body of a block from its other lines.
BLANK = ""


class MemoryBlock:
    """The text that an agent receives, its source files, and the size of its body in bytes."""

    def __init__(self, text: str = "", source: str | None = None, size: int = 0) -> None:
        self.text = text
        self.source = source
        self.size = size


def build_block(
    project: Project, agent: str, budget: int, task: Callable[[], str] | None = None
) -> MemoryBlock:
    """Return an agent's block of at most `budget` characters; its text is "" without content.

    `task` returns the agent's task, which decides the selection of passages; it is called only if
    not all passages fit.
    """
    from memory_core.text import sanitize

    instructions = _format_instructions(project, agent)
    files = _read_files(project, agent)
    snapshots = [snapshot for _store, snapshot in files]
    extras = _format_extras(project, agent, budget)
    head = [_introduce(project, agent, snapshots)] if snapshots or extras else []
    # The block without any passage.
    frame = sanitize.wrap_block(agent, [*head, BLANK, BLANK, BLANK, extras, *instructions])
    selected = ""
    if files:
        from memory_core.memory import selection

        passages = _list_passages(project, agent, files)
        selected = selection.select(passages, budget - len(frame), task)
    body = sanitize.escape_tags("\n\n".join(part for part in (selected, extras) if part))
    if not body and not instructions:
        return MemoryBlock()
    lines = [*head, BLANK, body, *([BLANK] if instructions else [])] if body else []
    text = sanitize.wrap_block(agent, [*lines, *instructions])
    if len(text) > budget:
        return MemoryBlock()  # the budget is too small even for the instructions
    paths = [project.paths.relative(snapshot.path) for snapshot in snapshots]
    source = " + ".join(paths) if selected else None
    return MemoryBlock(text, source, len(body.encode("utf-8", "replace")))


def _format_extras(project: Project, agent: str, budget: int) -> str:
    """Return the agent's performance and common errors, "" if they are too long."""
    from memory_core.storage import error_files

    parts = []
    if project.config["give_performance"]:
        parts.append(["## Your Performance", *_format_performance(project, agent)])
    errors = error_files.read_resolved(project.paths, project.store.stem(agent))
    parts.append(["### Common Errors to Avoid", *errors])
    text = "\n\n".join("\n".join(part) for part in parts if part[1:])
    return text if len(text) <= budget * EXTRAS_SHARE else ""


def _format_performance(project: Project, agent: str) -> list[str]:
    from memory_core.history import performance
    from memory_core.storage import run_history

    try:
        records = run_history.read_records(project.store, agent)
    except OSError as error:
        _log_unreadable(project, agent, error)
        records = []
    return performance.format_performance(performance.Performance(records))


def list_levels(project: Project, has_own: bool) -> list[Store]:
    """Return the levels that an agent receives; `has_own`: the project has a memory for it."""
    setting = project.config["user_level"]
    if project.user_paths is None or setting == "off" or (has_own and setting == "shadow"):
        return [project.store]
    return [project.store, project.level(user=True)]


def _read_files(project: Project, agent: str) -> list[tuple[Store, FileSnapshot]]:
    """Return the agent's memory files with their levels: first the project's, then the user's."""
    own = _read(project, project.store, agent)
    others = list_levels(project, has_own=own is not None)[1:]
    files = [(project.store, own), *((store, _read(project, store, agent)) for store in others)]
    return [(store, snapshot) for store, snapshot in files if snapshot]


def _read(project: Project, store: Store, agent: str) -> FileSnapshot | None:
    """Read a memory file; if it is unreadable, the agent still receives the other file."""
    try:
        return store.read(agent)
    except OSError as error:
        _log_unreadable(project, agent, error)
        return None


def _log_unreadable(project: Project, agent: str, error: OSError) -> None:
    from memory_core.storage import event_log

    text = f"{type(error).__name__}: {error}"
    event_log.write(project.paths, "agent.memory.error", agent_id=agent, error=text)


def _list_passages(
    project: Project, agent: str, files: list[tuple[Store, FileSnapshot]]
) -> list[Passage]:
    """Return the passages of all files; of two that say the same only the project's."""
    from memory_core.document import markdown
    from memory_core.memory import selection

    passages: list[Passage] = []
    own: Document | None = None
    for store, snapshot in files:
        read_history = _history_reader(project, store, agent)
        get_confidence = _confidence_lookup(project, read_history)
        document = markdown.parse_document(snapshot.text)
        document = _remove_uncertain(document, get_confidence, project.config["min_confidence"])
        document = _remove_losers(document, read_history)
        if "preferences" in snapshot.text.casefold():  # else the module is not needed
            from memory_core.document import preferences

            document = preferences.remove_superseded(document)
            document = preferences.remove_overridden(document, own) if own else document
        document = _remove_repeats(document)
        if own is None:
            own = document
            passages = selection.split_document(document, get_confidence)
            continue
        from memory_core.text import similarity

        texts = [passage.text for passage in passages]
        passages += [
            passage
            for passage in selection.split_document(document, get_confidence)
            if not any(similarity.is_same(passage.text, text) for text in texts)
        ]
    return passages


def _history_reader(project: Project, store: Store, agent: str) -> Callable[[], History]:
    """Return a function that returns the history, which it reads when it is called first."""
    histories: list[History] = []

    def read_history() -> History:
        if not histories:
            histories.append(_read_history(project, store, agent))
        return histories[0]

    return read_history


def _confidence_lookup(
    project: Project, read_history: Callable[[], History]
) -> Callable[[str], float]:
    """Return a function from an item's text to its confidence."""

    def get_confidence(text: str) -> float:
        state = read_history().find(text) if text else None
        return state.confidence if state else project.weights.person

    return get_confidence


def _remove_uncertain(
    document: Document, get_confidence: Callable[[str], float], least: float
) -> Document:
    """Return a document without items below the confidence `least`; preferences are kept."""
    if not least:
        return document
    from memory_core.document import edits, preferences

    preferred = {item.line for item in preferences.list_items(document)}
    uncertain = [
        item
        for item in document.items
        if item.line not in preferred and get_confidence(item.text) < least
    ]
    return edits.remove_items(document, uncertain) if uncertain else document


def _remove_losers(document: Document, read_history: Callable[[], History]) -> Document:
    """Return a document without the items that others contradict."""
    from memory_core.document import contradictions

    losers = contradictions.find_losers(document, lambda text: read_history().rank_of(text))
    if not losers:
        return document
    from memory_core.document import edits

    return edits.remove_items(document, list({item.line: item for item, _ in losers}.values()))


def _remove_repeats(document: Document) -> Document:
    """Return a document without the items that repeat an earlier one."""
    from memory_core.document import repeats

    pairs = repeats.find_repeats(document)
    if not pairs:
        return document
    from memory_core.document import edits

    return edits.remove_items(document, [item for item, _first in pairs])


def _read_history(project: Project, store: Store, agent: str) -> History:
    """Read a history; if it is unreadable, the agent still receives the memory file."""
    from memory_core.history import item_history

    try:
        return item_history.History(store.history(agent).read(), project.weights)
    except OSError as error:
        _log_unreadable(project, agent, error)
        return item_history.History()


def _introduce(project: Project, agent: str, snapshots: list[FileSnapshot]) -> str:
    """Return sentences that say who recorded the memory, and when.

    They contain no orders, because models treat orders inside a prompt as an attack.
    """
    from memory_core.text import sanitize

    who = "for the main session" if agent == agent_names.PM else "by earlier runs of this agent"
    names = [project.paths.relative(snapshot.path) for snapshot in snapshots]
    files = " and ".join(map(sanitize.quote_name, names))
    where = f", last on {_find_day(snapshots[0])}, in {files}" if snapshots else ""
    return (
        f"Recorded {who} and by people{where}."
        " This is reference material, not part of the task, and may be out of date:"
        " if it disagrees with the code, trust the code."
    )


def _find_day(snapshot: FileSnapshot) -> str:
    """Return the day of the last change from the header, else from the file system."""
    from memory_core.text.times import format_utc

    day = snapshot.text[:2000].partition("Last Updated: ")[2][:10]
    if len(day) == 10 and day.replace("-", "").isdecimal():
        return day
    return format_utc(snapshot.changed)[:10]


def _format_instructions(project: Project, agent: str) -> list[str]:
    """Return how to record a learning; the placeholders in the example teach nothing."""
    if agent == agent_names.PM or not project.config.may_learn(agent):
        return []
    size = min(NOTE_LENGTH, project.config["max_learning_length"])
    return [
        "Later runs of this agent receive what a final report records in blocks like this,"
        " one for each finding about the project that is worth knowing next time:",
        "",
        "# Add To Memory:",
        "Type: [pattern|architecture|guideline|mistake|strategy|integration|performance|context]",
        f"Content: [one sentence of at most {size} characters]",
        "Why: [the reason, optional]",
        "See: [files, commands or symbols, optional]",
        "#",
    ]
