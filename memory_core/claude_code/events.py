"""Read Claude Code's events: the only module that knows the names of their fields.

Transcripts have other fields; `transcripts` and `transcript_ends` know those.

An event is the dict that a hook reads as JSON from stdin.  `validate` checks its shape once;
after that every other function may index it directly.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Event = dict[str, Any]

DELEGATION_TOOLS = ("Agent", "Task")  # one tool: Task up to 2.1.62, Agent from 2.1.63
HANDBACK_TOOL = "SubagentHandback"  # auto mode's way to report, from 2.1.267
SHELL_TOOL = "Bash"
BACKLOG_PREFIX = "mcp__backlog__"  # how the names of Backlog.md's own MCP tools begin

# What runs when a delegation names no agent (seen in all versions).
DEFAULT_AGENT = "general-purpose"

# Agents that serve the harness itself: they set up its display, not the project.
HARNESS_AGENTS = ("statusline-setup", "output-style-setup")

# How an agent that died of an API error reports, up to 2.1.198 as a normal result.
API_ERROR = "API Error"

# The fields that hooks read of events, as recorded in tests/events from Claude Code 2.0.30 to
# 2.1.329.  A field is a text or of the types in TYPES; one with "?" may be missing or null; behind
# a dot is a field of an object.  An event keeps all others: one of a later version loses nothing.

TYPES: dict[str, tuple[type, ...]] = {
    "tool_input": (dict,),
    "tool_response": (dict, list, str),
    "tool_response.content": (list, str),
    "tool_response.handbackReport": (dict,),
    "is_interrupt": (bool,),
}

# What every event has.  All of it may be missing in an event that a person pipes in.
COMMON = "hook_event_name? session_id? transcript_path? cwd? permission_mode? agent_id? agent_type?"
TOOL = f"{COMMON} tool_name tool_use_id?"

# A delegation: Task up to 2.1.62, Agent from 2.1.63.
CALL = f"{TOOL} tool_input tool_input.prompt tool_input.subagent_type?"

# Auto mode's report from 2.1.267, before and after it is handed back.
HANDBACK = f"{TOOL} tool_input tool_input.message"

# The answer of a delegation, its launch in the background, or the report of a forked skill.
RESPONSE = (
    "tool_response? tool_response.status? tool_response.agentId? tool_response.agentType?"
    " tool_response.content? tool_response.handbackReport? tool_response.handbackReport.text?"
    " tool_response.result?"
)
FAILURE = "error? is_interrupt?"

# Those of a response that have a text of the report: itself, in blocks, or as "text".
REPORT_FIELDS = ("content", "result", "handbackReport")

# Bash stands for each tool that may change tasks, also those of Backlog.md's MCP server.  A
# failure within an agent's run names the agent (not in 2.1.63); up to 2.0.76 SubagentStop has
# neither name nor text.
EVENTS = {
    "PreToolUse:Agent": CALL,
    "PreToolUse:SubagentHandback": HANDBACK,
    "PostToolUse:Agent": f"{CALL} {RESPONSE}",
    "PostToolUse:SubagentHandback": HANDBACK,
    "PostToolUse:Skill": f"{TOOL} {RESPONSE}",
    "PostToolUse:Bash": TOOL,
    "PostToolUseFailure:Agent": f"{CALL} {FAILURE}",
    "PostToolUseFailure:Bash": f"{TOOL} {FAILURE}",
    "SubagentStart": f"{COMMON} agent_id agent_type",
    "SubagentStop": f"{COMMON} agent_transcript_path? last_assistant_message?",
    "SessionStart": f"{COMMON} source?",
    "SessionEnd": COMMON,
}


class InvalidEvent(ValueError):
    """A field of an event is missing or has the wrong type; the message names it."""


def validate(value: object, assumed: str) -> Event | None:
    """Return the event, or None for an event that agent-memory does not use.

    `assumed` is the event's name if it has none itself.  Raises InvalidEvent.
    """
    if not isinstance(value, dict):
        raise InvalidEvent(f"an event is a JSON object, this is a {type(value).__name__}")
    name = value.get("hook_event_name") or assumed
    fields = EVENTS.get(_key(name, value))
    if fields is None:
        return None
    wrong = _find_problem(value, fields)
    if wrong:
        raise InvalidEvent(f"{name}: {wrong}")
    return value


def _key(name: object, value: Event) -> str:
    tool = value.get("tool_name")
    if not isinstance(tool, str) or not str(name).startswith(("PreTool", "PostTool")):
        return str(name)
    if tool in DELEGATION_TOOLS:
        return f"{name}:Agent"
    return f"{name}:Bash" if tool.startswith(BACKLOG_PREFIX) else f"{name}:{tool}"


def _find_problem(event: Event, fields: str) -> str:
    """Return the first problem of an event with its fields, "" if there is none."""
    for field in fields.split():
        path = field.removesuffix("?")
        value: Any = event
        *parents, name = path.split(".")
        for parent in parents:
            value = value.get(parent) if type(value) is dict else None
        if type(value) is not dict:
            continue  # an object that may be missing, or a text in its place
        item = value.get(name)
        is_absent = item is None and field != path
        if not is_absent and type(item) not in TYPES.get(path, (str,)):
            return f"{path} is {_kind(item) if name in value else 'missing'}"
    return ""


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "a string", type(None): "null"}
    return names.get(type(value), f"a {type(value).__name__}")


def name(event: Event, assumed: str) -> str:
    """Return the event's name, which the reply must repeat."""
    return str(event.get("hook_event_name") or assumed)


