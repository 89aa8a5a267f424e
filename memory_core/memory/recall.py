"""Build the text block that an agent receives: its memory, and how to record a finding."""

from __future__ import annotations

from memory_core.claude_code import agent_names
from memory_core.memory import ready
from memory_core.text import memory_tags

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from memory_core.memory.ready import ReadyMemory
    from memory_core.selection.choosing import Choice
    from memory_core.selection.passages import Passage
    from memory_core.storage.project import Project

    Prepare = Callable[[Project, str], ReadyMemory]

# Claude Code puts a longer additionalContext into a file (seen from 2.1.90: 9,900
# characters arrive whole, 10,000 do not).
CONTEXT_LIMIT = 9_900

# So often items are chosen: again if what a chosen one names is gone.
STALE_ROUNDS = 2

# The best items that are checked so; this takes 2 ms.
MOST_CHECKED = 12

# The length of a sentence that the recording note asks for; longer ones are learned, too.
NOTE_LENGTH = 150

# Separates the body of a block from its other lines.
BLANK = ""

# No order, because models treat orders inside a prompt as an attack.
RELIABILITY = "Reference material, not part of the task; it may be out of date: trust the code."

CONFIRMED_NOTE = "✓: confirmed by a person or several runs."

PURPOSE = (
    "Later runs of this agent receive up to three findings that a final report records in blocks"
    " like this: a failure and its fix; how to run, test or check something here; facts not visible"
    " in the code."
)
SHORT_PURPOSE = (
    "Later runs receive up to three new findings, recorded like this: a failure and its fix,"
    " how to run or check something, facts not in the code."
)


class MemoryBlock:
    """The text that an agent receives, the files it is from, and the size of its body in bytes.

    `given` has the ids of the items in it, and `named` by their ids the paths, symbols and commands
    that they name and the task does not; `choices` has the decisions about passages of `memory`.
    """

    text = ""
    files: Sequence[str] = ()
    size = 0
    given: Sequence[str] = ()
    choices: Sequence[Choice] = ()
    named: Mapping[str, list[str]] = {}
    memory: ReadyMemory | None = None

    def __init__(self, **facts: Any) -> None:
        self.__dict__.update(facts)


def build_block(
    project: Project,
    agent: str,
    budget: int,
    task: Callable[[], str] | None = None,
    prepare: Prepare | None = None,
) -> MemoryBlock:
    """Return an agent's block of at most `budget` characters; its text is "" without content.

    `task` returns the agent's task, which decides the selection of passages; it is called only if
    there are any.  `prepare` is for what is not ready, see `read_ready`.
    """
    memory, key = read_ready(project, agent, prepare), project.paths.state.read_key()
    has_ids = bool(project.config["selection"]["enabled"]) and memory.id_length > 0

    def wrap(body: str, has_confirmed: bool, item: str) -> str:
        introduction = introduce(agent, memory.day, has_confirmed)
        note = format_note(project, agent, memory.has_recorded, item)
        return wrap_body(key, agent, introduction, body, note)

    room = budget - len(wrap("-", has_ids, "0" * memory.id_length if has_ids else "")) + 1
    words = task() if task and len(memory.passages) else ""
    choices, body = _select(project, agent, memory, room, words, has_ids)
    given = [choice.passage for choice in choices if choice.is_chosen and choice.passage.item]
    has_confirmed = has_ids and any(passage.is_confirmed for passage in given)
    text = wrap(body, has_confirmed, next((passage.short_id for passage in given if has_ids), ""))
    if len(text) > budget:
        return MemoryBlock(memory=memory)  # the budget is too small even for the instructions
    return MemoryBlock(
        text=text,
        files=memory.paths if body else (),
        size=len(body.encode("utf-8", "replace")),
        given=[*dict.fromkeys(passage.id for passage in given)],
        choices=choices,
        named=_list_named(given, words),
        memory=memory,
    )


def wrap_body(key: bytes, agent: str, introduction: str, body: str, note: list[str]) -> str:
    """Return the block of an agent, "" if it has neither a memory nor a note.

    `key` is the secret of the mark in its tags.
    """
    lines = [introduction, BLANK, body, *([BLANK] if note else [])] if body else []
    return memory_tags.wrap_block(key, agent, [*lines, *note]) if lines or note else ""


