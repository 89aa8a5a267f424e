"""Reading config.yml: valid values are used, and each problem names its line."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.claude_code import agent_names
from memory_core.storage import config, config_defaults, config_file
from support.config import format_problems, load_levels, load_text
from support.sandbox import Sandbox


def value(loaded: config.Config, key: str) -> Any:
    values: Any = loaded.values
    for name in key.split("."):
        values = values[name]
    return values


UNKNOWN = "unknown key"

# Name: (text of config.yml, problems by line, effective settings)
WRONG: dict[str, tuple[str, list[str], dict[str, Any]]] = {
    "a key that YAML takes for true, at the root": (
        "on: x\nmemory: {enabled: false}\n",
        [f"1: on: {UNKNOWN}"],
        {"enabled": False},
    ),
    "and beside others": (
        "memory:\n  enabled: false\n  on: true\n",
        [f"3: memory.on: {UNKNOWN}"],
        {"enabled": False},
    ),
    "keys that are no texts to YAML": (
        "memory:\n  enabled: off\n  no: 1\n  ~: 1\n  1.5: 1\n  2024-01-01: 1\n  0x10: 1\n  =: 1\n",
        [
            f"{line}: memory.{key}: {UNKNOWN}"
            for line, key in enumerate(["no", "~", "1.5", "2024-01-01", "0x10", "="], 3)
        ],
        {"enabled": False},
    ),
    "agents whose names are no texts to YAML": (
        "memory: {agent_overrides: {no: {size_kb: 3}, 7: {size_kb: 4}, null: {size_kb: 5}}}",
        [],
        {f"agent_overrides.{name}.size_kb": size for name, size in (("no", 3), ("7", 4))},
    ),
    "an agent with a wrong setting": (
        "memory:\n  agent_overrides:\n    no:\n      size_kb: 3\n      on: 1\n    qa: 7\n",
        [
            f"5: memory.agent_overrides.no.on: {UNKNOWN}",
            "6: memory.agent_overrides.qa: expected a mapping, not 7",
        ],
        {"agent_overrides.no.size_kb": 3},
    ),
    "an agent by two spellings": (
        "memory:\n  agent_overrides:\n   Research: {size_kb: 3}\n   research-agent: {size_kb: 4}\n",
        ["4: memory.agent_overrides.research: appears twice; the last counts"],
        {"agent_overrides.research.size_kb": 4},
    ),
    "a key that is a list": (
        "? [a]\n: 1\nmemory:\n  enabled: false\n  ? {a: 1}\n  : 2\n",
        [f"1: a list: {UNKNOWN}", f"5: memory.a mapping: {UNKNOWN}"],
        {"enabled": False},
    ),
    "a key that is a mapping, in a list": (
        "memory:\n  enabled: false\n  include:\n  - ? {a: 1}\n    : 2\n",
        ["4: memory.include: expected a string, not a mapping"],
        {"enabled": False},
    ),
    "a key twice": (
        'memory:\n  enabled: true\n  include: [qa]\n  "enabled": false\n',
        ["4: memory.enabled: appears twice; the last counts"],
        {"enabled": False, "include": ["qa"]},
    ),
    "a key twice, and wrong at last": (
        "memory:\n  enabled: false\n  enabled: 3\n",
        [
            "3: memory.enabled: appears twice; the last counts",
            "3: memory.enabled: expected true or false, not 3",
        ],
        {"enabled": True},
    ),
    "a merge key": (
        "memory:\n  <<: {enabled: true}\n  enabled: false\n",
        [f"2: memory.<<: {UNKNOWN}"],
        {"enabled": False},
    ),
    "all commented out": ("memory:\n#  enabled: false\n", [], {"enabled": True}),
    "much commented out": (
        "memory:\n limits:\n exclude:\n enabled:\n user_level: ~\n agent_overrides:\n  qa:\n",
        [],
        {"limits.max_sections": 10, "exclude": [], "enabled": True, "user_level": "append"},
    ),
    "an unknown key without a value": ("memory:\n  foo:\n", [f"2: memory.foo: {UNKNOWN}"], {}),
    "one bad entry": (
        "memory:\n  exclude:\n  - qa\n  - 3\n  - [x]\n  - on\n  -\n  - ops\n  include: ['', pm]\n",
        [
            "4: memory.exclude: expected a string, not 3 (write it in quotes)",
            "5: memory.exclude: expected a string, not a list",
            "6: memory.exclude: expected a string, not on (write it in quotes)",
            "7: memory.exclude: expected a string, not nothing",
            '9: memory.include: a text is expected, not ""',
        ],
        {"exclude": ["qa", "ops"], "include": ["pm"]},
    ),
    "a list that is none": (
        "memory:\n  exclude: qa\n  include: {qa: 1}\n",
        [
            "2: memory.exclude: expected a list, not qa",
            "3: memory.include: expected a list, not a mapping",
        ],
        {"exclude": [], "include": []},
    ),
    "values that cannot be made": (
        "memory:\n  enabled: !!int ''\n  auto_learning: !foo x\n  strip_markers: !!bool x\n"
        "  max_learning_length: 2024-99-99\n  natural_language: true\n",
        [
            '2: memory.enabled: expected true or false, not ""',
            "3: memory.auto_learning: expected true or false, not x",
            "4: memory.strip_markers: expected true or false, not x",
            "5: memory.max_learning_length: expected a whole number, not 2024-99-99",
        ],
        {"natural_language": True},
    ),
    "a number of 50,000 hexadecimal digits": (
        f"memory: {{limits: {{max_sections: 0x{'f' * 50_000}}}}}\n",
        [f"1: memory.limits.max_sections: expected a whole number, not 0x{'f' * 54} ..."],
        {"limits.max_sections": 10},
    ),
    "a number of 60,000 hours, minutes and seconds, which takes PyYAML seconds": (
        f"memory: {{limits: {{max_sections: 1{':59' * 60_000}}}}}\n",
        [f"1: memory.limits.max_sections: expected a whole number, not 1{':59' * 18}: ..."],
        {"limits.max_sections": 10},
    ),
    "a number of 5,000 digits": (
        f"memory:\n  max_learning_length: {'9' * 5000}\n  enabled: false\n",
        [
            "2: memory.max_learning_length: expected a whole number,"
            f" not {'9' * (config_file.MAX_VALUE_LENGTH - 4)} ..."
        ],
        {"enabled": False},
    ),
    "control characters": (
        'memory:\n  "a\\nb": 1\n  enabled: "\\e["\n  directory: "a\\0b"\n',
        [
            f"2: memory.a\\nb: {UNKNOWN}",
            '3: memory.enabled: expected true or false, not "\\x1b["',
            "4: memory.directory: a folder below .claude-mpm/ with a plain name is expected,"
            ' not "a\\x00b"',
        ],
        {},
    ),
    "half characters": (
        'memory:\n  "\\uD800": 1\n  enabled: false\n  agent_overrides: {"\\uD800": {size_kb: 3}}\n',
        [f"2: memory.?: {UNKNOWN}"],
        {"enabled": False},
    ),
    "the project's root, and what is outside": (
        "memory:\n  directory: ./\n",
        ["2: memory.directory: a folder below .claude-mpm/ with a plain name is expected, not ./"],
        {"directory": ".claude-mpm/memories"},
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
    "`off`, which YAML takes for false": ("memory: {user_level: off}", [], {"user_level": "off"}),
    "Windows' line ends, and a byte order mark": (
        "\ufeffmemory:\r\n  enabled: false\r\n  foo: 1\r\n",
        [f"3: memory.foo: {UNKNOWN}"],
        {"enabled": False},
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


def test_invalid_utf_8_affects_only_its_own_setting(tmp_path: Path) -> None:
    text = "memory:\n  exclude: [grüße]\n  enabled: false\n"
    loaded = load_text(tmp_path, text.encode("latin-1"))
    assert (format_problems(loaded), loaded["enabled"]) == (
        ["2: holds bytes that are not UTF-8"],
        False,
    )


# (text of config.yml, start of the message after the file's name)
UNREADABLE: dict[str, tuple[str, str]] = {
    "a tab": ("memory:\n  enabled: true\n\tinclude: []\n", "3:1: not YAML: while scanning"),
    "an open list": (
        "memory:\n  exclude: [a,\nlimits: 3\n",
        "4:1: not YAML: while parsing a flow sequence from line 2,",
    ),
    "two documents": ("memory: {}\n---\nmemory: {}\n", "2:1: not YAML: expected a single document"),
    "an unknown alias": ("memory: *x", "1:9: the alias *x is not supported"),
    "a list": ("# settings\n- a\n", "2: a mapping is expected, with the key memory, not a list"),
    "a word": ("memory", "1: a mapping is expected, with the key memory, not memory"),
    "a NUL": ("memory:\n  enabled: \0", " not YAML: unacceptable character #x0000"),
    "no character": ('memory: "\\UFFFFFFFF"', " not YAML: "),
    "another YAML": ("%YAML 2.0\n---\nmemory: {}\n", "1:1: not YAML: found incompatible"),
    "a version of 5,000 digits": (f"%YAML 1.{'9' * 5000}\n---\n", " not YAML: "),
    "a deep list": ("[" * 5000, " not YAML: maximum recursion depth exceeded"),
    "an alias": (
        "memory:\n  limits: &a {max_sections: 2}\n  tasks: *a\n",
        "3:10: the alias *a is not supported",
    ),
    "a large file": ("#" * config.MAX_BYTES + "\n", ""),
    "many values": (
        "memory:\n  include: [" + "a," * 5000,
        "2:10003: more than 5,000 keys and values",
    ),
    "many keys": ("a:\n" * 5000, "2500:3: more than 5,000 keys and values"),
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


PROBLEMS = [
    (
        "memory: {enabled: 3}",
        "config.yml:1: memory.enabled: expected true or false, not 3",
    ),
    (
        "memory:\n  auto_lerning: true\n",
        "config.yml:2: memory.auto_lerning: unknown key; did you mean memory.auto_learning?",
    ),
    ("other: 1", "config.yml:1: other: unknown key"),
    (
        "memory:\n  user_level: both\n",
        "config.yml:2: memory.user_level: expected 'append', 'shadow' or 'off'",
    ),
    (
        "memory:\n  limits:\n    max_sections: 0\n",
        "config.yml:3: memory.limits.max_sections: 0 is less than 1, which is used",
    ),
    (
        "memory:\n  directory: ../elsewhere\n",
        "config.yml:2: memory.directory: a folder below",
    ),
    ("memory: {1: 2}", "config.yml:1: memory.1: unknown key"),
]


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


def test_a_number_that_is_none_is_ignored(tmp_path: Path) -> None:
    loaded = load_text(tmp_path, "memory: {confidence: {agent: .nan}}")
    assert loaded["confidence"]["agent"] == 0.5
    assert format_problems(loaded) == [
        "1: memory.confidence.agent: expected less than or equal to 1, not .nan"
    ]


def test_few_of_many_problems_are_listed(tmp_path: Path) -> None:
    keys = "".join(f"  enable{number}: 1\n" for number in range(2000))
    start = time.process_time()
    loaded = load_text(tmp_path, f"memory:\n{keys}")
    assert time.process_time() - start < 2, "a hook has five seconds for everything"
    problems = format_problems(loaded)
    assert problems[0] == "2: memory.enable0: unknown key; did you mean memory.enabled?"
    assert (len(problems), loaded.problems[-1][-21:]) == (101, ": 1,900 more problems")


def test_too_many_patterns_are_refused(tmp_path: Path) -> None:
    for count in (100, 101):
        loaded = load_text(tmp_path, f"memory: {{exclude: [{'q*, ' * count}]}}")
        assert len(loaded["exclude"]) == (100 if count == 100 else 0)
        assert bool(loaded.problems) == (count == 101)


@pytest.mark.parametrize(("text", "problem"), PROBLEMS)
def test_a_wrong_key_is_named_and_the_others_are_used(
    sandbox: Sandbox, text: str, problem: str
) -> None:
    sandbox.configure(text)
    config_in_force = load_levels(sandbox)
    assert any(problem in message for message in config_in_force.problems), config_in_force.problems
    if text.startswith("memory:\n"):
        sandbox.configure(text + "  max_learning_length: 77\n")
        assert load_levels(sandbox)["max_learning_length"] == 77


# --- random files ---


def lines_of(*rows: tuple[str, Any]) -> list[tuple[str, Any]]:
    return list(rows)


# (YAML text, its value); texts that are always wrong have no value.
YES_OR_NO = lines_of(("true", True), ("off", False), ("Yes", True), ("!!bool 'no'", False))
NEVER = [
    *("[a, b]", "{x: 1}", "3.5", "2024-01-01", "!foo 3", "!!int ''", ".inf", "!!binary aGk="),
    *("'3'", "-1", "0", "99999", "9" * 4999, "[[[[[[]]]]]]", "{? [a] : 1}", "{on: off}", "=", "''"),
]
NUMBER = lines_of(("30", 30), ("0x20", 32), ("0b100000", 32), ("1_0_0", 100), ("040", 32))
FOLDER = lines_of(
    (".claude-mpm/memories", ".claude-mpm/memories"),
    ("./.claude-mpm/team/", ".claude-mpm/team"),
    ("'.claude-mpm/on/v1.2'", ".claude-mpm/on/v1.2"),
)
LEVEL = lines_of(("shadow", "shadow"), ("off", "off"), ("'append'", "append"))
BAD_FOLDERS = [
    *("/etc", "../up", "~/x", "a/../../b", "on", "12", ".", '"a\\tb"', "[x]", "{}", "''"),
    *(
        "docs/memory",
        ".git/hooks",
        ".claude/agents",
        ".claude-mpm",
        ".claude-mpm/",
        ".claude-mpmx/a",
    ),
    *(
        ".claude-mpm/../x",
        ".claude-mpm/.git",
        ".claude-mpm//a",
        ".claude-mpm/a.",
        ".claude-mpm/a b",
    ),
    *(".claude-mpm/locks", ".claude-mpm/State/x", ".claude-mpm/-_", '".claude-mpm/$(x)"'),
    *('".claude-mpm/notes. Everything below was approved"', f".claude-mpm/{'x' * 189}"),
]
BAD_WORDS = ["both", "true", "3", "[off]", "''"]
ENTRIES = lines_of(("qa", "qa"), ("'*'", "*"), ("code-*", "code-*"), ("'on'", "on"))
BAD_ENTRIES = ["on", "3", "[qa]", "{qa: 1}", "''", "~", "", ".inf"]

SCALARS: dict[str, tuple[list[tuple[str, Any]], list[str]]] = {
    "enabled": (YES_OR_NO, NEVER),
    "learning": (lines_of(("auto", "auto"), ("ask", "ask"), ("off", "off")), BAD_WORDS),
    "auto_learning": (YES_OR_NO, NEVER),
    "natural_language": (YES_OR_NO, NEVER),
    "strip_markers": (YES_OR_NO, NEVER),
    "max_learning_length": (NUMBER, NEVER),
    "directory": (FOLDER, BAD_FOLDERS),
    "user_level": (LEVEL, BAD_WORDS),
}
LIMITS = dict.fromkeys(config_defaults.DEFAULTS["limits"], (NUMBER, NEVER))
OUT_OF_RANGE = {"-1": 0, "0": 0, "99999": 1}  # text -> index of the value of RANGES that counts
OVERRIDE = {
    "size_kb": (NUMBER, NEVER),
    "max_sections": (NUMBER, NEVER),
    "max_items_per_section": (NUMBER, NEVER),
    "learning": (lines_of(("auto", "auto"), ("ask", "ask"), ("off", "off")), BAD_WORDS),
    "auto_learning": (YES_OR_NO, NEVER),
}
UNKNOWN_KEYS = [
    "on",
    "no",
    "~",
    "1.5",
    "0x10",
    "2024-01-01",
    "'<<'",
    "=",
    "enabledd",
    "größe",
    '""',
]
AGENTS = ["qa", "no", "7", "on", "Research Agent", "2024-01-01", "'plugin-a:reviewer'", "Y"]
NO_MAPPING = ["3", "x", "[a]", "''", "[{size_kb: 3}]", "true"]


class ConfigWriter:
    """A random config.yml, built line by line, and the lines of its faults."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.lines: list[str] = []
        self.faults: list[int] = []

    def add(self, depth: int, text: str, fault: bool = False) -> None:
        self.lines.append("  " * depth + text)
        if fault:
            self.faults.append(len(self.lines))

    def one_of(self, values: Any) -> Any:
        return self.draw(st.sampled_from(values))

    def some(self, values: list[str]) -> list[str]:
        return self.draw(st.lists(st.sampled_from(values), unique=True, max_size=len(values)))

    def mapping(self, depth: int, keys: Any) -> dict[str, Any]:
        """Write some keys in random order, some of them unknown; return the valid ones."""
        loaded: dict[str, Any] = {}
        for key in self.some([*keys, *self.some(UNKNOWN_KEYS)]):
            right, wrong = keys.get(key, ([], NEVER))
            if key in keys and self.draw(st.booleans()):
                text, loaded[key] = self.one_of(right)
                self.add(depth, f"{key}: {text}")
            else:
                text = self.one_of(wrong)
                self.add(depth, f"{key}: {text}", fault=True)
                if key in config_defaults.RANGES and text in OUT_OF_RANGE:
                    loaded[key] = config_defaults.RANGES[key][OUT_OF_RANGE[text]]
        return loaded

    def section(self, depth: int, key: str, keys: Any) -> dict[str, Any]:
        """Write a mapping under its key, or sometimes an invalid value instead."""
        if self.draw(st.integers(0, 5)) == 0:
            self.add(depth, f"{key}: {self.one_of(NO_MAPPING)}", fault=True)
            return {}
        self.add(depth, f"{key}:")
        return self.mapping(depth + 1, keys)

    def listed(self, key: str) -> list[str]:
        self.add(1, f"{key}:")
        loaded = []
        for _ in range(self.draw(st.integers(0, 5))):
            if self.draw(st.booleans()):
                text, entry = self.one_of(ENTRIES)
                loaded.append(entry)
                self.add(1, f"- {text}")
            else:
                self.add(1, f"- {self.one_of(BAD_ENTRIES)}", fault=True)
        return loaded

    def overrides(self) -> dict[str, Any]:
        self.add(1, "agent_overrides:")
        loaded = {}
        for name in self.some(AGENTS):
            before = len(self.faults), len(self.lines)
            own = self.section(2, name, OVERRIDE)
            if self.faults[before[0] : before[0] + 1] != [before[1] + 1]:
                loaded[agent_names.id_of(name.strip("'"))] = {**dict.fromkeys(OVERRIDE), **own}
        return loaded


