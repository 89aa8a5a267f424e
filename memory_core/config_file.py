"""Reading config.yml: YAML in, valid settings and a list of problems out.

Values are made of YAML's nodes here, not by PyYAML: a key must stay the text that is
written (YAML 1.1 takes `on` and `no` for truth values), be found again by its line,
and not cost the others when its value is nonsense.
"""

from __future__ import annotations

import codecs
import difflib
import functools
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

import yaml
from pydantic import ValidationError
from yaml.reader import ReaderError

from memory_core import agents, models
from memory_core.models import Config, MemoryConfig

# Bytes.  PyYAML reads 300 KB a second, of what is made to delay it less, and a hook has five.
LARGEST = 64 * 1024

# Values in a file, those that aliases repeat among them; a hundred agents have 500.
MOST = 10_000

# Settings lie no deeper.  An alias may lead round in a circle.
DEEPEST = 4

# Lists in lists in lists cost PyYAML the square of their depth, and the stack.
NESTED = 50

OVERRIDES = ("memory", "agent_overrides")

STANDARD = "tag:yaml.org,2002:"
MERGE = f"{STANDARD}merge"
NULL = f"{STANDARD}null"

# Characters that a message, one line, shows of a text of the file, and of PyYAML's words.
SHOWN = 60
LONGEST = 200

TAB = "found character '\\t' that cannot start any token"

# PyYAML's own, and what Python says to PyYAML of `"\U99999999"` or `%YAML 1.99999999999...`.
NOT_YAML = (yaml.YAMLError, ValueError, OverflowError)
NO_VALUE = (yaml.YAMLError, ArithmeticError, AttributeError, LookupError, ValueError)

# Where a value is: the names of the keys that lead to it, and numbers in a list.
Keys = tuple[int | str, ...]
Nodes = tuple[yaml.Node, yaml.Node]
Around = tuple[yaml.Node, ...]


class Unreadable(ValueError):
    """A file that cannot be understood at all; the text names file, line and column."""


class Odd:
    """Stands for what has no value that a setting could have."""


def merged(files: list[str]) -> tuple[dict[str, Any], list[str]]:
    """Return the settings of several files, later ones over earlier, and what is wrong.

    A key that is wrong is left out with a problem "FILE:LINE: KEY: ..."; the
    others count.  Raises Unreadable.
    """
    settings: dict[str, Any] = {}
    problems: list[str] = []
    for path in files:
        reading = _Reading(path)
        _overlay(settings, reading.settings())
        problems += reading.told()
    return MemoryConfig(**settings.get("memory", {})).model_dump(), problems


def _overlay(base: dict[str, Any], above: dict[str, Any]) -> None:
    for key, value in above.items():
        if isinstance(value, dict) and isinstance(base.get(key), dict):
            _overlay(base[key], value)
        else:
            base[key] = value


class _Problem(NamedTuple):
    """What is wrong on a line, and in which mapping or setting that is."""

    line: int
    told: str
    keys: Keys

    def is_within(self, wrong: Collection[Keys]) -> bool:
        return any(self.keys[: at + 1] in wrong for at in range(len(self.keys)))


