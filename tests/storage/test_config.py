"""The effective settings, from the project, the user and the environment."""

import json
import sys
from pathlib import Path

import pytest

from memory_core.claude_code import sample_events
from memory_core.storage import config
from memory_core.storage.config_yml import config_models, default_settings
from memory_core.text import digests
from support.command_line import Person, read_stdout
from support.config import load_levels, load_text
from support.sandbox import Sandbox


def test_the_defaults_are_those_of_the_models() -> None:
    assert config_models.MemoryConfig().model_dump() == default_settings.DEFAULTS


@pytest.mark.parametrize(("is_compiled", "length"), [(True, 50), (False, 300)])
def test_without_yaml_compiled_settings_are_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_compiled: bool, length: int
) -> None:
    if is_compiled:
        load_text(tmp_path, "memory: {max_learning_length: 50}")
    monkeypatch.setitem(sys.modules, "memory_core.storage.config_yml.config_file", None)
    monkeypatch.delattr("memory_core.storage.config_yml.config_file", raising=False)
    loaded = load_text(tmp_path, "memory: {max_learning_length: 60}")
    assert loaded["max_learning_length"] == length
    assert loaded["enabled"] == is_compiled
    assert "is not installed" in loaded.problems[0]


def test_commands_report_unreadable_settings(person: Person) -> None:
    person.sandbox.configure("memory: {max_learning_length: 50}\n")
    assert person.run("config", "check").returncode == 0
    person.run("status")
    person.sandbox.configure("memory:\n\tenabled: true\n")
    path = person.sandbox.root / ".claude-mpm" / "config.yml"
    where = f"{path}:2:1"
    done = person.run("config", "check")
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith(f"{where}: not YAML: ")
    assert done.stdout.count("\n") == 1
    shown = person.run("config", "show")
    assert shown.returncode == 1
    assert shown.stderr.startswith(done.stdout.rstrip())
    assert "max_learning_length: 50  (.claude-mpm/config.yml)\n" in shown.stdout
    shown = person.run("config", "show", "--json")
    assert shown.returncode == 1
    loaded = {entry["key"]: (entry["value"], entry["source"]) for entry in json.loads(shown.stdout)}
    assert loaded["max_learning_length"] == (50, str(path))
    assert loaded["strip_markers"] == (True, "default")

    warned = json.loads(person.run("status", "--json").stdout)["warnings"]
    warning = {"what": "config.yml: 1 problem", "mend": "agent-memory config check"}
    assert warning in warned


def test_the_project_overrides_the_user(sandbox: Sandbox) -> None:
    users = sandbox.home / ".claude-mpm" / "config.yml"
    users.parent.mkdir()
    overrides = "agent_overrides: {Research: {size_kb: 32, max_sections: 3}}"
    limits = "limits: {max_sections: 3}"
    users.write_text(f"memory: {{max_learning_length: 50, {limits}, {overrides}}}")
    own = "agent_overrides: {research agent: {size_kb: 4, max_sections: null}}"
    sandbox.configure(f"memory: {{limits: {{max_items_per_section: 4}}, {own}}}")
    loaded = load_levels(sandbox)
    assert loaded["max_learning_length"] == 50
    assert loaded["limits"]["max_sections"] == 3
    assert loaded["limits"]["max_items_per_section"] == 4
    assert loaded.size_kb("Research_Agent") == 4
    assert loaded.find_override("research")["max_sections"] is None, "taken back"
    assert loaded.find_override("engineer") == {}


def test_damaged_settings_are_not_used(sandbox: Sandbox) -> None:
    sandbox.configure("memory: {context_items: 7}")
    load_levels(sandbox)
    kept = sandbox.state / config.FILE
    damaged = kept.read_text().replace('"append"', '"off"')
    kept.write_text(damaged)
    assert load_levels(sandbox)["user_level"] == "append"
    kept.write_text(damaged)
    sandbox.configure("memory: [")
    assert not load_levels(sandbox)["enabled"], "nor in place of a file that cannot be read"


def replace_kept(sandbox: Sandbox, text: str, other: str) -> None:
    """Replace a text in the settings that are kept."""
    path = sandbox.state / config.FILE
    changed = path.read_text().partition("\n")[2].replace(text, other)
    path.write_text(f"{digests.hash_long(changed)}\n{changed}")


