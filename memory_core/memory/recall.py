"""Build the text block that an agent receives: its memory, and how to record learnings."""

from __future__ import annotations

# Other modules are imported where they are used: most events need few of them.

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memory_core.document.markdown import Document
    from memory_core.history.item_notes import ItemNote
    from memory_core.memory.project import Project
    from memory_core.selection.choosing import Choice
    from memory_core.selection.passages import Passage
    from memory_core.storage.store import FileSnapshot, Store

# Claude Code puts a longer additionalContext into a file (seen from 2.1.90: 9,900
# characters arrive whole, 10,000 do not).
CONTEXT_LIMIT = 9_900

# So often items are chosen: again if what a chosen one names is gone.
STALE_ROUNDS = 2


class MemoryBlock:
    """The text that an agent receives, its source files, and the size of its body in bytes.

    `given` has the ids of the items in it, and `named` by their ids the paths, symbols and commands
    that they name and the task does not; `choices` has the decisions about all passages.
    """

    def __init__(
        self,
        text: str = "",
        source: str | None = None,
        size: int = 0,
        given: tuple[str, ...] = (),
        choices: Sequence[Choice] = (),
        named: dict[str, list[str]] | None = None,
    ) -> None:
        self.text = text
        self.source = source
        self.size = size
        self.given = given
        self.choices = choices
        self.named = named or {}


def build_block(
    project: Project, agent: str, budget: int, task: Callable[[], str] | None = None
) -> MemoryBlock:
    """Return an agent's block of at most `budget` characters; its text is "" without content.

    `task` returns the agent's task, which decides the selection of passages; it is called only if
    there are any.
    """
    from memory_core.memory import block_text

    files = _read_files(project, agent)
    snapshots = [snapshot for _store, snapshot in files]
    passages = list_passages(project, agent, files)
    ids = _shorten_ids(project, passages)
    is_short = any(passage.item and not passage.note.is_persons for passage in passages)

    def wrap(body: str, has_mark: bool, item: str) -> str:
        introduction = block_text.introduce(project, agent, snapshots, has_mark)
        note = block_text.format_note(project, agent, is_short, item)
        return block_text.wrap(agent, introduction, body, note)

    longest = max(ids.values(), key=len, default="")
    room = budget - len(wrap("-", has_mark=bool(ids), item=longest)) + 1
    words = task() if task and passages else ""
    choices, body = _select(project, passages, ids, room, words)
    given = [choice.passage for choice in choices if choice.is_chosen and choice.passage.item]
    items = [passage.note for passage in given]
    has_mark = bool(ids) and any(note.is_confirmed for note in items)
    text = wrap(body, has_mark, next((ids.get(note.id, "") for note in items), ""))
    if len(text) > budget:
        return MemoryBlock()  # the budget is too small even for the instructions
    if not text:
        return MemoryBlock(choices=choices)
    paths = [project.paths.relative(snapshot.path) for snapshot in snapshots]
    source = " + ".join(paths) if body else None
    size = len(body.encode("utf-8", "replace"))
    named = _list_named(given, words)
    return MemoryBlock(text, source, size, tuple(note.id for note in items), choices, named)


def _list_named(items: list[Passage], task: str) -> dict[str, list[str]]:
    """Return what items name that the task does not, by their ids; {} for an unknown task."""
    if not (items and task):
        return {}
    from memory_core.text import code_names

    named = {}
    for passage in items:
        names = code_names.list_names(passage.text)
        names = [name for name in names if not code_names.has_name(task, name)]
        if names:
            named[passage.note.id] = names
    return named


def _shorten_ids(project: Project, passages: list[Passage]) -> dict[str, str]:
    """Return the short ids of the items by their ids; without selection items have none."""
    if not passages or not project.config["selection"]["enabled"]:
        return {}
    from memory_core.selection import rendering

    return rendering.shorten_ids(passage.note.id for passage in passages)


def _select(
    project: Project,
    passages: list[Passage],
    ids: dict[str, str],
    room: int,
    task: str,
) -> tuple[list[Choice], str]:
    """Return the decisions about passages for the agent's task, and the Markdown of the chosen.

    It has at most `room` characters; if the last passages do not fit, they are left out.
    """
    if not passages:
        return [], ""
    from memory_core.selection import choosing, rendering
    from memory_core.text import sanitize, tokens

    settings = project.config["selection"]
    if settings["enabled"]:
        budget = min(settings["budget_tokens"], tokens.count_fitting(room))
        checked: set[int] = set()
        for _round in range(STALE_ROUNDS):
            choices = choosing.select(passages, task, budget)
            if not _mark_stale(project, choices, checked):
                break
    else:
        choices = choosing.select_all(passages, task, room)
    chosen = [choice for choice in choices if choice.is_chosen]
    while chosen:
        body = rendering.render([choice.passage for choice in chosen], ids)
        body = sanitize.escape_tags(body)
        if len(body) <= room:
            return choices, body
        choosing.leave_out(chosen.pop())
    return choices, ""


