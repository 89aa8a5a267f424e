"""The table of the settings, `settings.txt`, and values of them: config_models needs pydantic."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from memory_core.text import fastjson

PATH = os.path.join(os.path.dirname(__file__), "settings.txt")

# What happens to learnings of agents: they are saved, wait for a person, or are left out.
AUTO, ASK, OFF = "auto", "ask", "off"

# Which items agents receive: all that nothing is found against, or those that a person reviewed.
STRICT = "strict"

# What the user's config.yml sets to one of these values, no config.yml of a project takes back.
PROTECTIONS = {"trust": STRICT, "hold_tainted": True, "hold_outside": True}

# These count in the user's config.yml only.
USERS_OWN = ("trusted_signers",)

# The settings for single agents, of which none is set by default.
OVERRIDES = "agent_overrides."


class SettingRow(NamedTuple):
    """A setting: its key, the default in JSON, the limits of a number, and what it means."""

    key: str
    default: str
    limits: list[float]
    meaning: str


def _read_table() -> list[SettingRow]:
    with open(PATH, encoding="utf-8") as file:
        lines = [line for line in file if "|" in line]
    rows = []
    for line in lines:
        key, default, limits, meaning = (cell.strip() for cell in line.split("|"))
        numbers = [fastjson.loads(word) for word in limits.split(" to ") if word != "-"]
        rows.append(SettingRow(key, default, numbers, meaning))
    return rows


def _nest_defaults() -> dict[str, Any]:
    values: dict[str, Any] = {}
    for row in ROWS.values():
        section, _, name = row.key.rpartition(".")
        inner = values.setdefault(section, {}) if section else values
        if not row.key.startswith(OVERRIDES):
            inner[name] = fastjson.loads(row.default)
    return values


ROWS = {row.key: row for row in _read_table()}
DEFAULTS = _nest_defaults()

# The settings by their whole names, for people.
SETTINGS = {
    f"memory.{key.replace(OVERRIDES, f'{OVERRIDES}AGENT.')}": row for key, row in ROWS.items()
}
MAX_SIZE_KB = int(ROWS["limits.default_size_kb"].limits[1])
