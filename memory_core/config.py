"""Settings: config.yml of the project over the user's, over the defaults.

YAML and pydantic would cost a hook ten interpreter starts, so what they make of
the files is kept in state/config.json, and used as long as the files' stamps
(time and size) are the same.
"""

from __future__ import annotations

import os

from memory_core import fastjson, shapes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from memory_core.places import Place

COMPILED = "config.json"

# Raised when what is compiled changes its meaning, so that older state is not used.
VERSION = 1

OFF = ("0", "off", "no", "false")
ON = ("1", "on", "yes", "true")


class Config:
    """The settings in force for one project."""

    __slots__ = ("problems", "readable", "values")

    def __init__(self, values: dict[str, Any], problems: list[str], readable: bool = True) -> None:
        self.values = values
        self.problems = problems
        self.readable = readable  # False: a whole file could not be understood

    def __getitem__(self, key: str) -> Any:
        return self.values[key]

    def override(self, agent: str) -> dict[str, Any]:
        """Return what config.yml says of one agent, by any spelling of its name."""
        from memory_core import agents

        found = self.values["agent_overrides"]
        return next((dict(found[name]) for name in found if agents.is_same(name, agent)), {})

    def size_kb(self, agent: str) -> int:
        """Return the size limit of the agent's file in KB."""
        own = self.override(agent).get("size_kb") if self["agent_overrides"] else None
        return int(own or self["limits"]["default_size_kb"])

    def learns(self, agent: str) -> bool:
        """Say whether the agent's reports teach."""
        told = self.override(agent).get("auto_learning") if self["agent_overrides"] else None
        return bool(self["auto_learning"] if told is None else told)

    def serves(self, agent: str) -> bool:
        """Say whether the agent has a memory at all: `include` and `exclude`."""
        return _among(agent, self["include"], empty=True) and not _among(agent, self["exclude"])


def _among(agent: str, patterns: list[str], empty: bool = False) -> bool:
    if not patterns:
        return empty
    from fnmatch import fnmatchcase

    from memory_core import agents

    return any(
        fnmatchcase(agent, pattern.casefold()) or agents.is_same(pattern, agent)
        for pattern in patterns
    )


def load(place: Place, user: Place | None, environ: Mapping[str, str]) -> Config:
    """Return the settings in force; never raises, see `Config.problems`."""
    files = [level.config for level in (user, place) if level]
    stamps = [_stamp(path) for path in files]
    if not any(stamps):
        return Config(_from_environment(shapes.CONFIG, environ), [])
    values, problems, readable = _compiled(place, files, stamps)
    return Config(_from_environment(values, environ), problems, readable)


def is_off(environ: Mapping[str, str]) -> bool:
    """Say whether memory is switched off for this run."""
    return environ.get("AGENT_MEMORY", "").casefold() in OFF


def _stamp(path: str) -> list[int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return [status.st_mtime_ns, status.st_size]


def _compiled(
    place: Place, files: list[str], stamps: list[list[int] | None]
) -> tuple[dict[str, Any], list[str], bool]:
    source = [VERSION, files, stamps]
    kept = _kept(place)
    if kept and kept["source"] == source:
        return kept["values"], kept["problems"], True
    try:
        from memory_core import config_file

        values, problems = config_file.merged(files)
    except ImportError as error:
        return _fallback(kept), [f"{files[-1]}: not read, {error.name} is not installed"], False
    except ValueError as error:
        return _fallback(kept), [str(error)], False
    _keep(place, {"source": source, "values": values, "problems": problems})
    return values, problems, True


def _fallback(kept: dict[str, Any] | None) -> dict[str, Any]:
    """Return what counts where a file cannot be understood at all.

    What was last understood; without it, a project that may have been switched off
    is left alone.
    """
    return kept["values"] if kept else {**shapes.CONFIG, "enabled": False}


def _kept(place: Place) -> dict[str, Any] | None:
    try:
        with open(os.path.join(place.state, COMPILED), encoding="utf-8") as file:
            kept = fastjson.loads(file.read())
        whole = kept["source"][0] == VERSION and kept["values"].keys() == shapes.CONFIG.keys()
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None  # not there, or not ours: made anew
    return kept if whole and "problems" in kept else None


def _keep(place: Place, compiled: dict[str, Any]) -> None:
    try:
        path = os.path.join(place.made("state"), f"{COMPILED}.{os.getpid()}")
        with open(path, "w", encoding="utf-8") as file:
            file.write(fastjson.dumps(compiled))
        os.replace(path, os.path.join(place.state, COMPILED))
    except OSError:
        pass  # a read-only project: compiled at every start instead


def _from_environment(values: dict[str, Any], environ: Mapping[str, str]) -> dict[str, Any]:
    """Apply the variables that override for one run."""
    changed: dict[str, Any] = {}
    if is_off(environ):
        changed["enabled"] = False
    learning = environ.get("AGENT_MEMORY_LEARNING", "").casefold()
    if learning in OFF or learning in ON:
        changed["auto_learning"] = learning in ON
    size = environ.get("AGENT_MEMORY_LIMIT_KB", "")
    if size.isdecimal() and 1 <= int(size[:6]) <= 1024:
        changed["limits"] = {**values["limits"], "default_size_kb": int(size)}
    return {**values, **changed} if changed else values
