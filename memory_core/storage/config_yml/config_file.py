"""Read config.yml: YAML in, valid settings and a list of problems out.

The values are built from YAML's nodes and not by PyYAML, because a problem must name its line,
must not cost the other settings, and a key must stay the text that is written: YAML 1.1 reads
`on` and `no` as truth values.
"""

from __future__ import annotations

import difflib
import math
from contextlib import suppress
from typing import Any

import yaml
from pydantic import ValidationError

from memory_core.claude_code import agent_names
from memory_core.storage.config_yml.config_models import ConfigRoot, MemoryConfig
from memory_core.storage.config_yml.default_settings import PROTECTIONS, SETTINGS, USERS_OWN
from memory_core.text import sanitize

OVERRIDES_PATH = ("memory", "agent_overrides")

# Values of other types are texts.
VALUE_TAGS = [f"tag:yaml.org,2002:{name}" for name in ("null", "bool", "int", "float")]

# Keys and values in a file: to describe a problem with one takes a millisecond.
MAX_NODES = 2000

# Characters of a text from the file in a message.
MAX_VALUE_LENGTH = 60

# A longer number stays a text: PyYAML needs seconds for `1:59:59:...`, and floats have a limit.
MAX_NUMBER_LENGTH = 60

# PyYAML's errors, and Python's when PyYAML reads `"\U99999999"` or `%YAML 1.99999999999...`.
YAML_ERRORS = (yaml.YAMLError, ValueError, OverflowError, RecursionError)

# Where a value is: keys of mappings, and numbers in a list.
KeyPath = tuple[int | str, ...]


class InvalidConfig(ValueError):
    """A whole file, a key or a new value that cannot be used; the message says where and why."""

    status = 2


def merge_texts(
    files: list[str], texts: list[str], project: str = ""
) -> tuple[dict[str, Any], list[str]]:
    """Return the settings in the texts of files, later ones over earlier ones, and the problems.

    In the file `project`, the settings of USERS_OWN are problems.  A setting with a problem
    "FILE:LINE: KEY: ..." is ignored, the others count; of a number that is too small or too large,
    the nearest allowed value counts.  Raises InvalidConfig.
    """
    settings: dict[str, Any] = {}
    problems: list[str] = []
    for path, text in zip(files, texts, strict=True):
        reader = _ConfigReader(path, text)
        read = reader.read()
        if path == project:
            reader.drop_users_own(read)
        _keep_protections(settings.get("memory") or {}, read.get("memory") or {})
        settings = _overlay(settings, read)
        problems += [f"{path}:{line}: {message}" for line, message in sorted(reader.problems)]
    return MemoryConfig(**settings.get("memory", {})).model_dump(), problems


def _keep_protections(base: dict[str, Any], above: dict[str, Any]) -> None:
    """Drop settings of a project that would take back a protection of the user."""
    for key, value in PROTECTIONS.items():
        if base.get(key) == value:
            above.pop(key, None)


def _overlay(base: Any, above: Any) -> Any:
    """Return settings over those of `base`, key by key."""
    if not (isinstance(base, dict) and isinstance(above, dict)):
        return above
    return {**base, **{key: _overlay(base.get(key), value) for key, value in above.items()}}


