"""Reading config.yml: YAML in, valid settings and a list of problems out."""

from __future__ import annotations

import difflib
from typing import Any

import yaml
from pydantic import ValidationError

from memory_core.models import Config, MemoryConfig


class Unreadable(ValueError):
    """A file that cannot be understood at all; the text names file and line."""


def merged(files: list[str]) -> tuple[dict[str, Any], list[str]]:
    """Return the settings of several files, later ones over earlier, and what is wrong.

    A key that is wrong is left out with a problem "FILE:LINE: KEY: ..."; the
    others count.  Raises Unreadable.
    """
    settings: dict[str, Any] = {}
    problems: list[str] = []
    for path in files:
        try:
            found = _mapping(path)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise Unreadable(f"{path}: {error.strerror}") from None
        _overlay(settings, _valid(found, path, problems))
    return MemoryConfig(**settings.get("memory", {})).model_dump(), problems


def _overlay(base: dict[str, Any], above: dict[str, Any]) -> None:
    for key, value in above.items():
        if isinstance(value, dict) and isinstance(base.get(key), dict):
            _overlay(base[key], value)
        else:
            base[key] = value


def _mapping(path: str) -> tuple[dict[str, Any], dict[tuple[str, ...], int]]:
    """Return a file's mapping, and the line of each of its keys."""
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read()
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        value = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f":{mark.line + 1}" if mark else ""
        told = getattr(error, "problem", error)
        raise Unreadable(f"{path}{where}: not YAML: {told}") from None
    if value is None:
        return {}, {}
    if not isinstance(value, dict):
        raise Unreadable(f"{path}:1: a mapping is expected, with the key memory")
    return value, _lines(node)


def _lines(node: Any, prefix: tuple[str, ...] = ()) -> dict[tuple[str, ...], int]:
    lines: dict[tuple[str, ...], int] = {}
    # Settings are four deep; below, an alias may lead round in a circle.
    if isinstance(node, yaml.MappingNode) and len(prefix) < 4:
        for key, value in node.value:
            path = (*prefix, str(key.value))
            lines[path] = key.start_mark.line + 1
            lines.update(_lines(value, path))
    return lines


def _valid(
    found: tuple[dict[str, Any], dict[tuple[str, ...], int]], path: str, problems: list[str]
) -> dict[str, Any]:
    """Take out, one by one, the keys that are wrong; say of each where and why."""
    settings, lines = found
    while True:
        try:
            return Config.model_validate(settings).model_dump(exclude_unset=True)
        except ValidationError as error:
            details = error.errors()[0]
            keys = _key_in(settings, details["loc"])
            named = tuple(str(key) for key in keys)
            line = lines.get(named, 1)
            problems.append(f"{path}:{line}: {'.'.join(named)}: {_reason(details, named)}")
            _drop(settings, keys)


def _key_in(settings: object, location: tuple[int | str, ...]) -> tuple[Any, ...]:
    """Return the part of pydantic's location that is a path of keys in the file."""
    keys: list[Any] = []
    for part in location:
        if not isinstance(settings, dict):
            break
        key = next((key for key in settings if str(key) == str(part)), None)
        if key is None:
            break
        keys.append(key)
        settings = settings[key]
    return tuple(keys)


def _reason(details: Any, keys: tuple[str, ...]) -> str:
    """Say in a person's words what pydantic found."""
    if details["type"] in ("extra_forbidden", "invalid_key"):
        near = difflib.get_close_matches(keys[-1], _known(keys[:-1]), n=1)
        return f"unknown key; did you mean {near[0]}?" if near else "unknown key"
    wanted = details["msg"].partition(" or instance of")[0].replace("dictionary", "mapping")
    return f"{wanted}, not {details['input']!r:.60}"


def _known(parents: tuple[str, ...]) -> list[str]:
    """Return the keys that are allowed below `parents`."""
    schema = Config.model_json_schema()
    place: dict[str, Any] = schema
    for parent in parents:
        properties = place.get("properties", {})
        place = properties.get(parent) or place.get("additionalProperties") or {}
        reference = place.get("$ref")
        if reference:
            place = schema["$defs"][reference.rpartition("/")[2]]
    return list(place.get("properties", {}))


def _drop(settings: dict[Any, Any], keys: tuple[Any, ...]) -> None:
    for key in keys[:-1]:
        settings = settings[key]
    del settings[keys[-1]]
