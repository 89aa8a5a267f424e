"""The prompts, which clients offer as slash commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from mcp_types import GetPromptResult, PromptArgument, PromptMessage, TextContent
from mcp_types import Prompt as Listing

from memory_core.curation import item_actions
from memory_core.mcp_server.served_project import ServedProject, replace_invalid
from memory_core.memory.reading import read_memory
from memory_core.tasks import task_actions
from memory_core.text import sanitize

START_TEXT = """\
Continue the task {id}{title}.
Its memory, {path}, is below: the findings and decisions so far. It is reference material and may \
be out of date: if it disagrees with the code, trust the code.

{memory}

First say in a few sentences where the task stands and what you will do next.
While you work, record what the next session needs with the tool task_note: decisions with their \
reasons in the section Key Decisions, everything else in Notes. Do not repeat what git or the \
task's own file already says.
"""

REVIEW_TEXT = """\
Review the memory of the agent {agent}. Each item is listed with its id, its section and its \
confidence, from 0 to 1:

{items}

Check the items against the current files of the project. Report in three lists, \
each item with its id and the reason in a few words:
1. wrong or out of date: `agent-memory remove {agent} ID`, or `agent-memory contradict {agent} ID`
2. duplicates: name the item to keep
3. right, and confirmed by what you read: `agent-memory confirm {agent} ID`
Change nothing until the user agrees to your lists.
"""


class InvalidPrompt(ValueError):
    """The name or the arguments of a prompt are invalid; the message lists the valid ones."""

    status = 2


class Prompt(NamedTuple):
    """A prompt: what clients show of it, its one argument, and the function for its text."""

    title: str
    description: str
    argument: str
    argument_description: str
    required: bool
    render: Callable[[ServedProject, str], str]


def start_task(served: ServedProject, task: str) -> str:
    project = served.project_with_tasks
    memory = task_actions.find(project, task)
    text = sanitize.escape_tags(replace_invalid(task_actions.read_text(project, memory))).strip()
    title = f', "{replace_invalid(memory.title)}"' if memory.title else ""
    return START_TEXT.format(
        id=memory.id, title=title, path=replace_invalid(memory.path), memory=text
    )


def review_memory(served: ServedProject, name: str) -> str:
    project = served.project
    agent = served.find_agent(project, name)
    lines = [
        f"- {item.id} [{item.section}] {sanitize.escape_tags(item.text)} ({item.confidence:.1f})"
        for item in item_actions.list_items(read_memory(project, agent))
    ]
    return REVIEW_TEXT.format(
        agent=agent, items=replace_invalid("\n".join(lines)) or "(nothing yet)"
    )


PROMPTS = {
    "start_task": Prompt(
        "Continue a task",
        "Continue a task with everything its memory contains.",
        "task_id",
        "Such as task-368 or 368; the active task if left out.",
        False,
        start_task,
    ),
    "review_memory": Prompt(
        "Review an agent's memory",
        "Check each item of an agent's memory against the project.",
        "agent",
        "The agent's name, or PM for the main session.",
        True,
        review_memory,
    ),
}


def list_all() -> list[Listing]:
    return [_listing(name, prompt) for name, prompt in PROMPTS.items()]


def _listing(name: str, prompt: Prompt) -> Listing:
    argument = PromptArgument(
        name=prompt.argument, description=prompt.argument_description, required=prompt.required
    )
    return Listing(
        name=name, title=prompt.title, description=prompt.description, arguments=[argument]
    )


def get(served: ServedProject, name: str, given: Mapping[str, str]) -> GetPromptResult:
    """Return a prompt with its argument filled in; raises InvalidPrompt and domain errors."""
    prompt = PROMPTS.get(name)
    if prompt is None:
        raise InvalidPrompt(f"unknown prompt {name!r}; use one of {', '.join(PROMPTS)}")
    strange = [key for key in given if key != prompt.argument]
    if strange:
        raise InvalidPrompt(f"{name} takes {prompt.argument}, not {', '.join(strange)}")
    value = given.get(prompt.argument, "").strip()
    if prompt.required and not value:
        raise InvalidPrompt(f"{name} requires {prompt.argument}: {prompt.argument_description}")
    content = TextContent(type="text", text=prompt.render(served, value))
    return GetPromptResult(
        description=prompt.description, messages=[PromptMessage(role="user", content=content)]
    )
