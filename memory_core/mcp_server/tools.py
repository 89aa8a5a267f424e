"""The tools: the input and output of each, and the function that it calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, NamedTuple

from mcp_types import CallToolResult, TextContent, ToolAnnotations
from mcp_types import Tool as Listing
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memory_core.curation import (
    agent_context,
    item_actions,
    lookup,
    preference_actions,
    searching,
)
from memory_core.document import preferences
from memory_core.history import performance
from memory_core.learning import classify
from memory_core.mcp_server import resources
from memory_core.mcp_server.served_project import ServedProject, replace_invalid
from memory_core.tasks import task_actions, task_document
from memory_core.text import sanitize

# Tokens of an answer, as the default limit of an imported task memory.
DEFAULT_BUDGET = 2000
MIN_BUDGET, MAX_BUDGET = 50, 100_000

# Of one search.
MAX_HITS = 50

AGENT, TASK = "agent", "task"


class ToolInput(BaseModel):
    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)


class ToolOutput(BaseModel):
    """The output of a tool as fields; `text` is the same for a model to read."""

    def text(self) -> str:
        raise NotImplementedError


AgentName = Annotated[
    str,
    Field(description="The agent's name, such as engineer; PM is the main session."),
]


class RecallInput(ToolInput):
    agent: AgentName
    query: str = Field("", description="What you are about to do; matching items come first.")
    budget: int = Field(
        DEFAULT_BUDGET,
        ge=MIN_BUDGET,
        le=MAX_BUDGET,
        description="Maximum size of the answer in tokens.",
    )


class RecallOutput(ToolOutput):
    agent: str
    memory: str = Field(description="Markdown, most relevant items first; empty if none.")
    left_out: int = Field(description="Number of items that did not fit the budget.")

    def text(self) -> str:
        if not self.memory:
            return f"{self.agent} has no memory yet."
        more = f"\n\n({self.left_out} more items did not fit the budget.)" if self.left_out else ""
        return self.memory + more


def recall(served: ServedProject, asked: RecallInput) -> RecallOutput:
    project = served.project
    agent = served.find_agent(project, asked.agent)
    knowledge = agent_context.read_knowledge(project, agent)
    selection = agent_context.select_within(knowledge, asked.query, asked.budget)
    text = replace_invalid(
        sanitize.escape_tags(agent_context.render_markdown(selection, len(selection.items)))
    )
    return RecallOutput(
        agent=agent, memory=text, left_out=len(knowledge.items) - len(selection.items)
    )


class RememberInput(ToolInput):
    agent: AgentName
    type: str = Field(
        description="The kind of learning; decides the section.",
        json_schema_extra={"enum": list(classify.TYPES)},
    )
    content: str = Field(description="One sentence of at most 100 characters, about the project.")


class OutputItem(BaseModel):
    id: str
    text: str
    section: str
    confidence: float = Field(description="From 0 to 1.")


class RememberOutput(ToolOutput):
    agent: str
    item: OutputItem | None = Field(
        description="The item in the memory; null if the memory was full."
    )
    was_present: bool = Field(alias="known", description="The memory had the item already.")
    replaced: str | None = Field(description="The less complete item that it replaced.")
    doubted: list[str] = Field(description="Items that this contradicts; their confidence drops.")
    archived: list[str] = Field(description="Items archived because the memory is full.")

    def text(self) -> str:
        if self.item is None:
            return f"The memory of {self.agent} is full: the learning was archived."
        said = "Already known" if self.was_present else "Remembered"
        where = f"{self.item.section}, confidence {self.item.confidence:.1f}"
        lines = [f"{said} for {self.agent}: {self.item.text} ({where})"]
        lines += [f"Replaced: {self.replaced}"] if self.replaced else []
        lines += [f"Contradicted: {text}" for text in self.doubted]
        lines += [f"Archived: {text}" for text in self.archived]
        return "\n".join(lines)


def remember(served: ServedProject, asked: RememberInput) -> RememberOutput:
    project = served.project
    _check_type(asked.type)
    agent = served.find_or_new_agent(project, asked.agent)
    item_actions.check_may_learn(project, agent)
    lesson = item_actions.teach(
        project, agent, asked.type, [asked.content], project.store, **served.by
    )
    first = next(iter(lesson.taught), None)
    return RememberOutput(
        agent=agent,
        item=_item(first.item) if first else None,
        known=bool(first and first.was_present),
        replaced=replace_invalid(first.was) if first and first.was else None,
        doubted=[replace_invalid(item.text) for item in lesson.doubted],
        archived=[replace_invalid(text) for _section, text in lesson.evicted],
    )


def _check_type(name: str) -> None:
    if not classify.type_of(name):
        raise item_actions.ReportRefused(
            f"unknown type {name!r}; use one of {', '.join(classify.TYPES)}"
        )


def _item(item: item_actions.RatedItem) -> OutputItem:
    fields = {name: replace_invalid(getattr(item, name)) for name in ("id", "text", "section")}
    return OutputItem(**fields, confidence=item.confidence)


class RecordErrorInput(ToolInput):
    agent: AgentName
    error: str = Field(description="The error message; only its first line is recorded.")
    resolution: str = Field("", description="What fixed it, in one line, if known.")


class RecordErrorOutput(ToolOutput):
    agent: str
    error: str
    resolution: str

    def text(self) -> str:
        text = f"{self.error} → {self.resolution}" if self.resolution else self.error
        return f"Recorded for {self.agent}: {text}"


def record_error(served: ServedProject, asked: RecordErrorInput) -> RecordErrorOutput:
    project = served.project
    agent = served.find_or_new_agent(project, asked.agent)
    source = served.by["source"]
    record = item_actions.record_error(project, agent, asked.error, asked.resolution, source=source)
    resolution = replace_invalid(record.get("resolution", ""))
    return RecordErrorOutput(
        agent=agent, error=replace_invalid(record["text"]), resolution=resolution
    )


class RecordTaskInput(ToolInput):
    agent: AgentName
    outcome: str = Field(
        performance.DONE,
        description="How the task ended.",
        json_schema_extra={"enum": list(performance.OUTCOMES)},
    )
    duration_s: float | None = Field(None, ge=0, description="Duration in seconds.")
    tokens: int | None = Field(None, ge=0, description="Tokens used.")


class RecordTaskOutput(ToolOutput):
    agent: str
    outcome: str

    def text(self) -> str:
        return f"Recorded for {self.agent}: one task, {self.outcome}."


def record_task(served: ServedProject, asked: RecordTaskInput) -> RecordTaskOutput:
    project = served.project
    agent = served.find_or_new_agent(project, asked.agent)
    item_actions.record_task(
        project,
        agent,
        asked.outcome,
        duration_s=asked.duration_s,
        tokens=asked.tokens,
        source=served.by["source"],
    )
    return RecordTaskOutput(agent=agent, outcome=asked.outcome)


class SetPreferenceInput(ToolInput):
    agent: AgentName
    key: str = Field(description=f"A few words, such as {', '.join(preferences.SUGGESTED_KEYS)}.")
    value: str = Field(description="The preferred way, in one line.")


class SetPreferenceOutput(ToolOutput):
    agent: str
    key: str
    value: str
    changed: bool = Field(description="False if it had that value already.")

    def text(self) -> str:
        said = "From now on" if self.changed else "Already"
        return f"{said}, {self.agent} prefers {self.key}: {self.value}"


def set_preference(served: ServedProject, asked: SetPreferenceInput) -> SetPreferenceOutput:
    project = served.project
    agent = served.find_or_new_agent(project, asked.agent)
    source = served.by["source"]
    changed = preference_actions.set_preference(
        project, agent, asked.key, asked.value, source=source
    )
    return SetPreferenceOutput(agent=agent, key=asked.key, value=asked.value, changed=changed)


class TaskNoteInput(ToolInput):
    text: str = Field(description="What the next session needs to know; may have several lines.")
    task_id: str = Field("", description="Such as task-368 or 368; empty for the active task.")
    section: str = Field(
        task_document.NOTES,
        description=f"{', '.join(task_document.SECTION_ORDER)}, or a new section.",
    )


class TaskNoteOutput(ToolOutput):
    task_id: str
    section: str
    path: str = Field(description="The file, relative to the project.")

    def text(self) -> str:
        return f"Noted for {self.task_id}, in {self.section} ({self.path})"


def task_note(served: ServedProject, asked: TaskNoteInput) -> TaskNoteOutput:
    project = served.project_with_tasks
    done = task_actions.add_note(project, asked.task_id, asked.text, asked.section)
    return TaskNoteOutput(
        task_id=done.memory.id, section=done.section, path=replace_invalid(done.memory.path)
    )


class SearchInput(ToolInput):
    query: str = Field(description="Words that must all occur, in any order; parts of words match.")


class OutputHit(BaseModel):
    kind: str = Field(description="agent or task", json_schema_extra={"enum": [AGENT, TASK]})
    name: str = Field(description="The id of the agent or the task.")
    uri: str = Field(description="The resource with the whole memory.")
    section: str
    text: str
    archived: bool


class SearchOutput(ToolOutput):
    hits: list[OutputHit]
    left_out: int = Field(description="Number of further hits.")
    unread: list[str] = Field(description="Files that could not be read, with the reason.")

    def text(self) -> str:
        lines = [_line(hit) for hit in self.hits] or ["No matches."]
        lines += [f"{self.left_out} more hits; add words."] if self.left_out else []
        return "\n".join([*lines, *(f"Could not be read: {reason}" for reason in self.unread)])


def _line(hit: OutputHit) -> str:
    section = f" [{hit.section}]" if hit.section else ""  # none above the first heading
    archived = " (archived)" if hit.archived else ""
    return f"{hit.name}{section}{archived}: {hit.text}"


def search(served: ServedProject, asked: SearchInput) -> SearchOutput:
    project = served.project_with_tasks
    names = [name for name in lookup.list_agents(project.store) if project.serves(name)]
    of_agents = searching.search_items(project.store, asked.query, names) if names else None
    hits = [_of_agent(hit) for hit in of_agents.hits] if of_agents else []
    hits += [_of_task(hit) for hit in task_actions.search(project, asked.query)]
    hits.sort(key=lambda hit: hit.archived)
    unread = [replace_invalid(name) for name in of_agents.unread] if of_agents else []
    return SearchOutput(hits=hits[:MAX_HITS], left_out=max(len(hits) - MAX_HITS, 0), unread=unread)


def _of_agent(hit: searching.ItemHit) -> OutputHit:
    text = "\n".join(filter(None, [hit.text, hit.nested]))
    is_archived = hit.place == searching.IN_ARCHIVE
    return _hit(AGENT, hit.agent, resources.uri_of_agent(hit.agent), hit.section, text, is_archived)


def _of_task(hit: task_actions.TaskHit) -> OutputHit:
    task = hit.memory
    return _hit(
        TASK, task.id, resources.uri_of_task(task.id), hit.section, hit.text, bool(task.archived)
    )


def _hit(kind: str, name: str, uri: str, section: str, text: str, archived: bool) -> OutputHit:
    text, section = replace_invalid(sanitize.escape_tags(text)), replace_invalid(section)
    return OutputHit(kind=kind, name=name, uri=uri, section=section, text=text, archived=archived)


class Tool(NamedTuple):
    """A tool; models may see nothing of it but the description."""

    title: str
    description: str
    arguments: type[ToolInput]
    result: type[ToolOutput]
    function: Callable[[ServedProject, Any], ToolOutput]
    is_read_only: bool = False
    is_destructive: bool = False
    is_idempotent: bool = False  # a second call with the same arguments adds nothing


TOOLS = {
    "recall": Tool(
        "Recall what an agent knows",
        "Read what an agent learned about this project: facts, mistakes to avoid, preferences and"
        " common errors. Call it before you start work.",
        RecallInput,
        RecallOutput,
        recall,
        is_read_only=True,
    ),
    "remember": Tool(
        "Remember one thing",
        "Save one fact about this project for later sessions of an agent: something that took time"
        " to find out and will still be true. Never save secrets or the progress of current work.",
        RememberInput,
        RememberOutput,
        remember,
        is_idempotent=True,
    ),
    "record_error": Tool(
        "Record an error",
        "Record an error that an agent hit, and what fixed it, so that it is avoided next time.",
        RecordErrorInput,
        RecordErrorOutput,
        record_error,
    ),
    "record_task": Tool(
        "Record a finished task",
        "Record that an agent's task is done, failed or was stopped. Call it once, at the end.",
        RecordTaskInput,
        RecordTaskOutput,
        record_task,
    ),
    "set_preference": Tool(
        "Set a preference",
        "Set how the user wants an agent to work from now on. Only use it when the user asked for"
        " it. Replaces an older value of the same key.",
        SetPreferenceInput,
        SetPreferenceOutput,
        set_preference,
        is_destructive=True,
        is_idempotent=True,
    ),
    "task_note": Tool(
        "Add a note to a task",
        "Add a note to the memory of a Backlog.md task, such as task-368: findings, decisions or"
        " what is still to do. Every session that continues the task reads it.",
        TaskNoteInput,
        TaskNoteOutput,
        task_note,
    ),
    "search": Tool(
        "Search all memories",
        "Search the memories of all agents and tasks of this project for words.",
        SearchInput,
        SearchOutput,
        search,
        is_read_only=True,
    ),
}


def list_all() -> list[Listing]:
    """Return the tools in the form of the protocol."""
    return [_listing(name, tool) for name, tool in TOOLS.items()]


def _listing(name: str, tool: Tool) -> Listing:
    hints = ToolAnnotations(
        title=tool.title,
        read_only_hint=tool.is_read_only,
        destructive_hint=tool.is_destructive,
        idempotent_hint=tool.is_read_only or tool.is_idempotent,
        open_world_hint=False,
    )
    return Listing(
        name=name,
        title=tool.title,
        description=tool.description,
        input_schema=_schema(tool.arguments),
        output_schema=_schema(tool.result),
        annotations=hints,
    )


def _schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return the schema of a model without titles, which only repeat the names."""
    schema = model.model_json_schema()
    for part in (schema, *schema.get("$defs", {}).values()):
        part.pop("title", None)
        part.pop("description", None)
        for field in part.get("properties", {}).values():
            field.pop("title", None)
    return schema


class WrongArguments(ValueError):
    """The arguments of a tool are invalid; the message lists the expected ones."""

    status = 2

    def __init__(self, name: str, error: ValidationError) -> None:
        faults = "; ".join(map(_fault, error.errors()))
        super().__init__(f"{faults}. {name} takes {', '.join(TOOLS[name].arguments.model_fields)}")


def _fault(fault: Mapping[str, Any]) -> str:
    return f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}"


def call(served: ServedProject, name: str, given: dict[str, Any]) -> CallToolResult:
    """Call a tool; raises WrongArguments and domain errors."""
    tool = TOOLS[name]
    try:
        asked = tool.arguments.model_validate(given)
    except ValidationError as error:
        raise WrongArguments(name, error) from None
    done = tool.function(served, asked)
    content = TextContent(type="text", text=done.text())
    return CallToolResult(
        content=[content], structured_content=done.model_dump(mode="json", by_alias=True)
    )
