"""What Claude Code's events say: the only place that knows its field names.

An event is the dict that came as JSON on a hook's stdin.  `checked` holds it to
its shape once; after that every other function may index it directly.
"""

from __future__ import annotations

from memory_core import shapes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Event = dict[str, Any]

DELEGATION = ("Agent", "Task")  # one tool: Task up to 2.1.62, Agent from 2.1.63
HANDBACK = "SubagentHandback"  # auto mode's way to report, from 2.1.267
SHELL = "Bash"
BACKLOG = "mcp__backlog__"  # how the names of Backlog.md's own MCP tools begin

# What runs when a delegation names no agent (seen in all versions).
DEFAULT_AGENT = "general-purpose"

# Agents that serve the harness itself: they set up its display, not the project.
HARNESS_AGENTS = ("statusline-setup", "output-style-setup")

# How an agent that died of an API error reports, up to 2.1.198 as a normal result.
API_ERROR = "API Error"

# How PostToolUseFailure words it from 2.1.199 on: TERMINATED, the error, DETAILS.
TERMINATED = "Agent terminated early due to an API error: "
DETAILS = " (error type "

# A finished run's numbers in `tool_response`, in the foreground.
TOTALS = {
    "duration_ms": "totalDurationMs",
    "tokens": "totalTokens",
    "tool_uses": "totalToolUseCount",
}

# The parts of a request's tokens, in and out.
USAGE = (
    *("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"),
    "output_tokens",
)


class Invalid(ValueError):
    """An event that is not what its name says; the message names the field."""


def checked(value: object, assumed: str) -> Event | None:
    """Return the event, or None for one that is no business of ours.

    `assumed` is the event's name where it does not say one itself.
    Raises Invalid for a field that is missing or of the wrong type.
    """
    if not isinstance(value, dict):
        raise Invalid(f"an event is a JSON object, this is a {type(value).__name__}")
    name = value.get("hook_event_name") or assumed
    shape = shapes.EVENTS.get(_key(name, value))
    if shape is None:
        return None
    wrong = problem(value, shape)
    if wrong:
        raise Invalid(f"{name}: {wrong}")
    return value


def _key(name: object, value: Event) -> str:
    tool = value.get("tool_name")
    if not isinstance(tool, str) or not str(name).startswith(("PreTool", "PostTool")):
        return str(name)
    if tool in DELEGATION:
        return f"{name}:Agent"
    return f"{name}:Bash" if tool.startswith(BACKLOG) else f"{name}:{tool}"


def problem(value: dict[str, Any], shape: dict[str, Any]) -> str:
    """Return what keeps `value` from having `shape`, or an empty string."""
    for field, (required, types, nested) in shape.items():
        if field not in value:
            if required:
                return f"{field} is missing"
            continue
        item = value[field]
        if type(item) not in types:
            return f"{field} is {_kind(item)}"
        if nested is not None and type(item) is dict:
            wrong = problem(item, nested)
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
    return event.get("tool_name") in DELEGATION


def is_handback(event: Event) -> bool:
    return event.get("tool_name") == HANDBACK


def is_failure(event: Event) -> bool:
    return event.get("hook_event_name") == "PostToolUseFailure"


def is_shell(event: Event) -> bool:
    return event.get("tool_name") == SHELL


def may_move_tasks(event: Event) -> bool:
    """Say whether the tool that was used is one by which tasks are changed."""
    tool = str(event.get("tool_name"))
    return tool == SHELL or tool.startswith(BACKLOG)


def session(event: Event) -> str:
    return event.get("session_id") or ""


def call(event: Event) -> str:
    """Return the id of the tool call, which pairs PreToolUse with PostToolUse."""
    return event.get("tool_use_id") or ""


def cwd(event: Event) -> str:
    return event.get("cwd") or ""


def transcript(event: Event) -> str:
    """Return the path of the main session's transcript."""
    return event.get("transcript_path") or ""


def source(event: Event) -> str:
    """Return why a session starts: startup, resume, clear, compact or fork."""
    return event.get("source") or ""


def is_auto(event: Event) -> bool:
    """Say whether Claude Code's auto mode judges the calls.

    Its verdict is on the call as the model wrote it: 2.1.329 refuses one whose
    input a hook changed afterwards, and shows the main agent the changed prompt.
    """
    return event.get("permission_mode") == "auto"


def task(event: Event) -> str:
    """Return the delegation's prompt: after the call, as it was when it ran."""
    return str(event["tool_input"]["prompt"])


def caller(event: Event) -> str:
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
    """Return the run that a PostToolUse tells of."""
    return _response(event).get("agentId") or ""


def own_agent(event: Event) -> str:
    """Return the agent that a SubagentStart, SubagentStop or hand-back is about."""
    return event.get("agent_type") or ""


def own_run(event: Event) -> str:
    return event.get("agent_id") or ""


def is_launch(event: Event) -> bool:
    """Say whether a PostToolUse only tells that an agent began in the background."""
    return _response(event).get("status") == "async_launched"


def description(event: Event) -> str:
    """Return what the delegation is called: three to five words by the model."""
    told = event["tool_input"].get("description")
    return told if isinstance(told, str) else ""


