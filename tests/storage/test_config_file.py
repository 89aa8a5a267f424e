"""Reading config.yml: valid values are used, and each problem names its line."""

import tempfile
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from memory_core.storage import config
from memory_core.storage.config_yml import config_merge, default_settings
from support.config import format_problems, load_text


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
    "many keys": ("a:\n" * 5000, "1000:3: not YAML: more than 2,000 keys and values"),
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

TEAM = ".claude-mpm/team"
YES_OR_NO = [("true", True), ("off", False), ("Yes", True), ("!!bool 'no'", False)]
NUMBER = [("30", 30), ("0x20", 32), ("0b100000", 32), ("1_0_0", 100), ("040", 32)]
NO_SCALAR = ["[a, b]", "{x: 1}", "3.5", "2024-01-01", "2024-99-99", "!foo 3", "!!int ''", ".inf"]
NO_SCALAR += ["!!binary aGk=", "'3'", "!!bool x", "[[[[[[]]]]]]", "{? [a] : 1}", "{on: off}", "="]
FOLDERS = [(".claude-mpm/memories", ".claude-mpm/memories"), ("./.claude-mpm/team/", TEAM)]
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
