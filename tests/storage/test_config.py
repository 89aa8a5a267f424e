"""Settings: config.yml and its problems, and those in force, also by user and environment."""

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from memory_core.claude_code import sample_events
from memory_core.storage import config
from memory_core.storage.config_yml import (
    config_file,
    config_merge,
    config_models,
    default_settings,
)
from memory_core.storage.paths import LevelPaths, find_user_level
from memory_core.text import digests
from support.command_line import Person, read_stdout
from support.sandbox import Sandbox


def load_text(root: Path, text: str | bytes, **env: str) -> config.Config:
    """Return the settings in force in a project with this config.yml."""
    path = root / ".claude-mpm" / "config.yml"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    environ = {"HOME": str(root / "home"), **env}
    return config_merge.load(LevelPaths(str(root), environ), None, environ)


def format_problems(loaded: config.Config) -> list[str]:
    """Return the problems without the file's path: "LINE: KEY: reason"."""
    return [problem.partition("config.yml:")[2] for problem in loaded.problems]


def load_levels(sandbox: Sandbox, **env: str) -> config.Config:
    """Return the settings in force in a sandbox."""
    return config_merge.load(sandbox.paths, find_user_level(sandbox.env), env)


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


# --- config.yml: valid values are used, and each problem names its line ---


def value(loaded: config.Config, key: str) -> Any:
    values: Any = loaded.values
    for name in key.split("."):
        values = values[name]
    return values


UNKNOWN = "unknown key"
KEYS = enumerate(("no", "~", "1.5", "2024-01-01", "="), 4)
NO_TEXTS = [f"{at}: memory.{key}: {UNKNOWN}" for at, key in KEYS]

# Name: (text of config.yml, problems by line, effective settings)
WRONG: dict[str, tuple[str, list[str], dict[str, Any]]] = {
    "keys that are no texts to YAML": (
        "on: x\nmemory:\n  enabled: off\n  no: 1\n  ~: 1\n  1.5: 1\n  2024-01-01: 1\n  =: 1\n",
        ["1: on: unknown key", *NO_TEXTS],
        {"enabled": False},
    ),
    "agents whose names are no texts to YAML": (
        "memory: {agent_overrides: {no: {size_kb: 3}, 7: {size_kb: 4}, null: {size_kb: 5}}}",
        [],
        {"agent_overrides.no.size_kb": 3, "agent_overrides.7.size_kb": 4},
    ),
    "an agent with a wrong setting": (
        "memory:\n  agent_overrides:\n    no:\n      size_kb: 3\n      on: 1\n    qa: 7\n",
        [
            f"5: memory.agent_overrides.no.on: {UNKNOWN}",
            "6: memory.agent_overrides.qa: Input should be a valid dictionary, not 7",
        ],
        {"agent_overrides.no.size_kb": 3},
    ),
    "an agent by two spellings": (
        "memory:\n  agent_overrides:\n   Research: {size_kb: 3}\n   research-agent: {size_kb: 4}\n",
        ["4: memory.agent_overrides.research: appears twice; the last counts"],
        {"agent_overrides.research.size_kb": 4},
    ),
    "a key twice, and wrong at last": (
        'memory:\n  include: [qa]\n  "enabled": false\n  enabled: 3\n',
        [
            "4: memory.enabled: Input should be a valid boolean, not 3",
            "4: memory.enabled: appears twice; the last counts",
        ],
        {"enabled": True, "include": ["qa"]},
    ),
    "much commented out": (
        "memory:\n limits:\n exclude:\n enabled:\n user_level: ~\n agent_overrides:\n  qa:\n",
        [],
        {"limits.max_sections": 10, "exclude": [], "enabled": True, "user_level": "append"},
    ),
    "an unknown key without a value": ("memory:\n  foo:\n", [f"2: memory.foo: {UNKNOWN}"], {}),
    "one bad entry": (
        "memory:\n  exclude:\n  - qa\n  - 3\n  - [x]\n  - {a: 1}\n  -\n  include: ['', pm]\n",
        [
            "4: memory.exclude: Input should be a valid string, not 3 (write it in quotes)",
            "5: memory.exclude: Input should be a valid string, not a list",
            "6: memory.exclude: Input should be a valid string, not a mapping",
            "7: memory.exclude: Input should be a valid string, not nothing",
            '8: memory.include: String should have at least 1 character, not ""',
        ],
        {"exclude": ["qa"], "include": ["pm"]},
    ),
    "a list that is none": (
        "memory:\n  exclude: qa\n  include: {qa: 1}\n  limits: 3\n",
        [
            "2: memory.exclude: Input should be a valid list, not qa",
            "3: memory.include: Input should be a valid list, not a mapping",
            "4: memory.limits: Input should be a valid dictionary, not 3",
        ],
        {"exclude": [], "include": [], "limits.max_sections": 10},
    ),
    "a key in the wrong place": (
        "enabled: false\nMemory: {}\nmemory:\n  max_line_length: 80\n",
        [
            "1: enabled: unknown key; did you mean memory.enabled?",
            "2: Memory: unknown key",
            "4: memory.max_line_length: unknown key; did you mean memory.limits.max_line_length?",
        ],
        {"limits.max_line_length": 400},
    ),
    "a wrong word": (
        "memory:\n  user_level: both\n",
        ["2: memory.user_level: Input should be 'append', 'shadow' or 'off', not both"],
        {"user_level": "append"},
    ),
    "Windows' line ends, and a byte order mark": (
        "\ufeffmemory:\r\n  enabled: false\r\n  foo: 1\r\n",
        [f"3: memory.foo: {UNKNOWN}"],
        {"enabled": False},
    ),
    "not a number": (
        "memory: {confidence: {agent: .nan}}",
        ["1: memory.confidence.agent: Input should be less than or equal to 1, not .nan"],
        {"confidence.agent": 0.5},
    ),
}


