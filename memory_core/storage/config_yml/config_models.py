"""The settings of config.yml: one table, from which the models of pydantic are made.

Hooks do not import this module: they read the merged settings (see config.py) or
default_settings.py, which a test compares with the defaults here.
"""

from __future__ import annotations

import fnmatch
import json
import re
from contextlib import suppress
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    create_model,
    model_validator,
)

from memory_core.storage.config_yml import default_settings
from memory_core.storage.config_yml.config_defaults import (
    DURATION_EXPECTED,
    MAX_DIRECTORY_LENGTH,
    OWN_FOLDER,
    RANGES,
    RESERVED_FOLDERS,
    count_days,
)

# Folders below it whose names are letters, digits, "-", "_" and inner dots.
_MEMORY_FOLDER = re.compile(rf"{re.escape(OWN_FOLDER)}(?:/(?=[^/]*[^\W_])[\w-](?:[\w.-]*[\w-])?)+")


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
    """Return the folder without needless parts; a config.yml may come with an untrusted clone.

    Any other folder may have a meaning for a program (.git/hooks, .claude/agents).
    """
    folder = directory.removeprefix("./").rstrip("/")
    name = folder.removeprefix(f"{OWN_FOLDER}/").partition("/")[0]
    if not _MEMORY_FOLDER.fullmatch(folder) or name.casefold() in RESERVED_FOLDERS:
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
    """Refuse what is not the whole fingerprint of a key, as git prints it."""
    key = "".join(text.split())
    if re.fullmatch("SHA256:.{43}", key):
        return key
    if re.fullmatch("[0-9a-fA-F]{40}|[0-9a-fA-F]{64}", key):
        return key.upper()
    raise ValueError("a fingerprint, SHA256:... of ssh or 40 digits of gpg, is expected")


def read_switch(value: object) -> object:
    """Accept `off` and `on` for a whole mapping."""
    switches = {"off": False, "on": True}
    enabled = switches.get(value) if isinstance(value, str) else value
    return {"enabled": enabled} if isinstance(enabled, bool) else value


def read_share(value: object) -> object:
    """Accept a share such as `10%`, 10 or 0.1, from 0.01 on, and `off`."""
    if value in (False, 0, "off"):
        return 0.0
    number = "" if isinstance(value, bool) else str(value).strip()
    with suppress(ValueError):
        share = float(number.removesuffix("%"))
        share /= 100 if number.endswith("%") or share >= 1 else 1
        if 0.01 <= share <= RANGES["hold_out"][1]:
            return share
    raise ValueError("off, or a share from 1% to 50% such as 10%, is expected")


LearningMode = Annotated[Literal["auto", "ask", "off"], BeforeValidator(read_off)]
AgentPattern = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(check_pattern)]
# A hook compares each of them with the name of an agent.
AgentPatterns = Annotated[list[AgentPattern], Field(max_length=100)]

# The types of settings that are more than the type of their default.
TYPES: dict[str, Any] = {
    "learning": LearningMode,
    "directory": Annotated[
        str, Field(min_length=1, max_length=MAX_DIRECTORY_LENGTH), AfterValidator(check_directory)
    ],
    "user_level": Annotated[Literal["append", "shadow", "off"], BeforeValidator(read_off)],
    "trust": Literal["scored", "strict"],
    "notices": Annotated[Literal["changes", "all", "off"], BeforeValidator(read_off)],
    "trusted_signers": Annotated[
        list[Annotated[str, AfterValidator(check_fingerprint)]], Field(max_length=100)
    ],
    "include": AgentPatterns,
    "exclude": AgentPatterns,
    "expire_after": Annotated[str, BeforeValidator(read_off), AfterValidator(check_duration)],
    "experiment.hold_out": Annotated[float, BeforeValidator(read_share)],
    **dict.fromkeys(
        (
            f"agent_overrides.{name}"
            for name in ("size_kb", "max_sections", "max_items_per_section")
        ),
        int | None,
    ),
    "agent_overrides.learning": LearningMode | None,
    "agent_overrides.auto_learning": bool | None,
}