def totals(event: Event) -> dict[str, Any]:
    """Return what a PostToolUse or PostToolUseFailure says of the run's size, unchecked.

    Time in milliseconds, the tokens of its last request (its whole context), calls of tools.
    """
    response = _response(event)
    told = {name: response.get(field) for name, field in TOTALS.items()}
    return told if told["duration_ms"] else {**told, "duration_ms": event.get("duration_ms")}


def is_interrupt(event: Event) -> bool:
    """Say whether a PostToolUseFailure tells that the user has stopped the call."""
    return event.get("is_interrupt") is True


def tool(event: Event) -> str:
    return str(event.get("tool_name") or "")


def error(event: Event) -> str:
    """Return why a delegation failed, from PostToolUseFailure or an error result."""
    told = event.get("error")
    if told:
        return str(told)
    texts = report(event)
    return texts[0] if len(texts) == 1 and texts[0].startswith(API_ERROR) else ""


def cause(event: Event) -> str:
    """Return what went wrong: the same for one error, by whichever event it is told."""
    told = error(event).removeprefix(TERMINATED)
    return told.partition(DETAILS)[0] if told.startswith(API_ERROR) else told


def _response(event: Event) -> dict[str, Any]:
    response = event.get("tool_response")
    return response if isinstance(response, dict) else {}


def report(event: Event) -> list[str]:
    """Return the texts in which an agent reports, never one that was given to it."""
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


def edited(event: Event, edit: Any) -> dict[str, Any]:
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


def rewrite(event: Event, **changed: str) -> dict[str, Any]:
    """Reply to PreToolUse: the whole tool input with some fields changed.

    A part of the input would replace the whole (seen 2.0.30 to 2.1.329).  There
    is no permissionDecision: "allow" would override the user's ask rules and,
    in auto mode, skip the safety check of the delegation.
    """
    return _reply("PreToolUse", updatedInput={**event["tool_input"], **changed})


def context(event_name: str, text: str) -> dict[str, Any]:
    """Reply to SubagentStart or SessionStart with text for the one that starts."""
    return _reply(event_name, additionalContext=text)


def beginning(text: str, notice: str) -> dict[str, Any]:
    """Reply to SessionStart: a text for the main session, a notice for the person."""
    reply = context("SessionStart", text) if text else {}
    return {**reply, "systemMessage": notice} if notice else reply


def output(response: dict[str, Any]) -> dict[str, Any]:
    """Reply to PostToolUse: what the main agent reads instead (from 2.1.121)."""
    return _reply("PostToolUse", updatedToolOutput=response)


def _reply(event_name: str, **fields: Any) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event_name, **fields}}


# Transcripts: Claude Code writes one JSON object a line, an event of its own kind.


def said(line: Event) -> list[str]:
    """Return what an agent itself says in a line of its transcript: texts and hand-backs."""
    texts = []
    for block in _content(line, "assistant"):
        if block.get("type") == "text":
            texts.append(block.get("text"))
        elif block.get("type") == "tool_use" and block.get("name") == HANDBACK:
            texts.append(_input(block).get("message"))
    return [text for text in texts if isinstance(text, str)]


def delegations(line: Event) -> list[tuple[str, str]]:
    """Return (agent, task) of the delegations in a line of the delegator's transcript."""
    calls = [block for block in _content(line, "assistant") if block.get("name") in DELEGATION]
    inputs = [_input(block) for block in calls]
    return [
        (str(given.get("subagent_type") or DEFAULT_AGENT), str(given.get("prompt") or ""))
        for given in inputs
    ]


def refuses(line: Event, call_id: str) -> bool:
    """Say whether a line of a transcript tells that a call came to nothing."""
    return any(
        block.get("tool_use_id") == call_id and block.get("is_error") is True
        for block in _content(line, "user")
    )


def transcribed_session(line: Event) -> str:
    """Return the session that a line of a transcript belongs to."""
    return str(line.get("sessionId") or "")


def described_agent(description: Event) -> str:
    """Return the agent's name from the .meta.json beside its transcript (newer versions)."""
    name = description.get("agentType")
    return name if isinstance(name, str) else ""


def described_task(description: Event) -> str:
    """Return what the delegation is called, from the same."""
    told = description.get("description")
    return told if isinstance(told, str) else ""


def described_call(description: Event) -> str:
    """Return the call that led to the run, from the same."""
    told = description.get("toolUseId")
    return told if isinstance(told, str) else ""


def asked(line: Event) -> str:
    """Return the prompt from the first line of an agent's transcript."""
    message = line.get("message")
    told = message.get("content") if isinstance(message, dict) else None
    return "\n".join(_blocks(told)) if line.get("type") == "user" else ""


def uses(line: Event) -> int:
    """Return how many tools an agent calls in a line of its transcript, as totalToolUseCount."""
    calls = [block for block in _content(line, "assistant") if block.get("type") == "tool_use"]
    return sum(block.get("name") != HANDBACK for block in calls)


def context_size(line: Event) -> int:
    """Return the tokens of the request behind a line, as totalTokens has those of the last."""
    message = line.get("message")
    usage = message.get("usage") if isinstance(message, dict) else None
    if not isinstance(usage, dict):
        return 0
    numbers = [usage.get(name) for name in USAGE]
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
