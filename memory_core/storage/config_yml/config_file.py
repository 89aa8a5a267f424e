"""Read config.yml: YAML in, valid settings and a list of problems out; and change one setting.

The values are built from YAML's nodes, because a problem must name its line, must not cost the
other settings, and a key must stay the text that is written.
"""

from __future__ import annotations

import difflib
import io
import math
import warnings
from contextlib import suppress
from typing import Any

from pydantic import ValidationError
from ruamel.yaml import YAML, nodes
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.composer import Composer
from ruamel.yaml.error import CommentMark, MarkedYAMLError, YAMLError
from ruamel.yaml.events import AliasEvent
from ruamel.yaml.resolver import VersionedResolver
from ruamel.yaml.tokens import CommentToken

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

# A longer number stays a text: `1:59:59:...` takes seconds, and floats have a limit.
MAX_NUMBER_LENGTH = 60

# Characters: no line is broken.
MAX_WIDTH = 1_000_000

# ruamel.yaml's errors, and Python's when it reads `"\U99999999"` or `%YAML 1.99999999999...`.
YAML_ERRORS = (YAMLError, ValueError, OverflowError, RecursionError, AssertionError)

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
        self.root: nodes.Node | None = None
        # The nodes of each key and its value; an item of a list is both.
        self._nodes: dict[KeyPath, tuple[nodes.Node, nodes.Node]] = {}

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
            self.root = _make_yaml("safe").compose(self.text)
            return self._build(self.root, ()) if self.root else None
        except YAML_ERRORS as error:
            raise InvalidConfig(f"{self.path}:{_format_error(error)}") from None

    def drop_users_own(self, settings: dict[str, Any]) -> None:
        """Drop the settings that a repository may not make."""
        memory = settings.get("memory") or {}
        for key in memory.keys() & USERS_OWN:
            del memory[key]
            reason = "counts only in your own ~/.claude-mpm/config.yml"
            line = _line_of(self._nodes["memory", key][0])
            self.problems.append((line, f"memory.{key}: {reason}"))

    def _build(self, node: nodes.Node, path: KeyPath) -> Any:
        """Return the value of a node; keys are texts."""
        if isinstance(node, nodes.ScalarNode):
            return _build_scalar(node)
        is_mapping = isinstance(node, nodes.MappingNode)
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

    The value is YAML on one line; a list needs no brackets.  Comments, quotes and the order of
    everything else stay.  Raises InvalidConfig.
    """
    path = _split_key(key)
    if not value.strip() or len(value.splitlines()) > 1:
        raise InvalidConfig(f"invalid value {value!r} for {key}: use YAML on one line")
    wanted = _ConfigReader(f"invalid value for {key}", f"{key}: {value}").parse()
    is_list = key in SETTINGS and SETTINGS[key].default.startswith("[")
    if is_list and isinstance(wanted.get(key), str):
        return set_value(text, key, f"[{value}]")
    lines = [f"{'  ' * depth}{name}:" for depth, name in enumerate(path)]
    for problem in merge_texts(["config.yml"], ["\n".join(lines) + f" {value}"])[1]:
        if problem.endswith(IN_QUOTES):
            return set_value(text, key, f"'{value}'")
        raise InvalidConfig(problem.split(":", 2)[2].strip().removesuffix(USED_INSTEAD))
    document = mapping = _load(text)
    new, rest = _make_yaml().load(value), path
    while isinstance(below := mapping.get(_find_key(mapping, rest[0])), CommentedMap):
        mapping, rest = below, rest[1:]
    for name in reversed(rest[1:]):
        new = CommentedMap({name: new})
    switch = ".".join([*path[: len(path) - len(rest) + 1], "enabled"])
    if rest[1:] and below is not None and switch in SETTINGS:  # `selection: off`
        new = CommentedMap({"enabled": below, **new})
    written = _find_key(mapping, rest[0])
    last = written if written in mapping else next(reversed(mapping), "")
    comments = _take_comments(mapping, last) if last else ""
    mapping[written] = new
    if not isinstance(new, CommentedMap) and written in mapping.ca.items:
        mapping.ca.items[written][3] = None  # comments in a list that is replaced
    _give_comments(mapping, written, comments)
    return _dump(document, text, key)


def unset_value(text: str, key: str) -> str:
    """Return the text of a config.yml without a key, and without the keys that this empties.

    Comments below it stay.  Raises InvalidConfig.
    """
    document = value = _load(text)
    path, places = _split_key(key), list[tuple[CommentedMap, str]]()
    for name in path:
        if not isinstance(value, CommentedMap) or (written := _find_key(value, name)) not in value:
            break
        places.append((value, written))
        value = value[written]
    # `selection: off` is short for `selection.enabled: false`
    if len(places) < len(path) and isinstance(value, CommentedMap | None):
        return text
    while places[1:] and len(places[-1][0]) == 1:
        places.pop()
    mapping, name = places[-1]
    comments, names = _take_comments(mapping, name), [*mapping]
    del mapping[name]
    if not mapping:
        lines = [line for line in text.splitlines(True) if line.lstrip().startswith("#")]
        inner = [line for line in lines if line[0] != "#"]
        outer = [line for line in lines if line[0] == "#"]
        return "".join([*outer, *(["memory:\n", *inner] if inner else [])])
    if name != names[0]:
        _give_comments(mapping, names[names.index(name) - 1], comments)
    elif comments:
        mapping.ca.items.setdefault(names[1], [None] * 4)[1] = [_make_comment(comments)]
    return _dump(document, text, key)


def _make_yaml(kind: str = "rt") -> YAML:
    """Return an editor that keeps comments and quotes, or with "safe" a reader."""
    yaml = YAML(typ=kind, pure=True)
    yaml.Composer = _Composer
    yaml.preserve_quotes = True
    yaml.width = MAX_WIDTH
    if kind == "safe":
        yaml.Resolver = _Resolver
    return yaml


def _load(text: str) -> CommentedMap:
    """Return the settings in a text, to change them; raises InvalidConfig."""
    _ConfigReader("config.yml", text).read()
    try:
        document: CommentedMap = _make_yaml().load(text) or _make_yaml().load(f"{text}\nmemory:\n")
    except YAML_ERRORS as error:  # a key that appears twice
        raise InvalidConfig(f"config.yml:{_format_error(error)}") from None
    return document


def _dump(document: CommentedMap, text: str, key: str) -> str:
    """Return changed settings as a text, in the form of the text before.

    Raises InvalidConfig if this form cannot be kept.
    """
    yaml, stream = _make_yaml(), io.StringIO()
    memory = document.get("memory") or CommentedMap()
    yaml.map_indent = memory.lc.col or 2
    for value in memory.values():
        if isinstance(value, CommentedSeq) and value.fa.flow_style() is False:
            dash = value.lc.col - yaml.map_indent
            yaml.indent(mapping=yaml.map_indent, sequence=dash + 2, offset=dash)
    yaml.explicit_start = text.startswith("---")
    yaml.dump(document, stream)
    after = stream.getvalue().replace("\r\n", "\n")
    try:
        is_right = _make_yaml().load(after) == document
    except YAML_ERRORS:
        is_right = False
    if not is_right:
        raise InvalidConfig(f"{key} cannot be changed in this file: edit config.yml")
    return after.replace("\n", "\r\n") if "\r\n" in text else after


def _find_key(mapping: CommentedMap, name: str) -> str:
    """Return a key as it is written: each spelling of an agent's name is its id."""
    return next((key for key in mapping if name in (key, agent_names.id_of(str(key)))), name)


