"""The same two hooks as one would write them on pydantic models and filelock.

Benchmark only: the plain way, with everything imported at the top.
"""

import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any, Literal

from filelock import FileLock
from pydantic import BaseModel, ConfigDict, TypeAdapter

BLOCK = re.compile(r"^# Add To Memory:\nType: (\w+)\nContent: (.+)\n#$", re.M)
SECTION = "## Coding Patterns Learned (Max: 15 items)\n"


class Loose(BaseModel):
    model_config = ConfigDict(extra="allow")


class Delegation(Loose):
    description: str = ""
    prompt: str
    subagent_type: str = "general-purpose"
    run_in_background: bool | None = None


class Block(Loose):
    type: str
    text: str = ""


class Response(Loose):
    status: str
    agentId: str
    content: list[Block] = []


class Event(Loose):
    session_id: str
    transcript_path: str
    cwd: str
    prompt_id: str | None = None
    permission_mode: str | None = None
    tool_name: Literal["Task", "Agent"]
    tool_input: Delegation
    tool_use_id: str | None = None


class Before(Event):
    hook_event_name: Literal["PreToolUse"]


class After(Event):
    hook_event_name: Literal["PostToolUse"]
    tool_response: Response
    duration_ms: int | None = None


class HookOutput(BaseModel):
    hookEventName: str
    updatedInput: dict[str, Any]


class Reply(BaseModel):
    hookSpecificOutput: HookOutput


def memory_file(event: Event) -> Path:
    root = Path(os.environ.get("CLAUDE_PROJECT_DIR", event.cwd))
    return root / ".claude-mpm" / "memories" / f"{event.tool_input.subagent_type}.md"


def inject(event: Before) -> None:
    path = memory_file(event)
    if not path.exists():
        return
    prompt = f"{event.tool_input.prompt}\n\n<agent-memory>\n{path.read_text()}\n</agent-memory>"
    updated = event.tool_input.model_copy(update={"prompt": prompt})
    output = HookOutput(
        hookEventName="PreToolUse", updatedInput=updated.model_dump(exclude_unset=True)
    )
    print(Reply(hookSpecificOutput=output).model_dump_json())


def capture(event: After) -> None:
    text = "\n".join(block.text for block in event.tool_response.content)
    learned = [content for _, content in BLOCK.findall(text)]
    if learned:
        path = memory_file(event)
        with FileLock(f"{path}.lock"):
            add(path, learned)


def add(path: Path, learned: list[str]) -> None:
    before = path.read_text()
    lines = "".join(f"- {text}\n" for text in learned if text not in before)
    head, section, tail = before.partition(SECTION)
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as file:
        file.write(head + section + lines + tail)
        file.flush()
        os.fsync(file.fileno())
    Path(file.name).replace(path)


event = TypeAdapter(Before | After).validate_json(sys.stdin.buffer.read())
inject(event) if isinstance(event, Before) else capture(event)