class _ConfigReader:
    """Reads one file; `problems` are the lines and messages of single settings."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text
        self.problems: list[tuple[int, str]] = []
        self.root: yaml.Node | None = None
        # The nodes of each key and its value; an item of a list is both.
        self._nodes: dict[KeyPath, tuple[yaml.Node, yaml.Node]] = {}

    def read(self) -> dict[str, Any]:
        """Return the settings in the file; raises InvalidConfig."""
        settings, root = self.parse(), self.root
        if root and not isinstance(settings, dict | None):
            wanted = "a mapping is expected, with the key memory"
            line = _line_of(root)
            raise InvalidConfig(f"{self.path}:{line}: {wanted}, not {_format_value(root)}")
        return self._validate(settings or {})

    def parse(self) -> Any:
        """Return the values as they are written; raises InvalidConfig if the text is no YAML."""
        try:
            self.root = _Loader(self.text).get_single_node()
            return self._build(self.root, ()) if self.root else None
        except YAML_ERRORS as error:
            raise InvalidConfig(f"{self.path}:{_format_error(error)}") from None

    def find_pairs(self, path: KeyPath) -> list[tuple[yaml.Node, yaml.Node]]:
        """Return the nodes of the keys of a path and of their values, as far as they are there."""
        paths = [path[:count] for count in range(1, len(path) + 1)]
        return [self._nodes[one] for one in paths if one in self._nodes]

    def drop_users_own(self, settings: dict[str, Any]) -> None:
        """Drop the settings that a repository may not make."""
        memory = settings.get("memory") or {}
        for key in memory.keys() & USERS_OWN:
            del memory[key]
            reason = "counts only in your own ~/.claude-mpm/config.yml"
            line = _line_of(self._nodes["memory", key][0])
            self.problems.append((line, f"memory.{key}: {reason}"))

    def _build(self, node: yaml.Node, path: KeyPath) -> Any:
        """Return the value of a node; keys are texts."""
        if isinstance(node, yaml.ScalarNode):
            return _build_scalar(node)
        is_mapping = isinstance(node, yaml.MappingNode)
        pairs = node.value if is_mapping else [(item, item) for item in node.value]
        values: dict[int | str, Any] = {}
        for number, (key, value) in enumerate(pairs):
            name = _read_key(key, path) if is_mapping else number
            below = (*path, name)
            if name in values:
                problem = f"{_format_key(below)}: appears twice; the last counts"
                self.problems.append((_line_of(key), problem))
            self._nodes[below] = key, value
            values[name] = self._build(value, below)
        return values if is_mapping else list(values.values())

    def _validate(self, settings: dict[str, Any]) -> dict[str, Any]:
        """Return the valid settings; each round repairs all that pydantic finds at once."""
        while True:
            try:
                return ConfigRoot.model_validate(settings).model_dump(exclude_unset=True)
            except ValidationError as error:
                errors = error.errors(include_url=False)
            for details in reversed(errors):  # removing an item of a list moves those behind it
                *parents, last = path = details["loc"]
                key, value = self._nodes[path]
                bound = _find_bound(details)
                reason = _format_reason(details, value, bound)
                self.problems.append((_line_of(key), f"{_format_key(path)}: {reason}"))
                container: Any = settings
                for parent in parents:
                    container = container[parent]
                if bound is None:
                    del container[last]
                else:
                    container[last] = bound


# Changing one setting.


def set_value(text: str, key: str, value: str) -> str:
    """Return the text of a config.yml with another value for a key such as `memory.enabled`.

    The value is YAML on one line; a list needs no brackets.  Everything else stays as it is
    written.  Raises InvalidConfig, also for a file in which the line cannot be found.
    """
    path = _split_key(key)
    if not value.strip() or len(value.splitlines()) > 1:
        raise InvalidConfig(f"invalid value {value!r} for {key}: use YAML on one line")
    reader = _ConfigReader("config.yml", text)
    before = reader.parse()
    wanted = _ConfigReader(f"invalid value for {key}", f"{key}: {value}").parse()
    is_list = key in SETTINGS and SETTINGS[key].default.startswith("[")
    if is_list and isinstance(wanted.get(key), str):
        return set_value(text, key, f"[{value}]")
    changed = _overlaid(before, path, next(iter(wanted.values()), None))
    for problem in merge_texts(["config.yml"], [_format_nested(path, value)])[1]:
        raise InvalidConfig(problem.split(":", 2)[2].strip().removesuffix(USED_INSTEAD))
    after = _replace_value(reader, path, value)
    try:
        is_right = _ConfigReader("config.yml", after).parse() == changed
    except InvalidConfig:
        is_right = False  # the old value has several lines, or stands in braces
    if not is_right:
        raise InvalidConfig(f"{key} cannot be changed in this file: edit config.yml")
    return after


def unset_value(text: str, key: str) -> str:
    """Return the text of a config.yml without a key, and without the keys that this empties.

    If other keys share its lines, its value is null.  Raises InvalidConfig.
    """
    path, reader = _split_key(key), _ConfigReader("config.yml", text)
    before, pairs = reader.parse(), reader.find_pairs(path)
    node = pairs[-1][1] if pairs else None
    # `selection: off` is short for `selection.enabled: false`
    is_short = isinstance(node, yaml.ScalarNode) and node.value
    if node is None or (len(pairs) < len(path) and not is_short):
        return text
    while pairs[1:] and len(pairs[-2][1].value) == 1:
        pairs.pop()
    removed = pairs[-1]
    begin = text.rfind("\n", 0, removed[0].start_mark.index) + 1
    after = text[:begin] + text[_end_of_line(text, node.end_mark.index) :]
    left = _ConfigReader("config.yml", after).parse() or {} if node.value else None
    if left is None or _overlaid(left, path, None) != _overlaid(before, path, None):
        return set_value(text, key, "null")
    return after


def _split_key(key: str) -> tuple[str, ...]:
    """Return the path of a setting; raises InvalidConfig for another key, with a similar one."""
    path = tuple(key.split("."))
    is_override = path[:2] == OVERRIDES_PATH and len(path) == 4
    generic = ".".join([*OVERRIDES_PATH, "AGENT", path[-1]]) if is_override else key
    if generic not in SETTINGS or generic == ".".join(OVERRIDES_PATH):
        raise InvalidConfig(f"unknown setting {key!r}{suggest_keys(key, [*SETTINGS])}")
    return (*OVERRIDES_PATH, agent_names.id_of(path[2]), path[3]) if is_override else path


def suggest_keys(key: str, keys: list[str]) -> str:
    """Return the end of a sentence about an unknown key: those below it, or a similar one."""
    near = [name for name in keys if name.startswith(f"{key}.")]
    near = near or difflib.get_close_matches(key, keys, n=1, cutoff=0.4)
    return f"; did you mean {' or '.join(near)}?" if near else ""


def _overlaid(settings: Any, path: tuple[str, ...], value: Any) -> Any:
    """Return the settings with this value at a path."""
    for key in reversed(path):
        value = {key: value}
    return _overlay(settings, value)


def _format_nested(path: tuple[str, ...], value: str, indent: int = 0) -> str:
    """Return the lines of a setting with the keys above it."""
    lines = [f"{' ' * (indent + 2 * level)}{key}:" for level, key in enumerate(path)]
    return "\n".join(lines) + f" {value}\n"


def _replace_value(reader: _ConfigReader, path: tuple[str, ...], value: str) -> str:
    """Return the text with the value at a path replaced, or inserted below the nearest key."""
    text, pairs = reader.text, reader.find_pairs(path)
    rest = path[len(pairs) :]
    key, node = pairs[-1] if pairs else (None, reader.root)
    if key and node and not rest:
        begin, end = node.start_mark.index, node.end_mark.index
        if isinstance(node, yaml.ScalarNode) and not node.value and begin == end:
            return f"{text[: key.end_mark.index]}: {value}{text[key.end_mark.index + 1 :]}"
        tail = "\n" if text[begin:end].endswith("\n") else ""
        return f"{text[:begin]}{value}{tail}{text[end:]}"
    if isinstance(node, yaml.MappingNode) and node.value:  # above its first key
        mark = node.value[0][0].start_mark
        indent, at = mark.column, mark.index - mark.column
    elif key:
        indent, at = key.start_mark.column + 2, _end_of_line(text, key.end_mark.index)
    else:
        return f"{text.rstrip()}\n{_format_nested(rest, value)}".lstrip()
    return f"{text[:at]}{_format_nested(rest, value, indent)}{text[at:]}"


def _end_of_line(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end + 1


class _Loader(yaml.SafeLoader):
    """PyYAML's loader without aliases, which could make a short file huge, or endless."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._nodes = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        self._nodes += 1
        if self._nodes > MAX_NODES:
            raise self._refuse(f"more than {MAX_NODES:,} keys and values")
        if self.check_event(yaml.AliasEvent):
            name = f"*{self.peek_event().anchor}"  # type: ignore[no-untyped-call]
            raise self._refuse(f"the alias {name} is not supported, write the value in quotes")
        return super().compose_node(parent, index)

    def _refuse(self, problem: str) -> yaml.YAMLError:
        mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
        return yaml.MarkedYAMLError(problem=problem, problem_mark=mark)


