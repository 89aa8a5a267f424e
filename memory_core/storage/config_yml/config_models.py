"""The models of config.yml, made from the table of settings.

Hooks do not import this module: they read the merged settings (see config.py) or the table.
"""

from __future__ import annotations

import fnmatch
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
from memory_core.storage.config_yml.default_settings import OVERRIDES, ROWS
from memory_core.storage.paths import FOLDER_NAME

# Folders of agent-memory that are not for memories; earlier code wrote the last two.
RESERVED_FOLDERS = ("locks", "state", "logs")

# Folders below it whose names are letters, digits, "-", "_" and inner dots.
_MEMORY_FOLDER = re.compile(rf"{re.escape(FOLDER_NAME)}(?:/(?=[^/]*[^\W_])[\w-](?:[\w.-]*[\w-])?)+")


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
    name = folder.removeprefix(f"{FOLDER_NAME}/").partition("/")[0]
    if not _MEMORY_FOLDER.fullmatch(folder) or name.casefold() in RESERVED_FOLDERS:
        raise ValueError(f"a folder below {FOLDER_NAME}/ with a plain name is expected")
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
        if 0.01 <= share <= ROWS["experiment.hold_out"].limits[1]:
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
        str, Field(min_length=1, max_length=200), AfterValidator(check_directory)
    ],
    "user_level": Annotated[Literal["append", "shadow", "off"], BeforeValidator(read_off)],
    "trust": Literal["scored", "strict"],
    "notices": Annotated[Literal["changes", "all", "off"], BeforeValidator(read_off)],
    "trusted_signers": Annotated[
        list[Annotated[str, AfterValidator(check_fingerprint)]], Field(max_length=100)
    ],
    "include": AgentPatterns,
    "exclude": AgentPatterns,
    "experiment.hold_out": Annotated[float, BeforeValidator(read_share)],
    "agent_overrides.learning": LearningMode | None,
    "agent_overrides.auto_learning": bool | None,
}


def _make_model(values: dict[str, Any], prefix: str = "") -> type[ConfigSection]:
    """Return the model of a mapping with these default values, whose keys begin with `prefix`."""
    fields: dict[str, Any] = {}
    for name, default in values.items():
        key = f"{prefix}{name}"
        if key not in ROWS:
            model = _make_model(default, f"{key}.")
            is_switch = "enabled" in default
            fields[name] = (
                Annotated[model, BeforeValidator(read_switch)] if is_switch else model,
                model(),
            )
            continue
        lowest, highest = ROWS[key].limits or (None, None)
        field = Field(default, ge=lowest, le=highest)
        fields[name] = (TYPES.get(key, int | None if default is None else type(default)), field)
    return create_model(prefix or "memory", __base__=ConfigSection, **fields)


# What differs for one agent is not set by default.
_own = (key.removeprefix(OVERRIDES) for key in ROWS if key.startswith(OVERRIDES))
AgentOverride = _make_model(dict.fromkeys(_own), OVERRIDES)
TYPES["agent_overrides"] = dict[str, AgentOverride]  # type: ignore[valid-type]
MemoryConfig = _make_model(default_settings.DEFAULTS)


class ConfigRoot(ConfigSection):
    """The whole of config.yml."""

    memory: MemoryConfig = MemoryConfig()  # type: ignore[valid-type]
