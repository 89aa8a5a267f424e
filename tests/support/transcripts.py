"""Transcripts of agents, in the layout of Claude Code."""

import json
from pathlib import Path
from typing import Any

from support.calls import SESSION, end_agent
from support.events import make_start_event
from support.files import write
from support.sandbox import Sandbox


class Transcripts:
    """The transcript folder of a project."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox = sandbox
        self.folder = sandbox.home / ".claude" / "projects" / "shop"

    def begin(self, session: str = "s2") -> None:
        """Run the SessionStart hook of a new session, which looks for missed reports."""
        path = str(self.folder / f"{session}.jsonl")
        event = {**SESSION, "session_id": session, "transcript_path": path}
        outcome = self.sandbox.run_hook("session_start", event)
        assert (outcome.status, outcome.stderr) == (0, b"")

    def write(
        self, run: str, *lines: dict[str, Any], where: str = "s1/subagents", **described: str
    ) -> Path:
        """Write the transcript of an agent, and its description if there is one."""
        path = self.folder / where / f"agent-{run}.jsonl"
        ids = {"agentId": run, "sessionId": "s1", "cwd": str(self.sandbox.root)}
        write(path, "".join(json.dumps({**ids, **line}) + "\n" for line in lines))
        if described:
            write(path.with_suffix(".meta.json"), json.dumps(described))
        return path

    def start_run(self, run: str) -> None:
        event = make_start_event(run, transcript_path=str(self.folder / "s1.jsonl"))
        self.sandbox.run_hook("subagent_start", event)


def make_line(role: str, *blocks: dict[str, Any], tokens: int = 0) -> dict[str, Any]:
    """Return a line of a transcript."""
    usage = {"usage": {"input_tokens": tokens, "output_tokens": 1}} if tokens else {}
    return {"type": role, "message": {"role": role, "content": list(blocks), **usage}}


def said(text: str, tokens: int = 0) -> dict[str, Any]:
    """Return the line of a message of the agent."""
    return make_line("assistant", {"type": "text", "text": text}, tokens=tokens)


def asked(text: str) -> dict[str, Any]:
    """Return the line of a message to the agent."""
    return {"type": "user", "message": {"role": "user", "content": text}}


def used(tool: str, tokens: int = 0, **values: Any) -> dict[str, Any]:
    """Return the line of a tool call."""
    call = {"type": "tool_use", "id": "t", "name": tool, "input": values}
    return make_line("assistant", call, tokens=tokens)


def finish_run(sandbox: Sandbox, run: str, text: str, *calls: tuple[str, dict[str, Any]]) -> None:
    """Run the hook of a run that ends with this report, after these calls of tools."""
    path = sandbox.home / f"agent-{run}.jsonl"
    path.write_text("".join(f"{json.dumps(used(name, **given))}\n" for name, given in calls))
    end_agent(sandbox, run, text, agent_transcript_path=str(path))
