"""Our hooks in someone's settings.json: put in and taken out, every other byte kept.

    settings.json --scan--> positions --merge--> the same text with our entries
                                      --unmerge> the text as it was before

The standard parser forgets where a value stood, so there is a small scanner here
that remembers; tests hold it to the standard parser's verdicts and values.

How `unmerge` knows what to take away:

- an entry is ours when its command begins with `agent_memory=`, in whatever version;
- a container that we made is removed once nothing is left in it; one that stood
  empty before (`"hooks": {}`) is told by the blank line, or in a one-line file by
  the blank, that `merge` leaves behind its opening bracket, and is left empty again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from memory_core import fastjson

# What every command of ours begins with.  A shell variable, not a comment, because
# the command needs it anyway; nobody else's hook sets a variable of this name first.
TAG = "agent_memory="

# Claude Code up to 2.1.100 drops all hooks of a file that names an event it does not
# know, so these go only where the client is known to be new enough: SubagentStart by
# its changelog, PostToolUseFailure seen in 2.0.76 and missing in 2.0.30.
FIRST_VERSION = {"SubagentStart": (2, 0, 43), "PostToolUseFailure": (2, 0, 76)}

BYTE_ORDER_MARK = "\ufeff"
BLANKS = " \t\n\r"

_BLANK = re.compile(r"[ \t\n\r]*")
_NEWLINE = re.compile(r"\r\n|\n|\r")
_STRING_BODY = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_NAME = re.compile(r"true|false|null")
_COMMENT = re.compile(r"//|/\*|#")
_PLACEHOLDER = re.compile(r"\{command:(\w+)\}")

Version = tuple[int, ...]
# event -> the one group that we have there: {"matcher": ..., "hooks": [one hook]}
Block = dict[str, dict[str, Any]]


class Refused(ValueError):
    """A settings file that is left alone: where the reader stumbled, and over what."""

    def __init__(self, text: str, at: int, what: str) -> None:
        lines = _NEWLINE.split(text[:at])
        self.line = len(lines)
        self.column = len(lines[-1].removeprefix(BYTE_ORDER_MARK)) + 1
        super().__init__(f"line {self.line}, column {self.column}: {what}")


# --- what we want to stand there ---


def command(hook: str) -> str:
    """Return the shell command that runs one of our hooks.

    It is committed with the project, so it names no one's home directory, and says
    nothing and succeeds where agent-memory is not installed.  Both files are looked
    for: Python ends with status 2 when its script is missing, and for Claude Code
    that is a veto.  `exec` hands the process, and its signals, to Python.
    """
    return (
        f'{TAG}"${{XDG_DATA_HOME:-$HOME/.local/share}}/agent-memory/venv";'
        f' if [ -x "$agent_memory/bin/python" ] && [ -r "$agent_memory/hooks/{hook}.py" ];'
        f' then exec "$agent_memory/bin/python" -I -S "$agent_memory/hooks/{hook}.py"; fi'
    )


def block(template: str, version: Version | None = None) -> Block:
    """Return our hooks for this version of Claude Code; None is a current one."""
    hooks: dict[str, list[Any]] = fastjson.loads(template)["hooks"]
    return {
        event: _filled(groups[0])
        for event, groups in hooks.items()
        if version is None or version >= FIRST_VERSION.get(event, ())
    }


def _filled(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _filled(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_filled(inner) for inner in value]
    if isinstance(value, str) and (placeholder := _PLACEHOLDER.fullmatch(value)):
        return command(placeholder[1])
    return value


# --- JSON with positions ---


class Node(NamedTuple):
    """A value of the text: text[start:end], with the key before it where it has one."""

    kind: str  # object, array, string, number, name
    start: int
    end: int
    children: list[Node]
    key: str = ""
    outer: int = 0  # where the member begins: at its key, or at start
    key_end: int = 0


def scan(text: str) -> Node:
    """Return the tree of one JSON text, or raise Refused."""
    try:
        root = _value(text, _skip(text, 0))
    except RecursionError:
        raise Refused(text, 0, "nested too deeply") from None
    end = _skip(text, root.end)
    if end < len(text):
        raise _stumble(text, end, "the end of the file")
    return root


def _skip(text: str, at: int) -> int:
    match = _BLANK.match(text, at)
    return match.end() if match else at


def _value(text: str, at: int) -> Node:
    opening = text[at : at + 1]
    if opening == "{":
        return _container(text, at, "object", "}")
    if opening == "[":
        return _container(text, at, "array", "]")
    if opening == '"':
        return Node("string", at, _string(text, at), [], outer=at)
    for kind, pattern in (("number", _NUMBER), ("name", _NAME)):
        if match := pattern.match(text, at):
            return Node(kind, at, match.end(), [], outer=at)
    raise _stumble(text, at, "a value")


def _container(text: str, start: int, kind: str, closing: str) -> Node:
    children: list[Node] = []
    at = _skip(text, start + 1)
    while text[at : at + 1] != closing:
        if children:
            at = _next_child(text, at, closing)
        children.append(_member(text, at) if kind == "object" else _value(text, at))
        at = _skip(text, children[-1].end)
    return Node(kind, start, at + 1, children, outer=start)


def _next_child(text: str, at: int, closing: str) -> int:
    """Step over the comma between two children."""
    if text[at : at + 1] != ",":
        raise _stumble(text, at, f'"," or "{closing}"')
    comma, at = at, _skip(text, at + 1)
    if text[at : at + 1] == closing:
        raise Refused(text, comma, f'a comma with nothing between it and the "{closing}"')
    return at


def _member(text: str, at: int) -> Node:
    if text[at : at + 1] != '"':
        raise _stumble(text, at, 'a name in double quotes or "}"')
    key_end = _string(text, at)
    colon = _skip(text, key_end)
    if text[colon : colon + 1] != ":":
        raise _stumble(text, colon, '":"')
    value = _value(text, _skip(text, colon + 1))
    return value._replace(key=fastjson.loads(text[at:key_end]), outer=at, key_end=key_end)


def _string(text: str, start: int) -> int:
    """Return where the string that begins at `start` ends."""
    match = _STRING_BODY.match(text, start)
    end = match.end() if match else start
    stopper = text[end : end + 1]
    if stopper == '"':
        return end + 1
    if stopper == "\\":
        raise Refused(text, end, "a backslash that begins no escape")
    if stopper:
        raise Refused(text, end, "a line break or control character inside a string")
    raise Refused(text, start, "a string that does not end")


def _stumble(text: str, at: int, expected: str) -> Refused:
    if at >= len(text):
        return Refused(text, at, f"the file ends where {expected} should be")
    if _COMMENT.match(text, at):
        return Refused(text, at, "a comment, which JSON does not have")
    return Refused(text, at, f"expected {expected}, found {text[at]!r}")


# --- our entries in the tree ---


class Entry(NamedTuple):
    """A hook of ours as it stands in a settings file, with the containers around it."""

    event: str
    value: dict[str, Any]
    matcher: str | None
    around: tuple[Node, Node, Node]  # the root, "hooks", the event
    group: Node
    siblings: Node
    hook: Node

    @property
    def alone(self) -> bool:
        """Whether the group holds this hook only."""
        return len(self.siblings.children) == 1


def entries(text: str) -> list[Entry]:
    """Return our hooks in a settings text, in the order in which they stand."""
    body = text.removeprefix(BYTE_ORDER_MARK)
    return list(_entries(body, scan(body))) if body.strip(BLANKS) else []


def _entries(text: str, root: Node) -> Iterator[Entry]:
    for hooks in _members(root, "hooks"):
        for event in _members(hooks):
            for group in _elements(event):
                yield from _entries_of(text, (root, hooks, event), group)


def _entries_of(text: str, around: tuple[Node, Node, Node], group: Node) -> Iterator[Entry]:
    siblings = _last(group, "hooks")
    if siblings is None:
        return
    for hook in _elements(siblings):
        value = fastjson.loads(text[hook.start : hook.end])
        if is_ours(value):
            matcher = fastjson.loads(text[group.start : group.end]).get("matcher")
            yield Entry(around[2].key, value, matcher, around, group, siblings, hook)


def _members(node: Node, key: str | None = None) -> list[Node]:
    if node.kind != "object":
        return []
    return [child for child in node.children if key is None or child.key == key]


def _elements(node: Node) -> list[Node]:
    return node.children if node.kind == "array" else []


def is_ours(hook: Any) -> bool:
    """Say whether a hook is ours: by its command or, in the exec form, that of its shell."""
    if not isinstance(hook, dict):
        return False
    arguments = hook.get("args")
    told = [hook.get("command", ""), *(arguments if isinstance(arguments, list) else [])]
    return any(str(part).startswith(TAG) for part in told)


# --- in ---


def merge(text: str, wanted: Block) -> str:
    """Return the settings text with our hooks in it, each once, as `wanted`.

    What is there already and right keeps its bytes, whatever its layout; what an
    older version wrote is replaced where it stands.  Raises Refused.
    """
    mark, body = _split(text)
    if not body.strip(BLANKS):
        return mark + _new_file(wanted, _first_newline(body)) + body
    for event, group in wanted.items():
        body = _put(body, event, group)
    return mark + _take(body, lambda entry: entry.event not in wanted)


def _split(text: str) -> tuple[str, str]:
    length = len(text) - len(text.removeprefix(BYTE_ORDER_MARK))
    return text[:length], text[length:]


def _new_file(wanted: Block, newline: str) -> str:
    hooks = {event: [group] for event, group in wanted.items()}
    return _render({"hooks": hooks}, Style(newline, "  ", ": ", True), "") + newline


def _put(text: str, event: str, group: dict[str, Any]) -> str:
    root = _expect(text, scan(text), "object", "the settings")
    hooks = _last(root, "hooks")
    if hooks is None:
        return _add(text, root, root, "hooks", {event: [group]})
    _expect(text, hooks, "object", '"hooks"')
    groups = _last(hooks, event)
    if groups is None:
        return _add(text, root, hooks, event, [group])
    _expect(text, groups, "array", f'"{event}"')
    ours = [entry for entry in _entries(text, root) if entry.around[2].start == groups.start]
    if not ours:
        return _add(text, root, groups, "", group)
    if len(ours) == 1 and _is_right(ours[0], group):
        return text
    if len(ours) == 1 and ours[0].alone:
        return _replace(text, ours[0], group)
    return _put(_without(text, _superfluous(ours)), event, group)


def _superfluous(ours: list[Entry]) -> Entry:
    """Return the entry to go first, so that one with a group of its own is left, if any."""
    stays = next((entry for entry in ours if entry.alone), None)
    return [entry for entry in ours if entry is not stays][-1]


def _replace(text: str, entry: Entry, group: dict[str, Any]) -> str:
    root, _hooks, groups = entry.around
    indent = _indent(text, groups, entry.group)
    rendered = _render(group, _style(text, root), indent)
    return text[: entry.group.start] + rendered + text[entry.group.end :]


def _is_right(entry: Entry, group: dict[str, Any]) -> bool:
    return entry.value == group["hooks"][0] and entry.matcher == group.get("matcher")


def _last(node: Node, key: str) -> Node | None:
    """Return the member that counts: of several of the same name, JSON readers take the last."""
    return next(reversed(_members(node, key)), None)


def _expect(text: str, node: Node, kind: str, name: str) -> Node:
    if node.kind == kind:
        return node
    bracket = "{...}" if kind == "object" else "[...]"
    raise Refused(text, node.start, f"{name} should be an {kind} {bracket}, but is not")


# --- layout ---


class Style(NamedTuple):
    """How a file is laid out, as far as we add to it."""

    newline: str
    unit: str
    colon: str
    is_open: bool  # on several lines

    @property
    def gap(self) -> str:
        return " " if self.colon.endswith(" ") else ""


def _style(text: str, root: Node) -> Style:
    newline = _first_newline(text)
    if not root.children:
        return Style(newline, "  ", ": ", True)
    last, lead = root.children[-1], _lead(text, root, -1)
    colon = text[last.key_end : last.start]
    is_open = bool(_NEWLINE.search(text, root.start, root.end))
    unit = _tail(lead) if _NEWLINE.search(lead) else "  "
    outer = _line_indent(text, root.start)
    unit = unit[len(outer) :] if unit.startswith(outer) else unit
    return Style(newline, unit, ": " if _NEWLINE.search(colon) else colon, is_open)


def _first_newline(text: str) -> str:
    match = _NEWLINE.search(text)
    return match[0] if match else "\n"


def _lead(text: str, container: Node, index: int) -> str:
    """Return the blanks before a child, from the comma or bracket on."""
    children = container.children
    index %= len(children)
    if index == 0:
        return text[container.start + 1 : children[0].outer]
    before = text[children[index - 1].end : children[index].outer]
    return before[before.index(",") + 1 :]


def _tail(blanks: str) -> str:
    """Return what stands behind the last line break."""
    return _NEWLINE.split(blanks)[-1]


def _line_indent(text: str, at: int) -> str:
    line = _tail(text[:at])
    return line[: len(line) - len(line.lstrip(" \t"))]


def _indent(text: str, container: Node, child: Node) -> str | None:
    """Return the indentation of a child and its like; None where they stand on one line."""
    lead = _lead(text, container, container.children.index(child))
    if _NEWLINE.search(lead):
        return _tail(lead)
    if _NEWLINE.search(text, child.start, child.end):  # such as [{ ... }]
        return _line_indent(text, child.end)
    return None


def _add(text: str, root: Node, container: Node, key: str, value: Any) -> str:
    """Return the text with one more child at the end of a container."""
    style = _style(text, root)
    if not container.children:
        return _fill(text, container, style, key, value)
    last = container.children[-1]
    lead, indent = _lead(text, container, -1), _indent(text, container, last)
    if not _NEWLINE.search(lead) and len(container.children) == 1:
        lead = style.gap  # what stands behind a bracket is not what stands behind a comma
    child = _child(key, value, style, indent)
    return text[: last.end] + "," + lead + child + text[last.end :]


def _fill(text: str, container: Node, style: Style, key: str, value: Any) -> str:
    """Fill a container that stood empty, leaving the sign that it did: see `_blanks_before`."""
    start, end = container.start + 1, container.end - 1
    blanks = text[start:end]
    if not (style.is_open or _NEWLINE.search(blanks)):
        return text[:start] + blanks + " " + _child(key, value, style, None) + text[end:]
    outer = _line_indent(text, container.start)
    indent = outer + style.unit
    child = _child(key, value, style._replace(is_open=True), indent)
    before = blanks + style.newline * 2 + indent
    return text[:start] + before + child + style.newline + outer + text[end:]


def _child(key: str, value: Any, style: Style, indent: str | None) -> str:
    rendered = _render(value, style, indent)
    return fastjson.dumps(key) + style.colon + rendered if key else rendered


def _render(value: Any, style: Style, indent: str | None) -> str:
    """Return `value` as JSON, on one line where `indent` is None."""
    if not isinstance(value, dict | list):
        import json  # which is dear, and not needed to read

        return json.dumps(value, ensure_ascii=False)
    inner = None if indent is None else indent + style.unit
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


# --- out ---


def unmerge(text: str) -> str:
    """Return the settings text without our hooks; the very text that `merge` was given.

    That holds when nothing else has changed since, and otherwise for all the rest.
    An empty result is a file that we had made.  Raises Refused.
    """
    mark, body = _split(text)
    return mark + _take(body, lambda _entry: True) if body.strip(BLANKS) else text


def _take(text: str, is_unwanted: Callable[[Entry], bool]) -> str:
    """Remove our entries that are unwanted, the last one first."""
    while unwanted := [entry for entry in entries(text) if is_unwanted(entry)]:
        text = _without(text, unwanted[-1])
    return text


def _without(text: str, entry: Entry) -> str:
    if not entry.alone:
        return _cut(text, entry.siblings, entry.hook)
    child = entry.group
    for container in reversed(entry.around):
        if len(container.children) > 1:
            return _cut(text, container, child)
        blanks = _blanks_before(text, container)
        if blanks is not None:
            return text[: container.start + 1] + blanks + text[container.end - 1 :]
        child = container
    return _without_root(text, child)


def _cut(text: str, container: Node, child: Node) -> str:
    """Remove one of several children, with the comma that joined it."""
    index = container.children.index(child)
    if index:
        return text[: container.children[index - 1].end] + text[child.end :]
    return text[: child.outer] + text[container.children[1].outer :]


def _blanks_before(text: str, container: Node) -> str | None:
    """Return what a container held when it stood empty before us; None if we made it.

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


def _without_root(text: str, root: Node) -> str:
    """Return what is left when the file held nothing but our hooks."""
    newline = _first_newline(text)
    is_new_file = _lead(text, root, 0) == newline + "  " and root.start == 0
    if is_new_file and text.startswith(newline, root.end):
        return text[root.end + len(newline) :]
    return text[: root.start] + "{}" + text[root.end :]
