"""The tools: what each takes and gives, and the verb that it calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, NamedTuple

from mcp_types import CallToolResult, TextContent, ToolAnnotations
from mcp_types import Tool as Listing
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memory_core import (
    archive,
    judging,
    knowledge,
    people,
    performance,
    preferences,
    recording,
    searching,
    task_document,
    tasks,
    trust,
)
from memory_core.mcp_server import resources
from memory_core.mcp_server.served import Served, readable

# Tokens of an answer: as much as a task's memory may take of a session.
BUDGET = 2000
SMALLEST, LARGEST = 50, 100_000

# More would be no answer, but the memories themselves.
HITS = 50

AGENT, TASK = "agent", "task"


class Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)


class Result(BaseModel):
    """What a tool gives, as values; `text` is the same for a model to read."""

    def text(self) -> str:
        raise NotImplementedError


Agent = Annotated[
    str,
    Field(description="An agent in any spelling, such as engineer; PM is the main session."),
]


class Recall(Arguments):
    agent: Agent
    query: str = Field("", description="What you are about to do: items with its words come first.")
    budget: int = Field(
        BUDGET, ge=SMALLEST, le=LARGEST, description="The answer's size at most, in tokens."
    )


class Recalled(Result):
    agent: str
    memory: str = Field(description="Markdown, the most relevant first; empty for nothing known.")
    left_out: int = Field(description="How many items had no room within the budget.")

    def text(self) -> str:
        if not self.memory:
            return f"Nothing is known of {self.agent} yet."
        more = f"\n\n({self.left_out} more items had no room.)" if self.left_out else ""
        return self.memory + more


def recall(served: Served, asked: Recall) -> Recalled:
    project = served.project
    agent = served.known(project, asked.agent)
    known = knowledge.context(project, agent)
    held = knowledge.chosen(known, asked.query, asked.budget)
    text = readable(trust.defuse(knowledge.rendered(held, len(held.items))))
    return Recalled(agent=agent, memory=text, left_out=len(known.items) - len(held.items))


class Remember(Arguments):
    agent: Agent
    type: str = Field(
        description="What kind of learning it is; decides on the section.",
        json_schema_extra={"enum": list(judging.TYPES)},
    )
    content: str = Field(description="One sentence of at most 100 characters, about the project.")


class Item(BaseModel):
    id: str
    text: str
    section: str
    confidence: float = Field(description="From 0 to 1.")


class Remembered(Result):
    agent: str
    item: Item | None = Field(description="What stands in the memory now; null: it had no room.")
    known: bool = Field(description="Whether it stood there already, and is surer now.")
    replaced: str | None = Field(description="The item that said less, and made way.")
    doubted: list[str] = Field(description="Items that this says to be wrong: less sure now.")
    archived: list[str] = Field(description="Items that had to leave, for want of room.")

    def text(self) -> str:
        if self.item is None:
            return f"The memory of {self.agent} is full: it went to the archive at once."
        said = "Known already" if self.known else "Remembered"
        where = f"{self.item.section}, {self.item.confidence:.1f} sure"
        lines = [f"{said} for {self.agent}: {self.item.text} ({where})"]
        lines += [f"In the place of: {self.replaced}"] if self.replaced else []
        lines += [f"Less sure now: {each}" for each in self.doubted]
        lines += [f"To the archive: {each}" for each in self.archived]
        return "\n".join(lines)


def remember(served: Served, asked: Remember) -> Remembered:
    project = served.project
    _check_type(asked.type)
    agent = served.known_or_new(project, asked.agent)
    lesson = recording.learning(project, agent, asked.type, asked.content, **served.by)
    first = next(iter(lesson.taught), None)
    return Remembered(
        agent=agent,
        item=_item(first.item) if first else None,
        known=bool(first and first.known),
        replaced=readable(first.was) if first and first.was else None,
        doubted=[readable(each.text) for each in lesson.doubted],
        archived=[readable(text) for _section, text in lesson.left],
    )


def _check_type(told: str) -> None:
    if not judging.type_of(told):
        raise recording.Refused(f"no type {told!r}; there are {', '.join(judging.TYPES)}")


def _item(told: people.Told) -> Item:
    fields = {name: readable(getattr(told, name)) for name in ("id", "text", "section")}
    return Item(**fields, confidence=told.confidence)


class RecordError(Arguments):
    agent: Agent
    error: str = Field(description="The error's message; its first line counts.")
    resolution: str = Field("", description="What helped, in one line, where that is known.")


class ErrorRecorded(Result):
    agent: str
    error: str
    resolution: str

    def text(self) -> str:
        told = f"{self.error} → {self.resolution}" if self.resolution else self.error
        return f"Recorded for {self.agent}: {told}"


def record_error(served: Served, asked: RecordError) -> ErrorRecorded:
    project = served.project
    agent = served.known_or_new(project, asked.agent)
    source = served.by["source"]
    told = recording.error(project, agent, asked.error, asked.resolution, source=source)
    resolution = readable(told.get("resolution", ""))
    return ErrorRecorded(agent=agent, error=readable(told["text"]), resolution=resolution)


class RecordTask(Arguments):
    agent: Agent
    outcome: str = Field(
        performance.DONE,
        description="How the task ended.",
        json_schema_extra={"enum": list(performance.OUTCOMES)},
    )
    duration_s: float | None = Field(None, ge=0, description="Seconds it took.")
    tokens: int | None = Field(None, ge=0, description="Tokens it took.")


class TaskRecorded(Result):
    agent: str
    outcome: str

    def text(self) -> str:
        return f"Recorded for {self.agent}: one task, {self.outcome}."


def record_task(served: Served, asked: RecordTask) -> TaskRecorded:
    project = served.project
    agent = served.known_or_new(project, asked.agent)
    recording.task(
        project,
        agent,
        asked.outcome,
        duration_s=asked.duration_s,
        tokens=asked.tokens,
        source=served.by["source"],
    )
    return TaskRecorded(agent=agent, outcome=asked.outcome)


class SetPreference(Arguments):
    agent: Agent
    key: str = Field(description=f"A few words; usual are {', '.join(preferences.USUAL)}.")
    value: str = Field(description="What is preferred, in one line.")


class PreferenceSet(Result):
    agent: str
    key: str
    value: str
    changed: bool = Field(description="False where it had that value already.")

    def text(self) -> str:
        said = "From now on" if self.changed else "Already"
        return f"{said}, {self.agent} prefers {self.key}: {self.value}"


def set_preference(served: Served, asked: SetPreference) -> PreferenceSet:
    project = served.project
    agent = served.known_or_new(project, asked.agent)
    source = served.by["source"]
    changed = people.prefer(project, agent, asked.key, asked.value, source=source)
    return PreferenceSet(agent=agent, key=asked.key, value=asked.value, changed=changed)


class TaskNote(Arguments):
    text: str = Field(
        description="What is worth reading when the task goes on; may be several lines."
    )
    task_id: str = Field("", description="Such as task-368 or 368; empty for the active task.")
    section: str = Field(
        task_document.NOTES,
        description=f"{', '.join(task_document.ORDER)}, or a new one, which is made.",
    )


class Noted(Result):
    task_id: str
    section: str
    path: str = Field(description="The file, from the project's folder.")

    def text(self) -> str:
        return f"Noted for {self.task_id}, in {self.section} ({self.path})"


def task_note(served: Served, asked: TaskNote) -> Noted:
    project = served.with_tasks
    done = tasks.note(project, asked.task_id, asked.text, asked.section)
    return Noted(task_id=done.told.id, section=done.section, path=readable(done.told.path))


class Search(Arguments):
    query: str = Field(description="Words that all occur, in any order; parts of words count.")


class Hit(BaseModel):
    kind: str = Field(description="agent or task", json_schema_extra={"enum": [AGENT, TASK]})
    name: str = Field(description="Whose memory: the agent's or the task's id.")
    uri: str = Field(description="The resource that has all of it.")
    section: str
    text: str
    archived: bool


class Found(Result):
    hits: list[Hit]
    left_out: int = Field(description="How many more there are.")
    unread: list[str] = Field(description="Files that could not be read, with the reason.")

    def text(self) -> str:
        lines = [_line(hit) for hit in self.hits] or ["Nothing found."]
        lines += [f"{self.left_out} more; more words find fewer."] if self.left_out else []
        return "\n".join([*lines, *(f"Not read: {each}" for each in self.unread)])


def _line(hit: Hit) -> str:
    section = f" [{hit.section}]" if hit.section else ""  # none above the first heading
    archived = " (archived)" if hit.archived else ""
    return f"{hit.name}{section}{archived}: {hit.text}"


def search(served: Served, asked: Search) -> Found:
    project = served.with_tasks
    names = [name for name in archive.owners(project.store) if project.serves(name)]
    of_agents = searching.search(project.store, asked.query, names) if names else None
    hits = [_of_agent(hit) for hit in of_agents.hits] if of_agents else []
    hits += [_of_task(hit) for hit in tasks.search(project, asked.query)]
    hits.sort(key=lambda hit: hit.archived)
    unread = [readable(each) for each in of_agents.unread] if of_agents else []
    return Found(hits=hits[:HITS], left_out=max(len(hits) - HITS, 0), unread=unread)


def _of_agent(hit: searching.Hit) -> Hit:
    text = "\n".join(filter(None, [hit.text, hit.nested]))
    is_archived = hit.place == searching.ARCHIVE
    return _hit(AGENT, hit.agent, resources.of_agent(hit.agent), hit.section, text, is_archived)


def _of_task(hit: tasks.Hit) -> Hit:
    told = hit.told
    return _hit(
        TASK, told.id, resources.of_task(told.id), hit.section, hit.text, bool(told.archived)
    )


def _hit(kind: str, name: str, uri: str, section: str, text: str, archived: bool) -> Hit:
    text, section = readable(trust.defuse(text)), readable(section)
    return Hit(kind=kind, name=name, uri=uri, section=section, text=text, archived=archived)


class Tool(NamedTuple):
    """A tool: what it takes, what it does, and what a client may do without asking.

    `told` is for a model that sees nothing else.
    """

    title: str
    told: str
    arguments: type[Arguments]
    result: type[Result]
    work: Callable[[Served, Any], Result]
    reads: bool = False
    replaces: bool = False
    repeats: bool = False  # whether a second call of the same adds nothing


TOOLS = {
    "recall": Tool(
        "Recall what an agent knows",
        "Read what an agent of this project learned before: facts, mistakes to avoid, preferences,"
        " common errors. Call it before work that others may have done already.",
        Recall,
        Recalled,
        recall,
        reads=True,
    ),
    "remember": Tool(
        "Remember one thing",
        "Keep one fact about this project for all later sessions of an agent: something that cost"
        " time to find out and will be true next time, never secrets or the state of today's work.",
        Remember,
        Remembered,
        remember,
        repeats=True,
    ),
    "record_error": Tool(
        "Record an error",
        "Record an error that an agent met, and what resolved it, so that it is avoided next time.",
        RecordError,
        ErrorRecorded,
        record_error,
    ),
    "record_task": Tool(
        "Record a finished task",
        "Record that an agent's task is done, failed or stopped; call it once, at the end.",
        RecordTask,
        TaskRecorded,
        record_task,
    ),
    "set_preference": Tool(
        "Set a preference",
        "Set how the user wants an agent to work from now on; only when the user said so. An older"
        " value of the same key is replaced.",
        SetPreference,
        PreferenceSet,
        set_preference,
        replaces=True,
        repeats=True,
    ),
    "task_note": Tool(
        "Note for a task",
        "Add a note to the memory of a task (Backlog.md's, such as task-368), which everybody who"
        " goes on with the task reads: what was found, decided or is still to do.",
        TaskNote,
        Noted,
        task_note,
    ),
    "search": Tool(
        "Search all memories",
        "Find what the memories of all agents and tasks of this project say about some words.",
        Search,
        Found,
        search,
        reads=True,
    ),
}


def listed() -> list[Listing]:
    """Return the tools as a client is told of them."""
    return [_listing(name, tool) for name, tool in TOOLS.items()]


def _listing(name: str, tool: Tool) -> Listing:
    hints = ToolAnnotations(
        title=tool.title,
        read_only_hint=tool.reads,
        destructive_hint=tool.replaces,
        idempotent_hint=tool.reads or tool.repeats,
        open_world_hint=False,
    )
    return Listing(
        name=name,
        title=tool.title,
        description=tool.told,
        input_schema=_schema(tool.arguments),
        output_schema=_schema(tool.result),
        annotations=hints,
    )


def _schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return a model's schema without the titles that only repeat its names."""
    schema = model.model_json_schema()
    for part in (schema, *schema.get("$defs", {}).values()):
        part.pop("title", None)
        part.pop("description", None)
        for field in part.get("properties", {}).values():
            field.pop("title", None)
    return schema


class WrongArguments(ValueError):
    """Arguments that a tool does not take; the message says what it takes."""

    status = 2

    def __init__(self, name: str, error: ValidationError) -> None:
        faults = "; ".join(map(_fault, error.errors()))
        super().__init__(f"{faults}. {name} takes {', '.join(TOOLS[name].arguments.model_fields)}")


def _fault(fault: Mapping[str, Any]) -> str:
    return f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}"


def called(served: Served, name: str, given: dict[str, Any]) -> CallToolResult:
    """Call a tool; raises what its verb does, and WrongArguments."""
    tool = TOOLS[name]
    try:
        asked = tool.arguments.model_validate(given)
    except ValidationError as error:
        raise WrongArguments(name, error) from None
    done = tool.work(served, asked)
    content = TextContent(type="text", text=done.text())
    return CallToolResult(content=[content], structured_content=done.model_dump(mode="json"))