def _take_comments(mapping: CommentedMap, key: str) -> str:
    """Remove the lines of comments below a key and its value, and return them."""
    tokens, place = _find_tail(mapping, key)
    line, _, comments = tokens[place].value.partition("\n") if tokens[place] else ("", "", "")
    if comments:
        tokens[place].value = f"{line}\n"
    return comments


def _give_comments(mapping: CommentedMap, key: str, comments: str) -> None:
    """Put lines of comments below a key and its value."""
    tokens, place = _find_tail(mapping, key)
    if tokens[place]:
        tokens[place].value += comments
    elif comments:
        tokens[place] = _make_comment(f"\n{comments}")


def _find_tail(container: Any, key: Any) -> tuple[list[Any], int]:
    """Return where ruamel.yaml keeps the comment below a value: at its last key or item."""
    while isinstance(value := container[key], CommentedMap | CommentedSeq) and value:
        if value.fa.flow_style():
            break
        container, key = value, next(reversed(value)) if isinstance(value, dict) else len(value) - 1
    tokens = container.ca.items.setdefault(key, [None] * 4)
    return tokens, 2 if isinstance(container, CommentedMap) else 0


def _make_comment(text: str) -> CommentToken:
    return CommentToken(text, CommentMark(0), None)


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


class _Resolver(VersionedResolver):
    """Reads YAML 1.1, in which `off` is a truth value, whatever the file says."""

    processing_version = (1, 1)


