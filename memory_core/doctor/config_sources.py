"""List the settings in force with the file or variable that each comes from."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from memory_core.storage.config_yml import config_file, config_merge
from memory_core.storage.config_yml.default_settings import DEFAULTS, OVERRIDES, ROWS
from memory_core.storage.paths import LevelPaths
from memory_core.storage.project import Project


class Setting(NamedTuple):
    """A setting in force; `source` is a file's path, `environment` or `default`."""

    key: str
    value: Any
    source: str
    description: str


def list_settings(project: Project) -> list[Setting]:
    """Return the settings in force, with dotted keys."""
    paths, user, settings = project.paths, project.user_paths, _flatten(project.config.values)
    merged = _flatten(config_merge.load(paths, user, {}).values)
    # If the user's file is unreadable, the last settings that were read count as its own.
    users_own = {user.config: _flatten(_read_file(user, paths)[0]) or merged} if user else {}
    before = _flatten(DEFAULTS)
    sources = dict.fromkeys(settings, "default")
    for source, values in {**users_own, paths.config: merged, "environment": settings}.items():
        changed = [key for key in settings if values.get(key) != before.get(key)]
        sources |= dict.fromkeys(changed, source)
        before = values
    return [Setting(key, value, sources[key], _describe(key)) for key, value in settings.items()]


def _describe(key: str) -> str:
    row = ROWS.get(re.sub(r"^agent_overrides\..*\.", OVERRIDES, key))
    return row.meaning if row else "settings for single agents"


def list_problems(project: Project) -> list[str]:
    """Return the problems in config.yml ("FILE:LINE: KEY: ...") and in the environment.

    The files are read again.
    """
    levels = filter(None, (project.user_paths, project.paths))
    problems = [problem for level in levels for problem in _read_file(level, project.paths)[1]]
    return [*problems, *project.config.invalid_variables]


def _read_file(level: LevelPaths, project: LevelPaths) -> tuple[dict[str, Any], list[str]]:
    """Return the settings of one file, and its problems."""
    try:
        return config_file.merge_texts(
            [level.config], [config_merge.read_source(level)], project.config
        )
    except config_file.InvalidConfig as error:
        return {}, [str(error)]
    except OSError as error:
        return {}, [f"{level.config}: {error.strerror or error}"]


def _flatten(values: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, dict) and value:
            flat |= _flatten(value, f"{prefix}{key}.")
        else:
            flat[prefix + key] = value
    return flat
