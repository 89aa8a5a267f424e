"""The resources: the memories of agents and tasks, by URI."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

from mcp.server.mcpserver import MCPServer
from mcp_types import Resource

from memory_core.claude_code.agent_names import PM
from memory_core.claude_code.agent_spelling import format_title
from memory_core.curation import agent_status, item_actions, lookup
from memory_core.mcp_server.served_project import ServedProject, clean_output
from memory_core.origin import text_origins
from memory_core.storage.project import Project
from memory_core.storage.store import resolve_agent
from memory_core.tasks import task_actions
from memory_core.text.times import format_utc

AGENTS_URI = "memory://agents"
TASKS_URI = "backlog://memory"
ACTIVE = "active"
ACTIVE_URI = f"{TASKS_URI}/{ACTIVE}"

MARKDOWN, JSON = "text/markdown", "application/json"


def uri_of_agent(agent: str) -> str:
    return f"{AGENTS_URI}/{quote(agent, safe='')}"


def uri_of_task(task: str) -> str:
    return f"{TASKS_URI}/{quote(task, safe='')}"


def add_resources(app: MCPServer[Any], served: ServedProject) -> None:
    """Add what can be read of a project to a server; `list_all` lists what exists."""

    @app.resource(AGENTS_URI, mime_type=JSON)
    def agents() -> str:
        return json.dumps(_list_agents(served.project))

    @app.resource(
        f"{AGENTS_URI}/{{agent}}",
        name="agent",
        title="What an agent remembers",
        description="An agent's memory, without tags and hidden characters; PM: main session.",
        mime_type=MARKDOWN,
    )
    def agent_memory(agent: str) -> str:
        return _read_agent(served.project, agent)

    @app.resource(
        f"{TASKS_URI}/{{task_id}}",
        name="task",
        title="The memory of a task",
        description="Context, decisions and notes of a task, such as task-368, archived or not.",
        mime_type=MARKDOWN,
    )
    def task_memory(task_id: str) -> str:
        project = served.project_with_tasks
        task = task_actions.find(project, "" if task_id == ACTIVE else task_id)
        return clean_output(task.text)


def _read_agent(project: Project, name: str) -> str:
    """Return the memory of an agent; raises ValueError or OSError."""
    agent = resolve_agent(project.store, name)
    item_actions.check_included(project, agent)
    memory = agent_status.read_file(project.store, agent)
    if memory is None:
        message = f"{name} has no memory yet; {AGENTS_URI} lists those that have one"
        raise item_actions.InvalidRequest(message)
    given = text_origins.remove_held(project, project.store, agent, memory.text)
    return clean_output(given)


def _list_agents(project: Project) -> list[dict[str, Any]]:
    """Return the enabled agents with a memory, in the order of `status`."""
    agents, store = [], project.store
    for agent in filter(project.serves, lookup.sort_agents(store.agents())):
        status = store.files.status(store.path(agent))
        if status:  # not deleted meanwhile
            updated = format_utc(status.st_mtime)
            uri, size = uri_of_agent(agent), status.st_size
            agents.append({"agent": agent, "uri": uri, "bytes": size, "updated": updated})
    return agents


# Listing.


def list_all(served: ServedProject) -> list[Resource]:
    """Return all resources on one page: the list of agents, their memories, the active task, tasks.

    Archived tasks can be read, but are not listed, because there may be many.  Claude Code only
    asks for the first page (seen in 2.1.63).
    """
    project = served.project_with_tasks
    size = "Each agent with its URI, its size, and when it changed."
    rows = [(AGENTS_URI, "agents", "All agents with a memory", size)]
    for fields in _list_agents(project):
        agent = fields["agent"]
        title = "Main session" if agent == PM else format_title(agent)
        rows.append((fields["uri"], agent, title, f"What {agent} remembers."))
    tasks = [task for task in task_actions.list_memories(project) if not task.archived]
    for task in filter(lambda task: task.active, tasks):
        title = f"The active task: {task.title or task.id}"
        text = "The memory of the task that was started last."
        rows.append((ACTIVE_URI, "active-task", title, text))
    for task in tasks:
        title = f"{task.id}: {task.title}" if task.title else task.id
        text = f"The memory of a task, {task.state}."
        rows.append((uri_of_task(task.id), task.id, title, text))
    return [_describe(*row) for row in rows]


def _describe(uri: str, *texts: str) -> Resource:
    name, title, description = map(clean_output, texts)
    mime_type = JSON if uri == AGENTS_URI else MARKDOWN
    return Resource(uri=uri, name=name, title=title, description=description, mime_type=mime_type)