# What each setting below `memory:` means; the order is that of the documentation.
MEANINGS = {
    "enabled": "use memory; if false, the hooks do nothing",
    "learning": "`auto` saves what agents report, `ask` waits for your review, or `off`",
    "auto_learning": "save what agents report; false means off",
    "natural_language": "save also sentences such as `Discovered pattern: ...`",
    "command_errors": "install the hooks for failed shell commands; always with Backlog.md",
    "directory": "folder of the memory files, below `.claude-mpm/`",
    "max_learning_length": "maximum characters of a learning; longer ones in reports wait",
    "strip_markers": "remove saved marker blocks from what the main agent reads",
    "user_level": "how the user-level memory is combined with the project's",
    "trust": "`strict` gives agents only items that you reviewed on this machine",
    "notices": "say after a run what it received and taught: if it `changes` something, `all`",
    "hold_tainted": "learnings of runs that read from outside wait for your review",
    "hold_outside": "these, and all items from elsewhere, wait for your review",
    "trusted_signers": "what these keys signed counts as reviewed; only in your own config.yml",
    "include": "patterns of agents with memory; empty: all",
    "exclude": "patterns of agents without memory",
    "min_confidence": "items with less confidence are not given to agents",
    "expire_after": "archive agents' items that no run used for so long, such as `28d`",
    "confidence.agent": "confidence of an item from one run",
    "confidence.person": "confidence of an item from a person",
    "confidence.step": "confidence gained by a confirmation",
    "confidence.contradiction": "confidence lost by one contradiction",
    "context_items": "maximum items that `agent-memory context` prints",
    "give_performance": "show agents their own past results, too",
    "log_text": "write texts of items into the event log, too",
    "limits.default_size_kb": "maximum size of a memory file in KB",
    "limits.max_sections": "maximum sections of a memory file",
    "limits.max_items_per_section": "maximum items in a section",
    "limits.max_line_length": "maximum characters of an item's line in a memory file",
    "selection.enabled": "choose what fits the task; `selection: off` for all",
    "selection.budget_tokens": "maximum tokens of memory in a prompt; without evidence at most 400",
    "selection.whole_below_tokens": "a memory of at most so many tokens is given whole; 0: never",
    "experiment.hold_out": "share of runs that receive no memory, for comparison; such as `10%`",
    "tasks.enabled": "keep a memory for each task",
    "tasks.budget_tokens": "maximum tokens of a task's memory in a session",
    "agent_overrides": "settings for single agents",
    "agent_overrides.size_kb": "maximum size of its memory file in KB",
    "agent_overrides.max_sections": "maximum sections of its memory file",
    "agent_overrides.max_items_per_section": "maximum items in its sections",
    "agent_overrides.learning": "as `memory.learning`, for this agent",
    "agent_overrides.auto_learning": "save what this agent reports",
}


def _make_model(values: dict[str, Any], prefix: str = "") -> type[ConfigSection]:
    """Return the model of a mapping with these default values, whose keys begin with `prefix`."""
    fields: dict[str, Any] = {}
    for name, default in values.items():
        key = f"{prefix}{name}"
        if key not in MEANINGS:
            model = _make_model(default, f"{key}.")
            is_switch = "enabled" in default
            fields[name] = (
                Annotated[model, BeforeValidator(read_switch)] if is_switch else model,
                model(),
            )
            continue
        lowest, highest = RANGES.get(name, (None, None))
        field = Field(default, description=MEANINGS[key], ge=lowest, le=highest)
        fields[name] = (TYPES.get(key, type(default)), field)
    return create_model(prefix or "memory", __base__=ConfigSection, **fields)


# What differs for one agent is not set by default.
_OVERRIDE = "agent_overrides."
_own = (key.removeprefix(_OVERRIDE) for key in MEANINGS if key.startswith(_OVERRIDE))
AgentOverride = _make_model(dict.fromkeys(_own), _OVERRIDE)
TYPES["agent_overrides"] = dict[str, AgentOverride]  # type: ignore[valid-type]
MemoryConfig = _make_model(default_settings.DEFAULTS)


class ConfigRoot(ConfigSection):
    """The whole of config.yml."""

    memory: MemoryConfig = MemoryConfig()  # type: ignore[valid-type]


def describe_settings() -> list[list[str]]:
    """Return [key, default, description] of each setting, for people."""
    rows = []
    for key, text in MEANINGS.items():
        default: Any = default_settings.DEFAULTS
        for name in key.split("."):
            default = default.get(name)
        shown = key.replace(_OVERRIDE, f"{_OVERRIDE}AGENT.")
        rows.append([f"memory.{shown}", json.dumps(default), text])
    return rows
