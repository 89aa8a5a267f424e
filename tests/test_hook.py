"""Hooks with any input: exit status 0, no output or one JSON object, one log line per error."""

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from support import events
from support.events import FACT, LEARNED, is_silent, make_post_event, make_pre_event
from support.paths import REPO
from support.processes import run
from support.sandbox import Sandbox

HOOKS = ["pre_tool_use", "subagent_start", "session_start", "post_tool_use", "subagent_stop"]


BROKEN = {
    "empty": b"",
    "blank": b" \n",
    "no JSON": b"hello",
    "cut": json.dumps(make_pre_event()).encode()[:-3],
    "two objects": b"{}{}",
    "not UTF-8": b'{"tool_name": "\xff"}',
    "a list": b"[1]",
    "deep": b"[" * 200_000,
    "wrong types": b'{"hook_event_name": "SubagentStop", "last_assistant_message": 3}',
    "no prompt": b'{"hook_event_name": "PreToolUse", "tool_name": "Agent", "tool_input": {}}',
}


@pytest.mark.parametrize("hook", HOOKS)
@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN)
def test_a_broken_event_is_one_line_in_the_log(sandbox: Sandbox, hook: str, data: bytes) -> None:
    assert is_silent(sandbox.run_hook(hook, data, process=True))
    assert len(sandbox.read_log()) <= 1
    assert all(event["event"] == "hook.error" for event in sandbox.read_log())


OTHERS = [
    {"hook_event_name": "TeammateIdle", "session_id": "s1"},
    {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}},
    {"hook_event_name": "PostToolUse", "tool_name": "Read", "tool_response": "text"},
]


@pytest.mark.parametrize("hook", HOOKS)
@pytest.mark.parametrize("event", OTHERS)
def test_other_events_are_ignored(sandbox: Sandbox, hook: str, event: dict[str, object]) -> None:
    assert is_silent(sandbox.run_hook(hook, event))
    assert not (sandbox.root / ".claude-mpm").exists()