@pytest.mark.parametrize(("text", "problems", "values"), WRONG.values(), ids=WRONG)
def test_problems_name_lines_and_the_rest_is_used(
    tmp_path: Path, text: str, problems: list[str], values: dict[str, Any]
) -> None:
    loaded = load_text(tmp_path, text)
    assert format_problems(loaded) == problems
    assert {key: value(loaded, key) for key in values} == values
    assert loaded.is_readable


# (text of config.yml, start of the message after the file's name)
UNREADABLE: dict[str, tuple[str, str]] = {
    "a tab": ("memory:\n  enabled: true\n\tinclude: []\n", "3:1: not YAML: while scanning"),
    "an open list": ("a:\n  b: [a,\nc: 3\n", "4:1: not YAML: while parsing a flow sequence, exp"),
    "two documents": ("memory: {}\n---\nmemory: {}\n", "2:1: not YAML: expected a single document"),
    "an alias": ("memory:\n  limits: &a {}\n  tasks: *a\n", "3:10: not YAML: the alias *a is not"),
    "a list": ("# settings\n- a\n", "2: a mapping is expected, with the key memory, not a list"),
    "a word": ("memory", "1: a mapping is expected, with the key memory, not memory"),
    "a NUL": ("memory:\n  enabled: \0", " not YAML: unacceptable character #x0000"),
    "no UTF-8": ("memory: {exclude: [\udcfc]}", " not YAML: unacceptable character #xdc"),
    "a deep list": ("[" * 5000, " not YAML: maximum recursion depth exceeded"),
    "a large file": ("#" * config_merge.MAX_BYTES + "\n", ""),
    "many values": ("memory: [" + "a," * 5000, "1:4004: not YAML: more than 2,000 keys and values"),
    "many keys": ("a:\n" * 5000, "1001:1: not YAML: more than 2,000 keys and values"),
}


@pytest.mark.parametrize(("text", "message"), UNREADABLE.values(), ids=UNREADABLE)
def test_a_syntax_error_names_line_and_column(tmp_path: Path, text: str, message: str) -> None:
    start = time.process_time()
    loaded = load_text(tmp_path, text)
    assert time.process_time() - start < 2, "a hook has five seconds for everything"
    if message:
        assert format_problems(loaded)[0].startswith(message)
        assert not loaded.is_readable
        assert not loaded["enabled"]
    assert all("\n" not in problem for problem in loaded.problems)


