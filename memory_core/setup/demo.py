"""Play two delegations with the real hooks in a temporary project, to show what memory does."""

from __future__ import annotations

import json
import os
import shutil
import sys
from contextlib import suppress
from typing import NamedTuple

from memory_core.claude_code import sample_events, settings_files, settings_json
from memory_core.curation import item_actions
from memory_core.document.diff import FileChange
from memory_core.setup import hook_runner, program, trial
from memory_core.setup.program import InstallRefused
from memory_core.storage import paths
from memory_core.storage.project import Project

# Folders in the folder of the demo.
PROJECT, HOME = "shop", "home"

AGENT = "engineer"
RULES = (
    "Amounts are integer cents, never floats",
    "Services talk through the event bus, never directly",
    "Run make test-payments after each change of the payment client",
)
TASKS = ("Add a retry to the payment client.", "Add a timeout to the payment client.")
LEARNING = "Retrying a payment without its message id charges the customer twice"
REPORT = f"""The payment client now retries three times. All tests pass.

# Add To Memory:
Type: mistake
Content: {LEARNING}
#
"""


class DemoStep(NamedTuple):
    """One step for a newcomer to read: a sentence, and a text or a diff below it."""

    sentence: str
    text: str
    is_diff: bool = False


class Demo(NamedTuple):
    """Two delegations in one session: their prompts, and what happened in between.

    `notice` is the line that Claude Code shows to the person, `change` that of the memory file.
    """

    project: Project
    prompt: str
    change: FileChange
    notice: str
    next_prompt: str

    def list_steps(self) -> list[DemoStep]:
        """Return the steps in the order in which they happen."""
        shown, learning, _rest = self.next_prompt.partition(LEARNING)
        return [
            DemoStep(
                f'You write three rules for the agent "{AGENT}", with agent-memory add or with '
                "your editor:",
                "\n".join(f"- {rule}" for rule in RULES),
            ),
            DemoStep(
                "You ask Claude Code for a retry, and it starts the agent. The hook adds the "
                "rules to the agent's prompt, and says how to report a finding:",
                self.prompt,
            ),
            DemoStep(
                "The agent does its task (a text plays it here). Its report ends with a finding:",
                REPORT,
            ),
            DemoStep(
                "The hook saves the finding in the memory file of the agent:",
                self.change.diff(),
                is_diff=True,
            ),
            DemoStep(
                "Claude Code shows you one line about that run. The command in it removes the "
                "finding again:",
                self.notice,
            ),
            DemoStep(
                "You ask for a timeout. The prompt of this agent has the finding of the first one:",
                f"{shown}{learning}\n...",
            ),
        ]


def play(folder: str) -> Demo:
    """Play the demo in an empty folder, which gets a project and a home.

    Raises InstallRefused if a hook fails or does not do its part.
    """
    project = _make_project(folder)
    item_actions.teach(project, AGENT, "guideline", RULES)
    first = _run(project, "pre", "1", TASKS[0])
    prompt = _read_prompt(first)
    _run(project, "start", "1", prompt)
    report = _run(project, "post", "1", prompt)
    path = project.store.paths.relative(project.store.path(AGENT))
    change = next((change for change in report.changes if change.path == path), None)
    if change is None or LEARNING.encode() not in (change.after or b""):
        raise InstallRefused("demo: the PostToolUse hook did not save the agent's report")
    second = _run(project, "pre", "2", TASKS[1])
    next_prompt = _read_prompt(second)
    if LEARNING not in next_prompt:
        raise InstallRefused("demo: the next prompt lacks the finding of the report")
    notice = str((second.reply or {}).get("systemMessage") or "")
    return Demo(project, prompt, change, notice, next_prompt)


def remove_project(folder: str) -> None:
    """Remove what `play` has made; other files in the folder stay."""
    for name in (PROJECT, HOME):
        shutil.rmtree(os.path.join(folder, name), ignore_errors=True)
    with suppress(OSError):  # it has other files
        os.rmdir(folder)


def _make_project(folder: str) -> Project:
    """Create a project with hooks, and a home with this program in the place for hooks."""
    root, home = os.path.join(folder, PROJECT), os.path.join(folder, HOME)
    # Nothing of the user's own environment reaches the hooks.
    environ = {"HOME": home, "PATH": os.environ.get("PATH", os.defpath)}
    os.makedirs(os.path.join(root, paths.FOLDER_NAME))  # else a parent folder is the project
    os.mkdir(os.path.join(root, ".claude"))
    hooks = settings_json.build_hooks(trial.read_template())
    with open(os.path.join(root, settings_files.PROJECT_SETTINGS), "w", encoding="utf-8") as file:
        file.write(settings_json.add_hooks("", hooks))
    link = program.find_link(home)
    os.makedirs(os.path.join(link, "bin"))
    os.symlink(sys.executable, os.path.join(link, "bin", "python"))
    scripts = os.path.dirname(hook_runner.find_script_path("pre_tool_use"))
    os.symlink(scripts, os.path.join(link, "hooks"))
    return Project(paths.LevelPaths(root, environ), environ)


def _run(project: Project, kind: str, run: str, prompt: str) -> hook_runner.HookResult:
    event = sample_events.build(kind, AGENT, project.paths.root, run, prompt, REPORT)
    event["session_id"] = "demo"
    command = hook_runner.build_command(hook_runner.find_script(event))
    result = hook_runner.run(project, command, json.dumps(event).encode(), project.environ)
    if result.fault:
        raise InstallRefused(f"demo: the {event['hook_event_name']} hook {result.fault}")
    return result


def _read_prompt(result: hook_runner.HookResult) -> str:
    try:
        return str(result.reply["hookSpecificOutput"]["updatedInput"]["prompt"])  # type: ignore[index]
    except (KeyError, TypeError):
        raise InstallRefused("demo: the PreToolUse hook returned no prompt") from None
