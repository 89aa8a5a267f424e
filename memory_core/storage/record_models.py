"""The records of a history and the files of `agent-memory export`, as pydantic models."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from memory_core.history import item_history
from memory_core.storage.history_file import RUN_KINDS
from memory_core.text import sanitize

MAX_MESSAGE_LENGTH = 100

Fraction = Annotated[float, Field(ge=0, le=1)]
RecordId = Annotated[str, Field(min_length=1, max_length=64)]
Timestamp = Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")]
NonNegative = Annotated[int, Field(ge=0)]
RECORD_KINDS = (*item_history.CHANGE_KINDS, *RUN_KINDS)


def _check_kind(kind: str) -> str:
    if kind not in RECORD_KINDS:
        raise ValueError("unknown kind")
    return kind


RecordKind = Annotated[str, AfterValidator(_check_kind)]


class HistoryRecord(BaseModel):
    """One line of history/AGENT.jsonl; docs/json.md says which kind has which keys."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)

    v: int = Field(1, ge=1, description="the version of this schema, 1")
    time: Timestamp = Field(description="when, ISO 8601 in UTC with milliseconds")
    kind: RecordKind = Field(description="what came about, see below")
    agent: str = Field("", description="whose memory it is about")
    id: RecordId = Field(
        description="of the item: ten hexadecimal digits, a hash of its words;"
        " of the change where it is `undone`, of no item where it is `renamed` or `rewritten`"
    )
    text: str = Field("", description="the item's text where it is new")
    section: str = Field("", description="the title of the section it stands in")
    nested: str = Field("", description="the lines nested in it, where there are some")
    was: str = Field("", description="the id of the item whose place it took")
    run: str = Field("", description="Claude Code's agent id")
    session: str = Field("", description="Claude Code's session id")
    source: str = Field(
        "", description="`agent`, `hand` (in the file), `person` (a command), `import`, `mcp`, ..."
    )
    origin: str = Field(
        "", description="the agent or file that it was copied from; `renamed`: the agent's old name"
    )
    confidence: Fraction | None = Field(None, description="how sure the item is after it, 0 to 1")
    change: str = Field("", description="what all records of one write or command share")
    seq: NonNegative | None = Field(None, description="orders the changes, whatever the clocks say")
    n: NonNegative | None = Field(None, description="how many records of its write are before it")
    type: str = Field("", description="the type of the learning, as the report has it")
    reading: list[str] = Field(
        [], description="what the run read from outside, for example `WebFetch docs.example.com`"
    )
    waiting: dict[str, str | list[str]] | None = Field(
        None,
        description="the learning as it waited for a person, who has decided on it;"
        " `evicted`, `contradicted`: the item as it waits, because another one contradicts it or a"
        " run reported it as wrong",
    )


class WaitingLearning(BaseModel):
    """A learning that waits for a person."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)

    id: str = Field("", description="ten hexadecimal digits, a hash of the agent and the words")
    time: str = Field("", description="since when it waits, ISO 8601 in UTC, or only the day")
    type: str = Field("", description="its type, as the report has it")
    content: str = Field(min_length=1, description="its text")
    reason: str = Field("", description="why it was not saved")
    nested: str = Field("", description="the lines nested in it, where there are some")
    run: str = Field("", description="Claude Code's agent id")
    session: str = Field("", description="Claude Code's session id")
    source: str = Field("", description="`agent`, `mcp`, ...")
    other: str = Field("", description="the text of an item that it contradicts")
    tier: str = Field(
        "",
        description="from whom it is: `person`, `hand`, `accepted`, `reviewed`, `agent`, `tainted`,"
        " `mcp`, `import` or `unknown`",
    )
    reasons: list[str] = Field([], description="why it waits, each a few words")
    reading: list[str] = Field(
        [], description="what the run read from outside, for example `WebFetch docs.example.com`"
    )


class AgentExport(BaseModel):
    """The part of an export about one agent; texts are those of its files."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    document: str = Field("", description="AGENT.md")
    preferences: dict[str, str] = Field({}, description="value by key; they stand in it, too")
    history: list[HistoryRecord] = Field([], description="history/AGENT.jsonl, record by record")
    archive: str = Field("", description="archive/AGENT.md")
    review: list[WaitingLearning] = Field([], description="learnings that wait for a person")


class Export(BaseModel):
    """A file of `agent-memory export`."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    format: Literal["agent-memory"] = Field(description="always `agent-memory`")
    version: int = Field(ge=1, le=1, description="of this schema, 1")
    exported: str = Field("", description="when, ISO 8601 in UTC")
    project: str = Field("", description="the name of the project's folder")
    agents: dict[str, AgentExport] = Field(description="by agent id; `PM` is the main session")


def check_export(value: Any) -> str:
    """Return the first problem of an export with its place, "" if it is valid.

    A valid export gets the defaults of all fields that it lacks.
    """
    try:
        Export.model_validate_json(_encode(value))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(_shorten, first["loc"])) or "the file"
        return f"{place}: {_shorten(first['msg'].removeprefix('Value error, '))}"
    for agent in value["agents"].values():
        for field, info in AgentExport.model_fields.items():
            agent.setdefault(field, info.get_default(call_default_factory=True))
    return ""


def is_valid_record(value: Any) -> bool:
    """Check whether a value is a record of this version of the schema."""
    try:
        HistoryRecord.model_validate_json(_encode(value))
    except ValidationError:
        return False
    return True


def _shorten(part: object) -> str:
    """Return a key or message as one short line of visible characters."""
    return sanitize.shorten(sanitize.join_visible(str(part)), MAX_MESSAGE_LENGTH)


def _encode(value: Any) -> bytes:
    """Return a value as JSON, without the surrogates of bytes that are not UTF-8."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
