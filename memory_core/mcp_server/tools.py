"""The tools: each is a function whose signature and docstring are what clients see of it."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial, wraps
from typing import Annotated, Any

from mcp.server.mcpserver.tools import Tool
from mcp_types import CallToolResult, TextContent, ToolAnnotations
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from memory_core.curation import agent_context, item_actions, lookup, searching
from memory_core.document import preferences, template
from memory_core.history import performance
from memory_core.history.item_history import MCP_SOURCE as SOURCE
from memory_core.learning import type_names
from memory_core.mcp_server import resources
from memory_core.mcp_server.served_project import ServedProject, clean_output
from memory_core.tasks import task_actions, task_document

# Tokens of an answer, as the default limit of an imported task memory.
DEFAULT_BUDGET = 2000
MIN_BUDGET, MAX_BUDGET = 50, 100_000

# Of one search.
MAX_HITS = 50

AGENT, TASK = "agent", "task"


# A text of a person, a file or an agent.
Data = Annotated[str, AfterValidator(clean_output)]


# The output of a tool is a text, or a model whose `text` says the same as its fields.

AGENT_FIELD = Field(description="The agent's name, such as engineer; PM is the main session.")


class RecallOutput(BaseModel):
    agent: str
    memory: Data = Field(description="Markdown, best items first; empty if none.")
    left_out: int = Field(description="Number of items that do not fit the query or the budget.")

    def text(self) -> str:
        if not self.memory:
            fits = f"Nothing that {self.agent} knows fits."
            return fits if self.left_out else f"{self.agent} has no memory yet."
        more = f"({self.left_out} more items do not fit the query or the budget.)"
        return f"{self.memory}\n\n{more}" if self.left_out else self.memory


def recall(
    served: ServedProject,
    agent: str = AGENT_FIELD,
    query: str = Field("", description="What you are about to do; you get the items that fit."),
    budget: int = Field(
        DEFAULT_BUDGET,
        ge=MIN_BUDGET,
        le=MAX_BUDGET,
        description="Maximum size of the answer in tokens.",
    ),
) -> RecallOutput:
    """Read what an agent learned about this project: facts, mistakes to avoid, preferences and
    common errors. Call it before you start work.
    """
    project, agent = served.find_agent(agent)
    text, left_out = agent_context.recall_for(project, agent, query, budget)
    return RecallOutput(agent=agent, memory=text, left_out=left_out)


class OutputItem(BaseModel):
    id: str
    text: Data
    section: Data
    confidence: float = Field(description="From 0 to 1.")


class RememberOutput(BaseModel):
    agent: str
    item: OutputItem | None = Field(description="The item in the memory; null while it waits.")
    waits: Data = Field(description="Why it waits for the user's review; empty if it is saved.")
    was_present: bool = Field(alias="known", description="The memory had the item already.")
    replaced: Data | None = Field(description="The less complete item that it replaced.")
    doubted: list[Data] = Field(description="Items that this contradicts; their confidence drops.")
    archived: list[Data] = Field(description="Items archived because the memory is full.")

    def text(self) -> str:
        if self.item is None:
            return f"Not saved for {self.agent} yet: it waits for the user's review ({self.waits})."
        said = "Already known" if self.was_present else "Remembered"
        where = f"{self.item.section}, confidence {self.item.confidence:.1f}"
        lines = [f"{said} for {self.agent}: {self.item.text} ({where})"]
        lines += [f"Replaced: {self.replaced}"] if self.replaced else []
        lines += [f"Contradicted: {text}" for text in self.doubted]
        lines += [f"Archived: {text}" for text in self.archived]
        return "\n".join(lines)


def remember(
    served: ServedProject,
    agent: str = AGENT_FIELD,
    type: str = Field(
        description="The kind of learning; decides the section.",
        json_schema_extra={"enum": list(type_names.TYPES)},
    ),
    content: str = Field(description="One sentence of at most 150 characters, about the project."),
) -> RememberOutput:
    """Save one fact about this project for later sessions of an agent: something that took time
    to find out and will still be true. Never save secrets or the progress of current work.
    """
    project, agent = served.find_agent(agent, accept_new=True)
    item_actions.check_may_learn(project, agent)
    lesson = item_actions.teach(
        project, agent, type, [content], project.store, run=served.run, source=SOURCE
    )
    taught = next(iter(lesson.taught), None)  # none if it waits
    return RememberOutput(
        agent=agent,
        item=_to_output(taught) if taught else None,
        waits=lesson.waits,
        known=taught is not None and taught.was_present,
        replaced=taught.was or None if taught else None,
        doubted=[item.text for item in lesson.doubted],
        archived=[text for _section, text in lesson.evicted],
    )


def _to_output(item: item_actions.RatedItem) -> OutputItem:
    # Nobody has checked the words of another section here.
    section = item.section if template.is_known(item.section) else template.OTHER_TITLE
    return OutputItem(id=item.id, text=item.text, section=section, confidence=item.confidence)


def record_error(
    served: ServedProject,
    agent: str = AGENT_FIELD,
    error: str = Field(description="The error message; only its first line is recorded."),
    resolution: str = Field("", description="What fixed it; agents only get errors with this."),
) -> str:
    """Record an error that an agent hit, and what fixed it, so that it is avoided next time."""
    project, agent = served.find_agent(agent, accept_new=True)
    record = item_actions.record_error(project, agent, error, resolution, source=SOURCE)
    fix = f" → {record['resolution']}" if record["resolution"] else ""
    return f"Recorded for {agent}: {record['text']}{fix}"


def record_task(
    served: ServedProject,
    agent: str = AGENT_FIELD,
    outcome: str = Field(
        performance.DONE,
        description="How the task ended.",
        json_schema_extra={"enum": list(performance.OUTCOMES)},
    ),
    duration_s: float | None = Field(None, ge=0, description="Duration in seconds."),
    tokens: int | None = Field(None, ge=0, description="Tokens used."),
) -> str:
    """Record that an agent's task is done, failed or was stopped. Call it once, at the end."""
    project, agent = served.find_agent(agent, accept_new=True)
    item_actions.record_task(
        project, agent, outcome, duration_s=duration_s, tokens=tokens, source=SOURCE
    )
    return f"Recorded for {agent}: one task, {outcome}."


