"""The prompts, which clients offer as slash commands."""

from __future__ import annotations

from typing import Any

from mcp.server.mcpserver import MCPServer
from pydantic import Field

from memory_core.curation import agent_context
from memory_core.mcp_server.served_project import ServedProject, clean_output
from memory_core.storage import typed_command
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


def add_prompts(app: MCPServer[Any], served: ServedProject) -> None:
    """Add the prompts of a project to a server."""

    @app.prompt(title="Continue a task")
    def start_task(
        task_id: str = Field("", description="Such as task-368 or 368; empty for the active task."),
    ) -> str:
        """Continue a task with everything its memory contains."""
        memory = task_actions.find(served.project_with_tasks, task_id.strip())
        text = clean_output(memory.text).strip()
        title = f", {sanitize.quote_name(memory.title)}" if memory.title else ""
        path = sanitize.quote_name(memory.path)
        return START_TEXT.format(id=memory.id, title=title, path=path, memory=text)

    @app.prompt(title="Review an agent's memory")
    def review_memory(
        agent: str = Field(description="The agent's name, or PM for the main session."),
    ) -> str:
        """Check each item of an agent's memory against the project."""
        project, name = served.find_agent(agent.strip())
        lines = [
            f"- {item.id} [{sanitize.clean_name(item.section)}]"
            f" {clean_output(item.text)} ({item.confidence:.1f})"
            for item in agent_context.list_given(project, project.store, name)
        ]
        items = "\n".join(lines) or "(nothing yet)"
        text = typed_command.name_command(REVIEW_TEXT, project.environ)
        return text.format(agent=sanitize.clean_name(name), items=items)
