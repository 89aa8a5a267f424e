"""Events and memories as Claude Code 2.1 and a project in use have them."""

from __future__ import annotations

import itertools
import json

SESSION = "1b8d5088-d5ba-4cdd-9552-952ad05a7002"
AGENT_ID = "a90162c61e2a32bd0"
TOOL_USE_ID = "toolu_324dc4dc721d4ec99056bdbb"
MARKER = "# Add To Memory:"
LEARNED = (
    "Retries of the invoice webhook must carry the same idempotency key",
    "The API token comes from get_token() in src/auth.py:41, and tests need no password",
)

HEAD = """\
# {title} Memory - shop

<!-- MEMORY LIMITS: 8KB max | 10 sections max | 15 items per section -->
<!-- Last Updated: 2026-11-20 22:10:05 | Auto-updated by: {agent} -->
"""
SECTIONS = (
    "Project Architecture",
    "Coding Patterns Learned",
    "Implementation Guidelines",
    "Common Mistakes to Avoid",
    "Integration Points",
    "Current Technical Context",
)
PARTS = (
    "checkout service", "order queue", "search index", "billing worker", "session cache",
    "image resizer", "mail gateway", "audit trail", "price importer", "stock ledger",
    "admin console", "login flow", "report builder", "tax tables", "rate limiter",
)  # fmt: skip
FACTS = (
    "talks to its neighbours through the event bus and never calls them directly",
    "takes its collaborators as constructor arguments; tests/fakes.py has fakes of them",
    "is changed behind a feature flag first and switched over a week later",
    "once lost writes because a retry was swallowed; let the error reach the caller",
    "needs the settings in config/staging.yml, see `make staging`",
    "is being moved from the old scheduler; both run until the end of the quarter",
)
# The files of the project that the facts name, as real memories do.
FILES = ("tests/fakes.py", "config/staging.yml")


def memory(agent: str, size: int) -> str:
    """Return a memory file of at most `size` bytes, its sections filled evenly."""
    items: dict[str, list[str]] = {section: [] for section in SECTIONS}
    room = size - len(_render(agent, {section: [""] for section in SECTIONS}))
    for number in itertools.count():
        part = PARTS[number % len(PARTS)]
        subject = part if number < len(PARTS) else f"{part} {number}"
        for section, fact in zip(SECTIONS, FACTS, strict=True):
            text = f"The {subject} {fact}"
            room -= len(f"- {text}\n")
            if room < 0:
                return _render(agent, items)
            items[section].append(text)
    raise AssertionError


def _render(agent: str, items: dict[str, list[str]]) -> str:
    sections = (
        "\n".join([f"\n## {title} (Max: 15 items)", *(f"- {text}" for text in texts), ""])
        for title, texts in items.items()
        if texts
    )
    return HEAD.format(title=agent.capitalize(), agent=agent) + "".join(sections)


def items_of(text: str) -> list[str]:
    return [line[2:] for line in text.splitlines() if line.startswith("- ")]


VERBS = (
    "drops", "locks", "rounds", "retries", "caches", "parses", "rejects", "duplicates", "orders",
    "compresses", "truncates", "signs", "merges", "polls", "escapes", "rotates", "throttles",
)  # fmt: skip
OBJECTS = (
    "invoice", "cursor", "cookie", "timestamp", "payload", "index", "migration", "snapshot",
    "fixture", "header", "currency", "attachment", "voucher", "batch", "token", "column", "socket",
    "template", "archive", "address", "discount", "thumbnail", "session", "webhook", "ledger",
    "subscription", "parcel", "locale", "heartbeat", "permission", "barcode",
)  # fmt: skip
TIMES = (
    "midnight", "deployment", "startup", "shutdown", "import", "rollback", "login", "checkout",
    "backup", "failover", "upgrade", "release", "replication", "export", "cleanup", "refund",
    "warmup", "handshake", "validation", "pagination", "serialization", "renewal", "eviction",
)  # fmt: skip
# These words also come before secrets.
NOTES = (
    "the API token is read by `token = get_token()` in src/auth.py:41",
    "the password of the tenant is in the vault, not in .env",
    "credentials come by `secretKeyRef` from deploy/api.yaml",
    "the cache key is order:<id>:v2",
)


