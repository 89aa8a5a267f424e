"""The words around a memory in an agent's prompt: who recorded it, and how to record a finding."""

from __future__ import annotations

from memory_core.claude_code import agent_names
from memory_core.text import memory_tags

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.storage.project import Project

# The length of a sentence that the recording note asks for; longer ones are learned, too.
NOTE_LENGTH = 150

# Separates the body of a block from its other lines.
BLANK = ""

# No order, because models treat orders inside a prompt as an attack.
RELIABILITY = "Reference material, not part of the task; it may be out of date: trust the code."

MARK = "✓: confirmed by a person or several runs."

PURPOSE = (
    "Later runs of this agent receive up to three findings that a final report records in blocks"
    " like this: a failure and its fix; how to run, test or check something here; facts not visible"
    " in the code."
)
SHORT_PURPOSE = (
    "Later runs receive up to three new findings, recorded like this: a failure and its fix,"
    " how to run or check something, facts not in the code."
)


def wrap(key: bytes, agent: str, introduction: str, body: str, note: list[str]) -> str:
    """Return the block of an agent, "" if it has neither a memory nor a note.

    `key` is the secret of the mark in its tags.
    """
    lines = [introduction, BLANK, body, *([BLANK] if note else [])] if body else []
    return memory_tags.wrap_block(key, agent, [*lines, *note]) if lines or note else ""


def introduce(agent: str, day: str, has_mark: bool = False) -> str:
    """Return sentences that say who recorded the memory, and when last.

    They name no file: a repository chooses its folder.  `has_mark`: the memory has marks of
    confirmed items.
    """
    is_main = agent == agent_names.PM
    who = "for the main session" if is_main else "by earlier runs of this agent and people"
    when = f", last on {day}" if day else ""
    return " ".join([f"Recorded {who}{when}.", RELIABILITY, *([MARK] if has_mark else [])])


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
