"""The settings of config.yml, as pydantic models.

Hooks do not import this module: they read the merged settings (see config.py) or
default_settings.py, which a test compares with the defaults here.
"""

from __future__ import annotations

import fnmatch
import json
import re
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    model_validator,
)

from memory_core.storage.config_yml import default_settings
from memory_core.storage.config_yml.config_defaults import (
    DURATION_EXPECTED,
    MAX_DIRECTORY_LENGTH,
    OWN_FOLDER,
    RANGES,
    count_days,
    is_memory_directory,
    parse_fingerprint,
    parse_share,
)

# Words of pydantic's messages, and the words for them.
PLAIN_WORDS = {
    "Value error, ": "",
    "Input should be": "expected",
    "String should have at least 1 character": "a text is expected",
    "Field required": "missing",
    "Extra inputs are not permitted": "unknown key",
    "a valid boolean": "true or false",
    "a valid integer": "a whole number",
    "dictionary": "mapping",
    "a valid ": "a ",
}


def simplify_message(message: str) -> str:
    """Return a message of pydantic in plain words."""
    message = message.partition(" or instance of")[0]
    for word, plain in PLAIN_WORDS.items():
        message = message.replace(word, plain)
    return message


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
    """Return the folder without needless parts; a config.yml may come with an untrusted clone."""
    folder = directory.removeprefix("./").rstrip("/")
    if not is_memory_directory(folder):
        raise ValueError(f"a folder below {OWN_FOLDER}/ with a plain name is expected")
    return folder


def check_pattern(pattern: str) -> str:
    """Refuse patterns that old versions of Python accept and then fail to use."""
    try:
        re.compile(fnmatch.translate(pattern.casefold()))
    except re.error:
        raise ValueError("a shell pattern is expected") from None
    return pattern


def read_off(word: object) -> object:
    """Accept a bare `off`, which YAML 1.1 reads as false."""
    return "off" if word is False else word


def check_duration(duration: str) -> str:
    """Refuse what is not a duration in days or weeks, or off."""
    text = duration.strip().casefold()
    if count_days(text) is None:
        raise ValueError(DURATION_EXPECTED)
    return text


def check_fingerprint(text: str) -> str:
    """Refuse what is not the whole fingerprint of a key."""
    if fingerprint := parse_fingerprint(text):
        return fingerprint
    raise ValueError("a fingerprint, SHA256:... of ssh or 40 digits of gpg, is expected")


def setting(key: str, description: str) -> Any:
    """Return the field of a setting below `memory:`, with its default and the limits of a number.

    Keys of single agents, with `agent_overrides.` in front, are not set by default.
    """
    default: Any = default_settings.DEFAULTS
    parents, _, name = key.rpartition(".")
    for part in filter(None, parents.split(".")):
        default = default[part]
    lowest, highest = RANGES.get(name, (None, None))
    return Field(default.get(name), description=description, ge=lowest, le=highest)


MemoryDirectory = Annotated[
    str, Field(min_length=1, max_length=MAX_DIRECTORY_LENGTH), AfterValidator(check_directory)
]
AgentPattern = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(check_pattern)]
# A hook compares each of them with the name of an agent.
AgentPatterns = Annotated[list[AgentPattern], Field(max_length=100)]
Fingerprints = Annotated[
    list[Annotated[str, AfterValidator(check_fingerprint)]], Field(max_length=100)
]
LearningMode = Annotated[Literal["auto", "ask", "off"], BeforeValidator(read_off)]
NoticesMode = Annotated[Literal["changes", "all", "off"], BeforeValidator(read_off)]
UserLevelMode = Annotated[Literal["append", "shadow", "off"], BeforeValidator(read_off)]
ExpireAfter = Annotated[str, BeforeValidator(read_off), AfterValidator(check_duration)]


class LimitsConfig(ConfigSection):
    """How large a memory may grow."""

    default_size_kb: int = setting("limits.default_size_kb", "maximum size of a memory file in KB")
    max_sections: int = setting("limits.max_sections", "maximum sections of a memory file")
    max_items_per_section: int = setting(
        "limits.max_items_per_section", "maximum items in a section"
    )
    max_line_length: int = setting(
        "limits.max_line_length", "maximum characters of an item's line in a memory file"
    )


class AgentOverride(ConfigSection):
    """What differs for one agent."""

    size_kb: int | None = setting(
        "agent_overrides.size_kb", "maximum size of its memory file in KB"
    )
    max_sections: int | None = setting(
        "agent_overrides.max_sections", "maximum sections of its memory file"
    )
    max_items_per_section: int | None = setting(
        "agent_overrides.max_items_per_section", "maximum items in its sections"
    )
    learning: LearningMode | None = setting(
        "agent_overrides.learning", "as `memory.learning`, for this agent"
    )
    auto_learning: bool | None = setting(
        "agent_overrides.auto_learning", "save what this agent reports"
    )