class _Composer(Composer):
    """Composes without aliases, which could make a short file huge, or endless."""

    count = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        self.count += 1
        if self.count > MAX_NODES:
            raise self._refuse(f"more than {MAX_NODES:,} keys and values")
        if self.parser.check_event(AliasEvent):
            name = f"*{self.parser.peek_event().anchor}"
            raise self._refuse(f"the alias {name} is not supported, write the value in quotes")
        return super().compose_node(parent, index)

    def _refuse(self, problem: str) -> YAMLError:
        mark = self.parser.peek_event().start_mark
        return MarkedYAMLError(problem=problem, problem_mark=mark)


def _line_of(node: nodes.Node) -> int:
    return int(node.start_mark.line) + 1


def _build_scalar(node: nodes.ScalarNode) -> Any:
    is_letter = node.value.isalpha() and len(node.value) == 1  # `y` and `n` of YAML 1.1
    if node.tag in VALUE_TAGS and len(node.value) <= MAX_NUMBER_LENGTH and not is_letter:
        # An explicit tag may not fit; YAML 1.1 wants a dot in 5e-1.
        with suppress(ValueError, LookupError), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _make_yaml("safe").constructor.construct_object(node)
    return node.value


def _read_key(key: nodes.Node, path: KeyPath) -> str:
    """Return the text of a key; all spellings of an agent's name become its id."""
    if not isinstance(key, nodes.ScalarNode):
        return _format_value(key)
    text = str(key.value).encode("utf-8", "replace").decode()
    return agent_names.id_of(text) if path == OVERRIDES_PATH else text


def _format_error(error: Exception) -> str:
    """Return the place and the problem of an error, which has several lines."""
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


# The ends of problems with a number that is out of range, and with a number for a text.
USED_INSTEAD, IN_QUOTES = ", which is used", " (write it in quotes)"


def _format_reason(details: Any, value: nodes.Node, bound: float | None) -> str:
    """Say in plain words what pydantic found, and which value counts."""
    if bound is not None:
        kind = "more" if details["type"] == "less_than_equal" else "less"
        return f"{_format_value(value)} is {kind} than {bound:g}{USED_INSTEAD}"
    if details["type"] == "extra_forbidden":
        by_name = {key.rpartition(".")[2]: key for key in reversed(SETTINGS)}
        near = difflib.get_close_matches(details["loc"][-1].casefold(), by_name, n=1)
        return f"unknown key; did you mean {by_name[near[0]]}?" if near else "unknown key"
    wanted = details["msg"].partition(" or instance of")[0].removeprefix("Value error, ")
    is_unquoted = details["type"] == "string_type" and isinstance(value, nodes.ScalarNode)
    hint = IN_QUOTES if is_unquoted and value.value else ""
    return f"{wanted}, not {_format_value(value)}{hint}"


def _format_value(node: nodes.Node) -> str:
    """Return a value in its spelling, on one line."""
    if not isinstance(node, nodes.ScalarNode):
        return "a list" if isinstance(node, nodes.SequenceNode) else "a mapping"
    text = _shorten(node.value)
    return f'"{text}"' if node.style in ("'", '"') else text or "nothing"


def _shorten(text: str) -> str:
    """Return a text of the file for a message: short, and on one line."""
    short = sanitize.shorten(text, MAX_VALUE_LENGTH)
    return short if short.isprintable() else ascii(short)[1:-1]