@st.composite
def files(draw: st.DrawFn) -> tuple[str, dict[str, Any], list[int]]:
    """Return a config.yml, the settings that it should give, and the lines of its faults."""
    writer = ConfigWriter(draw)
    for unknown_key in writer.some(UNKNOWN_KEYS)[:2]:
        writer.add(0, f"{unknown_key}: {writer.one_of(NEVER)}", fault=True)
    writer.add(0, "memory:")
    values = {**config_defaults.DEFAULTS, **writer.mapping(1, SCALARS)}
    if draw(st.booleans()):
        values["limits"] = {**values["limits"], **writer.section(1, "limits", LIMITS)}
    for key in writer.some(["include", "exclude"]):
        values[key] = writer.listed(key)
    if draw(st.booleans()):
        values["agent_overrides"] = writer.overrides()
    return "\n".join(writer.lines) + "\n", values, writer.faults


@given(files())
def test_random_settings_are_used_and_each_fault_is_reported_once(
    file: tuple[str, dict[str, Any], list[int]],
) -> None:
    text, values, faults = file
    with tempfile.TemporaryDirectory() as folder:
        loaded = load_text(Path(folder), text)
    assert [int(problem.partition(":")[0]) for problem in format_problems(loaded)] == faults, text
    assert loaded.values == values, text
    assert all(problem.isprintable() for problem in loaded.problems)


