"""Play two delegations with the real hooks in a temporary project.

This shows what memory does, and whether the hooks of an installation work.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile

from memory_core.claude_code import sample_events, settings_files, settings_json
from memory_core.curation import item_actions
from memory_core.setup import hook_runner, program
from memory_core.setup.builder import InstallRefused
from memory_core.setup.program import COMMAND
from memory_core.storage import paths
from memory_core.storage.project import Project

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


# What happens in each step, for a newcomer.
STEPS = (
    f'You write three rules for the agent "{AGENT}", with agent-memory add or with your editor:',
    "You ask Claude Code for a retry, and it starts the agent. The hook adds the rules to the"
    " agent's prompt, and says how to report a finding:",
    "The agent does its task (a text plays it here). Its report ends with a finding:",
    "The hook saves the finding in the memory file of the agent:",
    "Claude Code shows you one line about that run. The command in it removes the finding again:",
    "You ask for a timeout. The prompt of this agent has the finding of the first one:",
)


def run_trial(environment: str) -> None:
    """Play with the program in `environment`; raises InstallRefused."""
    with tempfile.TemporaryDirectory(prefix=f"{COMMAND}-") as folder:
        play(folder, environment)


def play(folder: str, environment: str = "") -> tuple[Project, list[str]]:
    """Play the demo in an empty folder, which gets a project and a home.

    Return the project, and what each of STEPS shows.

    The program is that in `environment`, by default the running one.
    Raises InstallRefused if a hook fails or does not do its part.
    """
    project = _make_project(folder, environment or _link_program(folder))
    settings = settings_json.add_hooks("", settings_json.build_hooks(hook_runner.read_template()))
    project.paths.files.replace(settings_files.PROJECT_SETTINGS, settings.encode())
    item_actions.teach(project, AGENT, "guideline", RULES)
    prompt = _read_prompt(_run(project, "pre", "1", TASKS[0]))
    _run(project, "start", "1", prompt)
    report = _run(project, "post", "1", prompt)
    path = project.store.paths.relative(project.store.path(AGENT))
    change = next((change for change in report.changes if change.path == path), None)
    if change is None or LEARNING.encode() not in (change.after or b""):
        raise InstallRefused("trial: the PostToolUse hook did not save the agent's report")
    second = _run(project, "pre", "2", TASKS[1])
    next_prompt = _read_prompt(second)
    if not (next_prompt.startswith(TASKS[1]) and LEARNING in next_prompt):
        raise InstallRefused(f"trial: the prompt lacks the task or the memory: {next_prompt}")
    notice = str((second.reply or {}).get("systemMessage") or "")
    shown = f"{next_prompt.partition(LEARNING)[0]}{LEARNING}\n..."
    rules = "\n".join(f"- {rule}" for rule in RULES)
    return project, [rules, prompt, REPORT, change.diff(), notice, shown]


def _make_project(folder: str, environment: str) -> Project:
    """Create a project, and a home in which hooks find the program in `environment`.

    This keeps the user's memory, settings and state out.
    """
    root, home = os.path.join(folder, "shop"), os.path.join(folder, "home")
    os.makedirs(os.path.join(root, paths.FOLDER_NAME))  # else a parent folder is the project
    link = program.find_link(home)
    os.makedirs(os.path.dirname(link))
    os.symlink(environment, link)
    own = ("CLAUDE", "AGENT_MEMORY", "XDG_")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(own)}
    environ = {**inherited, "HOME": home}
    return Project(paths.LevelPaths(root, environ), environ)


def _link_program(folder: str) -> str:
    """Link this program, which may be of no environment, as an environment has it."""
    environment = os.path.join(folder, "program")
    os.makedirs(os.path.join(environment, "bin"))
    os.symlink(sys.executable, os.path.join(environment, "bin", "python"))
    scripts = os.path.dirname(hook_runner.find_script_path("pre_tool_use"))
    os.symlink(scripts, os.path.join(environment, "hooks"))
    return environment


def _run(project: Project, kind: str, run: str, prompt: str) -> hook_runner.HookResult:
    event = sample_events.build(kind, AGENT, project.paths.root, run, prompt, REPORT)
    data = json.dumps({**event, "session_id": "demo"}).encode()
    name = event["hook_event_name"]
    command = settings_json.build_command(hook_runner.list_scripts()[name])
    words = [hook_runner.SHELL, "-c", command]
    result = hook_runner.run(project, words, data, project.environ)
    if result.fault:
        raise InstallRefused(f"trial: the {name} hook {result.fault}")
    return result


def _read_prompt(result: hook_runner.HookResult) -> str:
    """Return the prompt in a reply, "" for none."""
    output = (result.reply or {}).get("hookSpecificOutput", {})
    return str(output.get("updatedInput", {}).get("prompt", ""))
