"""Add the hooks of agent-memory to a settings.json and remove them; other bytes stay the same.

    settings.json -> parse_json -> positions -> add_hooks    -> the text with our hooks
                                             -> remove_hooks -> the original text

The standard parser checks the text; a small one behind it finds the positions.

How `remove_hooks` decides what to remove:

- a hook whose command begins with `agent_memory=`, of any version;
- a container that is empty then, unless it was empty before (`"hooks": {}`): `add_hooks` marks
  such a container by a blank line behind its opening bracket.

Added text is on lines of its own, with the line ends and the indentation of the file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection
from typing import Any, NamedTuple

from memory_core.text.markdown_lines import find_line_end

# Every command of agent-memory begins with this shell variable, which it needs anyway.
COMMAND_PREFIX = "agent_memory="

# The link to the program, below the home directory.
PROGRAM_LINK = ".local/share/agent-memory/venv"

BYTE_ORDER_MARK = "\ufeff"
BLANKS = f"{BYTE_ORDER_MARK} \t\n\r"

_BLANK = re.compile(r"[ \t\n\r]*")
_INDENT = re.compile(r"[\n\r]([ \t]+)\S")
_PLACEHOLDER = re.compile(r'"\{command:(\w+)\}"')

_read_scalar = json.JSONDecoder().raw_decode

# event -> the groups that we have there, each {"matcher": ..., "hooks": [one hook]}
HookGroups = dict[str, list[dict[str, Any]]]

# The keys of the template: the hooks of every project, and those that see shell commands and
# Backlog.md's tools, which only some projects need.
BASIC, TASKS = "hooks", "task_hooks"


class InvalidSettings(ValueError):
    """A settings file that cannot be changed; the message has line, column and reason."""

    def __init__(self, text: str, at: int, problem: str) -> None:
        place = json.JSONDecodeError(problem, text, at)
        super().__init__(f"line {place.lineno}, column {place.colno}: {problem}")


# --- the hooks ---


def build_command(hook: str) -> str:
    """Return the shell command that runs one of our hooks.

    It is committed with the project, so it contains no absolute home path, and succeeds
    silently if agent-memory is not installed.  No variable except HOME chooses the program: the
    settings of a project may set variables for the user's hooks.  It checks both files, because
    Python exits with status 2 if its script is missing, which blocks the tool call.  `exec` lets
    Claude Code send its signals to Python.
    """
    return (
        f'{COMMAND_PREFIX}"$HOME/{PROGRAM_LINK}";'
        f' if [ -x "$agent_memory/bin/python" ] && [ -r "$agent_memory/hooks/{hook}.py" ];'
        f' then exec "$agent_memory/bin/python" -I -S "$agent_memory/hooks/{hook}.py"; fi'
    )


def build_hooks(
    template: str, parts: Collection[str] = (BASIC,), build: Callable[[str], str] = build_command
) -> HookGroups:
    """Return the hooks of these parts, which are keys of the template: BASIC, TASKS.

    `build` returns the command that runs a hook script.
    """
    text = _PLACEHOLDER.sub(lambda match: json.dumps(build(match[1])), template)
    hooks: HookGroups = {}
    for part, groups_by_event in json.loads(text).items():
        for event, groups in groups_by_event.items():
            if part in parts:
                hooks[event] = hooks.get(event, []) + groups
    return hooks


# --- JSON with positions ---


class JsonNode(NamedTuple):
    """A value of the text: text[start:end], with the key before it where it has one."""

    kind: str  # object, array, scalar
    start: int
    end: int
    children: list[JsonNode]
    key: str = ""
    member_start: int = 0  # where the member begins: at its key, or at start


def parse_json(text: str) -> JsonNode:
    """Return the tree of a JSON text, with or without a byte order mark; raises InvalidSettings."""
    text = " " + text[1:] if text.startswith(BYTE_ORDER_MARK) else text
    try:
        json.loads(text)
        return _read_node(text, _skip(text, 0))
    except json.JSONDecodeError as error:
        is_comment = text.startswith(("//", "/*"), error.pos)
        problem = "a comment, which JSON does not have" if is_comment else error.msg
        raise InvalidSettings(text, error.pos, problem) from None
    except RecursionError:
        raise InvalidSettings(text, 0, "nested too deeply") from None


def _skip(text: str, at: int) -> int:
    match = _BLANK.match(text, at)
    return match.end() if match else at


def _read_node(text: str, start: int) -> JsonNode:
    """Return the value at `start` of a valid text."""
    kind = {"{": "object", "[": "array"}.get(text[start], "scalar")
    if kind == "scalar":
        return JsonNode(kind, start, _read_scalar(text, start)[1], [], member_start=start)
    children: list[JsonNode] = []
    at = _skip(text, start + 1)
    while text[at] not in "}]":
        at = _skip(text, at + 1) if children else at
        children.append(_read_member(text, at) if kind == "object" else _read_node(text, at))
        at = _skip(text, children[-1].end)
    return JsonNode(kind, start, at + 1, children, member_start=start)


def _read_member(text: str, start: int) -> JsonNode:
    key, key_end = _read_scalar(text, start)
    value = _read_node(text, _skip(text, _skip(text, key_end) + 1))
    return value._replace(key=key, member_start=start)


# --- hooks of agent-memory in the tree ---


class HookEntry(NamedTuple):
    """A hook of agent-memory in a settings file.

    `nodes` are the root, "hooks", the event, the group, its "hooks", and the hook.
    """

    event: str
    value: dict[str, Any]
    matcher: str | None
    nodes: tuple[JsonNode, ...]

    @property
    def command(self) -> str:
        return str(self.value["command"])

    def is_of(self, event: str, group: dict[str, Any]) -> bool:
        """Say whether this is the hook of a group of `build_hooks`, with its matcher."""
        own = (self.event, [self.value], self.matcher)
        return own == (event, group["hooks"], group.get("matcher"))


def find_entries(text: str) -> list[HookEntry]:
    """Return the hooks of agent-memory in a settings text, in their order."""
    if not text.strip(BLANKS):
        return []
    root = parse_json(text)
    places = [
        (root, hooks, event, group, siblings, hook)
        for hooks in _members(root, "hooks")
        for event in hooks.children
        for group in event.children
        for siblings in _members(group, "hooks")[-1:]
        for hook in siblings.children
    ]
    entries = []
    for nodes in places:
        *_, event, group, _siblings, hook = nodes
        value = json.loads(text[hook.start : hook.end])
        if isinstance(value, dict) and str(value.get("command")).startswith(COMMAND_PREFIX):
            matcher = json.loads(text[group.start : group.end]).get("matcher")
            entries.append(HookEntry(event.key, value, matcher, nodes))
    return entries


def _members(node: JsonNode, key: str) -> list[JsonNode]:
    return [child for child in node.children if child.key == key]


# --- adding ---


def add_hooks(text: str, wanted: HookGroups) -> str:
    """Return the settings text with exactly the hooks `wanted`, each of them once.

    Hooks that are already right keep their bytes and layout; if one is of an older version or
    there twice, all are written again.  Raises InvalidSettings.
    """
    own = find_entries(text)
    rows = [(event, group) for event, groups in wanted.items() for group in groups]
    missing = [row for row in rows if not any(entry.is_of(*row) for entry in own)]
    if len(own) != len(rows) - len(missing):
        text, missing = remove_hooks(text), rows
    if not text.strip(BLANKS):
        newline = find_line_end(text)
        return text + json.dumps({"hooks": wanted}, indent=2).replace("\n", newline) + newline
    for event, group in missing:
        text = _add_group(text, event, group)
    return text


def _add_group(text: str, event: str, group: dict[str, Any]) -> str:
    node, name = parse_json(text), "the settings"
    child: Any = {"hooks": {event: [group]}}
    for depth, key in enumerate(("hooks", event), 1):
        _expect(text, node, "object", name)
        members = _members(node, key)
        if not members:
            return _add(text, node, depth, child)
        node, name, child = members[-1], f'"{key}"', child[key]  # JSON readers use the last one
    _expect(text, node, "array", name)
    return _add(text, node, 3, child)


def _expect(text: str, node: JsonNode, kind: str, name: str) -> None:
    if node.kind != kind:
        bracket = "{...}" if kind == "object" else "[...]"
        raise InvalidSettings(text, node.start, f"{name} should be an {kind} {bracket}, but is not")


def _add(text: str, container: JsonNode, depth: int, child: dict[str, Any] | list[Any]) -> str:
    """Return the text with one more child, given in brackets, at the end of a container."""
    newline, match = find_line_end(text), _INDENT.search(text)
    unit = match[1] if match else "  "
    # The brackets and their lines go, the indentation stays.
    _bracket, *lines, _end = json.dumps(child, indent=unit).split("\n")
    added = "".join(newline + unit * (depth - 1) + line for line in lines)
    if container.children:
        last = container.children[-1].end
        return f"{text[:last]},{added}{text[last:]}"
    # The blank line says that the container was empty (`_blanks_before`).
    end = container.end - 1
    return text[:end] + newline + added + newline + unit * (depth - 1) + text[end:]


# --- removing ---


def remove_hooks(text: str) -> str:
    """Return the settings text without our hooks: the text before `add_hooks`, byte by byte.

    Other changes since then stay.  An empty result means that `add_hooks` created the file.
    Raises InvalidSettings.
    """
    while entries := find_entries(text):
        text = _remove_entry(text, entries[-1])
    return text


def _remove_entry(text: str, entry: HookEntry) -> str:
    *containers, child, siblings, hook = entry.nodes
    if len(siblings.children) > 1:
        return _cut(text, siblings, hook)
    for container in reversed(containers):
        if len(container.children) > 1:
            return _cut(text, container, child)
        blanks = _blanks_before(text, container)
        if blanks is not None:
            return text[: container.start + 1] + blanks + text[container.end - 1 :]
        child = container
    # The file contains nothing except our hooks.
    return text[: child.start] + text[child.end :].removeprefix(find_line_end(text))


def _cut(text: str, container: JsonNode, child: JsonNode) -> str:
    """Remove one of several children, with the comma that joined it."""
    index = container.children.index(child)
    if index:
        return text[: container.children[index - 1].end] + text[child.end :]
    return text[: child.member_start] + text[container.children[1].member_start :]


def _blanks_before(text: str, container: JsonNode) -> str | None:
    """Return the blanks of a container that was empty before; None if `add_hooks` made it."""
    lead = text[container.start + 1 : container.children[0].member_start]
    blanks = lead.rstrip(" \t")
    blank_line = find_line_end(text) * 2
    return blanks.removesuffix(blank_line) if blanks.endswith(blank_line) else None