class _Reading:
    """One file on its way from text to settings, and what is wrong in it."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.values = 0
        # Of each value: the node of its key (in a list, its own), and its own.
        self.nodes: dict[Keys, Nodes] = {}
        # By node and kind: where an alias brings it to several places, it is told once.
        self.problems: dict[tuple[int, str], list[_Problem]] = {}

    def told(self) -> list[str]:
        """Return what is wrong, from top to bottom."""
        found = sorted((each[0] for each in self.problems.values()), key=lambda one: one.line)
        return [f"{self.path}:{problem.line}: {problem.told}" for problem in found]

    def settings(self) -> dict[str, Any]:
        """Return what the file sets, and only that; raises Unreadable."""
        root = _root(self._text(), self.path)
        if root is None or root.tag == NULL:
            return {}
        if not isinstance(root, yaml.MappingNode):
            told = f"a mapping is expected, with the key memory, not {_value(root)}"
            raise self._unreadable(root, told)
        try:
            return self._valid(self._plain(root, ()))
        except RecursionError:
            raise self._unreadable(root, "`<<` leads too deep") from None

    def _unreadable(self, node: yaml.Node, told: str) -> Unreadable:
        return Unreadable(f"{self.path}:{_position(node.start_mark)}: {told}")

    def _text(self) -> str:
        data = _bytes(self.path)
        utf_16 = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        encoding = "UTF-16" if utf_16 else "UTF-8"
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            told = f"holds bytes that are not {encoding}"
            self.problems[0, "bytes"] = [_Problem(line, told, ())]
            text = data.decode(encoding, "replace")
        return text.removeprefix("\ufeff")

    def _plain(self, node: yaml.Node, keys: Keys) -> Any:
        """Return the value of a node, with keys as they are written."""
        self._count(node)
        if isinstance(node, yaml.ScalarNode):
            return _scalar(node)
        if len(keys) >= DEEPEST:
            return Odd()
        if isinstance(node, yaml.MappingNode):
            entries = self._entries(node, keys)
            self.nodes.update({(*keys, name): nodes for name, nodes in entries.items()})
            return {name: self._plain(entries[name][1], (*keys, name)) for name in entries}
        self.nodes.update({(*keys, at): (item, item) for at, item in enumerate(node.value)})
        return [self._plain(item, (*keys, at)) for at, item in enumerate(node.value)]

    def _count(self, node: yaml.Node) -> None:
        self.values += 1
        if self.values > MOST:
            raise self._unreadable(node, f"more than {MOST} values, with those of aliases")

    def _entries(self, node: yaml.MappingNode, keys: Keys, around: Around = ()) -> dict[str, Nodes]:
        """Return the nodes of a mapping by name; what `<<` brings gives way to what is there."""
        own: dict[str, Nodes] = {}
        brought: dict[str, Nodes] = {}
        for key, value in node.value:
            self._count(key)
            if key.tag == MERGE:
                for each in self._to_merge(key, value, keys, (*around, node)):
                    brought = {**self._entries(each, keys, (*around, node)), **brought}
            elif self._is_text(key, keys):
                name = _name(key, keys)
                self._tell_twice(key, own.get(name), keys)
                own[name] = key, value
        return {**brought, **own}

    def _to_merge(
        self, key: yaml.Node, value: yaml.Node, keys: Keys, around: Around
    ) -> Iterator[yaml.MappingNode]:
        """Give the mappings behind `<<`, the one that it stands in excepted."""
        for each in value.value if isinstance(value, yaml.SequenceNode) else [value]:
            if not isinstance(each, yaml.MappingNode):
                told = f"{self._called(keys, key)}: a mapping is expected, not {_value(each)}"
                self._tell(key, "merge", told, keys)
            elif each not in around:
                yield each

    def _is_text(self, key: yaml.Node, keys: Keys) -> bool:
        text = isinstance(key, yaml.ScalarNode)
        if not text:
            where = f"{self._called(keys)}: " if keys else ""
            self._tell(key, "key", f"{where}a key is a word, not {_value(key)}", keys)
        return text

    def _tell_twice(self, key: yaml.Node, before: Nodes | None, keys: Keys) -> None:
        if before:
            line = before[0].start_mark.line + 1
            told = f"{self._called(keys, key)}: stands on line {line} as well; this one counts"
            self._tell(key, "twice", told, keys)

    def _tell(self, node: yaml.Node, kind: str, told: str, keys: Keys) -> None:
        problem = _Problem(node.start_mark.line + 1, told, keys)
        self.problems.setdefault((id(node), kind), []).append(problem)

    def _called(self, keys: Keys, *more: yaml.Node) -> str:
        """Return a setting's dotted name, as it is written in the file."""
        named = [
            str(key) if isinstance(key, int) else _shown(self.nodes[keys[: at + 1]][0].value)
            for at, key in enumerate(keys)
        ]
        return ".".join(name or '""' for name in (*named, *(_shown(node.value) for node in more)))

    def _valid(self, settings: dict[str, Any]) -> dict[str, Any]:
        """Take out what is wrong, all that pydantic finds at a time; say where and why."""
        while True:
            try:
                return Config.model_validate(settings).model_dump(exclude_unset=True)
            except ValidationError as error:
                found = error.errors(include_url=False, include_input=False)
            wrong = {_present(settings, details["loc"]): details for details in found}
            self._forget_below(wrong)
            for keys, details in wrong.items():
                self._tell_wrong(keys, details)
            # From behind: what is taken out of a list moves what follows.
            for keys in reversed(wrong):
                _drop(settings, keys)

    def _forget_below(self, wrong: Collection[Keys]) -> None:
        """Take back what was told of the inside of something that is wrong as a whole."""
        left = {
            name: [problem for problem in found if not problem.is_within(wrong)]
            for name, found in self.problems.items()
        }
        self.problems = {name: found for name, found in left.items() if found}

    def _tell_wrong(self, keys: Keys, details: Any) -> None:
        key, value = self.nodes[keys]
        names = tuple(name for name in keys if isinstance(name, str))
        self._tell(key, "wrong", f"{self._called(names)}: {_reason(details, names, value)}", keys)


