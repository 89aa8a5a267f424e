"""The records of a history and the files of `agent-memory export`, as pydantic models.

docs/json.md explains the keys.
"""

from __future__ import annotations

import json
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from memory_core.history import item_history
from memory_core.storage.database import review_table
from memory_core.storage.history_file import RUN_KINDS
from memory_core.text import sanitize

MAX_MESSAGE_LENGTH = 100

RECORD_KINDS = (*item_history.CHANGE_KINDS, *RUN_KINDS)
TIME_PATTERN = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$"


class HistoryRecord(BaseModel):
    """One line of history/AGENT.jsonl; docs/json.md explains each key."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)

    v: int = Field(1, ge=1)
    time: str = Field(pattern=TIME_PATTERN)
    kind: str = Field(pattern=f"^({'|'.join(RECORD_KINDS)})$")
    agent: str = ""
    id: str = Field(min_length=1, max_length=64)
    text: str = ""
    section: str = ""
    nested: str = ""
    was: str = ""
    run: str = ""
    session: str = ""
    source: str = ""
    origin: str = ""
    confidence: float | None = Field(None, ge=0, le=1)
    change: str = ""
    seq: int | None = Field(None, ge=0, lt=2**53)
    n: int | None = Field(None, ge=0)
    type: str = ""
    reading: list[str] = []
    waiting: dict[str, str | list[str]] | None = None


# A learning that waits for a person, see `review_table`.
_fields: dict[str, Any] = dict.fromkeys(review_table.FIELDS, (str, ""))
_fields |= dict.fromkeys(review_table.LISTS, (list[str], []))
_fields["content"] = (str, Field(min_length=1))
WaitingLearning = create_model(
    "WaitingLearning", __config__=ConfigDict(strict=True, frozen=True), **_fields
)


class AgentExport(BaseModel):
    """The part of an export about one agent; texts are those of its files."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    document: str = ""
    preferences: dict[str, str] = {}
    history: list[HistoryRecord] = []
    archive: str = ""
    review: list[WaitingLearning] = []


class Export(BaseModel):
    """A file of `agent-memory export`."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    format: Literal["agent-memory"]
    version: int = Field(ge=1, le=1)
    exported: str = ""
    project: str = ""
    agents: dict[str, AgentExport]


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
