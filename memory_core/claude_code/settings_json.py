"""Add the hooks of agent-memory to a settings.json and remove them; other bytes stay the same.

    settings.json -> parse_json -> positions -> add_hooks    -> the text with our hooks
                                             -> remove_hooks -> the original text

The standard parser checks the text; a small one behind it finds the positions.

How `remove_hooks` decides what to remove:

- a hook whose command begins with `agent_memory=`, of any version;
- a container that is empty then, unless it was empty before (`"hooks": {}`): `add_hooks` marks
  such a container by a blank line behind its opening bracket, or a blank in a one-line file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

# Every command of agent-memory begins with this shell variable, which it needs anyway.
COMMAND_PREFIX = "agent_memory="

# The link to the program, below the home directory.
PROGRAM_LINK = ".local/share/agent-memory/venv"

BYTE_ORDER_MARK = "\ufeff"
WHITESPACE = " \t\n\r"

_BLANK = re.compile(r"[ \t\n\r]*")
_NEWLINE = re.compile(r"\r\n|\n|\r")
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
        lines = _NEWLINE.split(text[:at])
        super().__init__(f"line {len(lines)}, column {len(lines[-1]) + 1}: {problem}")


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


def build_hooks(template: str, parts: Collection[str] = (BASIC,)) -> HookGroups:
    """Return the hooks of these parts, which are keys of the template: BASIC, TASKS."""
    text = _PLACEHOLDER.sub(lambda match: json.dumps(build_command(match[1])), template)
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
    key_end: int = 0


def parse_json(text: str) -> JsonNode:
    """Return the tree of one JSON text; raises InvalidSettings."""
    try:
        json.loads(text, parse_constant=_refuse_constant)
        return _read_node(text, _skip(text, 0))
    except json.JSONDecodeError as error:
        is_comment = text.startswith(("//", "/*"), error.pos)
        problem = "a comment, which JSON does not have" if is_comment else error.msg
        raise InvalidSettings(text, error.pos, problem) from None
    except ValueError as error:
        raise InvalidSettings(text, 0, str(error)) from None
    except RecursionError:
        raise InvalidSettings(text, 0, "nested too deeply") from None


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


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
    return value._replace(key=key, member_start=start, key_end=key_end)


# --- hooks of agent-memory in the tree ---


class HookEntry(NamedTuple):
    """A hook of agent-memory in a settings file, with the containers around it."""

    event: str
    value: dict[str, Any]
    matcher: str | None
    containers: tuple[JsonNode, JsonNode, JsonNode]  # the root, "hooks", the event
    group: JsonNode
    siblings: JsonNode
    hook: JsonNode

    def is_of(self, group: dict[str, Any]) -> bool:
        """Say whether this is the hook of a group of `build_hooks`, with its matcher."""
        return ([self.value], self.matcher) == (group["hooks"], group.get("matcher"))


def find_entries(text: str) -> list[HookEntry]:
    """Return the hooks of agent-memory in a settings text, in their order."""
    body = text.removeprefix(BYTE_ORDER_MARK)
    if not body.strip(WHITESPACE):
        return []
    root = parse_json(body)
    return [
        entry
        for hooks in _members(root, "hooks")
        for event in _members(hooks)
        for group in _elements(event)
        for entry in _read_group(body, (root, hooks, event), group)
    ]


def _read_group(
    text: str, containers: tuple[JsonNode, JsonNode, JsonNode], group: JsonNode
) -> Iterator[HookEntry]:
    siblings = _last(group, "hooks")
    for hook in _elements(siblings) if siblings else []:
        value = json.loads(text[hook.start : hook.end])
        if siblings and is_own_hook(value):
            matcher = json.loads(text[group.start : group.end]).get("matcher")
            event = containers[2].key
            yield HookEntry(event, value, matcher, containers, group, siblings, hook)


def _members(node: JsonNode, key: str | None = None) -> list[JsonNode]:
    if node.kind != "object":
        return []
    return [child for child in node.children if key is None or child.key == key]


def _elements(node: JsonNode) -> list[JsonNode]:
    return node.children if node.kind == "array" else []


def is_own_hook(hook: Any) -> bool:
    """Check whether a hook is ours by its command or, in the exec form, by its arguments."""
    if not isinstance(hook, dict):
        return False
    arguments = hook.get("args")
    parts = [hook.get("command", ""), *(arguments if isinstance(arguments, list) else [])]
    return any(str(part).startswith(COMMAND_PREFIX) for part in parts)


# --- adding ---


def add_hooks(text: str, wanted: HookGroups) -> str:
    """Return the settings text with exactly the hooks `wanted`, each of them once.

    A hook that is already right keeps its bytes and layout; one of an older version is removed.
    Raises InvalidSettings.
    """
    mark, body = _split(text)
    body = _remove_unwanted(body, wanted)
    if not body.strip(WHITESPACE):
        return mark + _new_file(wanted, _first_newline(body)) + body
    present = find_entries(body)
    for event, groups in wanted.items():
        own = [entry for entry in present if entry.event == event]
        for group in groups:
            if not any(entry.is_of(group) for entry in own):
                body = _add_group(body, event, group)
    return mark + body


def _split(text: str) -> tuple[str, str]:
    length = len(text) - len(text.removeprefix(BYTE_ORDER_MARK))
    return text[:length], text[length:]


def _new_file(wanted: HookGroups, newline: str) -> str:
    return _render({"hooks": wanted}, JsonLayout(newline, "  ", ": "), "") + newline


def _add_group(text: str, event: str, group: dict[str, Any]) -> str:
    root = _expect(text, parse_json(text), "object", "the settings")
    hooks = _last(root, "hooks")
    if hooks is None:
        return _add(text, root, root, "hooks", {event: [group]})
    _expect(text, hooks, "object", '"hooks"')
    groups = _last(hooks, event)
    if groups is None:
        return _add(text, root, hooks, event, [group])
    _expect(text, groups, "array", f'"{event}"')
    return _add(text, root, groups, "", group)


def _last(node: JsonNode, key: str) -> JsonNode | None:
    """Return the last member of a name, which JSON readers use."""
    return next(reversed(_members(node, key)), None)


def _expect(text: str, node: JsonNode, kind: str, name: str) -> JsonNode:
    if node.kind == kind:
        return node
    bracket = "{...}" if kind == "object" else "[...]"
    raise InvalidSettings(text, node.start, f"{name} should be an {kind} {bracket}, but is not")


# --- layout ---


class JsonLayout(NamedTuple):
    """The layout of a file, for text that is added to it."""

    newline: str
    indent_unit: str
    colon: str

    @property
    def gap(self) -> str:
        return " " if self.colon.endswith(" ") else ""


def _detect_layout(text: str, root: JsonNode) -> JsonLayout:
    newline = _first_newline(text)
    if not root.children:
        return JsonLayout(newline, "  ", ": ")
    last, lead = root.children[-1], _lead(text, root, -1)
    colon = text[last.key_end : last.start]
    unit = _tail(lead) if _NEWLINE.search(lead) else "  "
    unit = unit.removeprefix(_line_indent(text, root.start))
    return JsonLayout(newline, unit, ": " if _NEWLINE.search(colon) else colon)


def _first_newline(text: str) -> str:
    match = _NEWLINE.search(text)
    return match[0] if match else "\n"


def _lead(text: str, container: JsonNode, index: int) -> str:
    """Return the blanks before a child, from the comma or bracket on."""
    children = container.children
    index %= len(children)
    if index == 0:
        return text[container.start + 1 : children[0].member_start]
    before = text[children[index - 1].end : children[index].member_start]
    return before[before.index(",") + 1 :]


def _tail(blanks: str) -> str:
    """Return the text behind the last line break."""
    return _NEWLINE.split(blanks)[-1]


def _line_indent(text: str, at: int) -> str:
    line = _tail(text[:at])
    return line[: len(line) - len(line.lstrip(" \t"))]


def _indent(text: str, container: JsonNode, child: JsonNode) -> str | None:
    """Return the indentation of the children; None if they are on one line."""
    lead = _lead(text, container, container.children.index(child))
    if _NEWLINE.search(lead):
        return _tail(lead)
    if _NEWLINE.search(text, child.start, child.end):  # such as [{ ... }]
        return _line_indent(text, child.end)
    return None


def _add(text: str, root: JsonNode, container: JsonNode, key: str, value: Any) -> str:
    """Return the text with one more child at the end of a container."""
    layout = _detect_layout(text, root)
    if not container.children:
        is_multiline = not root.children or _NEWLINE.search(text, root.start, root.end)
        return _fill(text, container, layout, key, value, bool(is_multiline))
    last = container.children[-1]
    lead, indent = _lead(text, container, -1), _indent(text, container, last)
    if not _NEWLINE.search(lead) and len(container.children) == 1:
        lead = layout.gap  # blanks behind a bracket differ from those behind a comma
    child = _render_child(key, value, layout, indent)
    return text[: last.end] + "," + lead + child + text[last.end :]


def _fill(
    text: str, container: JsonNode, layout: JsonLayout, key: str, value: Any, is_multiline: bool
) -> str:
    """Add a child to an empty container, with the mark that it was empty (`_blanks_before`)."""
    start, end = container.start + 1, container.end - 1
    blanks = text[start:end]
    if not is_multiline:
        return text[:start] + blanks + " " + _render_child(key, value, layout, None) + text[end:]
    outer = _line_indent(text, container.start)
    indent = outer + layout.indent_unit
    before = blanks + layout.newline * 2 + indent
    child = _render_child(key, value, layout, indent)
    return text[:start] + before + child + layout.newline + outer + text[end:]


def _render_child(key: str, value: Any, layout: JsonLayout, indent: str | None) -> str:
    rendered = _render(value, layout, indent)
    return json.dumps(key) + layout.colon + rendered if key else rendered


def _render(value: Any, layout: JsonLayout, indent: str | None) -> str:
    """Return `value` as JSON, on one line where `indent` is None."""
    if indent is None:
        return json.dumps(value, separators=("," + layout.gap, layout.colon))
    text = json.dumps(value, indent=layout.indent_unit, separators=(",", layout.colon))
    return text.replace("\n", layout.newline + indent)


# --- removing ---


def remove_hooks(text: str) -> str:
    """Return the settings text without our hooks: the text before `add_hooks`, byte by byte.

    Other changes since then stay.  An empty result means that `add_hooks` created the file.
    Raises InvalidSettings.
    """
    mark, body = _split(text)
    return mark + _remove_unwanted(body, {})


def _remove_unwanted(text: str, wanted: HookGroups) -> str:
    """Remove the hooks of agent-memory that are not in `wanted` or are doubled, the last first."""
    while unwanted := _find_unwanted(text, wanted):
        text = _remove_entry(text, unwanted[-1])
    return text


def _find_unwanted(text: str, wanted: HookGroups) -> list[HookEntry]:
    missing = {event: list(groups) for event, groups in wanted.items()}
    unwanted = []
    for entry in find_entries(text):
        groups = missing.get(entry.event, [])
        group = next((group for group in groups if entry.is_of(group)), None)
        if group is None:
            unwanted.append(entry)
        else:
            groups.remove(group)
    return unwanted


def _remove_entry(text: str, entry: HookEntry) -> str:
    if len(entry.siblings.children) > 1:
        return _cut(text, entry.siblings, entry.hook)
    child = entry.group
    for container in reversed(entry.containers):
        if len(container.children) > 1:
            return _cut(text, container, child)
        blanks = _blanks_before(text, container)
        if blanks is not None:
            return text[: container.start + 1] + blanks + text[container.end - 1 :]
        child = container
    return _remove_root(text, child)


def _cut(text: str, container: JsonNode, child: JsonNode) -> str:
    """Remove one of several children, with the comma that joined it."""
    index = container.children.index(child)
    if index:
        return text[: container.children[index - 1].end] + text[child.end :]
    return text[: child.member_start] + text[container.children[1].member_start :]


def _blanks_before(text: str, container: JsonNode) -> str | None:
    """Return the blanks of a container that was empty before; None if `add_hooks` made it.

    `_fill` leaves one line break, or on one line one blank, more than `_render`.
    """
    lead = _lead(text, container, 0)
    if not _NEWLINE.search(lead):
        return lead[:-1] if lead else None
    newline = _first_newline(text)
    unindented = lead.rstrip(" \t")
    if not unindented.endswith(newline * 2):
        return None
    return unindented.removesuffix(newline * 2)


def _remove_root(text: str, root: JsonNode) -> str:
    """Return the text of a file that contains nothing except our hooks, without them."""
    newline = _first_newline(text)
    is_new_file = _lead(text, root, 0) == newline + "  " and root.start == 0
    if is_new_file and text.startswith(newline, root.end):
        return text[root.end + len(newline) :]
    return text[: root.start] + "{}" + text[root.end :]