def _line_of(node: yaml.Node) -> int:
    return node.start_mark.line + 1


def _build_scalar(node: yaml.ScalarNode) -> Any:
    if node.tag in VALUE_TAGS and len(node.value) <= MAX_NUMBER_LENGTH:
        with suppress(ValueError, LookupError):  # an explicit tag does not fit
            return yaml.SafeLoader("").construct_object(node)
    return node.value


def _read_key(key: yaml.Node, path: KeyPath) -> str:
    """Return the text of a key; all spellings of an agent's name become its id."""
    if not isinstance(key, yaml.ScalarNode):
        return _format_value(key)
    text = str(key.value).encode("utf-8", "replace").decode()
    return agent_names.id_of(text) if path == OVERRIDES_PATH else text


def _format_error(error: Exception) -> str:
    """Return the place and the problem of an error, of which PyYAML makes several lines."""
    mark = getattr(error, "problem_mark", None)
    where = f"{mark.line + 1}:{mark.column + 1}: " if mark else " "
    parts = (getattr(error, name, None) for name in ("context", "problem"))
    problem = ", ".join(filter(None, parts)) or str(error).partition("\n")[0]
    hint = "; indent with blanks, not with tabs" if "'\\t'" in problem else ""
    return f"{where}not YAML: {sanitize.shorten(problem, 2 * MAX_VALUE_LENGTH)}{hint}"