def set_preference(
    served: ServedProject,
    agent: str = AGENT_FIELD,
    key: str = Field(description=f"A few words, such as {', '.join(preferences.SUGGESTED_KEYS)}."),
    value: str = Field(description="The preferred way, in one line."),
) -> str:
    """Propose how an agent should work from now on. Only use it when the user asked for it: it
    waits until the user accepts it, and then replaces an older value of the same key.
    """
    project, agent = served.find_agent(agent, accept_new=True)
    try:
        item_actions.set_preference(project, agent, key, value, source=SOURCE)
    except item_actions.PreferenceWaits as error:
        return f"Not set for {agent} yet: it waits for the user's review ({error.reason})."
    return f"Already, {agent} prefers {key}: {value}"


def task_note(
    served: ServedProject,
    text: str = Field(description="What the next session needs to know; may have several lines."),
    task_id: str = Field("", description="Such as task-368 or 368; empty for the active task."),
    section: str = Field(
        task_document.NOTES,
        description=f"{', '.join(task_document.SECTION_ORDER)}, or a new section.",
    ),
) -> str:
    """Add a note to the memory of a Backlog.md task, such as task-368: findings, decisions or
    what is still to do. Every session that continues the task reads it.
    """
    project = served.project_with_tasks
    memory, section = task_actions.add_note(project, task_id, text, section, is_persons=False)
    return f"Noted for {memory.id}, in {section} ({memory.path})"


class OutputHit(BaseModel):
    kind: str = Field(description="agent or task", json_schema_extra={"enum": [AGENT, TASK]})
    name: str = Field(description="The id of the agent or the task.")
    uri: str = Field(description="The resource with the whole memory.")
    section: Data
    text: Data
    archived: bool

    def line(self) -> str:
        section = f" [{self.section}]" if self.section else ""  # none above the first heading
        archived = " (archived)" if self.archived else ""
        return f"{self.name}{section}{archived}: {self.text}"


