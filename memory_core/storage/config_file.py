"""Read config.yml: YAML in, valid settings and a list of problems out.

The values are built from YAML's nodes and not by PyYAML, because a problem must name its line,
must not cost the other settings, and a key must stay the text that is written: YAML 1.1 reads
`on` and `no` as truth values.
"""

from __future__ import annotations

import difflib
from typing import Any, NamedTuple

import yaml
from pydantic import ValidationError
from yaml.reader import ReaderError

from memory_core.claude_code import agent_names
from memory_core.storage import config_models
from memory_core.storage.config_models import ConfigRoot, MemoryConfig

# PyYAML reads 300 KB a second of text that is made to slow it down, and a hook has 5 s.
MAX_BYTES = 64 * 1024

# Settings are not nested deeper.
MAX_DEPTH = 4

# PyYAML takes time with the square of the depth of lists in lists, and needs the stack.
MAX_YAML_DEPTH = 50

OVERRIDES_PATH = ("memory", "agent_overrides")

YAML_TAG_PREFIX = "tag:yaml.org,2002:"
NULL_TAG = f"{YAML_TAG_PREFIX}null"

# Characters in a message, of a text from the file and of PyYAML's own words.
MAX_VALUE_LENGTH = 60
MAX_MESSAGE_LENGTH = 200

TAB_ERROR = "found character '\\t' that cannot start any token"

# PyYAML's errors, and Python's when PyYAML reads `"\U99999999"` or `%YAML 1.99999999999...`.
YAML_ERRORS = (yaml.YAMLError, ValueError, OverflowError)
VALUE_ERRORS = (yaml.YAMLError, ArithmeticError, AttributeError, LookupError, ValueError)

# Where a value is: keys of mappings, and numbers in a list.
KeyPath = tuple[int | str, ...]


class UnreadableConfig(ValueError):
    """A whole file cannot be read; the message names file, line and column."""


class InvalidValue:
    """Stands for a value that no setting accepts."""


class ConfigProblem(NamedTuple):
    """A problem of the file, its line, and the path of the mapping or value that has it."""

    line: int
    message: str
    path: KeyPath = ()


def merge_files(files: list[str]) -> tuple[dict[str, Any], list[str]]:
    """Return the settings of several files, later ones over earlier ones, and the problems.

    A setting with a problem "FILE:LINE: KEY: ..." is ignored, the others count.  Raises
    UnreadableConfig.
    """
    settings: dict[str, Any] = {}
    problems: list[str] = []
    for path in files:
        reader = _ConfigReader(path)
        _overlay(settings, reader.read())
        ordered = sorted(reader.problems, key=lambda problem: problem.line)
        problems += [f"{path}:{problem.line}: {problem.message}" for problem in ordered]
    return MemoryConfig(**settings.get("memory", {})).model_dump(), problems


def _overlay(base: dict[str, Any], above: dict[str, Any]) -> None:
    for key, value in above.items():
        if isinstance(value, dict) and isinstance(base.get(key), dict):
            _overlay(base[key], value)
        else:
            base[key] = value


