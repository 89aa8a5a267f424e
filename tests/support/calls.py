"""The hooks in the life of one agent's run: it is called, it starts, it ends, it answers."""

import json
from typing import Any

from support import events
from support.sandbox import Outcome, Sandbox

SESSION = {"hook_event_name": "SessionStart", "session_id": "s1", "source": "startup"}


def call_agent(
    sandbox: Sandbox, call: str = "toolu_1", agent: str | None = "engineer", **more: Any
) -> str:
    """Return the prompt that the agent gets, "" if the hook does not change it."""
    outcome = _run(sandbox, "pre_tool_use", events.make_pre_event(call, agent, **more))
    # A line for the person is not a reply to the call.
    return str(outcome.reply["updatedInput"]["prompt"]) if b"updatedInput" in outcome.stdout else ""


def start_agent(sandbox: Sandbox, run: str = "a1", agent: str = "engineer", **more: Any) -> str:
    """Return what the agent is told in addition, "" if nothing."""
    outcome = _run(sandbox, "subagent_start", events.make_start_event(run, agent, **more))
    return str(outcome.reply["additionalContext"]) if outcome.stdout else ""


def end_agent(sandbox: Sandbox, *words: Any, **more: Any) -> Outcome:
    """Run the hook with `make_stop_event`."""
    return _run(sandbox, "subagent_stop", events.make_stop_event(*words, **more))


def teach(sandbox: Sandbox, run: str, *contents: str) -> None:
    """End a run with a report that teaches these patterns; the hook says nothing."""
    assert events.is_silent(end_agent(sandbox, run, events.make_report(*contents)))


def answer(sandbox: Sandbox, *words: Any, **more: Any) -> Outcome:
    """Run the hook with `make_post_event`."""
    return _run(sandbox, "post_tool_use", events.make_post_event(*words, **more))


def _run(sandbox: Sandbox, hook: str, event: dict[str, Any]) -> Outcome:
    outcome = sandbox.run_hook(hook, event)
    assert (outcome.status, outcome.stderr) == (0, b"")
    return outcome


def begin_session(sandbox: Sandbox) -> str:
    """Return the lines for the person at the start of a session, and at its next hook."""
    call = events.make_pre_event(agent="statusline-setup")  # it has no memory
    outcomes = [sandbox.run_hook("session_start", SESSION), sandbox.run_hook("pre_tool_use", call)]
    replies = [json.loads(outcome.stdout) for outcome in outcomes if outcome.stdout]
    return "\n".join(reply["systemMessage"] for reply in replies if "systemMessage" in reply)
