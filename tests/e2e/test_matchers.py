"""Which tool calls start a hook: a process costs time, so only those that may need one."""

import json
from collections.abc import Callable

import pytest

from memory_core.claude_code import settings_json

from .api import say, use
from .client import Desk
from .product import install, versions

# From this version on the client reads the field `if` (by its changelog), and from the second one
# on it compares each command of a compound command.
FILTERED = "2.1.89"

PLAIN = ["echo plain", "ls -la && cat /dev/null | wc -l", "git status > /dev/null 2>&1 || true"]
BACKLOG = [
    *("backlog task list", "cd . && backlog task edit 1 -s Done", "FOO=1 npx backlog.md board"),
    *("bash -c 'backlog task list'", "true | backlog board", "echo $(backlog task list)"),
]


def run_commands(desk: Desk, *commands: str) -> list[str]:
    """Return the commands of the shell calls for which a hook was started, in their order."""
    log = desk.home / "started.jsonl"
    settings = json.loads(desk.read(".claude/settings.json"))
    for event in ("PostToolUse", "PostToolUseFailure"):
        for group in settings["hooks"][event]:
            group["hooks"][0]["command"] = f"cat >> '{log}'; echo >> '{log}'"
    desk.settings(**settings, permissions={"allow": ["Bash"]})
    log.unlink(missing_ok=True)
    calls = [use("Bash", command=command, description="look") for command in commands]
    desk.run({"MAIN": [*calls, say("done")]})
    lines = log.read_text().splitlines() if log.exists() else []
    events = [json.loads(line) for line in lines if line]
    return [event["tool_input"]["command"] for event in events]


def test_in_a_plain_project_a_shell_command_starts_no_hook(desk: Desk) -> None:
    assert run_commands(desk, *PLAIN, *BACKLOG, "exit 3") == []


@versions(FILTERED)
def test_with_tasks_only_backlog_and_failures_start_one(new_desk: Callable[..., Desk]) -> None:
    desk = new_desk()
    install(desk, settings_json.TASKS)
    commands = [f"{command} || true" for command in BACKLOG]
    assert run_commands(desk, *PLAIN, *commands, "exit 3") == [*commands, "exit 3"]


@versions(before=FILTERED)
def test_an_older_client_ignores_the_filter(desk: Desk) -> None:
    install(desk, settings_json.TASKS)
    assert run_commands(desk, "echo plain", "exit 3") == ["echo plain", "exit 3"]


@pytest.mark.parametrize("command", ["for i in 1; do echo $i; done", "echo hi $(date)"])
@versions(FILTERED)
def test_a_command_that_the_client_cannot_read_starts_one(desk: Desk, command: str) -> None:
    """So no command of Backlog.md is missed."""
    install(desk, settings_json.TASKS)
    assert run_commands(desk, command) == [command]
