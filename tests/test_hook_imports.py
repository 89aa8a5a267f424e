"""The modules that hooks load when nothing has to be prepared; all others are plain Python."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from memory_core.memory import preparing
from memory_core.origin import arrivals
from support import events
from support.calls import SESSION
from support.code import list_code_lines
from support.events import BLOCK, make_post_event, make_pre_event
from support.imports import EXPENSIVE_MODULES, list_hook_imports
from support.paths import REPO
from support.sandbox import Sandbox

REPORT = f"Done.\n\nUsed: none\n\n{BLOCK}\n"
DELIVERING = [
    ("pre_tool_use", make_pre_event(prompt="Add a retry to format_amount in money.py")),
    ("subagent_start", events.make_start_event()),  # its prompt has the memory
    ("subagent_start", events.make_start_event("a2")),
    ("session_start", SESSION),
]
COLLECTING = [
    ("post_tool_use", make_post_event(text=REPORT)),
    ("post_tool_use", make_post_event(text="Done.", call="toolu_2")),
    ("subagent_stop", events.make_stop_event(text=REPORT)),
]

# What memories are full of: paths, names of code and commands; and more than a prompt receives.
ORDINARY = (
    "Services talk through the event bus, never directly",
    "A retry reads the amount again, see `format_amount` in src/shop/money.py",
    "Run `make lint` and `uv run pytest -q tests/` before each commit",
)
RULE = "The service number {} keeps its queue in Redis for three days"

# The modules of memory_core that they load, by wing.  They avoid slow imports.
FAST_PATH = {
    "": "hook",
    "claude_code": "agent_names events transcript_ends",
    "delegation": "collecting delivering event_handlers run_event worker",
    "files": "posix_paths safe_files",
    "learning": "blocks feedback_lines lines marker_blocks type_names",
    "memory": "ready recall",
    "selection": "choosing passages scoring",
    "storage": "config event_log inbox paths project run_records",
    "text": "digests fastjson memory_tags subject_words times",
}

# The fast path has at most so many lines of code.
MOST_LINES = 2_800


def list_names(modules: dict[str, str]) -> set[str]:
    return {
        f"memory_core.{wing}.{name}".replace("..", ".")
        for wing, names in modules.items()
        for name in names.split()
    }


@pytest.fixture
def prepared(sandbox: Sandbox) -> Sandbox:
    """A project with all that a session before has prepared."""
    sandbox.switch_selection_on()
    sandbox.configure("memory: {notices: changes}\n")
    source = sandbox.root / "src" / "shop" / "money.py"
    source.parent.mkdir(parents=True)
    source.write_text("def format_amount():\n    pass\n")
    sandbox.write_memory("engineer", *ORDINARY, *(RULE.format(number) for number in range(80)))
    sandbox.write_memory("PM", "Releases go out on Tuesdays")
    project = sandbox.open_project()
    arrivals.look(project)  # else git has to be asked
    for agent in ("engineer", "PM"):
        preparing.prepare(project, agent)
    list_hook_imports(sandbox, *DELIVERING[-1])
    return sandbox


def path_of(name: str) -> Path:
    return REPO / f"{name.replace('.', '/')}.py"


def test_hooks_load_the_fast_path(prepared: Sandbox) -> None:
    imported = {
        name for one in DELIVERING + COLLECTING for name in list_hook_imports(prepared, *one)
    }
    (prepared.root / ".claude-mpm" / "config.yml").unlink()
    list_hook_imports(prepared, *COLLECTING[1])  # the default settings are kept
    imported |= set(list_hook_imports(prepared, *COLLECTING[1]))
    assert prepared.read_log("agent.memory.loaded", "agent.memory.learned")
    assert not {name.split(".")[0] for name in imported} & EXPENSIVE_MODULES
    own = {name for name in imported if name.startswith("memory_core.")}
    assert {name for name in own if path_of(name).is_file()} == list_names(FAST_PATH)


def test_the_fast_path_is_short() -> None:
    lines = sum(len(list_code_lines(path_of(name))) for name in list_names(FAST_PATH))
    print(f"fast path: {lines} lines")
    assert lines <= MOST_LINES


def test_all_other_modules_are_plain_python() -> None:
    paths = set((REPO / "memory_core").rglob("*.py")) - set(map(path_of, list_names(FAST_PATH)))
    dialect = [path for path in paths if "\nTYPE_CHECKING = False\n" in path.read_text("utf-8")]
    assert sorted(str(path.relative_to(REPO / "memory_core")) for path in dialect) == []


# Of these the worker has need, and no hook that collects.
WORKER_MODULES = {
    *("memory_core.memory.transaction", "memory_core.delegation.inbox_reports"),
    *("memory_core.storage.store", "memory_core.storage.history_file"),
    *("memory_core.history.performance", "memory_core.text.secrets"),
}


@pytest.mark.parametrize(("hook", "event"), COLLECTING)
def test_a_hook_that_collects_merges_nothing(
    sandbox: Sandbox, hook: str, event: dict[str, Any]
) -> None:
    sandbox.switch_selection_on()
    assert not WORKER_MODULES & set(list_hook_imports(sandbox, hook, event))


RUN = {"session_id": "s1", "agent_id": "a1", "agent_type": "engineer"}
HANDBACK = {"tool_name": "SubagentHandback", "tool_input": {"message": REPORT}}
SKILL = {"tool_name": "Skill", "tool_response": {"agentId": "a2", "result": REPORT}}
RARE = {
    "a hand-back": ("pre_tool_use", {"hook_event_name": "PreToolUse", **RUN, **HANDBACK}),
    "it was handed back": ("post_tool_use", {"hook_event_name": "PostToolUse", **RUN, **HANDBACK}),
    "a forked skill": ("post_tool_use", {"hook_event_name": "PostToolUse", **SKILL}),
    "a launch in the background": ("post_tool_use", make_post_event(status="async_launched")),
    "a tool that failed": ("post_tool_use", events.make_failure_event()),
}


@pytest.mark.parametrize("case", RARE)
def test_hooks_of_rare_events_load_nothing_slow(prepared: Sandbox, case: str) -> None:
    list_hook_imports(prepared, "subagent_start", events.make_start_event("a2"))
    imported = {name.split(".")[0] for name in list_hook_imports(prepared, *RARE[case])}
    assert not imported & EXPENSIVE_MODULES


def test_the_first_delegation_of_a_project_merges_settings_without_json(sandbox: Sandbox) -> None:
    sandbox.write_memory("engineer", *ORDINARY)
    imported = set(list_hook_imports(sandbox, "pre_tool_use", make_pre_event()))
    assert sandbox.read_log("agent.memory.loaded")
    assert "sqlite3" not in imported  # another process prepares the memory
    assert "memory_core.storage.config_yml.config_merge" in imported
    assert "json" not in imported  # before 3.13, typing loads re


def test_the_worker_loads_nothing_slow() -> None:
    program = "import memory_core.delegation.inbox_reports, sys; print(*sys.modules)"
    result = subprocess.run(
        [sys.executable, "-c", program], cwd=REPO, check=True, capture_output=True, text=True
    )
    loaded = set(result.stdout.split())
    assert "memory_core.memory.remember" in loaded
    slow = {"pydantic", "dataclasses", "inspect"} & loaded
    assert not slow, "dataclasses loads inspect: a tenth of the worker's time; use a NamedTuple"