class _ConfigReader:
    """Reads one file; `problems` are those of single settings."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.problems: list[ConfigProblem] = []
        # The nodes of key and value at each path; in a list both are the item's.
        self._nodes: dict[KeyPath, tuple[yaml.Node, yaml.Node]] = {}

    def read(self) -> dict[str, Any]:
        """Return the settings in the file; raises UnreadableConfig."""
        root = self._parse(self._read_text())
        if root is None or root.tag == NULL_TAG:
            return {}
        if not isinstance(root, yaml.MappingNode):
            where = _format_position(root.start_mark)
            raise UnreadableConfig(
                f"{self.path}:{where}: a mapping is expected, with the key memory,"
                f" not {_format_value(root)}"
            )
        return self._validate(self._build(root, ()))

    def _read_text(self) -> str:
        try:
            with open(self.path, "rb") as file:
                data = file.read(MAX_BYTES + 1)
        except FileNotFoundError:
            return ""
        except OSError as error:
            raise UnreadableConfig(f"{self.path}: {error.strerror}") from None
        if len(data) > MAX_BYTES:
            raise UnreadableConfig(f"{self.path}: is larger than {MAX_BYTES // 1024} KB")
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            self.problems.append(ConfigProblem(line, "holds bytes that are not UTF-8"))
            return data.decode("utf-8-sig", "replace")

    def _parse(self, text: str) -> yaml.Node | None:
        loader = None
        try:
            loader = _Loader(text)
            return loader.get_single_node()
        except YAML_ERRORS as error:
            mark = getattr(error, "problem_mark", None) or (loader and loader.get_mark())
            where = _format_position(mark) if mark else _find_bad_character(text, error)
            message = f"{self.path}:{where}: not YAML: {_format_error(error)}"
            raise UnreadableConfig(message) from None

    def _build(self, node: yaml.Node, keys: KeyPath) -> Any:
        """Return the value of a node; keys keep their spelling."""
        if isinstance(node, yaml.ScalarNode):
            return _build_scalar(node)
        if len(keys) >= MAX_DEPTH:
            return InvalidValue()
        if isinstance(node, yaml.MappingNode):
            return self._build_mapping(node, keys)
        values = []
        for number, item in enumerate(node.value):
            path = (*keys, number)
            self._nodes[path] = (item, item)
            values.append(self._build(item, path))
        return values

    def _build_mapping(self, node: yaml.MappingNode, keys: KeyPath) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                where = f"{self._format_key(keys)}: " if keys else ""
                self._add(key, f"{where}a key is a word, not {_format_value(key)}", keys)
                continue
            name = _normalize_key(key, keys)
            path = (*keys, name)
            if name in values:
                line = self._nodes[path][0].start_mark.line + 1
                full = self._format_key(keys, key)
                self._add(key, f"{full}: stands on line {line} as well; this one counts", keys)
            self._nodes[path] = (key, value)
            values[name] = self._build(value, path)
        return values

    def _add(self, node: yaml.Node, message: str, path: KeyPath) -> None:
        self.problems.append(ConfigProblem(node.start_mark.line + 1, message, path))

    def _format_key(self, keys: KeyPath, *more: yaml.Node) -> str:
        """Return the dotted name of a setting in the spelling of the file."""
        nodes = [self._nodes[keys[: at + 1]][0] for at in range(len(keys))]
        names = [_shorten(str(node.value)) for node in (*nodes, *more)]
        return ".".join(name or '""' for name in names)

    def _validate(self, settings: dict[str, Any]) -> dict[str, Any]:
        """Return the valid settings; each round removes all that pydantic finds at once."""
        while True:
            try:
                return ConfigRoot.model_validate(settings).model_dump(exclude_unset=True)
            except ValidationError as error:
                errors = error.errors(include_url=False, include_input=False)
            wrong = {_find_path(settings, details["loc"]): details for details in errors}
            # A value that is wrong as a whole is reported once, not with problems inside it.
            self.problems = [
                problem
                for problem in self.problems
                if not any(problem.path[:at] in wrong for at in range(1, len(problem.path) + 1))
            ]
            for path, details in wrong.items():
                key, value = self._nodes[path]
                names = tuple(part for part in path if isinstance(part, str))
                reason = _format_reason(details, names, value)
                self._add(key, f"{self._format_key(names)}: {reason}", path)
            # From the end: removing an item of a list moves the items behind it.
            for path in reversed(wrong):
                _remove(settings, path)


class _Loader(yaml.SafeLoader):
    """PyYAML's loader with a limit of its depth, and without aliases.

    An alias repeats a value, so a short file could become huge, or contain itself.
    """

    depth = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        event = self.peek_event()  # type: ignore[no-untyped-call]
        problem = "nested too deeply" if self.depth > MAX_YAML_DEPTH else ""
        if isinstance(event, yaml.AliasEvent):
            problem = f"the alias *{event.anchor} is not supported, write the value instead"
        if problem:
            raise yaml.composer.ComposerError(problem=problem, problem_mark=event.start_mark)
        self.depth += 1
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


def _format_position(mark: yaml.Mark) -> str:
    return f"{mark.line + 1}:{mark.column + 1}"


def _find_bad_character(text: str, error: Exception) -> str:
    """Return line and column of a character that PyYAML refuses before it parses."""
    before = text[: getattr(error, "position", 0)]
    return f"{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10))}"


def _format_error(error: Exception) -> str:
    """Return PyYAML's message, which has several lines, in one line."""
    if isinstance(error, ReaderError):
        return f"the character U+{error.character:04X} is not allowed"
    if not isinstance(error, yaml.MarkedYAMLError):
        return _shorten(str(error))
    context, start, mark = error.context, error.context_mark, error.problem_mark
    if context and start and mark and start.line != mark.line:
        context = f"{context} from line {start.line + 1}"
    message = ", ".join(part for part in (context, error.problem) if part)
    message = message.replace(TAB_ERROR, "found a tab; YAML indents with blanks")
    return message[:MAX_MESSAGE_LENGTH]


