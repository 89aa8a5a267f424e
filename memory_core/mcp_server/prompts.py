"""The prompts, which clients offer as slash commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from mcp_types import GetPromptResult, PromptArgument, PromptMessage, TextContent
from mcp_types import Prompt as Listing

from memory_core.curation import agent_context
from memory_core.mcp_server.served_project import ServedProject, clean_output
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


Render = Callable[[ServedProject, str], str]


class Prompt(NamedTuple):
    """A prompt in the form of the protocol, its one argument, and the function for its text."""

    listing: Listing
    argument: PromptArgument
    render: Render


PROMPTS: dict[str, Prompt] = {}


def _prompt(
    title: str, argument: str, description: str, required: bool
) -> Callable[[Render], Render]:
    """Make a function a prompt, with its docstring as the description."""
    field = PromptArgument(name=argument, description=description, required=required)

    def register(render: Render) -> Render:
        name, text = render.__name__, render.__doc__
        listing = Listing(name=name, title=title, description=text, arguments=[field])
        PROMPTS[name] = Prompt(listing, field, render)
        return render

    return register


def get(served: ServedProject, name: str, given: Mapping[str, str]) -> GetPromptResult:
    """Return a prompt with its argument filled in; raises InvalidPrompt and domain errors."""
    if name not in PROMPTS:
        raise InvalidPrompt(f"unknown prompt {name!r}; use one of {', '.join(PROMPTS)}")
    listing, argument, render = PROMPTS[name]
    unknown = [key for key in given if key != argument.name]
    if unknown:
        raise InvalidPrompt(f"{name} takes {argument.name}, not {', '.join(unknown)}")
    value = given.get(argument.name, "").strip()
    if argument.required and not value:
        raise InvalidPrompt(f"{name} requires {argument.name}: {argument.description}")
    content = TextContent(type="text", text=render(served, value))
    return GetPromptResult(
        description=listing.description, messages=[PromptMessage(role="user", content=content)]
    )


@_prompt(
    "Continue a task", "task_id", "Such as task-368 or 368; the active task if left out.", False
)
def start_task(served: ServedProject, task: str) -> str:
    """Continue a task with everything its memory contains."""
    project = served.project_with_tasks
    memory = task_actions.find(project, task)
    text = clean_output(task_actions.read_text(project, memory)).strip()
    title = f", {sanitize.quote_name(memory.title)}" if memory.title else ""
    path = sanitize.quote_name(memory.path)
    return START_TEXT.format(id=memory.id, title=title, path=path, memory=text)


@_prompt("Review an agent's memory", "agent", "The agent's name, or PM for the main session.", True)
def review_memory(served: ServedProject, name: str) -> str:
    """Check each item of an agent's memory against the project."""
    project, agent = served.find_agent(name)
    lines = [
        f"- {item.id} [{sanitize.clean_name(item.section)}]"
        f" {clean_output(item.text)} ({item.confidence:.1f})"
        for item in agent_context.list_given(project, project.store, agent)
    ]
    return REVIEW_TEXT.format(
        agent=sanitize.clean_name(agent), items="\n".join(lines) or "(nothing yet)"
    )