class ConfidenceConfig(ConfigSection):
    """How sure an item is at first and what changes that; item_history.Weights has reasons."""

    agent: float = setting("confidence.agent", "confidence of an item from one run")
    person: float = setting("confidence.person", "confidence of an item from a person")
    step: float = setting("confidence.step", "confidence gained by a confirmation")
    contradiction: float = setting(
        "confidence.contradiction", "confidence lost by one contradiction"
    )


def read_switch(value: object) -> object:
    """Accept `off` and `on` for a whole mapping."""
    switches = {"off": False, "on": True}
    enabled = switches.get(value) if isinstance(value, str) else value
    return {"enabled": enabled} if isinstance(enabled, bool) else value


class SelectionConfig(ConfigSection):
    """How much of a memory an agent receives."""

    enabled: bool = setting(
        "selection.enabled", "choose what fits the task; `selection: off` for all"
    )
    budget_tokens: int = setting(
        "selection.budget_tokens",
        "maximum tokens of memory in a prompt; without evidence at most 400",
    )
    whole_below_tokens: int = setting(
        "selection.whole_below_tokens",
        "a memory of at most so many tokens is given whole; 0: choose always",
    )


def read_share(value: object) -> object:
    """Accept a share in percent, such as `10%`, and `off`."""
    if value in (False, 0, "off"):
        return 0.0
    is_share = isinstance(value, str | int | float) and not isinstance(value, bool)
    share = parse_share(str(value)) if is_share else None
    if share is None:
        raise ValueError("off, or a share from 1% to 50% such as 10%, is expected")
    return share


class ExperimentConfig(ConfigSection):
    """The comparison of runs with and without memory."""

    hold_out: Annotated[float, BeforeValidator(read_share)] = setting(
        "experiment.hold_out", "share of runs that receive no memory, for comparison; such as `10%`"
    )


class TasksConfig(ConfigSection):
    """The memory of tasks."""

    enabled: bool = setting("tasks.enabled", "keep a memory for each task")
    budget_tokens: int = setting(
        "tasks.budget_tokens", "maximum tokens of a task's memory in a session"
    )


class MemoryConfig(ConfigSection):
    """The keys below `memory:`."""

    enabled: bool = setting("enabled", "use memory; if false, the hooks do nothing")
    learning: LearningMode = setting(
        "learning", "`auto` saves what agents report, `ask` waits for your review, or `off`"
    )
    auto_learning: bool = setting("auto_learning", "save what agents report; false means off")
    natural_language: bool = setting(
        "natural_language", "save also sentences such as `Discovered pattern: ...`"
    )
    command_errors: bool = setting(
        "command_errors", "install the hooks for failed shell commands; always with Backlog.md"
    )
    directory: MemoryDirectory = setting(
        "directory", "folder of the memory files, below `.claude-mpm/`"
    )
    max_learning_length: int = setting(
        "max_learning_length",
        "maximum characters of a learning; longer ones of reports wait for review",
    )
    strip_markers: bool = setting(
        "strip_markers", "remove saved marker blocks from what the main agent reads"
    )
    user_level: UserLevelMode = setting(
        "user_level", "how the user-level memory is combined with the project's"
    )
    trust: Literal["scored", "strict"] = setting(
        "trust", "`strict` gives agents only items that you reviewed on this machine"
    )
    notices: NoticesMode = setting(
        "notices", "say after a run what it received and taught: if it `changes` something, `all`"
    )
    hold_tainted: bool = setting(
        "hold_tainted", "learnings of runs that read from outside wait for your review"
    )
    hold_outside: bool = setting(
        "hold_outside", "these, and all items from elsewhere, wait for your review"
    )
    trusted_signers: Fingerprints = setting(
        "trusted_signers", "what these keys signed counts as reviewed; only in your own config.yml"
    )
    include: AgentPatterns = setting("include", "patterns of agents with memory; empty: all")
    exclude: AgentPatterns = setting("exclude", "patterns of agents without memory")
    min_confidence: float = setting(
        "min_confidence", "items with less confidence are not given to agents"
    )
    expire_after: ExpireAfter = setting(
        "expire_after", "archive agents' items that no run used for so long, such as `28d`"
    )
    confidence: ConfidenceConfig = Field(ConfidenceConfig(), description="confidence of items")
    context_items: int = setting(
        "context_items", "maximum items that `agent-memory context` prints"
    )
    give_performance: bool = setting("give_performance", "show agents their own past results, too")
    log_text: bool = setting("log_text", "write texts of items into the event log, too")
    limits: LimitsConfig = Field(LimitsConfig(), description="how large a memory may grow")
    selection: Annotated[SelectionConfig, BeforeValidator(read_switch)] = Field(
        SelectionConfig(), description="which items an agent receives"
    )
    experiment: ExperimentConfig = Field(ExperimentConfig(), description="whether memory pays")
    tasks: TasksConfig = Field(TasksConfig(), description="the memory of tasks")
    agent_overrides: dict[str, AgentOverride] = Field({}, description="settings for single agents")


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
