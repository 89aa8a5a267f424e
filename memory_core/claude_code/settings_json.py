"""Add the hooks of agent-memory to a settings.json and remove them; other bytes stay the same.

    settings.json -> parse_json -> positions -> add_hooks    -> the text with our hooks
                                             -> remove_hooks -> the original text

The standard parser does not return positions, so this module has a small parser that does;
tests compare its verdicts and values with the standard one.

How `remove_hooks` decides what to remove:

- a hook whose command begins with `agent_memory=`, of any version;
- a container that is empty then, unless it was empty before (`"hooks": {}`): `add_hooks` marks
  such a container by a blank line behind its opening bracket, or a blank in a one-line file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

# Every command of agent-memory begins with this shell variable, which it needs anyway.
COMMAND_PREFIX = "agent_memory="

# Claude Code up to 2.1.100 ignores all hooks of a file with an unknown event.  So these events
# are only written for clients that have them: SubagentStart by the changelog, PostToolUseFailure
# seen in 2.0.76 and missing in 2.0.30.
MIN_VERSIONS = {"SubagentStart": (2, 0, 43), "PostToolUseFailure": (2, 0, 76)}

BYTE_ORDER_MARK = "\ufeff"
WHITESPACE = " \t\n\r"

_BLANK = re.compile(r"[ \t\n\r]*")
_NEWLINE = re.compile(r"\r\n|\n|\r")
_STRING_BODY = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_NAME = re.compile(r"true|false|null")
_COMMENT = re.compile(r"//|/\*|#")
_PLACEHOLDER = re.compile(r"\{command:(\w+)\}")

Version = tuple[int, ...]
# event -> the one group that we have there: {"matcher": ..., "hooks": [one hook]}
HookGroups = dict[str, dict[str, Any]]


class InvalidSettings(ValueError):
    """A settings file that cannot be changed; the message has line, column and reason."""

    def __init__(self, text: str, at: int, what: str) -> None:
        lines = _NEWLINE.split(text[:at])
        self.line = len(lines)
        self.column = len(lines[-1].removeprefix(BYTE_ORDER_MARK)) + 1
        super().__init__(f"line {self.line}, column {self.column}: {what}")


# --- the hooks ---


def build_command(hook: str) -> str:
    """Return the shell command that runs one of our hooks.

    It is committed with the project, so it contains no absolute home path, and succeeds
    silently if agent-memory is not installed.  It checks both files, because Python exits with
    status 2 if its script is missing, which blocks the tool call.  `exec` lets Claude Code send
    its signals to Python.
    """
    return (
        f'{COMMAND_PREFIX}"${{XDG_DATA_HOME:-$HOME/.local/share}}/agent-memory/venv";'
        f' if [ -x "$agent_memory/bin/python" ] && [ -r "$agent_memory/hooks/{hook}.py" ];'
        f' then exec "$agent_memory/bin/python" -I -S "$agent_memory/hooks/{hook}.py"; fi'
    )


def build_hooks(template: str, version: Version | None = None) -> HookGroups:
    """Return the hooks for a version of Claude Code; None means a current one."""
    hooks: dict[str, list[Any]] = json.loads(template)["hooks"]
    return {
        event: _fill_in(groups[0])
        for event, groups in hooks.items()
        if version is None or version >= MIN_VERSIONS.get(event, ())
    }


def _fill_in(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _fill_in(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_fill_in(inner) for inner in value]
    if isinstance(value, str) and (placeholder := _PLACEHOLDER.fullmatch(value)):
        return build_command(placeholder[1])
    return value


# --- JSON with positions ---


class JsonNode(NamedTuple):
    """A value of the text: text[start:end], with the key before it where it has one."""

    kind: str  # object, array, string, number, name
    start: int
    end: int
    children: list[JsonNode]
    key: str = ""
    member_start: int = 0  # where the member begins: at its key, or at start
    key_end: int = 0


def parse_json(text: str) -> JsonNode:
    """Return the tree of one JSON text; raises InvalidSettings."""
    try:
        root = _value(text, _skip(text, 0))
    except RecursionError:
        raise InvalidSettings(text, 0, "nested too deeply") from None
    end = _skip(text, root.end)
    if end < len(text):
        raise _stumble(text, end, "the end of the file")
    return root


def _skip(text: str, at: int) -> int:
    match = _BLANK.match(text, at)
    return match.end() if match else at


def _value(text: str, at: int) -> JsonNode:
    opening = text[at : at + 1]
    if opening == "{":
        return _container(text, at, "object", "}")
    if opening == "[":
        return _container(text, at, "array", "]")
    if opening == '"':
        return JsonNode("string", at, _string(text, at), [], member_start=at)
    for kind, pattern in (("number", _NUMBER), ("name", _NAME)):
        if match := pattern.match(text, at):
            return JsonNode(kind, at, match.end(), [], member_start=at)
    raise _stumble(text, at, "a value")


def _container(text: str, start: int, kind: str, closing: str) -> JsonNode:
    children: list[JsonNode] = []
    at = _skip(text, start + 1)
    while text[at : at + 1] != closing:
        if children:
            at = _next_child(text, at, closing)
        children.append(_member(text, at) if kind == "object" else _value(text, at))
        at = _skip(text, children[-1].end)
    return JsonNode(kind, start, at + 1, children, member_start=start)


def _next_child(text: str, at: int, closing: str) -> int:
    """Step over the comma between two children."""
    if text[at : at + 1] != ",":
        raise _stumble(text, at, f'"," or "{closing}"')
    comma, at = at, _skip(text, at + 1)
    if text[at : at + 1] == closing:
        raise InvalidSettings(text, comma, f'a comma with nothing between it and the "{closing}"')
    return at


def _member(text: str, at: int) -> JsonNode:
    if text[at : at + 1] != '"':
        raise _stumble(text, at, 'a name in double quotes or "}"')
    key_end = _string(text, at)
    colon = _skip(text, key_end)
    if text[colon : colon + 1] != ":":
        raise _stumble(text, colon, '":"')
    value = _value(text, _skip(text, colon + 1))
    return value._replace(key=json.loads(text[at:key_end]), member_start=at, key_end=key_end)


def _string(text: str, start: int) -> int:
    """Return where the string that begins at `start` ends."""
    match = _STRING_BODY.match(text, start)
    end = match.end() if match else start
    stopper = text[end : end + 1]
    if stopper == '"':
        return end + 1
    if stopper == "\\":
        raise InvalidSettings(text, end, "a backslash that begins no escape")
    if stopper:
        raise InvalidSettings(text, end, "a line break or control character inside a string")
    raise InvalidSettings(text, start, "a string that does not end")


def _stumble(text: str, at: int, expected: str) -> InvalidSettings:
    if at >= len(text):
        return InvalidSettings(text, at, f"the file ends where {expected} should be")
    if _COMMENT.match(text, at):
        return InvalidSettings(text, at, "a comment, which JSON does not have")
    return InvalidSettings(text, at, f"expected {expected}, found {text[at]!r}")


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

    @property
    def is_alone(self) -> bool:
        """Whether the group holds this hook only."""
        return len(self.siblings.children) == 1


def find_entries(text: str) -> list[HookEntry]:
    """Return the hooks of agent-memory in a settings text, in their order."""
    body = text.removeprefix(BYTE_ORDER_MARK)
    return list(_entries(body, parse_json(body))) if body.strip(WHITESPACE) else []


def _entries(text: str, root: JsonNode) -> Iterator[HookEntry]:
    for hooks in _members(root, "hooks"):
        for event in _members(hooks):
            for group in _elements(event):
                yield from _entries_of(text, (root, hooks, event), group)


def _entries_of(
    text: str, around: tuple[JsonNode, JsonNode, JsonNode], group: JsonNode
) -> Iterator[HookEntry]:
    siblings = _last(group, "hooks")
    if siblings is None:
        return
    for hook in _elements(siblings):
        value = json.loads(text[hook.start : hook.end])
        if is_own_hook(value):
            matcher = json.loads(text[group.start : group.end]).get("matcher")
            yield HookEntry(around[2].key, value, matcher, around, group, siblings, hook)


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

    A hook that is already right keeps its bytes and layout; a hook of an older version is
    replaced at its place.  Raises InvalidSettings.
    """
    mark, body = _split(text)
    if not body.strip(WHITESPACE):
        return mark + _new_file(wanted, _first_newline(body)) + body
    for event, group in wanted.items():
        body = _put(body, event, group)
    return mark + _remove_unwanted(body, lambda entry: entry.event not in wanted)