def _build_scalar(node: yaml.ScalarNode) -> Any:
    try:
        value = yaml.SafeLoader("").construct_object(node)
    except VALUE_ERRORS:
        return InvalidValue()
    return value if value is None or isinstance(value, (bool, int, float, str)) else InvalidValue()


def _normalize_key(key: yaml.ScalarNode, keys: KeyPath) -> str:
    """Return the text of a key; all spellings of an agent's name become its id."""
    text = str(key.value).encode("utf-8", "replace").decode()
    return agent_names.id_of(text) if keys == OVERRIDES_PATH else text


def _find_path(settings: Any, location: tuple[int | str, ...]) -> KeyPath:
    """Return the part of pydantic's location that exists in the file."""
    path: list[int | str] = []
    for part in location:
        is_key = isinstance(settings, dict) and part in settings
        if not is_key and not isinstance(settings, list):
            break
        path.append(part)
        settings = settings[part]
    return tuple(path)


def _remove(settings: Any, path: KeyPath) -> None:
    for key in path[:-1]:
        settings = settings[key]
    del settings[path[-1]]


def _format_reason(details: Any, names: tuple[str, ...], value: yaml.Node) -> str:
    """Say in plain words what pydantic found."""
    if details["type"] == "extra_forbidden":
        near = _find_similar_key(names)
        return f"unknown key; did you mean {near}?" if near else "unknown key"
    wanted = details["msg"].partition(" or instance of")[0].replace("dictionary", "mapping")
    is_unquoted = details["type"] == "string_type" and isinstance(value, yaml.ScalarNode)
    hint = " (in quotes it is one)" if is_unquoted and value.value else ""
    return f"{wanted.removeprefix('Value error, ')}, not {_format_value(value)}{hint}"


def _find_similar_key(names: tuple[str, ...]) -> str:
    """Return a known key of this name elsewhere, else one that is spelled alike here, or ""."""
    *parents, name = names
    if tuple(parents[:2]) == OVERRIDES_PATH:
        parents[2:] = ["AGENT"]
    prefix = "".join(f"{parent}." for parent in parents)
    keys = [key for key, _default, _text in config_models.describe_settings()]
    siblings = {key[len(prefix) :].partition(".")[0] for key in keys if key.startswith(prefix)}
    near = difflib.get_close_matches(name.casefold(), sorted(siblings), n=1)
    elsewhere = [key for key in keys if key.endswith(f".{name}")]
    return next(iter((*elsewhere, *near)), "")


def _format_value(node: yaml.Node) -> str:
    """Return a value in its spelling, on one line."""
    if not isinstance(node, yaml.ScalarNode):
        return "a list" if isinstance(node, yaml.SequenceNode) else "a mapping"
    if node.style in ("'", '"'):
        return f'"{_shorten(node.value)}"'
    tag = "" if node.tag.startswith(YAML_TAG_PREFIX) else f"{_shorten(node.tag)} "
    return tag + (_shorten(node.value) or "nothing")


def _shorten(text: str) -> str:
    """Return a text of the file for a message: short, and on one line."""
    short = text if len(text) <= MAX_VALUE_LENGTH else f"{text[:MAX_VALUE_LENGTH]}..."
    return short if short.isprintable() else ascii(short)[1:-1]
