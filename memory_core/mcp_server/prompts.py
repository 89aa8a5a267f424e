"""The prompts: what a person may start with, as a slash command of the client."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from mcp_types import GetPromptResult, PromptArgument, PromptMessage, TextContent
from mcp_types import Prompt as Listing

from memory_core import people, tasks, trust, writing
from memory_core.mcp_server.served import Served, readable

START = """\
You go on with the task {id}{title}.
Its memory, {path}, is below: what was found out and decided so far. It is reference material and \
may be out of date: the project as it is now decides.

{memory}

First say in a few sentences where the task stands and what you will do next.
While you work, keep what the next session needs by the tool task_note: decisions with their \
reasons into the section Key Decisions, the rest into Notes. Do not note what git or the task's \
own file already says.
"""

REVIEW = """\
Review what the agent {agent} remembers of this project. Each item is given with its id, and with \
how sure it is, from 0 to 1:

{items}

Check the items against the project as it is now, by reading its files. Report in three lists, \
each item with its id and the reason in a few words:
1. wrong or out of date: `agent-memory remove {agent} ID`, or `agent-memory contradict {agent} ID`
2. says the same as another: name the one to keep
3. right, and confirmed by what you read: `agent-memory confirm {agent} ID`
Change nothing before the user has agreed to your lists.
"""


class Refused(ValueError):
    """Arguments that a prompt cannot take; the message says what it takes."""

    status = 2


class Prompt(NamedTuple):
    """A prompt: what a person is told of it, its one argument, and what makes its text."""

    title: str
    told: str
    argument: str
    meaning: str
    required: bool
    made: Callable[[Served, str], str]


def start_task(served: Served, task: str) -> str:
    project = served.with_tasks
    told = tasks.find(project, task)
    text = trust.defuse(readable(tasks.text(project, told))).strip()
    title = f', "{readable(told.title)}"' if told.title else ""
    return START.format(id=told.id, title=title, path=readable(told.path), memory=text)


def review_memory(served: Served, name: str) -> str:
    project = served.project
    agent = served.known(project, name)
    lines = [
        f"- {each.id} [{each.section}] {trust.defuse(each.text)} ({each.confidence:.1f})"
        for each in people.told(writing.Memory(project, agent))
    ]
    return REVIEW.format(agent=agent, items=readable("\n".join(lines)) or "(nothing yet)")


PROMPTS = {
    "start_task": Prompt(
        "Go on with a task",
        "Start with all that the memory of a task holds.",
        "task_id",
        "Such as task-368 or 368; the active task if left out.",
        False,
        start_task,
    ),
    "review_memory": Prompt(
        "Review an agent's memory",
        "Have what an agent remembers checked against the project, item by item.",
        "agent",
        "An agent in any spelling, or PM.",
        True,
        review_memory,
    ),
}


def listed() -> list[Listing]:
    return [_listing(name, prompt) for name, prompt in PROMPTS.items()]


def _listing(name: str, prompt: Prompt) -> Listing:
    argument = PromptArgument(
        name=prompt.argument, description=prompt.meaning, required=prompt.required
    )
    return Listing(name=name, title=prompt.title, description=prompt.told, arguments=[argument])


def got(served: Served, name: str, given: Mapping[str, str]) -> GetPromptResult:
    """Return a prompt with its argument filled in; raises Refused, and what its verbs do."""
    prompt = PROMPTS.get(name)
    if prompt is None:
        raise Refused(f"no prompt {name!r}; there are {', '.join(PROMPTS)}")
    strange = [each for each in given if each != prompt.argument]
    if strange:
        raise Refused(f"{name} takes {prompt.argument}, not {', '.join(strange)}")
    value = given.get(prompt.argument, "").strip()
    if prompt.required and not value:
        raise Refused(f"{name} wants {prompt.argument}: {prompt.meaning}")
    content = TextContent(type="text", text=prompt.made(served, value))
    return GetPromptResult(
        description=prompt.told, messages=[PromptMessage(role="user", content=content)]
    )