class SearchOutput(BaseModel):
    hits: list[OutputHit]
    left_out: int = Field(description="Number of further hits.")
    unread: list[Data] = Field(description="Files that could not be read, with the reason.")

    def text(self) -> str:
        lines = [hit.line() for hit in self.hits] or ["No matches."]
        lines += [f"{self.left_out} more hits; add words."] if self.left_out else []
        return "\n".join([*lines, *(f"Could not be read: {reason}" for reason in self.unread)])


def search(
    served: ServedProject,
    query: str = Field(description="Words that must all occur, also as parts of words."),
) -> SearchOutput:
    """Search the memories of all agents and tasks of this project for words."""
    project = served.project_with_tasks
    names = [name for name in lookup.list_agents(project.store) if project.serves(name)]
    of_agents = searching.search_given(project, query, names)
    hits = []
    for hit in of_agents.hits:
        uri = resources.uri_of_agent(hit.agent)
        is_archived = hit.place == searching.IN_ARCHIVE
        hits.append(_hit(AGENT, hit.agent, uri, hit.section, hit.whole, is_archived))
    for of_task in task_actions.search(project, query):
        task, uri = of_task.memory, resources.uri_of_task(of_task.memory.id)
        hits.append(_hit(TASK, task.id, uri, of_task.section, of_task.text, bool(task.archived)))
    hits.sort(key=lambda hit: hit.archived)
    left_out = max(len(hits) - MAX_HITS, 0)
    return SearchOutput(hits=hits[:MAX_HITS], left_out=left_out, unread=of_agents.unread)


def _hit(kind: str, name: str, uri: str, section: str, text: str, archived: bool) -> OutputHit:
    return OutputHit(kind=kind, name=name, uri=uri, section=section, text=text, archived=archived)


# The functions, with their titles; the first parameter is the project, the others are the
# arguments.  Models see nothing of a function but its docstring.
TOOLS: dict[str, tuple[Callable[..., Any], str]] = {
    "recall": (recall, "Recall what an agent knows"),
    "remember": (remember, "Remember one thing"),
    "record_error": (record_error, "Record an error"),
    "record_task": (record_task, "Record a finished task"),
    "set_preference": (set_preference, "Propose a preference"),
    "task_note": (task_note, "Add a note to a task"),
    "search": (search, "Search all memories"),
}

READERS = ("recall", "search")


def build_tools(served: ServedProject) -> list[Tool]:
    """Return the tools of a project in the form of the SDK.

    One writer runs at a time: the names of waiting learnings differ only between processes.
    Readers need not wait for a writer that waits for a lock.
    """
    writers = threading.Lock()
    return [
        _build_tool(name, served, nullcontext() if name in READERS else writers) for name in TOOLS
    ]


def _build_tool(name: str, served: ServedProject, lock: Any) -> Tool:
    function, title = TOOLS[name]
    is_reader = name in READERS
    own = partial(function, served)

    @wraps(own)
    def answer(**arguments: Any) -> CallToolResult | str:
        with lock:
            output = own(**arguments)
        if isinstance(output, str):
            return clean_output(output)
        fields = output.model_dump(mode="json", by_alias=True)
        content = TextContent(type="text", text=output.text())
        return CallToolResult(content=[content], structured_content=fields)

    hints = ToolAnnotations(
        title=title,
        read_only_hint=is_reader,
        destructive_hint=False,
        idempotent_hint=is_reader,
        open_world_hint=False,
    )
    text = inspect.cleandoc(function.__doc__ or "").replace("\n", " ")
    built = Tool.from_function(answer, name, title, text, annotations=hints)
    metadata, arguments = built.fn_metadata, built.fn_metadata.arg_model
    arguments.model_config.update(ConfigDict(extra="forbid", str_strip_whitespace=True))
    arguments.model_rebuild(force=True)
    built.parameters = _drop_titles(arguments.model_json_schema())
    metadata.output_schema = _drop_titles(metadata.output_schema)
    return built


def _drop_titles(schema: Any) -> Any:
    """Return a JSON schema without titles, which only repeat the names of fields."""
    if not isinstance(schema, dict):
        return schema
    is_title = {key: key == "title" and isinstance(schema[key], str) for key in schema}
    return {key: _drop_titles(value) for key, value in schema.items() if not is_title[key]}
