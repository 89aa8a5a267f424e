"""Merge config.yml of both levels and the variables of the environment into the settings in force.

It works without a YAML parser, too: a plugin has none in its first minute.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memory_core.storage import config
from memory_core.storage.config import OFF_WORDS, Config, read_variable
from memory_core.storage.config_yml import default_settings
from memory_core.storage.paths import LevelPaths
from memory_core.text import digests, fastjson

# Bytes of a config.yml; config_file also bounds the number of its values.
MAX_BYTES = 256 * 1024

SWITCHES = dict.fromkeys(OFF_WORDS, False) | dict.fromkeys(("1", "on", "yes", "true"), True)

SIZE_VARIABLE = "AGENT_MEMORY_LIMIT_KB"
SIZES = {str(size): size for size in range(1, default_settings.MAX_SIZE_KB + 1)}

# `values`, `problems`, `is_readable`, and `modes`: see `Config`.
Merged = dict[str, Any]


def load(paths: LevelPaths, user: LevelPaths | None, environ: Mapping[str, str]) -> Config:
    """Return the settings in force, and keep them for hooks; never raises, see `problems`."""
    stamp, merged = config.make_stamp(paths, user), config.read_kept(paths)
    if not stamp or not merged or merged["stamp"] != stamp:
        merged, is_final = _merge_files([level for level in (user, paths) if level], merged)
        # Without any file, only looking at a folder must not create its state.
        has_files = any(len(file) > 1 for file in stamp[2:])
        if stamp and is_final and (has_files or paths.state.is_folder("")):
            _keep(paths, {**merged, "stamp": stamp})
    return Config(_apply_environment(merged, environ), _find_invalid_variables(environ))


def _keep(paths: LevelPaths, merged: Merged) -> None:
    text = fastjson.dumps(merged)  # the first delegation of a project waits for this
    try:
        data = f"{digests.hash_long(text)}\n{text}".encode()
        paths.state.replace(config.FILE, data, durable=False)
    except OSError:
        pass  # without state, every start merges its settings


def _merge_files(levels: list[LevelPaths], older: Merged) -> tuple[Merged, bool]:
    """Return the settings of the levels, the project last, and whether they may be kept.

    If a file cannot be read, the settings stay as they were in `older`.  Without older ones memory
    is off: the file may switch it off.  What may succeed at the next try is not kept.
    """
    files, is_final = [level.config for level in levels], False
    values, problems = default_settings.DEFAULTS, list[str]()
    try:
        texts = [read_source(level) for level in levels]
        if any(texts):
            from memory_core.storage.config_yml import config_file

            is_final = True
            values, problems = config_file.merge_texts(files, texts, files[-1])
        return _make_merged(values, problems), True
    except ImportError as error:
        problem = f"{files[-1]}: not read, {error.name} is not installed"
    except (OSError, ValueError) as error:
        problem = str(error)
    values = older["values"] if older else {**default_settings.DEFAULTS, "enabled": False}
    return _make_merged(values, [problem], is_readable=False), is_final


def _make_merged(values: dict[str, Any], problems: list[str], is_readable: bool = True) -> Merged:
    merged = {"values": values, "problems": problems, "is_readable": is_readable}
    modes = {agent: _find_mode(values, own) for agent, own in values["agent_overrides"].items()}
    return {**merged, "modes": {**modes, "": _find_mode(values, {})}}


def _find_mode(values: dict[str, Any], own: dict[str, Any]) -> str:
    """Return how an agent with these settings of its own learns: AUTO, ASK or OFF.

    A setting for the agent comes first; `auto_learning: false` means OFF.
    """
    if own.get("learning"):
        return str(own["learning"])
    switch = own.get("auto_learning")
    if not (values["auto_learning"] if switch is None else switch):
        return default_settings.OFF
    mode = str(values["learning"])
    return default_settings.AUTO if switch and mode == default_settings.OFF else mode


def read_source(level: LevelPaths) -> str:
    """Return the text of a level's config.yml, "" if it is absent; raises OSError.

    Bytes that are not UTF-8 become lone surrogates.
    """
    return level.files.read(level.config, MAX_BYTES).decode("utf-8", "surrogateescape")


def write_source(level: LevelPaths, text: str) -> None:
    """Replace a level's config.yml; a blank one is deleted.  Raises OSError."""
    if text.strip():
        level.files.replace(level.config, text.encode("utf-8", "surrogateescape"))
    else:
        level.files.remove(level.config)


def _apply_environment(merged: Merged, environ: Mapping[str, str]) -> Merged:
    """Apply the variables that change settings for one run."""
    learning = SWITCHES.get(read_variable(environ, "AGENT_MEMORY_LEARNING"))
    if learning is not None:
        values = _switch_learning(merged["values"], learning)
        merged = _make_merged(values, merged["problems"], merged["is_readable"])
    values = merged["values"]
    if config.is_off(environ):
        values = {**values, "enabled": False}
    selection = SWITCHES.get(read_variable(environ, "AGENT_MEMORY_SELECTION"))
    if selection is not None:
        values = {**values, "selection": {**values["selection"], "enabled": selection}}
    if size := SIZES.get(read_variable(environ, SIZE_VARIABLE)):
        limits = {**values["limits"], "default_size_kb": size}
        agents = values["agent_overrides"].items()
        overrides = {agent: {**own, "size_kb": size} for agent, own in agents}
        values = {**values, "limits": limits, "agent_overrides": overrides}
    return {**merged, "values": values}


def _switch_learning(values: dict[str, Any], is_on: bool) -> dict[str, Any]:
    """Switch learning on or off for one run; if it is on, agents that ask go on asking."""

    def switch(own: dict[str, Any]) -> dict[str, Any]:
        mode = own["learning"]
        if not is_on or mode == default_settings.OFF:
            mode = mode and (default_settings.AUTO if is_on else default_settings.OFF)
        return {**own, "auto_learning": is_on, "learning": mode}

    overrides = {agent: switch(own) for agent, own in values["agent_overrides"].items()}
    return {**switch(values), "agent_overrides": overrides}


def _find_invalid_variables(environ: Mapping[str, str]) -> list[str]:
    """Return a message for each variable whose value is invalid and therefore ignored."""
    problems = []
    for name in config.VARIABLES:
        is_size, text = name == SIZE_VARIABLE, read_variable(environ, name)
        wanted = f"1 to {default_settings.MAX_SIZE_KB}" if is_size else "on or off"
        if text and text not in (SIZES if is_size else SWITCHES):
            problems.append(f"{name}: {wanted} is expected, not {environ[name]!r:.60}")
    return problems