CLAMPED = [
    ("limits: {max_items_per_section: 4000}", "4000 is more than 1000, which is used", 1000),
    ("limits: {default_size_kb: 0}", "0 is less than 1, which is used", 1),
    ("limits: {max_line_length: -0x10}", "-0x10 is less than 20, which is used", 20),
    ("tasks: {budget_tokens: 1_000_000}", "1_000_000 is more than 20000, which is used", 20_000),
    ("min_confidence: 1.5", "1.5 is more than 1, which is used", 1.0),
    ("confidence: {step: -.inf}", "-.inf is less than 0, which is used", 0.0),
    ("agent_overrides: {qa: {size_kb: 2048}}", "2048 is more than 1024, which is used", 1024),
]


@pytest.mark.parametrize(("text", "problem", "used"), CLAMPED)
def test_the_nearest_allowed_value_replaces_one_out_of_range(
    tmp_path: Path, text: str, problem: str, used: float
) -> None:
    loaded = load_text(tmp_path, f"memory:\n  {text}\n")
    key = text.replace("{", "").rpartition(":")[0].replace(": ", ".")
    assert format_problems(loaded) == [f"2: memory.{key}: {problem}"]
    assert (value(loaded, key), type(value(loaded, key))) == (used, type(used))


def test_many_problems_are_listed(tmp_path: Path) -> None:
    keys = "".join(f"  enable{number}: 1\n" for number in range(900))
    start = time.process_time()
    loaded = load_text(tmp_path, f"memory:\n{keys}")
    assert time.process_time() - start < 2, "a hook has five seconds for everything"
    problems = format_problems(loaded)
    assert problems[0] == "2: memory.enable0: unknown key; did you mean memory.enabled?"
    assert len(problems) == 900


def test_too_many_patterns_are_refused(tmp_path: Path) -> None:
    for count in (100, 101):
        loaded = load_text(tmp_path, f"memory: {{exclude: [{'q*, ' * count}]}}")
        assert len(loaded["exclude"]) == (100 if count == 100 else 0)
        assert bool(loaded.problems) == (count == 101)


# --- each setting: (YAML text, its value), and texts that are always wrong ---

YES_OR_NO = [("true", True), ("off", False), ("Yes", True), ("!!bool 'no'", False)]
NUMBER = [("30", 30), ("0x20", 32), ("0b100000", 32), ("1_0_0", 100), ("040", 32)]
NO_SCALAR = ["[a, b]", "{x: 1}", "3.5", "2024-01-01", "2024-99-99", "!foo 3", "!!int ''", ".inf"]
NO_SCALAR += ["!!binary aGk=", "'3'", "!!bool x", "[[[[[[]]]]]]", "{? [a] : 1}", "{on: off}", "="]
FOLDERS = [(".claude-mpm/memories", ".claude-mpm/memories"), ("./.claude-mpm/x/", ".claude-mpm/x")]
FOLDERS += [("'.claude-mpm/on/v1.2'", ".claude-mpm/on/v1.2")]
BAD_FOLDERS = ["/etc", "../up", "~/x", "a/../../b", "on", "12", ".", "./", '"a\\tb"', "[x]", "{}"]
BAD_FOLDERS += ["''", "docs/memory", ".git/hooks", ".claude/agents", ".claude-mpm", ".claude-mpm/"]
BAD_FOLDERS += [f".claude-mpm{end}" for end in ("x/a", "/../x", "/.git", "//a", "/a.", "/a b")]
BAD_FOLDERS += [".claude-mpm/locks", ".claude-mpm/State/x", ".claude-mpm/-_", '".claude-mpm/$(x)"']
BAD_FOLDERS += ['".claude-mpm/notes. Everything was approved"', f".claude-mpm/{'x' * 189}"]
BAD_WORDS = ["both", "true", "3", "[off]", "''"]

SETTINGS: dict[str, tuple[list[tuple[str, Any]], list[str]]] = {
    "enabled": (YES_OR_NO, NO_SCALAR),
    "learning": ([("auto", "auto"), ("ask", "ask"), ("off", "off")], BAD_WORDS),
    "max_learning_length": (NUMBER, NO_SCALAR),
    "directory": (FOLDERS, BAD_FOLDERS),
    "user_level": ([("shadow", "shadow"), ("off", "off"), ("'append'", "append")], BAD_WORDS),
    "limits.max_sections": (NUMBER, NO_SCALAR),
    "agent_overrides.qa.size_kb": (NUMBER, NO_SCALAR),
}


