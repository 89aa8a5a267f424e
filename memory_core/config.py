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
VERSION = 4

OFF = ("0", "off", "no", "false")
ON = ("1", "on", "yes", "true")


class Config:
    """The settings in force for one project."""

    __slots__ = ("problems", "readable", "strange", "values")

    def __init__(
        self, values: dict[str, Any], problems: list[str], readable: bool, strange: list[str]
    ) -> None:
        self.values = values
        self.problems = problems
        self.readable = readable  # False: a whole file could not be understood
        self.strange = strange  # variables that say nothing we know: "NAME: reason"

    def __getitem__(self, key: str) -> Any:
        return self.values[key]

    def override(self, agent: str) -> dict[str, Any]:
        """Return what config.yml says of one agent, by any spelling of its name."""
        from memory_core import agents

        return dict(self.values["agent_overrides"].get(agents.agent_id(agent), {}))

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
    values, problems, readable = shapes.CONFIG, list[str](), True
    if any(stamps):
        values, problems, readable = _compiled(place, files, stamps)
    return Config(_from_environment(values, environ), problems, readable, _strange(environ))


def is_off(environ: Mapping[str, str]) -> bool:
    """Say whether memory is switched off for this run."""
    return _told(environ, "AGENT_MEMORY") in OFF


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
        plain = _plain(files)
        if plain is not None:
            return plain, [], True
        return _fallback(kept), [f"{files[-1]}: not read, {error.name} is not installed"], False
    except ValueError as error:
        return _fallback(kept), [str(error)], False
    _keep(place, {"source": source, "values": values, "problems": problems})
    return values, problems, True


def _plain(files: list[str]) -> dict[str, Any] | None:
    """Return what plain files say, where there is no YAML parser: a plugin's first minute."""
    from memory_core import plain_config

    texts = []
    try:
        for path in files:
            if os.path.lexists(path):
                with open(path, encoding="utf-8") as file:
                    texts.append(file.read(plain_config.LARGEST))
        return plain_config.merged(texts)
    except (OSError, ValueError):
        return None


def _fallback(kept: dict[str, Any] | None) -> dict[str, Any]:
    """Return what counts where a file cannot be understood at all.

    What was last understood; without it, a project that may have been switched off
    is left alone.
    """
    return kept["values"] if kept else {**shapes.CONFIG, "enabled": False}


def _kept(place: Place) -> dict[str, Any] | None:
    try:
        with open(os.path.join(place.state, COMPILED), encoding="utf-8") as file:
            kept: dict[str, Any] = fastjson.loads(file.read())
        return kept if kept["source"][0] == VERSION and _is_whole(kept) else None
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None  # not there, or not ours: made anew


def _is_whole(kept: dict[str, Any]) -> bool:
    values = kept["values"]
    return isinstance(kept["problems"], list) and all(
        isinstance(values[key], type(default)) for key, default in shapes.CONFIG.items()
    )


def _keep(place: Place, compiled: dict[str, Any]) -> None:
    try:
        path = os.path.join(place.made("state"), f"{COMPILED}.{os.getpid()}")
        with open(path, "w", encoding="utf-8") as file:
            file.write(fastjson.dumps(compiled))
        os.replace(path, os.path.join(place.state, COMPILED))
    except OSError:
        pass  # a read-only project: compiled at every start instead


def _told(environ: Mapping[str, str], name: str) -> str:
    return environ.get(name, "").strip().casefold()


def _from_environment(values: dict[str, Any], environ: Mapping[str, str]) -> dict[str, Any]:
    """Apply the variables that override for one run."""
    if is_off(environ):
        values = {**values, "enabled": False}
    learning = _told(environ, "AGENT_MEMORY_LEARNING")
    if learning in OFF or learning in ON:
        values = {**values, "auto_learning": learning in ON}
        values = _for_all(values, "auto_learning", learning in ON)
    size = _size(environ)
    if size:
        values = {**values, "limits": {**values["limits"], "default_size_kb": size}}
        values = _for_all(values, "size_kb", size)
    return values


def _for_all(values: dict[str, Any], key: str, value: object) -> dict[str, Any]:
    """Put a value in place of what is set for single agents: one run is more special still."""
    overrides = {
        agent: own if own.get(key) is None else {**own, key: value}
        for agent, own in values["agent_overrides"].items()
    }
    return {**values, "agent_overrides": overrides}


def _size(environ: Mapping[str, str]) -> int:
    """Return the size that is told for this run, 0 for none."""
    digits = _told(environ, "AGENT_MEMORY_LIMIT_KB").lstrip("0")
    # int() takes time with many digits, and refuses thousands of them.
    size = int(digits) if digits.isdecimal() and len(digits) <= len(str(shapes.LARGEST_KB)) else 0
    return size if size <= shapes.LARGEST_KB else 0


def _strange(environ: Mapping[str, str]) -> list[str]:
    """Name the variables that say nothing we know: they are passed over, but not in silence."""
    found = []
    for name in ("AGENT_MEMORY", "AGENT_MEMORY_LEARNING"):
        if _told(environ, name) not in ("", *OFF, *ON):
            found.append(f"{name}: on or off is expected, not {environ[name]!r:.60}")
    name = "AGENT_MEMORY_LIMIT_KB"
    if _told(environ, name) and not _size(environ):
        found.append(f"{name}: 1 to {shapes.LARGEST_KB} is expected, not {environ[name]!r:.60}")
    return found