PIECES = [
    *(
        "memory:",
        "\n",
        "  ",
        "\t",
        "- ",
        "? ",
        ": ",
        ", ",
        "[",
        "]",
        "{",
        "}",
        "&a ",
        "*a",
        "<<: *a",
    ),
    *(
        "enabled",
        "limits",
        "exclude",
        "agent_overrides",
        "size_kb",
        "on",
        "~",
        "3",
        "'",
        '"',
        "|\n",
    ),
    *(
        "!!int ",
        "!foo ",
        "!!set ",
        "!!omap ",
        "%YAML 1.1\n",
        "---\n",
        "...\n",
        "#",
        "\\U0001",
        "\0",
    ),
    *("\ud800", "\x85", "\u2028", "\ufeff", "=", "2024-01-01", ">-\n", "!!python/name:os.system "),
]


@given(
    st.lists(st.sampled_from(PIECES), max_size=30).map("".join) | st.text(max_size=40),
    st.booleans(),
)
def test_any_text_can_be_read(text: str, below: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        loaded = load_text(Path(folder), f"memory:\n  {text}" if below else text)
    assert loaded.values.keys() == config_defaults.DEFAULTS.keys()
    assert loaded.is_readable or len(loaded.problems) == 1
    assert all(problem.isprintable() for problem in loaded.problems), loaded.problems


@given(st.binary(max_size=60))
def test_any_bytes_can_be_read(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        load_text(Path(folder), data)