def _split(text: str) -> tuple[str, str]:
    length = len(text) - len(text.removeprefix(BYTE_ORDER_MARK))
    return text[:length], text[length:]


def _new_file(wanted: HookGroups, newline: str) -> str:
    hooks = {event: [group] for event, group in wanted.items()}
    return _render({"hooks": hooks}, JsonLayout(newline, "  ", ": ", True), "") + newline


def _put(text: str, event: str, group: dict[str, Any]) -> str:
    root = _expect(text, parse_json(text), "object", "the settings")
    hooks = _last(root, "hooks")
    if hooks is None:
        return _add(text, root, root, "hooks", {event: [group]})
    _expect(text, hooks, "object", '"hooks"')
    groups = _last(hooks, event)
    if groups is None:
        return _add(text, root, hooks, event, [group])
    _expect(text, groups, "array", f'"{event}"')
    ours = [entry for entry in _entries(text, root) if entry.containers[2].start == groups.start]
    if not ours:
        return _add(text, root, groups, "", group)
    if len(ours) == 1 and _is_right(ours[0], group):
        return text
    if len(ours) == 1 and ours[0].is_alone:
        return _replace(text, ours[0], group)
    return _put(_remove_entry(text, _superfluous(ours)), event, group)


def _superfluous(ours: list[HookEntry]) -> HookEntry:
    """Return the entry to remove first; one that is alone in its group stays last."""
    stays = next((entry for entry in ours if entry.is_alone), None)
    return [entry for entry in ours if entry is not stays][-1]


