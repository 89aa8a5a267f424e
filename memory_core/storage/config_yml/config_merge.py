"""Merge config.yml of both levels and the variables of the environment into the settings in force.

It works without a YAML parser, too: a plugin has none in its first minute.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
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

# `values`, `problems` and `is_readable`: see `Config`.
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
        return {"values": values, "problems": problems, "is_readable": True}, True
    except ImportError as error:
        problem = f"{files[-1]}: not read, {error.name} is not installed"
    except (OSError, ValueError) as error:
        problem = str(error)
    values = older["values"] if older else {**default_settings.DEFAULTS, "enabled": False}
    return {"values": values, "problems": [problem], "is_readable": False}, is_final


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
    values = deepcopy(merged["values"])
    overrides = values["agent_overrides"].values()
    learning = SWITCHES.get(read_variable(environ, "AGENT_MEMORY_LEARNING"))
    if learning is not None:
        for own in (values, *overrides):
            _switch_learning(own, learning)
    if config.is_off(environ):
        values["enabled"] = False
    selection = SWITCHES.get(read_variable(environ, "AGENT_MEMORY_SELECTION"))
    if selection is not None:
        values["selection"]["enabled"] = selection
    if size := SIZES.get(read_variable(environ, SIZE_VARIABLE)):
        values["limits"]["default_size_kb"] = size
        for own in overrides:
            own["size_kb"] = size
    return {**merged, "values": values}


def _switch_learning(own: dict[str, Any], is_on: bool) -> None:
    """Switch learning on or off for one run; if it is on, agents that ask go on asking."""
    if own["learning"] and not (is_on and own["learning"] == default_settings.ASK):
        own["learning"] = default_settings.AUTO if is_on else default_settings.OFF
    own["auto_learning"] = is_on


def _find_invalid_variables(environ: Mapping[str, str]) -> list[str]:
    """Return a message for each variable whose value is invalid and therefore ignored."""
    problems = []
    for name in config.VARIABLES:
        is_size, text = name == SIZE_VARIABLE, read_variable(environ, name)
        wanted = f"1 to {default_settings.MAX_SIZE_KB}" if is_size else "on or off"
        if text and text not in (SIZES if is_size else SWITCHES):
            problems.append(f"{name}: {wanted} is expected, not {environ[name]!r:.60}")
    return problems