def prose(size: int, number: int = 0) -> str:
    """Return a report of `size` characters, every line another one, counted from `number`.

    Its words are about as many as in recorded reports.
    """
    lines, length = ["# Summary", ""], 11
    while length < size:
        number += 1
        verb, thing, time = (names[number % len(names)] for names in (VERBS, OBJECTS, TIMES))
        where = f"`src/{thing}/{verb}.py:{number * 7 % 400}` " if number % 4 == 0 else ""
        other = OBJECTS[number * 5 % len(OBJECTS)]
        note = f" Note: {NOTES[number // 8 % len(NOTES)]}." if number % 8 == 0 else ""
        lines.append(
            f"{number}. {where}{verb} the {thing}{time} of the {other} at each {time}.{note}"
        )
        length += len(lines[-1]) + 1
    return "\n".join(lines)[:size]


def result(size: int, learnings: tuple[str, ...] = ()) -> str:
    """Return an agent's report of `size` characters, the learnings at its end."""
    blocks = "".join(f"\n\n{MARKER}\nType: pattern\nContent: {text}\n#" for text in learnings)
    return prose(size - len(blocks)) + blocks


TASK = "Please find out why the nightly import is slow, and fix it.\n\n" + prose(4100)


def pre_tool_use(project: str, tool: str = "Agent") -> dict:
    if tool == "Agent":
        tool_input = delegation(TASK)
    else:
        tool_input = {"command": "git log --oneline -n 20", "description": "Show commits"}
    return _event(project, "PreToolUse", tool_name=tool, tool_input=tool_input) | {
        "tool_use_id": TOOL_USE_ID
    }


def delegation(prompt: str) -> dict:
    return {
        "description": "Speed up the nightly import",
        "prompt": prompt,
        "subagent_type": "engineer",
        "run_in_background": False,
    }


def post_tool_use(project: str, prompt: str, text: str) -> dict:
    """Return the end of a foreground delegation; `prompt` as the agent was given it."""
    response = {
        "status": "completed",
        "prompt": prompt,
        "agentId": AGENT_ID,
        "agentType": "engineer",
        "harnessNoteCount": 0,
        "harnessTailCount": 0,
        "harnessSectionHash": "1edf7612b0b72984",
        "content": [{"type": "text", "text": text}],
        "resolvedModel": "claude-opus-5-5",
        "totalDurationMs": 25800,
        "totalTokens": 8081,
        "totalToolUseCount": 0,
        "usage": {"input_tokens": 8061, "output_tokens": 20, "service_tier": "standard"},
        "canContinueAgent": True,
    }
    return _event(project, "PostToolUse", tool_name="Agent", tool_input=delegation(prompt)) | {
        "tool_response": response,
        "tool_use_id": TOOL_USE_ID,
        "duration_ms": 25804,
    }


def subagent_start(project: str) -> dict:
    event = _event(project, "SubagentStart", agent_id=AGENT_ID, agent_type="engineer")
    return {name: event[name] for name in event if name not in ("permission_mode", "effort")}


def subagent_stop(project: str, text: str) -> dict:
    return _event(project, "SubagentStop", agent_id=AGENT_ID, agent_type="engineer") | {
        "stop_hook_active": False,
        "agent_transcript_path": f"{_transcripts(project)}/subagents/agent-{AGENT_ID}.jsonl",
        "last_assistant_message": text,
        "background_tasks": [],
        "session_crons": [],
    }


def session_start(project: str) -> dict:
    event = _event(project, "SessionStart", source="startup")
    names = ("session_id", "transcript_path", "cwd", "hook_event_name", "source")
    return {name: event[name] for name in names}


def earlier(event: dict) -> dict:
    """Return the same event of an earlier delegation."""
    text = json.dumps(event).replace(AGENT_ID, AGENT_ID[::-1])
    return json.loads(text.replace(TOOL_USE_ID, TOOL_USE_ID[:-4] + "0000"))


def _event(project: str, name: str, **fields: object) -> dict:
    return {
        "session_id": SESSION,
        "transcript_path": _transcripts(project) + ".jsonl",
        "cwd": project,
        "prompt_id": "26b89767-cb28-4b04-842f-b273e07b8047",
        "permission_mode": "default",
        "effort": {"level": "medium"},
        "hook_event_name": name,
    } | fields


def _transcripts(project: str) -> str:
    return f"{project}-transcripts/{SESSION}"


def transcript() -> str:
    """Return the main session's transcript, 200 KB, up to the delegation that is going on."""
    lines = [
        {"type": "user", "message": {"role": "user", "content": prose(4000)}} for _ in range(50)
    ]
    use = {
        "type": "tool_use",
        "id": TOOL_USE_ID,
        "name": "Agent",
        "input": delegation(TASK),
    }
    lines.append({"type": "assistant", "message": {"role": "assistant", "content": [use]}})
    return "".join(
        json.dumps({"sessionId": SESSION, "isSidechain": False} | line) + "\n" for line in lines
    )