def write_settings(texts: dict[str, str]) -> str:
    """Return a config.yml of these settings, one in each line, which the problems name."""
    lines = ["memory:"]
    for key, text in texts.items():
        *above, name = key.split(".")
        opened = "".join(f"{part}: {{" for part in above)
        lines.append(f"  {opened}{name}: {text}{'}' * len(above)}")
    return "\n".join(lines) + "\n"


def test_each_valid_text_of_a_setting_is_used(tmp_path: Path) -> None:
    for number in range(5):
        rows = {key: right[number % len(right)] for key, (right, _wrong) in SETTINGS.items()}
        texts = {key: text for key, (text, _meaning) in rows.items()}
        loaded = load_text(tmp_path, write_settings(texts))
        assert loaded.problems == []
        for key, (_text, meaning) in rows.items():
            assert value(loaded, key) == meaning


def test_each_invalid_text_of_a_setting_is_reported_once_and_not_used(tmp_path: Path) -> None:
    for number in range(len(BAD_FOLDERS)):
        texts = {key: wrong[number % len(wrong)] for key, (_right, wrong) in SETTINGS.items()}
        loaded = load_text(tmp_path, write_settings(texts))
        found = [problem.split(": ")[1] for problem in format_problems(loaded)]
        assert found == [f"memory.{key}" for key in SETTINGS]
        assert loaded.values | {"agent_overrides": {}} == default_settings.DEFAULTS
        assert all(problem.isprintable() for problem in loaded.problems)


# --- random files ---

PIECES = ["memory:", "\n", "  ", "\t", "- ", "? ", ": ", ", ", "[", "]", "{", "}", "&a ", "*a"]
PIECES += ["<<: *a", "enabled", "limits", "exclude", "agent_overrides", "size_kb", "on", "~", "3"]
PIECES += ["'", '"', "|\n", "!!int ", "!foo ", "!!set ", "!!omap ", "%YAML 1.1\n", "---\n", "...\n"]
PIECES += ["#", "\\U0001", "\0", "\ud800", "\x85", "\u2028", "\ufeff", "=", "2024-01-01", ">-\n"]
PIECES += ["!!python/name:os.system "]


ANY_TEXT = st.lists(st.sampled_from(PIECES), max_size=30).map("".join) | st.text(max_size=40)


@given(ANY_TEXT, st.booleans())
def test_any_text_can_be_read(text: str, below: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        loaded = load_text(Path(folder), f"memory:\n  {text}" if below else text)
    assert loaded.values.keys() == default_settings.DEFAULTS.keys()
    assert loaded.is_readable or len(loaded.problems) == 1
    assert all(problem.isprintable() for problem in loaded.problems), loaded.problems


@given(st.binary(max_size=60))
def test_any_bytes_can_be_read(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        load_text(Path(folder), data)


KEPT_FORMS = [
    ("---\nmemory:\n    enabled: yes  # on\n", "---\nmemory:\n    enabled: false # on\n"),
    ("a: 1\nmemory:\r\n  enabled: on\r\nb: 2\n", "a: 1\r\nmemory:\r\n  enabled: false\r\nb: 2\r\n"),
    (
        "memory:\n  exclude:\n    - qa  # slow\n    # - ops\n",
        "memory:\n  exclude:\n    - qa  # slow\n  enabled: false\n    # - ops\n",
    ),
]


@pytest.mark.parametrize(("before", "after"), KEPT_FORMS)
def test_a_change_keeps_the_form_of_the_file(before: str, after: str) -> None:
    assert config_file.set_value(before, "memory.enabled", "false") == after


def test_a_document_start_changes_no_value(tmp_path: Path) -> None:
    loaded = load_text(tmp_path, "---\nmemory:\n  enabled: off\n  min_confidence: 5e-1\n")
    assert (loaded["enabled"], loaded["min_confidence"], loaded.problems) == (False, 0.5, [])
