"""The settings of config.yml, as pydantic models.

Hooks do not import this module: they read the compiled settings (see config.py) or
config_defaults.py, which a test compares with the defaults here.
"""

from __future__ import annotations

import fnmatch
import json
import re
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    field_validator,
    model_validator,
)

from memory_core.history.item_history import DEFAULT_WEIGHTS
from memory_core.storage.config_defaults import MAX_SIZE_KB


class ConfigSection(BaseModel):
    """One mapping of config.yml; an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _drop_empty(cls, value: object) -> object:
        """Ignore keys without a value, because the lines below them are commented out.

        Null stays if it is the default: a project undoes a setting of the user with it.
        """
        if not isinstance(value, dict):
            return {} if value is None else value
        fields = cls.model_fields
        needs_value = {key for key in value if key in fields and fields[key].default is not None}
        return {
            key: item for key, item in value.items() if item is not None or key not in needs_value
        }


def check_directory(directory: str) -> str:
    """Keep the memory in the project: a config.yml may come with an untrusted clone."""
    parts = [part for part in directory.split("/") if part not in ("", ".")]
    if directory.startswith(("/", "~", "\\")) or ".." in parts or not parts:
        raise ValueError("a folder below the project's root is expected")
    if min(directory) < " ":
        raise ValueError("a folder's name without control characters is expected")
    return directory


def check_pattern(pattern: str) -> str:
    """Refuse patterns that old versions of Python accept and then fail to use."""
    try:
        re.compile(fnmatch.translate(pattern.casefold()))
    except re.error:
        raise ValueError("a shell pattern is expected") from None
    return pattern


# File systems allow 255 bytes for a name.
MemoryDirectory = Annotated[
    str, Field(min_length=1, max_length=200), AfterValidator(check_directory)
]
AgentPattern = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(check_pattern)]
SizeKb = Annotated[int, Field(ge=1, le=MAX_SIZE_KB)]
Count = Annotated[int, Field(ge=1, le=1000)]
Fraction = Annotated[float, Field(ge=0, le=1)]


class LimitsConfig(ConfigSection):
    """How large a memory may grow."""

    default_size_kb: SizeKb = Field(8, description="maximum size of a memory file in KB")
    max_sections: Count = Field(10, description="maximum sections of a memory file")
    max_items_per_section: Count = Field(15, description="maximum items in a section")
    max_line_length: Annotated[int, Field(ge=20, le=10_000)] = Field(
        120, description="maximum characters of a line in a memory file"
    )


class AgentOverride(ConfigSection):
    """What differs for one agent."""

    size_kb: SizeKb | None = Field(None, description="maximum size of its memory file in KB")
    max_sections: Count | None = Field(None, description="maximum sections of its memory file")
    max_items_per_section: Count | None = Field(None, description="maximum items in its sections")
    auto_learning: bool | None = Field(None, description="save what this agent reports")


class ConfidenceConfig(ConfigSection):
    """How sure an item is at first and what changes that; item_history.Weights has reasons."""

    agent: Fraction = Field(DEFAULT_WEIGHTS.agent, description="confidence of an item from one run")
    person: Fraction = Field(
        DEFAULT_WEIGHTS.person, description="confidence of an item from a person"
    )
    step: Fraction = Field(DEFAULT_WEIGHTS.step, description="confidence gained by a confirmation")
    contradiction: Fraction = Field(
        DEFAULT_WEIGHTS.contradiction, description="confidence lost by one contradiction"
    )


class TasksConfig(ConfigSection):
    """The memory of tasks."""

    enabled: bool = Field(True, description="keep a memory for each task")
    budget_tokens: Annotated[int, Field(ge=100, le=20_000)] = Field(
        2000, description="maximum tokens of a task's memory in a session"
    )


class MemoryConfig(ConfigSection):
    """The keys below `memory:`."""

    enabled: bool = Field(True, description="use memory; if false, the hooks do nothing")
    auto_learning: bool = Field(True, description="save what agents report")
    natural_language: bool = Field(
        False, description="save also sentences such as `Discovered pattern: ...`"
    )
    directory: MemoryDirectory = Field(
        ".claude-mpm/memories", description="folder of the memory files, relative to the project"
    )
    max_learning_length: Annotated[int, Field(ge=10, le=1000)] = Field(
        100, description="maximum characters of a learning; longer ones are not saved"
    )
    strip_markers: bool = Field(
        True, description="remove saved marker blocks from what the main agent reads"
    )
    user_level: Literal["append", "shadow", "off"] = Field(
        "append", description="how the user-level memory is combined with the project's"
    )
    include: list[AgentPattern] = Field(
        [], description="patterns of agents with memory; empty: all"
    )
    exclude: list[AgentPattern] = Field([], description="patterns of agents without memory")
    min_confidence: Fraction = Field(
        0.0, description="items with less confidence are not given to agents"
    )
    confidence: ConfidenceConfig = Field(ConfidenceConfig(), description="confidence of items")
    context_items: Count = Field(20, description="maximum items that `agent-memory context` prints")
    give_performance: bool = Field(False, description="show agents their own past results, too")
    limits: LimitsConfig = Field(LimitsConfig(), description="how large a memory may grow")
    tasks: TasksConfig = Field(TasksConfig(), description="the memory of tasks")
    agent_overrides: dict[str, AgentOverride] = Field({}, description="settings for single agents")

    @field_validator("user_level", mode="before")
    @classmethod
    def _read_off(cls, level: object) -> object:
        """Accept a bare `off`, which YAML 1.1 reads as false."""
        return "off" if level is False else level


class ConfigRoot(ConfigSection):
    """The whole of config.yml."""

    memory: MemoryConfig = MemoryConfig()


def describe_settings(
    model: type[BaseModel] = MemoryConfig, prefix: str = "memory"
) -> list[list[str]]:
    """Return [key, default, description] of each setting, for people."""
    rows = []
    for name, field in model.model_fields.items():
        nested = field.annotation
        if isinstance(nested, type) and issubclass(nested, BaseModel):
            rows += describe_settings(nested, f"{prefix}.{name}")
        else:
            default = json.dumps(field.get_default())
            rows.append([f"{prefix}.{name}", default, field.description or ""])
    if model is MemoryConfig:
        rows += describe_settings(AgentOverride, f"{prefix}.agent_overrides.AGENT")
    return rows