def introduce(agent: str, day: str, has_confirmed: bool = False) -> str:
    """Return sentences that say who recorded the memory, and when last.

    They name no file: a repository chooses its folder.  `has_confirmed`: the memory has marks of
    confirmed items.
    """
    is_main = agent == agent_names.PM
    who = "for the main session" if is_main else "by earlier runs of this agent and people"
    when = f", last on {day}" if day else ""
    return " ".join(
        [f"Recorded {who}{when}.", RELIABILITY, *([CONFIRMED_NOTE] if has_confirmed else [])]
    )


def format_note(project: Project, agent: str, is_short: bool = False, item: str = "") -> list[str]:
    """Return how to record a finding; the placeholders in the example teach nothing.

    `is_short`: this agent has recorded one before.  `item` is the id of an item of the block, with
    which the note shows how to judge items.
    """
    if agent == agent_names.PM or not project.config.may_learn(agent):
        return []
    size = min(NOTE_LENGTH, project.config["max_learning_length"])
    judge = (
        f"A line `Used: {item}` names an item that helped,"
        f" `Wrong: {item} because ...` one that is wrong."
    )
    return [
        SHORT_PURPOSE if is_short else PURPOSE,
        "",
        "# Add To Memory:",
        "Type: [pattern|architecture|guideline|mistake|strategy|integration|performance|context]",
        f"Content: [one sentence of at most {size} characters]",
        *([] if is_short else ["Why: [the reason, optional]"]),
        "See: [files, commands or symbols, optional]",
        "#",
        *(["", judge] if item else []),
    ]


def _list_named(items: list[Passage], task: str) -> dict[str, list[str]]:
    """Return what items name that the task does not, by their ids; {} for an unknown task."""
    if not task or not any(passage.names for passage in items):
        return {}
    from memory_core.text import subject_words

    named = {
        passage.id: [name for name in passage.names if not subject_words.has_name(task, name)]
        for passage in items
    }
    return {key: names for key, names in named.items() if names}


def _select(
    project: Project, agent: str, memory: ReadyMemory, room: int, task: str, has_ids: bool
) -> tuple[list[Choice], str]:
    """Return the decisions about passages for the agent's task, and the Markdown of the chosen.

    It has at most `room` characters; if the last passages do not fit, they are left out.
    """
    index = memory.passages
    if not len(index):
        return [], ""
    from memory_core.selection import choosing
    from memory_core.selection.passages import count_fitting, format_left, render_passages

    settings = project.config["selection"]
    if settings["enabled"]:
        budget = min(settings["budget_tokens"], count_fitting(room))
        checked: set[int] = set()
        for _round in range(STALE_ROUNDS):
            choices = choosing.select(index, task, budget, settings["whole_below_tokens"])
            if not _mark_stale(project, choices, checked):
                break
    else:
        from memory_core.selection import whole

        choices = whole.select_all(index, task, room)
    chosen = [choice for choice in choices if choice.is_chosen]
    while chosen:
        given = {choice.passage.index for choice in chosen}
        left = sum(index.rows[one]["item"] != "" for one in index.own if one not in given)
        line = format_left(left, agent, memory.command) if left else ""
        body = render_passages([choice.passage for choice in chosen], has_ids, line)
        if len(body) <= room:
            return choices, body
        left_out = chosen.pop()
        left_out.is_chosen, left_out.reason = False, choosing.FULL
    return choices, ""


def _mark_stale(project: Project, choices: list[Choice], checked: set[int]) -> bool:
    """Note the chosen items that name something which is gone; return whether there are new ones.

    `checked` has the numbers of the passages that were checked before, and gets those of others.
    """
    files, marked = project.paths.files, False
    for choice in choices:
        passage = choice.passage
        if choice.is_chosen and passage.files and passage.index not in checked:
            if len(checked) == MOST_CHECKED:
                break
            checked.add(passage.index)
            if "::" not in passage.text and all(map(files.has_entry, passage.files)):
                continue
            from memory_core.files import stale_items

            passage.stale = stale_items.describe_gone(files, passage.text)
            marked = marked or passage.stale != ""
    return marked


def read_ready(project: Project, agent: str, prepare: Prepare | None = None) -> ReadyMemory:
    """Return all that an agent may receive: of its files, its common errors, its performance.

    What is not ready is made by `prepare`, without it in this process.
    """
    if memory := ready.read(project, agent):
        return memory
    if prepare:
        return prepare(project, agent)
    from memory_core.memory import preparing

    return preparing.prepare(project, agent)