def is_delegation(event: Event) -> bool:
    return event.get("tool_name") in DELEGATION_TOOLS


def is_handback(event: Event) -> bool:
    return event.get("tool_name") == HANDBACK_TOOL


def may_change_tasks(event: Event) -> bool:
    """Check whether the tool is one that may change tasks."""
    tool = str(event.get("tool_name"))
    return tool == SHELL_TOOL or tool.startswith(BACKLOG_PREFIX)


def session(event: Event) -> str:
    return event.get("session_id") or ""


def tool_call_id(event: Event) -> str:
    """Return the id of the tool call, which pairs PreToolUse with PostToolUse."""
    return event.get("tool_use_id") or ""


def cwd(event: Event) -> str:
    return event.get("cwd") or ""


def transcript_path(event: Event) -> str:
    """Return the path of the main session's transcript."""
    return event.get("transcript_path") or ""


def start_reason(event: Event) -> str:
    """Return why a session starts: startup, resume, clear, compact or fork."""
    return event.get("source") or ""


def is_auto_mode(event: Event) -> bool:
    """Check whether Claude Code's auto mode judges the calls.

    Its verdict is on the call as the model wrote it: 2.1.329 refuses one whose
    input a hook changed afterwards, and shows the main agent the changed prompt.
    """
    return event.get("permission_mode") == "auto"


def prompt(event: Event) -> str:
    """Return the delegation's prompt; after the call this is the rewritten one."""
    return str(event["tool_input"]["prompt"])


def called_agent(event: Event) -> str:
    """Return the name of the agent that a delegation calls.

    The answer names it canonically from 2.1.84; before, and at the call, there
    is only what the model wrote.
    """
    answer = _response(event).get("agentType")
    return answer or event["tool_input"].get("subagent_type") or DEFAULT_AGENT


def called_run(event: Event) -> str:
    """Return the run of a PostToolUse."""
    return _response(event).get("agentId") or ""


def own_agent(event: Event) -> str:
    """Return the agent that a SubagentStart, SubagentStop or hand-back is about."""
    return event.get("agent_type") or ""


def own_run(event: Event) -> str:
    """Return the run that an event is about, or that delegates; "" for the main session."""
    return event.get("agent_id") or ""


def is_background_launch(event: Event) -> bool:
    """Check whether a PostToolUse only says that an agent was started in the background."""
    return _response(event).get("status") == "async_launched"


def error(event: Event) -> str:
    """Return why a delegation failed, from PostToolUseFailure or an error result."""
    if event.get("error"):
        return str(event["error"])
    texts = report_texts(event)
    return texts[0] if len(texts) == 1 and texts[0].startswith(API_ERROR) else ""


def _response(event: Event) -> dict[str, Any]:
    response = event.get("tool_response")
    return response if isinstance(response, dict) else {}


def report_texts(event: Event) -> list[str]:
    """Return the texts of an agent's report, without texts that it received."""
    if is_handback(event):
        return [event["tool_input"]["message"]]
    if "tool_name" not in event:
        text = event.get("last_assistant_message")
        return [text] if text else []
    response = _response(event)
    handed_back = (response.get("handbackReport") or {}).get("text")
    texts = [*list_texts(response.get("content")), response.get("result"), handed_back]
    return [text for text in texts if text]


def list_texts(content: object) -> list[str]:
    """Return the texts of content blocks; a form that a later version brings is skipped."""
    if isinstance(content, str):
        return [content]
    blocks = content if isinstance(content, list) else []
    texts = [block.get("text") for block in blocks if isinstance(block, dict)]
    return [text for text in texts if isinstance(text, str)]


def edit_report(event: Event, edit: Callable[[str], str]) -> dict[str, Any]:
    """Return a copy of tool_response with `edit` applied to each text of the report."""
    response = _response(event)
    edited = {name: _edit(response[name], edit) for name in REPORT_FIELDS if name in response}
    return {**response, **edited}


def _edit(value: Any, edit: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return edit(value)
    if isinstance(value, list):
        return [_edit(one, edit) if isinstance(one, dict) else one for one in value]
    is_text = isinstance(value, dict) and isinstance(value.get("text"), str)
    return {**value, "text": edit(value["text"])} if is_text else value


def reply_input(event: Event, **changed: str) -> dict[str, Any]:
    """Reply to PreToolUse: the whole tool input with some fields changed.

    A part of the input would replace the whole (seen 2.0.30 to 2.1.329).  There
    is no permissionDecision: "allow" would override the user's ask rules and,
    in auto mode, skip the safety check of the delegation.
    """
    return _reply("PreToolUse", updatedInput={**event["tool_input"], **changed})


def reply_context(event_name: str, text: str) -> dict[str, Any]:
    """Reply to SubagentStart or SessionStart with text for the agent or session that starts."""
    return _reply(event_name, additionalContext=text)


def reply_output(response: dict[str, Any]) -> dict[str, Any]:
    """Reply to PostToolUse: the main agent reads `response` instead (from 2.1.121)."""
    return _reply("PostToolUse", updatedToolOutput=response)


def _reply(event_name: str, **fields: Any) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event_name, **fields}}