def _mark_stale(project: Project, choices: list[Choice], checked: set[int]) -> bool:
    """Note the chosen items that name something which is gone; return whether there are new ones.

    `checked` has the numbers of passages that need no check, and gets those of all others.
    """
    marked = False
    for choice in choices:
        passage = choice.passage
        if choice.is_chosen and passage.item and passage.index not in checked:
            checked.add(passage.index)
            # What an item of the user's level names is of any project.
            if not passage.is_users and ("/" in passage.text or "`" in passage.text):
                from memory_core.files import stale_items

                passage.stale = stale_items.describe_gone(project.paths.files, passage.text)
                marked = marked or passage.stale != ""
    return marked


def list_passages(
    project: Project, agent: str, files: list[tuple[Store, FileSnapshot]]
) -> list[Passage]:
    """Return all that an agent may receive: of its files, its common errors, its performance."""
    passages = _list_own(project, agent, files) if files else []
    extras = [("Common Errors to Avoid", line, False) for line in _read_errors(project, agent)]
    if project.config["give_performance"]:
        results = _format_performance(project, agent)
        extras += [("Your Performance", "\n".join(results), True)] if results else []
    if extras:
        from memory_core.selection.passages import Passage

        for section, text, is_wished in extras:
            passages.append(Passage(section, text, len(passages)))
            passages[-1].is_wished = is_wished
    return passages


def _read_errors(project: Project, agent: str) -> list[str]:
    """Return the agent's common errors, as Markdown items."""
    from memory_core.storage import error_files

    return error_files.read_resolved(project.paths, project.store.stem(agent))


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


def _list_own(
    project: Project, agent: str, files: list[tuple[Store, FileSnapshot]]
) -> list[Passage]:
    """Return the passages of all files; of two that say the same only the project's."""
    from memory_core.document import markdown
    from memory_core.selection import passages as parts

    passages: list[Passage] = []
    own: Document | None = None
    for store, snapshot in files:
        find_note = _note_finder(project, store, agent)
        document = markdown.parse_document(snapshot.text)
        document = _remove_uncertain(document, find_note, project.config["min_confidence"])
        document = _remove_losers(document, find_note)
        has_preferences = "preferences" in snapshot.text.casefold()  # else no need of the module
        if has_preferences:
            from memory_core.document import preferences

            document = preferences.remove_superseded(document)
            document = preferences.remove_overridden(document, own) if own else document
        document = _remove_repeats(document)
        news = parts.split_document(document, find_note)
        if has_preferences:
            for passage in news:
                passage.is_wished = passage.is_wished or preferences.is_title(passage.section)
        if own is not None:
            from memory_core.text import similarity

            texts = [passage.text for passage in passages]
            news = [
                passage
                for passage in news
                if not any(similarity.is_same(passage.text, text) for text in texts)
            ]
        for passage in news:
            passage.is_users = store.paths is not project.paths
        own = own or document
        passages += news
    for at, passage in enumerate(passages):
        passage.index = at
    return passages


def _note_finder(project: Project, store: Store, agent: str) -> Callable[[str], ItemNote]:
    """Return a function from an item's text to what the history knows of it.

    An item that the history does not have was written by a person.
    """
    from memory_core.history.item_notes import ItemNote
    from memory_core.memory import item_note_file

    try:
        notes = item_note_file.read_notes(project, store, agent)
    except OSError as error:
        _log_unreadable(project, agent, error)
        notes = {}

    def find_note(text: str) -> ItemNote:
        note = notes.get(text)
        if note is None:
            from memory_core.text import similarity, times

            certainty = project.config["confidence"]["person"]
            note = ItemNote(similarity.identify(text), certainty, times.FAR_FUTURE, True, True)
            notes[text] = note
        return note

    return find_note


def _remove_uncertain(
    document: Document, find_note: Callable[[str], ItemNote], least: float
) -> Document:
    """Return a document without items that a run reported as wrong, or below a confidence.

    A low confidence does not remove preferences.
    """
    uncertain = [item for item in document.items if find_note(item.text).is_doubted]
    if least:
        from memory_core.document import preferences

        spared = {item.line for item in [*uncertain, *preferences.list_items(document)]}
        uncertain += [
            item
            for item in document.items
            if item.line not in spared and find_note(item.text).confidence < least
        ]
    if not uncertain:
        return document
    from memory_core.document import edits

    return edits.remove_items(document, uncertain)


def _remove_losers(document: Document, find_note: Callable[[str], ItemNote]) -> Document:
    """Return a document without the items that others contradict."""
    from memory_core.document import contradictions

    losers = contradictions.find_losers(document, lambda text: find_note(text).rank)
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