@pytest.mark.parametrize("size", [100_000, 2_000_000])
@pytest.mark.parametrize("line", ["plain words\n", "\\n \\\\n \u00e9 \U0001f600\n"])
def test_a_report_of_any_size_teaches(sandbox: Sandbox, size: int, line: str) -> None:
    block = "# Add To Memory:\nType: pattern\nContent: {}\n#\n"
    part = line * (size // len(line) // 2)
    text = part + block.format(FACT) + part + block.format(LEARNED)
    outcome = sandbox.run_hook("post_tool_use", make_post_event(text=text))
    assert bool(outcome.stdout) == (size < 500_000), "the main agent reads a larger report whole"
    memory = sandbox.read_memory("engineer")
    assert FACT in memory
    assert LEARNED in memory
    outcome = sandbox.run_hook("pre_tool_use", make_pre_event(prompt=text))
    given = sandbox.run_hook("subagent_start", events.make_start_event("a2"))
    assert LEARNED in outcome.reply["updatedInput"]["prompt"].removeprefix(text)
    assert LEARNED not in given.stdout.decode()


def test_fields_of_future_versions_are_kept(sandbox: Sandbox) -> None:
    event = make_pre_event(new_field={"a": [1]})
    event["tool_input"]["later"] = {"b": [None, 1.5, "\ud800"]}
    reply = sandbox.run_hook("pre_tool_use", event).reply
    assert reply["updatedInput"]["later"] == event["tool_input"]["later"]


def test_a_state_folder_that_cannot_be_written(sandbox: Sandbox) -> None:
    """A file in place of a folder simulates a read-only disk, for root as well."""
    sandbox.write_memory("engineer", FACT)
    (sandbox.home / ".local").write_text("")
    assert sandbox.run_hook("pre_tool_use", make_pre_event()) == (0, b"", b"")
    outcome = sandbox.run_hook("subagent_start", events.make_start_event())
    assert FACT in outcome.reply["additionalContext"]
    assert outcome.stderr.startswith(b"agent-memory: ")
    outcome = sandbox.run_hook("post_tool_use", make_post_event())
    assert outcome.status == 0
    assert LEARNED in sandbox.read_memory("engineer"), "written directly, under the lock"
    assert LEARNED not in outcome.stdout.decode()
    assert b"Traceback" not in outcome.stderr


def test_a_project_that_cannot_be_written(sandbox: Sandbox) -> None:
    sandbox.write_memory("engineer", FACT)
    (sandbox.memories.parent / "locks").write_text("")
    (sandbox.home / ".local").write_text("")
    outcome = sandbox.run_hook("post_tool_use", make_post_event())
    assert outcome.status == 0
    assert not outcome.stdout, "what was not kept is not stripped"
    assert b"Traceback" not in outcome.stderr


@pytest.mark.parametrize("home", [None, "", "relative", "/dev/null/home"])
def test_no_home(sandbox: Sandbox, home: str | None) -> None:
    sandbox.env["HOME"] = home or ""
    if home is None:
        del sandbox.env["HOME"]
    sandbox.write_memory("engineer", FACT)
    given = sandbox.run_hook("pre_tool_use", make_pre_event()).stdout
    given += sandbox.run_hook("subagent_start", events.make_start_event()).stdout
    assert FACT in given.decode()
    assert sandbox.run_hook("post_tool_use", make_post_event()).status == 0
    assert LEARNED in sandbox.read_memory("engineer")
    assert sorted(os.listdir(sandbox.root)) == [".claude-mpm"]


def test_a_home_directory_that_is_the_root(sandbox: Sandbox) -> None:
    """As in some containers; the project is not taken for the user's level."""
    (sandbox.memories.parent).mkdir()
    sandbox.memories.symlink_to(sandbox.home)
    (sandbox.home / "engineer.md").write_text(f"## A\n- {FACT}\n")
    sandbox.env |= {"HOME": "/", "XDG_STATE_HOME": str(sandbox.home)}
    outcome = sandbox.run_hook("pre_tool_use", make_pre_event())
    assert outcome.status == 0
    assert FACT not in outcome.stdout.decode()


def test_a_missing_package_is_a_line_on_stderr(sandbox: Sandbox, tmp_path: Path) -> None:
    alone = tmp_path / "hooks" / "pre_tool_use.py"
    alone.parent.mkdir()
    alone.write_bytes((REPO / "hooks" / "pre_tool_use.py").read_bytes())
    command = [sys.executable, "-I", "-S", "-B", str(alone)]  # without packages
    done = run(command, json.dumps(make_pre_event()).encode(), env=sandbox.env)
    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr == b"agent-memory: No module named 'memory_core'\n"


def running(sandbox: Sandbox, hook: str) -> subprocess.Popen[bytes]:
    """Start a hook that waits for the rest of its event."""
    command = [sys.executable, "-I", str(REPO / "hooks" / f"{hook}.py")]
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    process: subprocess.Popen[bytes] = subprocess.Popen(command, env=sandbox.env, **pipes)
    # More than a pipe holds: when this returns, the hook is up and reading.
    process.stdin.write(b" " * 300_000)
    process.stdin.flush()
    return process


def read_to_end(process: subprocess.Popen[bytes]) -> tuple[int, bytes, bytes]:
    with process:
        return process.wait(timeout=30), process.stdout.read(), process.stderr.read()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_hook_ends_quietly_on_a_signal(sandbox: Sandbox, number: signal.Signals) -> None:
    process = running(sandbox, "post_tool_use")
    # Python notices a signal that comes just before a read only at the next signal.
    for _ in range(3):
        process.send_signal(number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=1)
            break
    assert read_to_end(process) == (0, b"", b"")
    assert sandbox.read_log()[0]["error"] == "HookInterrupted: asked to end"


def test_an_event_that_never_ends_reaches_the_time_limit(sandbox: Sandbox) -> None:
    assert read_to_end(running(sandbox, "subagent_stop")) == (0, b"", b"")
    assert sandbox.read_log()[0]["error"] == "HookInterrupted: out of time"
