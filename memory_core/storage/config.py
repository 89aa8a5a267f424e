"""The settings in force: config.yml of the project over the user's one, over the defaults.

YAML and pydantic would cost a hook as much as ten interpreter starts.  Therefore the merged
settings are kept in the file `settings` of the state, and used while no config.yml changes;
`config_merge` makes them.
"""

from __future__ import annotations

from memory_core import __version__
from memory_core.text import digests, fastjson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from memory_core.storage.paths import LevelPaths

# A digest in the first line, then a JSON object with `stamp` and what `Config` has.
FILE = "settings"

# Increased when merged settings change their meaning, so that older ones are not used.
VERSION = 12

# These change settings for one run.
VARIABLES = (
    *("AGENT_MEMORY", "AGENT_MEMORY_LEARNING", "AGENT_MEMORY_SELECTION"),
    "AGENT_MEMORY_LIMIT_KB",
)

OFF_WORDS = ("0", "off", "no", "false")


class Config:
    """The settings in force for one project.

    `is_readable` is False if a whole file could not be read; `problems` and `invalid_variables` are
    messages for people.
    """

    def __init__(self, merged: dict[str, Any], invalid_variables: list[str]) -> None:
        self.values: dict[str, Any] = merged["values"]
        self.problems: list[str] = merged["problems"]
        self.is_readable: bool = merged["is_readable"]
        self.invalid_variables = invalid_variables

    def __getitem__(self, key: str) -> Any:
        return self.values[key]

    def find_override(self, agent: str) -> dict[str, Any]:
        """Return the settings for one agent, under any spelling of its name."""
        from memory_core.claude_code import agent_names

        overrides: dict[str, Any] = self["agent_overrides"]
        return overrides.get(agent_names.id_of(agent), {}) if overrides else {}

    def size_kb(self, agent: str) -> int:
        """Return the size limit of the agent's file in KB."""
        return int(self.find_override(agent).get("size_kb") or self["limits"]["default_size_kb"])

    def learning_of(self, agent: str) -> str:
        """Return how an agent learns: a word of the setting `learning`.

        A setting for the agent comes first; `auto_learning: false` means off.
        """
        own = self.find_override(agent)
        if own.get("learning"):
            return str(own["learning"])
        switch = own.get("auto_learning")
        if not (self["auto_learning"] if switch is None else switch):
            return "off"
        mode = str(self["learning"])
        return "auto" if switch and mode == "off" else mode

    def may_learn(self, agent: str) -> bool:
        """Check whether the agent's reports teach, perhaps after a person agrees."""
        return self.learning_of(agent) not in OFF_WORDS

    def serves(self, agent: str) -> bool:
        """Check whether `include` and `exclude` give the agent a memory."""
        if not (self["include"] or self["exclude"]):
            return True
        from memory_core.claude_code import agent_spelling

        is_included = not self["include"] or agent_spelling.matches(agent, self["include"])
        return is_included and not agent_spelling.matches(agent, self["exclude"])


def make_stamp(paths: LevelPaths, user: LevelPaths | None) -> list[Any]:
    """Return values of which one differs if a config.yml may have changed; [] if that is unknown.

    A file that is absent counts, too.
    """
    levels = [level for level in (user, paths) if level]
    try:
        files = [[level.config, *level.files.identify(level.config)] for level in levels]
    except OSError:
        return []
    return [VERSION, __version__, *files]


def read_kept(paths: LevelPaths) -> dict[str, Any]:
    """Return the settings that were merged last, {} for none."""
    digest, _, text = paths.state.read_text(FILE).partition("\n")
    merged = fastjson.load_object(text) if digest == digests.hash_long(text) else {}
    return merged if merged.get("stamp", [None])[0] == VERSION else {}


def is_off(environ: Mapping[str, str]) -> bool:
    """Check whether AGENT_MEMORY switches memory off for this run."""
    return read_variable(environ, "AGENT_MEMORY") in OFF_WORDS


def read_variable(environ: Mapping[str, str], name: str) -> str:
    """Return the value of a variable in lower case, "" without one."""
    return environ.get(name, "").strip().casefold()