def _replace(text: str, entry: HookEntry, group: dict[str, Any]) -> str:
    root, _hooks, groups = entry.containers
    indent = _indent(text, groups, entry.group)
    rendered = _render(group, _style(text, root), indent)
    return text[: entry.group.start] + rendered + text[entry.group.end :]


def _is_right(entry: HookEntry, group: dict[str, Any]) -> bool:
    return entry.value == group["hooks"][0] and entry.matcher == group.get("matcher")


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
    is_multiline: bool  # on several lines

    @property
    def gap(self) -> str:
        return " " if self.colon.endswith(" ") else ""


def _style(text: str, root: JsonNode) -> JsonLayout:
    newline = _first_newline(text)
    if not root.children:
        return JsonLayout(newline, "  ", ": ", True)
    last, lead = root.children[-1], _lead(text, root, -1)
    colon = text[last.key_end : last.start]
    is_open = bool(_NEWLINE.search(text, root.start, root.end))
    unit = _tail(lead) if _NEWLINE.search(lead) else "  "
    outer = _line_indent(text, root.start)
    unit = unit[len(outer) :] if unit.startswith(outer) else unit
    return JsonLayout(newline, unit, ": " if _NEWLINE.search(colon) else colon, is_open)


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
    style = _style(text, root)
    if not container.children:
        return _fill(text, container, style, key, value)
    last = container.children[-1]
    lead, indent = _lead(text, container, -1), _indent(text, container, last)
    if not _NEWLINE.search(lead) and len(container.children) == 1:
        lead = style.gap  # blanks behind a bracket differ from those behind a comma
    child = _child(key, value, style, indent)
    return text[: last.end] + "," + lead + child + text[last.end :]


def _fill(text: str, container: JsonNode, style: JsonLayout, key: str, value: Any) -> str:
    """Add a child to an empty container, with the mark that it was empty (`_blanks_before`)."""
    start, end = container.start + 1, container.end - 1
    blanks = text[start:end]
    if not (style.is_multiline or _NEWLINE.search(blanks)):
        return text[:start] + blanks + " " + _child(key, value, style, None) + text[end:]
    outer = _line_indent(text, container.start)
    indent = outer + style.indent_unit
    child = _child(key, value, style._replace(is_multiline=True), indent)
    before = blanks + style.newline * 2 + indent
    return text[:start] + before + child + style.newline + outer + text[end:]


def _child(key: str, value: Any, style: JsonLayout, indent: str | None) -> str:
    rendered = _render(value, style, indent)
    return json.dumps(key) + style.colon + rendered if key else rendered


def _render(value: Any, style: JsonLayout, indent: str | None) -> str:
    """Return `value` as JSON, on one line where `indent` is None."""
    if not isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    inner = None if indent is None else indent + style.indent_unit
    if isinstance(value, dict):
        opening, closing = "{}"
        children = [_child(key, child, style, inner) for key, child in value.items()]
    else:
        opening, closing = "[]"
        children = [_render(child, style, inner) for child in value]
    if inner is None:
        return opening + ("," + style.gap).join(children) + closing
    new_line = style.newline + inner
    return (
        opening + new_line + ("," + new_line).join(children) + f"{style.newline}{indent}{closing}"
    )


# --- removing ---


def remove_hooks(text: str) -> str:
    """Return the settings text without our hooks: the text before `add_hooks`, byte by byte.

    Other changes since then stay.  An empty result means that `add_hooks` created the file.
    Raises InvalidSettings.
    """
    mark, body = _split(text)
    return mark + _remove_unwanted(body, lambda _entry: True) if body.strip(WHITESPACE) else text


def _remove_unwanted(text: str, is_unwanted: Callable[[HookEntry], bool]) -> str:
    """Remove the unwanted hooks of agent-memory, the last one first."""
    while unwanted := [entry for entry in find_entries(text) if is_unwanted(entry)]:
        text = _remove_entry(text, unwanted[-1])
    return text


def _remove_entry(text: str, entry: HookEntry) -> str:
    if not entry.is_alone:
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