def _format_key(path: KeyPath) -> str:
    """Return the dotted name of a setting."""
    names = [part for part in path if isinstance(part, str)]
    return ".".join(_shorten(name) or '""' for name in names)


def _find_bound(details: Any) -> float | None:
    """Return the nearest allowed value if pydantic found a number that is out of range.

    Ignoring it would put a default in force, which may be far stricter than what was asked for.
    """
    if details["type"] not in ("less_than_equal", "greater_than_equal"):
        return None
    bound = details["ctx"].get("le", details["ctx"].get("ge"))
    return None if math.isnan(details["input"]) else bound


# The end of a problem with a number that is out of range.
USED_INSTEAD = ", which is used"


def _format_reason(details: Any, value: yaml.Node, bound: float | None) -> str:
    """Say in plain words what pydantic found, and which value counts."""
    if bound is not None:
        kind = "more" if details["type"] == "less_than_equal" else "less"
        return f"{_format_value(value)} is {kind} than {bound:g}{USED_INSTEAD}"
    if details["type"] == "extra_forbidden":
        by_name = {key.rpartition(".")[2]: key for key in reversed(SETTINGS)}
        near = difflib.get_close_matches(details["loc"][-1].casefold(), by_name, n=1)
        return f"unknown key; did you mean {by_name[near[0]]}?" if near else "unknown key"
    wanted = details["msg"].partition(" or instance of")[0].removeprefix("Value error, ")
    is_unquoted = details["type"] == "string_type" and isinstance(value, yaml.ScalarNode)
    hint = " (write it in quotes)" if is_unquoted and value.value else ""
    return f"{wanted}, not {_format_value(value)}{hint}"


def _format_value(node: yaml.Node) -> str:
    """Return a value in its spelling, on one line."""
    if not isinstance(node, yaml.ScalarNode):
        return "a list" if isinstance(node, yaml.SequenceNode) else "a mapping"
    text = _shorten(node.value)
    return f'"{text}"' if node.style in ("'", '"') else text or "nothing"


def _shorten(text: str) -> str:
    """Return a text of the file for a message: short, and on one line."""
    short = sanitize.shorten(text, MAX_VALUE_LENGTH)
    return short if short.isprintable() else ascii(short)[1:-1]
