"""config.yml without a YAML parser, where the package runs on the standard library alone.

What is read is plain: keys with a scalar, nested keys, lists and mappings in brackets or one
below the other.  It is read as `config_file` reads it, or not at all: a test holds the two
together.
"""

from __future__ import annotations

from memory_core import agents, shapes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

TRUE = ("true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON")
FALSE = ("false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF")
NULL = ("null", "Null", "NULL", "~", "")

LEVELS = ("append", "shadow", "off")
LONGEST_NUMBER = 6  # digits
LARGEST = 64 * 1024  # characters; what is longer ends in the midst, and so is hardly plain

LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
KEY = LETTERS | frozenset("0123456789_-")
WORD = KEY | frozenset("./*")  # a "?" means something at times

Lines = list[tuple[int, str]]  # indentation, text


class NotPlain(ValueError):
    """A text of which only a YAML parser knows the meaning."""


def settings(text: str) -> dict[str, Any]:
    """Return what a config.yml sets below `memory:`; raises NotPlain."""
    root = _mapping(_lines(text))
    told = root.pop("memory", None)
    if root or not (told is None or isinstance(told, dict)):
        raise NotPlain
    return _each((), told or {}, shapes.CONFIG)


def merged(texts: list[str]) -> dict[str, Any]:
    """Return the settings of several texts, later ones over earlier; raises NotPlain."""
    values = dict(shapes.CONFIG)
    for text in texts:
        values = _over(values, settings(text))
    for agent, own in values["agent_overrides"].items():
        values["agent_overrides"][agent] = {**dict.fromkeys(shapes.OVERRIDE), **own}
    return values


def _over(base: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    found = dict(base)
    for key, value in above.items():
        nested = isinstance(value, dict) and isinstance(base.get(key), dict)
        found[key] = _over(base[key], value) if nested else value
    return found


# Values that settings may have.


def _valid(keys: tuple[str, ...], value: Any) -> Any:
    """Return a value as the models have it; raises NotPlain for what they might refuse."""
    if keys == ("agent_overrides",) and isinstance(value, dict):
        named = {agents.agent_id(name): own for name, own in value.items()}
        if len(named) == len(value) and all(isinstance(own, dict) for own in named.values()):
            return {name: _override(own) for name, own in named.items()}
    usual: Any = shapes.CONFIG
    for key in keys:
        usual = usual[key] if isinstance(usual, dict) and key in usual else None
    if isinstance(usual, dict) and isinstance(value, dict) and keys != ("agent_overrides",):
        return _each(keys, value, usual)
    return _leaf(keys, usual, value)


def _each(keys: tuple[str, ...], told: dict[str, Any], usual: dict[str, Any]) -> dict[str, Any]:
    """Return the values of a mapping; a key without one is not set."""
    if not set(told) <= set(usual):
        raise NotPlain
    return {key: _valid((*keys, key), each) for key, each in told.items() if each is not None}


def _override(own: dict[str, Any]) -> dict[str, Any]:
    if not set(own) <= set(shapes.OVERRIDE):
        raise NotPlain
    return {key: _leaf((key,), None, each) for key, each in own.items() if each is not None}


def _leaf(keys: tuple[str, ...], usual: Any, value: Any) -> Any:
    if keys == ("user_level",):
        value = "off" if value is False else value
        if value in LEVELS:
            return value
    elif keys in (("include",), ("exclude",)):
        if isinstance(value, list) and all(isinstance(each, str) for each in value):
            return value
    elif isinstance(usual, bool) or keys == ("auto_learning",):
        if isinstance(value, bool):
            return value
    elif keys[-1] in shapes.RANGES and not isinstance(value, bool):
        low, high = shapes.RANGES[keys[-1]]
        kind = float if isinstance(usual, float) else int
        if isinstance(value, (int, kind)) and low <= value <= high:
            return kind(value)
    raise NotPlain


# The text.


def _lines(text: str) -> Lines:
    """Return the lines that say something, without their comments."""
    text = text.removeprefix("\ufeff")
    if not all(char.isprintable() or char in "\t\r\n" for char in text):
        raise NotPlain
    found = []
    for line in text.splitlines():
        told = line.partition("#")[0] if _has_comment(line) else line
        if "\t" in told or "#" in told or not told.isascii():
            raise NotPlain
        if told.strip():
            found.append((len(told) - len(told.lstrip()), told.strip()))
    return found


def _has_comment(line: str) -> bool:
    at = line.find("#")
    return at == 0 or (at > 0 and line[at - 1] in " \t")


def _mapping(lines: Lines) -> dict[str, Any]:
    found: dict[str, Any] = {}
    at = 0
    while at < len(lines):
        margin, line = lines[at]
        end = at + 1
        while end < len(lines) and (lines[end][0] > margin or _is_own_list(lines, at, end)):
            end += 1
        key, value = _pair(line, lines[at + 1 : end])
        if margin != lines[0][0] or key in found:
            raise NotPlain
        found[key] = value
        at = end
    return found


def _is_own_list(lines: Lines, at: int, end: int) -> bool:
    return lines[end][0] == lines[at][0] and lines[end][1].startswith("- ")


def _pair(line: str, below: Lines) -> tuple[str, Any]:
    key, colon, rest = line.partition(":")
    if not colon or not key or not KEY.issuperset(key) or key[0] not in LETTERS:
        raise NotPlain
    if rest and not rest.startswith(" "):
        raise NotPlain
    rest = rest.strip()
    if rest and below:
        raise NotPlain
    if not below:
        return key, _value(rest)
    if below[0][1].startswith("- "):
        if any(each != (below[0][0], each[1]) or each[1][:2] != "- " for each in below):
            raise NotPlain
        return key, [_scalar(told[2:].strip()) for _margin, told in below]
    return key, _mapping(below)


def _value(text: str) -> Any:
    if text[:1] in ("[", "{"):
        inside, end = text[1:-1], "]" if text[0] == "[" else "}"
        if text[-1] != end or any(char in inside for char in "[]{}"):
            raise NotPlain
        parts = [part.strip() for part in inside.split(",")] if inside.strip() else []
        if end == "]":
            return [_scalar(part) for part in parts]
        pairs = [_pair(part, []) for part in parts]
        if len(dict(pairs)) < len(pairs):
            raise NotPlain
        return dict(pairs)
    return _scalar(text)


def _scalar(text: str) -> Any:
    if text in NULL:
        return None
    if text in TRUE or text in FALSE:
        return text in TRUE
    if text[0] in "'\"" and len(text) > 1 and text[-1] == text[0]:
        if WORD.issuperset(text[1:-1]) and text[1:-1]:
            return text[1:-1]
    elif text.isdigit() and len(text) <= LONGEST_NUMBER and (text == "0" or text[0] != "0"):
        return int(text)
    elif text.replace(".", "", 1).isdigit() and text[0] != "." and text[-1] != ".":
        return float(text)
    elif text[0] in LETTERS and WORD.issuperset(text):
        return text
    raise NotPlain