def test_a_text_that_cannot_be_read_is_tried_once(sandbox: Sandbox) -> None:
    sandbox.configure("memory: [")
    problems = load_levels(sandbox).problems
    replace_kept(sandbox, "not YAML", "read before")
    again = load_levels(sandbox)
    assert again.problems == [problems[0].replace("not YAML", "read before")]
    assert not again.is_readable
    sandbox.configure("memory: [ ")
    assert "not YAML" in load_levels(sandbox).problems[0]
    sandbox.configure("memory: {enabled: true}")
    assert load_levels(sandbox).problems == []


def test_settings_are_merged_once_and_again_when_they_change(sandbox: Sandbox) -> None:
    sandbox.configure("memory: {max_learning_length: 50}")
    assert load_levels(sandbox)["max_learning_length"] == 50
    replace_kept(sandbox, 'length": 50', 'length": 51')
    assert load_levels(sandbox)["max_learning_length"] == 51, "taken from what was kept"
    sandbox.configure("memory: {max_learning_length: 60 }")
    assert load_levels(sandbox)["max_learning_length"] == 60
    (sandbox.state / config.FILE).write_text("torn")
    assert load_levels(sandbox)["max_learning_length"] == 60


# --- variables for one run ---

OVERRIDDEN = "memory: {agent_overrides: {research: {size_kb: 16, auto_learning: true}}}"

# The limit that a variable names, and the one that is used.
LIMITS = {"4": 4, "12": 12, "9" * 5000: 16, "0": 16, "x": 16, "": 16}


def test_the_environment_overrides_settings(tmp_path: Path) -> None:
    for said, size in LIMITS.items():
        loaded = load_text(tmp_path, OVERRIDDEN, AGENT_MEMORY_LIMIT_KB=said)
        assert loaded.size_kb("Research") == size, said
    assert load_text(tmp_path, "", AGENT_MEMORY_LIMIT_KB="12").size_kb("qa") == 12
    for said, is_enabled in (("off", False), ("on", True)):
        assert load_text(tmp_path, OVERRIDDEN, AGENT_MEMORY=said)["enabled"] == is_enabled


ON, SWITCHED_OFF = {"AGENT_MEMORY_LEARNING": "on"}, {"AGENT_MEMORY_LEARNING": "off"}
# Settings, settings of qa, variables, how qa learns, how others learn.
MODES = [
    ("", "", {}, "auto", "auto"),
    ("learning: ask", "", {}, "ask", "ask"),
    ("learning: off", "", {}, "off", "off"),
    ("auto_learning: false", "", {}, "off", "off"),
    ("auto_learning: false, learning: ask", "", {}, "off", "off"),
    ("", "learning: ask", {}, "ask", "auto"),
    ("learning: off", "learning: ask", {}, "ask", "off"),
    ("auto_learning: false", "auto_learning: true", {}, "auto", "off"),
    ("learning: off", "auto_learning: true", {}, "auto", "off"),
    ("learning: ask", "auto_learning: false", {}, "off", "ask"),
    ("learning: ask", "auto_learning: true", {}, "ask", "ask"),
    ("learning: ask", "learning: off", ON, "auto", "ask"),
    ("learning: off", "learning: ask", ON, "ask", "auto"),
    ("auto_learning: false", "auto_learning: false", ON, "auto", "auto"),
    ("learning: ask", "learning: auto", SWITCHED_OFF, "off", "off"),
    ("auto_learning: false", "", {"AGENT_MEMORY_LEARNING": "what"}, "off", "off"),
]


@pytest.mark.parametrize(("text", "own", "env", "of_qa", "of_others"), MODES)
def test_how_agents_learn(
    tmp_path: Path, text: str, own: str, env: dict[str, str], of_qa: str, of_others: str
) -> None:
    settings = ", ".join(filter(None, (text, f"agent_overrides: {{QA: {{{own}}}}}")))
    loaded = load_text(tmp_path, f"memory: {{{settings}}}", **env)
    assert loaded.problems == []
    assert (loaded.learning_of("qa"), loaded.learning_of("ops")) == (of_qa, of_others)
    assert loaded.may_learn("qa") == (of_qa != "off")


