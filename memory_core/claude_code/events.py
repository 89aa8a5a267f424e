"""Read Claude Code's events: the only module that knows the names of their fields.

An event is the dict that a hook reads as JSON from stdin.  `validate` checks its shape once;
after that every other function may index it directly.
"""

from __future__ import annotations

from memory_core.claude_code import event_shapes

TYPE_CHECKING = False
if TYPE_CHECKING:
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

# How PostToolUseFailure words it from 2.1.199 on: TERMINATED, the error, DETAILS.
TERMINATED_PREFIX = "Agent terminated early due to an API error: "
ERROR_TYPE_MARK = " (error type "

# A finished run's numbers in `tool_response`, in the foreground.
TOTALS_FIELDS = {
    "duration_ms": "totalDurationMs",
    "tokens": "totalTokens",
    "tool_uses": "totalToolUseCount",
}

# The parts of a request's tokens, in and out.
TOKEN_FIELDS = (
    *("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"),
    "output_tokens",
)


class InvalidEvent(ValueError):
    """A field of an event is missing or has the wrong type; the message names it."""


def validate(value: object, assumed: str) -> Event | None:
    """Return the event, or None for an event that agent-memory does not use.

    `assumed` is the event's name if it has none itself.  Raises InvalidEvent.
    """
    if not isinstance(value, dict):
        raise InvalidEvent(f"an event is a JSON object, this is a {type(value).__name__}")
    name = value.get("hook_event_name") or assumed
    shape = event_shapes.EVENTS.get(_key(name, value))
    if shape is None:
        return None
    wrong = find_problem(value, shape)
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


def find_problem(value: dict[str, Any], shape: dict[str, Any]) -> str:
    """Return the first problem of `value` with `shape`, "" if there is none."""
    for field, (types, nested) in shape.items():
        item = value.get(field)
        if type(item) not in types:
            return f"{field} is {_kind(item) if field in value else 'missing'}"
        if nested is not None and type(item) is dict:
            wrong = find_problem(item, nested)
            if wrong:
                return f"{field}.{wrong}"
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


def is_shell(event: Event) -> bool:
    return event.get("tool_name") == SHELL_TOOL


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


def own_transcript_path(event: Event) -> str:
    """Return the path of the transcript of the agent that a SubagentStop is about."""
    return event.get("agent_transcript_path") or ""


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


def calling_run(event: Event) -> str:
    """Return the run that delegates, or an empty string for the main session."""
    return event.get("agent_id") or ""


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
    return event.get("agent_id") or ""


def is_background_launch(event: Event) -> bool:
    """Check whether a PostToolUse only says that an agent was started in the background."""
    return _response(event).get("status") == "async_launched"


def description(event: Event) -> str:
    """Return the name of the delegation: three to five words by the model."""
    return _get_text(event["tool_input"], "description")


def totals(event: Event) -> dict[str, Any]:
    """Return the size of the run from PostToolUse or PostToolUseFailure, unchecked.

    Time in milliseconds, the tokens of its last request (its whole context), calls of tools.
    """
    response = _response(event)
    numbers = {name: response.get(field) for name, field in TOTALS_FIELDS.items()}
    return {**numbers, "duration_ms": numbers["duration_ms"] or event.get("duration_ms")}


def _get_text(fields: dict[str, Any], name: str) -> str:
    text = fields.get(name)
    return text if isinstance(text, str) else ""


def is_interrupt(event: Event) -> bool:
    """Check whether a PostToolUseFailure was caused by the user, who stopped the call."""
    return event.get("is_interrupt") is True


def tool_name(event: Event) -> str:
    return str(event.get("tool_name") or "")


def error(event: Event) -> str:
    """Return why a delegation failed, from PostToolUseFailure or an error result."""
    if event.get("error"):
        return str(event["error"])
    texts = report_texts(event)
    return texts[0] if len(texts) == 1 and texts[0].startswith(API_ERROR) else ""


def cause(event: Event) -> str:
    """Return the error without additions, so that all events of one error return the same."""
    text = error(event).removeprefix(TERMINATED_PREFIX)
    return text.partition(ERROR_TYPE_MARK)[0] if text.startswith(API_ERROR) else text


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
    texts = [*_blocks(response.get("content")), response.get("result"), handed_back]
    return [text for text in texts if text]


def _blocks(content: object) -> list[str]:
    """Return the texts of content blocks; a form that a later version brings is skipped."""
    if isinstance(content, str):
        return [content]
    blocks = content if isinstance(content, list) else []
    texts = [block.get("text") for block in blocks if isinstance(block, dict)]
    return [text for text in texts if isinstance(text, str)]


def edit_report(event: Event, edit: Any) -> dict[str, Any]:
    """Return a copy of tool_response with `edit` applied to each text of the report."""
    response = dict(_response(event))
    if isinstance(response.get("content"), str):
        response["content"] = edit(response["content"])
    elif response.get("content"):
        response["content"] = [_edited_block(block, edit) for block in response["content"]]
    if response.get("result"):
        response["result"] = edit(response["result"])
    handed_back = response.get("handbackReport")
    if handed_back and handed_back.get("text"):
        response["handbackReport"] = {**handed_back, "text": edit(handed_back["text"])}
    return response