def _bytes(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            data = file.read(LARGEST + 1)
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise Unreadable(f"{path}: {error.strerror}") from None
    if len(data) > LARGEST:
        raise Unreadable(f"{path}: is larger than {LARGEST // 1024} KB")
    return data


class _Loader(yaml.SafeLoader):
    """PyYAML's own, but for a limit of its depth."""

    depth = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if self.depth > NESTED:
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise yaml.composer.ComposerError(problem="nested too deeply", problem_mark=mark)
        self.depth += 1
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


def _root(text: str, path: str) -> yaml.Node | None:
    """Return the node of all that a file says, or None for nothing."""
    loader = None
    try:
        loader = _Loader(text)
        return loader.get_single_node()
    except NOT_YAML as error:
        mark = getattr(error, "problem_mark", None) or (loader and loader.get_mark())
        where = _position(mark) if mark else _line_and_column(text, error)
        raise Unreadable(f"{path}:{where}: not YAML: {_fault(error)}") from None


def _position(mark: yaml.Mark) -> str:
    return f"{mark.line + 1}:{mark.column + 1}"


def _line_and_column(text: str, error: Exception) -> str:
    """Return where the character is that PyYAML does not even begin to read."""
    before = text[: getattr(error, "position", 0)]
    return f"{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10))}"


def _fault(error: Exception) -> str:
    """Say in one line what PyYAML says in several."""
    if isinstance(error, ReaderError):
        return f"the character U+{error.character:04X} is not allowed"
    if not isinstance(error, yaml.MarkedYAMLError):
        return _shown(str(error))
    context, begun, mark = error.context, error.context_mark, error.problem_mark
    if context and begun and mark and begun.line != mark.line:
        context = f"{context} from line {begun.line + 1}"
    told = ", ".join(part for part in (context, error.problem) if part)
    return told.replace(TAB, "found a tab; YAML indents with blanks")[:LONGEST]


def _scalar(node: yaml.ScalarNode) -> Any:
    """Return a scalar's value, or what no setting takes for one."""
    try:
        value = yaml.SafeLoader("").construct_object(node)
    except NO_VALUE:
        return Odd()
    return value if value is None or isinstance(value, (bool, int, float, str)) else Odd()


def _name(key: yaml.Node, keys: Keys) -> str:
    """Return a key's text; that of an agent's settings is one for all spellings of the agent."""
    text = str(key.value).encode("utf-8", "replace").decode()
    return agents.agent_id(text) if keys == OVERRIDES else text


def _present(settings: Any, location: tuple[int | str, ...]) -> Keys:
    """Return the part of pydantic's location that leads to something in the file."""
    keys: list[int | str] = []
    for part in location:
        keyed = isinstance(settings, dict) and part in settings
        if not keyed and not isinstance(settings, list):
            break
        keys.append(part)
        settings = settings[part]
    return tuple(keys)


def _drop(settings: Any, keys: Keys) -> None:
    for key in keys[:-1]:
        settings = settings[key]
    del settings[keys[-1]]


def _reason(details: Any, names: tuple[str, ...], value: yaml.Node) -> str:
    """Say in a person's words what pydantic found."""
    if details["type"] == "extra_forbidden":
        near = _nearest(names)
        return f"unknown key; did you mean {near}?" if near else "unknown key"
    wanted = details["msg"].partition(" or instance of")[0].replace("dictionary", "mapping")
    quotes = details["type"] == "string_type" and isinstance(value, yaml.ScalarNode)
    hint = " (in quotes it is one)" if quotes and value.value else ""
    return f"{wanted.removeprefix('Value error, ')}, not {_value(value)}{hint}"


def _nearest(names: tuple[str, ...]) -> str:
    """Return the key that was meant: one of another mapping, or one that is spelled alike."""
    *parents, name = names
    name = name.casefold()
    elsewhere = [key for key in _all_known() if key.rpartition(".")[2] == name]
    known = _known(tuple(parents))
    near = [] if elsewhere and name not in known else difflib.get_close_matches(name, known, n=1)
    return next(iter((*near, *elsewhere)), "")


@functools.cache
def _all_known() -> list[str]:
    keys = [key for key, _default, _told in models.described()]
    return [*keys, *dict.fromkeys(key.rpartition(".")[0] for key in keys)]


@functools.cache
def _schema() -> dict[str, Any]:
    return Config.model_json_schema()


def _known(parents: tuple[str, ...]) -> list[str]:
    """Return the keys that are allowed below `parents`."""
    schema = _schema()
    place: dict[str, Any] = schema
    for parent in parents:
        properties = place.get("properties", {})
        place = properties.get(parent) or place.get("additionalProperties") or {}
        reference = place.get("$ref")
        if reference:
            place = schema["$defs"][reference.rpartition("/")[2]]
    return list(place.get("properties", {}))


def _value(node: yaml.Node) -> str:
    """Return a value as it is written, on one line."""
    if not isinstance(node, yaml.ScalarNode):
        return "a list" if isinstance(node, yaml.SequenceNode) else "a mapping"
    if node.style in ("'", '"'):
        return f'"{_shown(node.value)}"'
    own = "" if node.tag.startswith(STANDARD) else f"{_shown(node.tag)} "
    return own + (_shown(node.value) or "nothing")


def _shown(text: str) -> str:
    """Return a text of the file for a message: short, and on one line."""
    short = text if len(text) <= SHOWN else f"{text[:SHOWN]}..."
    return short if short.isprintable() else ascii(short)[1:-1]