def test_run_overrides_agent_settings(person: Person) -> None:
    """With real processes: `run`, which starts a hook and a command."""
    person.sandbox.configure(OVERRIDDEN)
    person.sandbox.write_memory("research", "Services talk through the event bus, never directly")
    event = json.dumps(sample_events.build("stop", "research", str(person.sandbox.root), "1"))
    hook = 'python3 "$HOOKS/subagent_stop.py"'
    done = person.succeed("run", "--no-learning", "--", "sh", "-c", hook, data=event.encode())
    assert sample_events.LEARNING not in person.sandbox.read_memory("research")
    status = ["agent-memory", "status", "--json"]
    done = person.run("run", "--memory-limit", "4", "--", *status)
    assert json.loads(done.stdout)["agents"][0]["limit"] == 4096
    shown = person.run("run", "--memory-limit", "4", "agent-memory", "config", "show", "--json")
    loaded = {entry["key"]: (entry["value"], entry["source"]) for entry in json.loads(shown.stdout)}
    assert loaded["agent_overrides.research.size_kb"] == (4, "environment")
    event = event.replace('"sample-1"', '"sample-2"')
    person.run("run", "--", "sh", "-c", hook, data=event.encode())
    assert sample_events.LEARNING in person.sandbox.read_memory("research")
    assert json.loads(person.run(*status[1:]).stdout)["agents"][0]["limit"] == 16 * 1024


STRANGE = [
    ("AGENT_MEMORY", "maybe", "AGENT_MEMORY: on or off is expected, not 'maybe'"),
    ("AGENT_MEMORY_LEARNING", "maybe", "AGENT_MEMORY_LEARNING: on or off is expected, not 'maybe'"),
    ("AGENT_MEMORY_LIMIT_KB", "x\n", "AGENT_MEMORY_LIMIT_KB: 1 to 1024 is expected, not 'x\\n'"),
    ("AGENT_MEMORY_LIMIT_KB", "1025", "AGENT_MEMORY_LIMIT_KB: 1 to 1024 is expected, not '1025'"),
    ("AGENT_MEMORY", " OFF ", ""),
    ("AGENT_MEMORY_LIMIT_KB", "1024", ""),
    ("AGENT_MEMORY_LIMIT_KB", "", ""),
]


@pytest.mark.parametrize(("name", "said", "problem"), STRANGE)
def test_a_wrong_variable_is_reported(person: Person, name: str, said: str, problem: str) -> None:
    done = person.run("config", "check", **{name: said})
    assert (done.returncode, done.stdout) == ((1, f"{problem}\n") if problem else (0, ""))
    done = person.run("status", "--json", **{name: said})
    warned = [warning["what"] for warning in json.loads(done.stdout)["warnings"]]
    assert [what for what in warned if "expected" in what] == ([problem] if problem else [])
    if problem:
        event = sample_events.build("pre", "engineer", str(person.sandbox.root), "1")
        outcome = person.sandbox.run_hook("pre_tool_use", event, **{name: said})
        assert (outcome.status, outcome.stderr) == (0, b"")
        assert not person.sandbox.read_log("agent.memory.error")


# (arguments of `run`, arguments that the command receives)
COMMANDS = [
    (["claude", "--debug", "-p", "hi"], ["--debug", "-p", "hi"]),
    (["--", "claude", "--debug"], ["--debug"]),
    (["claude", "--", "--debug"], ["--", "--debug"]),
    (["--debug", "--project", ".", "claude", "run", "--debug"], ["run", "--debug"]),
    (["--memory-limit=4", "--no-memory", "claude", "--json", ""], ["--json", ""]),
]


@pytest.mark.parametrize(("arguments", "given"), COMMANDS)
def test_arguments_after_the_command_belong_to_it(
    person: Person, arguments: list[str], given: list[str]
) -> None:
    person.add_program("claude", "printf '<%s>' \"$@\"")
    shown = read_stdout(person.run("run", *arguments))
    assert shown == "".join(f"<{argument}>" for argument in given)