def _edited_block(block: Any, edit: Any) -> Any:
    if isinstance(block, dict) and isinstance(block.get("text"), str):
        return {**block, "text": edit(block["text"])}
    return block


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


def reply_session_start(text: str, notice: str) -> dict[str, Any]:
    """Reply to SessionStart: a text for the main session, a notice for the person."""
    reply = reply_context("SessionStart", text) if text else {}
    return {**reply, "systemMessage": notice} if notice else reply


def reply_output(response: dict[str, Any]) -> dict[str, Any]:
    """Reply to PostToolUse: the main agent reads `response` instead (from 2.1.121)."""
    return _reply("PostToolUse", updatedToolOutput=response)


def _reply(event_name: str, **fields: Any) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event_name, **fields}}


# Transcripts: Claude Code writes one JSON object a line, an event of its own kind.


def agent_texts(line: Event) -> list[str]:
    """Return an agent's own texts and hand-backs in a line of its transcript."""
    texts = []
    for block in _content(line, "assistant"):
        if block.get("type") == "text":
            texts.append(block.get("text"))
        elif block.get("type") == "tool_use" and block.get("name") == HANDBACK_TOOL:
            texts.append(_input(block).get("message"))
    return [text for text in texts if isinstance(text, str)]


def list_delegations(line: Event) -> list[tuple[str, str]]:
    """Return (agent, task) of the delegations in a line of the delegator's transcript."""
    calls = [
        block for block in _content(line, "assistant") if block.get("name") in DELEGATION_TOOLS
    ]
    inputs = [_input(block) for block in calls]
    return [
        (str(given.get("subagent_type") or DEFAULT_AGENT), str(given.get("prompt") or ""))
        for given in inputs
    ]


def list_tool_texts(line: Event) -> list[str]:
    """Return the texts in the inputs of the tool calls in a line, except those of a hand-back."""
    values: list[Any] = [given for name, given in list_tool_calls(line) if name != HANDBACK_TOOL]
    texts = []
    while values:
        value = values.pop()
        if isinstance(value, dict):
            values += value.values()
        elif isinstance(value, list):
            values += value
        elif isinstance(value, str):
            texts.append(value)
    return texts


def list_tool_calls(line: Event) -> list[tuple[str, dict[str, Any]]]:
    """Return (tool, input) of the tool calls in a line of a transcript."""
    calls = [block for block in _content(line, "assistant") if block.get("type") == "tool_use"]
    return [(_get_text(call, "name"), _input(call)) for call in calls]


def has_call_error(line: Event, call_id: str) -> bool:
    """Check whether a line of a transcript reports the failure of a call."""
    return any(
        block.get("tool_use_id") == call_id and block.get("is_error") is True
        for block in _content(line, "user")
    )


def line_session(line: Event) -> str:
    """Return the session that a line of a transcript belongs to."""
    return str(line.get("sessionId") or "")


def line_cwd(line: Event) -> str:
    """Return the folder in which the agent worked when it wrote a line of a transcript."""
    return _get_text(line, "cwd")


def meta_agent(description: Event) -> str:
    """Return the agent's name from the .meta.json next to its transcript (newer versions)."""
    return _get_text(description, "agentType")


def meta_description(description: Event) -> str:
    """Return the name of the delegation, from the same."""
    return _get_text(description, "description")


def meta_call(description: Event) -> str:
    """Return the call that led to the run, from the same."""
    return _get_text(description, "toolUseId")


def line_typed(line: dict[str, Any]) -> str:
    """Return the prompt in a line of a main session, "" for a result, a note or another line."""
    marks = ("isMeta", "isSidechain", "isCompactSummary", "isVisibleInTranscriptOnly")
    if line.get("type") != "user" or any(map(line.get, marks)):
        return ""
    message = line.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    texts = [block.get("text") for block in blocks if isinstance(block, dict)]
    return "\n".join(text for text in texts if isinstance(text, str))


def line_prompt(line: Event) -> str:
    """Return the prompt from the first line of an agent's transcript."""
    message = line.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    return "\n".join(_blocks(content)) if line.get("type") == "user" else ""


def count_tool_uses(line: Event) -> int:
    """Return the number of tool calls in a line of a transcript, as totalToolUseCount counts."""
    calls = [block for block in _content(line, "assistant") if block.get("type") == "tool_use"]
    return sum(block.get("name") != HANDBACK_TOOL for block in calls)


def count_context_tokens(line: Event) -> int:
    """Return the tokens of the request of a line; totalTokens has those of the last line."""
    message = line.get("message")
    usage = message.get("usage") if isinstance(message, dict) else None
    if not isinstance(usage, dict):
        return 0
    numbers = [usage.get(name) for name in TOKEN_FIELDS]
    return sum(number for number in numbers if type(number) is int and number > 0)


def _content(line: Event, role: str) -> list[dict[str, Any]]:
    message = line.get("message")
    if line.get("type") != role or not isinstance(message, dict):
        return []
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    return [block for block in blocks if isinstance(block, dict)]


def _input(block: dict[str, Any]) -> dict[str, Any]:
    given = block.get("input")
    return given if isinstance(given, dict) else {}
