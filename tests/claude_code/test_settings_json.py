"""The hooks in a user's settings.json: added once, removed without a trace."""

from __future__ import annotations

import json

import hypothesis
import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st

from memory_core.claude_code import settings_json
from support.paths import REPO
from support.tables import for_each

with open(REPO / "settings.template.json", encoding="utf-8") as file:
    TEMPLATE = file.read()

PARTS = (settings_json.BASIC, settings_json.TASKS)
BLOCK = settings_json.build_hooks(TEMPLATE, parts=PARTS)
# Hooks of an older version: another matcher, another command, one event less.
OLD_HOOK = {"type": "command", "command": settings_json.COMMAND_PREFIX + '"$HOME/older"; run it'}
OLDER = {
    event: [{"matcher": "Task", "hooks": [OLD_HOOK]}]
    for event in ("PreToolUse", "PostToolUse", "SubagentStop", "SessionEnd")
}
FOREIGN = {
    "model": "opus",
    "hooks": {
        "PreToolUse": [
            {"matcher": "Bash", "hooks": [{"type": "command", "command": "check-bash"}]},
            {
                "matcher": "Task|Agent|SubagentHandback",
                "hooks": [{"type": "command", "command": "other-tool agent_memory=1"}],
            },
        ],
        "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}],
    },
    "permissions": {"deny": ["Agent(x)"]},
}


# --- settings of every kind, in every layout ---

blanks = st.text(alphabet=" \t\n\r", max_size=4)
words = st.text(max_size=6)
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | words
)
values = st.recursive(
    scalars | st.just([]) | st.just({}),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=6,
)
hook_entries = st.fixed_dictionaries(
    {"type": st.just("command"), "command": st.sampled_from(["lint", "./a b", "agent-memory"])},
    optional={"timeout": st.integers(1, 60)},
)
groups = st.fixed_dictionaries(
    {"hooks": st.lists(hook_entries, max_size=2)},
    optional={"matcher": st.sampled_from(["", "*", "Bash", "Task|Agent"])},
)
events = st.sampled_from(["PreToolUse", "SubagentStop", "SessionStart", "Stop", "Notification"])
hook_blocks = st.dictionaries(events, st.lists(groups | values, max_size=2), max_size=3)


@st.composite
def settings_values(draw: st.DrawFn) -> dict[str, object]:
    members = list(draw(st.dictionaries(words, values, max_size=3)).items())
    members = [(key, value) for key, value in members if key != "hooks"]
    if draw(st.booleans()):
        members.insert(draw(st.integers(0, len(members))), ("hooks", draw(hook_blocks)))
    return dict(members)


def laid_out(draw: st.DrawFn, value: object) -> str:
    """Return JSON text with random whitespace wherever JSON allows it."""

    def gap() -> str:
        return draw(blanks)

    if isinstance(value, dict):
        parts = [
            f"{gap()}{json.dumps(key, ensure_ascii=draw(st.booleans()))}{gap()}:{gap()}"
            f"{laid_out(draw, inner)}{gap()}"
            for key, inner in value.items()
        ]
        return "{" + (",".join(parts) or gap()) + "}"
    if isinstance(value, list):
        parts = [f"{gap()}{laid_out(draw, inner)}{gap()}" for inner in value]
        return "[" + (",".join(parts) or gap()) + "]"
    return json.dumps(value, ensure_ascii=draw(st.booleans()))


@st.composite
def usual_texts(draw: st.DrawFn) -> str:
    """Return settings in the layouts of common writers."""
    value = draw(settings_values())
    indent = draw(st.sampled_from([None, 0, 1, 2, 4, "\t"]))
    separators = draw(st.sampled_from([None, (",", ":"), (", ", " : ")]))
    text = json.dumps(value, indent=indent, separators=separators)
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    mark = draw(st.sampled_from(["", settings_json.BYTE_ORDER_MARK]))
    return mark + text.replace("\n", newline) + draw(st.sampled_from(["", newline, newline * 2]))


@st.composite
def odd_texts(draw: st.DrawFn) -> str:
    """Return settings with whitespace in odd places."""
    return draw(blanks) + laid_out(draw, draw(settings_values())) + draw(blanks)


# Without a deadline, because the machine may be busy.
unhurried = hypothesis.settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

texts = usual_texts() | odd_texts() | blanks

BY_HAND = [
    "",
    "\n",
    "{}",
    "{}\n",
    "{ }",
    "{\n}\n",
    "{\r}",
    "{\n\n}",
    '{"hooks":{}}',
    '{"hooks": {}}\n',
    '{\n  "hooks": {}\n}\n',
    '{\n  "hooks": {\n  }\n}\n',
    '{"a":1,"hooks":{\n}}',
    '{"hooks":{"PreToolUse":[]}}',
    '{\n  "hooks": {\n    "PreToolUse": []\n  }\n}\n',
    '{\n  "hooks": {\n    "PreToolUse": [ ]\n  }\n}\n',
    '{\n\t"env": {"A": "b"},\n\t"hooks": {"Stop": [{"hooks": []}]}\n}',
    '{"env": {\n  "A": "b"\n}}',
    '{"a":1,"a":2,"hooks":{},"hooks":{"Stop":[]}}',
    '{"\\u00e9": "\\ud800", "n": 1.0e+2}',
    '\ufeff{\r\n    "a": 1\r\n}\r\n',
    '{\n"a": 1\n}',
    '  {\n    "a": 1\n  }',
    json.dumps(FOREIGN, indent=2) + "\n",
]


def every(test):  # type: ignore[no-untyped-def]
    """Run a property with generated settings and with all handwritten ones."""
    for text in BY_HAND:
        test = example(text)(test)
    return unhurried(given(texts)(test))


# --- adding and removing ---


@every
def test_removing_restores_the_exact_text(text: str) -> None:
    assert settings_json.remove_hooks(settings_json.add_hooks(text, BLOCK)) == text


@every
def test_removing_after_an_upgrade_restores_the_exact_text(text: str) -> None:
    upgraded = settings_json.add_hooks(settings_json.add_hooks(text, OLDER), BLOCK)
    assert settings_json.remove_hooks(upgraded) == text


@every
def test_adding_twice_changes_nothing(text: str) -> None:
    once = settings_json.add_hooks(text, BLOCK)
    assert settings_json.add_hooks(once, BLOCK) == once


@every
def test_adding_keeps_other_values(text: str) -> None:
    before = (
        value_of(text)
        if text.strip(settings_json.WHITESPACE + settings_json.BYTE_ORDER_MARK)
        else {}
    )
    after = value_of(settings_json.add_hooks(text, BLOCK))
    assert without_hooks(after) == without_hooks(before)
    expected = dict(before.get("hooks", {}))
    for event, groups in BLOCK.items():
        expected[event] = [*expected.get(event, []), *groups]
    assert after["hooks"] == expected


@every
def test_an_upgrade_ends_with_the_same_hooks(text: str) -> None:
    upgraded = value_of(settings_json.add_hooks(settings_json.add_hooks(text, OLDER), BLOCK))
    assert upgraded == value_of(settings_json.add_hooks(text, BLOCK))


@every
def test_removing_leaves_other_texts_unchanged(text: str) -> None:
    assert settings_json.remove_hooks(text) == text


@every
def test_all_bytes_are_kept_in_order(text: str) -> None:
    merged = iter(settings_json.add_hooks(text, BLOCK))
    assert all(character in merged for character in text)


def value_of(text: str) -> dict[str, object]:
    return json.loads(text.removeprefix(settings_json.BYTE_ORDER_MARK))  # type: ignore[no-any-return]


def without_hooks(value: dict[str, object]) -> list[tuple[str, object]]:
    return [(key, inner) for key, inner in value.items() if key != "hooks"]


# --- layout ---

LAYOUTS = {
    "two blanks": json.dumps(FOREIGN, indent=2) + "\n",
    "four blanks": json.dumps(FOREIGN, indent=4),
    "tabs": json.dumps(FOREIGN, indent="\t") + "\n",
    "one line": json.dumps(FOREIGN),
    "minified": json.dumps(FOREIGN, separators=(",", ":")),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_added_hooks_have_the_layout_of_the_file(layout: str) -> None:
    text = LAYOUTS[layout]
    merged = settings_json.add_hooks(text, BLOCK)
    value = value_of(merged)
    again = {
        "two blanks": lambda: json.dumps(value, indent=2) + "\n",
        "four blanks": lambda: json.dumps(value, indent=4),
        "tabs": lambda: json.dumps(value, indent="\t") + "\n",
        "one line": lambda: json.dumps(value),
        "minified": lambda: json.dumps(value, separators=(",", ":")),
    }[layout]()
    assert merged == again


def test_windows_line_ends_are_used_throughout() -> None:
    text = json.dumps(FOREIGN, indent=2).replace("\n", "\r\n")
    assert "\n" not in settings_json.add_hooks(text, BLOCK).replace("\r\n", "")


def test_a_new_file_is_indented_by_two_and_ends_with_a_newline() -> None:
    assert settings_json.add_hooks("", BLOCK) == json.dumps({"hooks": BLOCK}, indent=2) + "\n"


# --- others' hooks ---


def test_other_hooks_of_the_same_matcher_stay_first() -> None:
    groups = value_of(settings_json.add_hooks(json.dumps(FOREIGN), BLOCK))["hooks"]["PreToolUse"]  # type: ignore[index]
    assert groups == [*FOREIGN["hooks"]["PreToolUse"], *BLOCK["PreToolUse"]]  # type: ignore[index]


def test_hooks_that_others_added_later_are_kept() -> None:
    value = value_of(settings_json.add_hooks("{}", BLOCK))
    hooks: dict[str, list[object]] = value["hooks"]  # type: ignore[assignment]
    hooks["PreToolUse"].append({"matcher": "Bash", "hooks": []})
    hooks["Stop"] = []
    left = settings_json.remove_hooks(json.dumps(value, indent=2))
    assert json.loads(left) == {
        "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": []}], "Stop": []}
    }


def test_other_hooks_in_the_group_are_kept() -> None:
    value = value_of(settings_json.add_hooks("{}", BLOCK))
    group = value["hooks"]["SubagentStop"][0]  # type: ignore[index]
    other = {"type": "command", "command": "other"}
    group["hooks"].append(other)
    text = json.dumps(value, indent=2)
    assert settings_json.add_hooks(text, BLOCK) == text
    assert json.loads(settings_json.remove_hooks(text)) == {
        "hooks": {"SubagentStop": [{"hooks": [other]}]}
    }


def test_an_old_hook_in_a_shared_group_gets_a_separate_group() -> None:
    other = {"type": "command", "command": "other"}
    mixed = {"matcher": "Task", "hooks": [OLD_HOOK, other]}
    merged = value_of(
        settings_json.add_hooks(json.dumps({"hooks": {"PreToolUse": [mixed]}}), BLOCK)
    )
    assert merged["hooks"]["PreToolUse"] == [  # type: ignore[index]
        {"matcher": "Task", "hooks": [other]},
        *BLOCK["PreToolUse"],
    ]


def test_repeated_hooks_become_one() -> None:
    (group,), (old,) = BLOCK["PreToolUse"], OLDER["PreToolUse"]
    both = {**old, "hooks": old["hooks"] * 2}
    text = json.dumps({"hooks": {"PreToolUse": [both, old, group, {"hooks": []}, group, both]}})
    merged = value_of(settings_json.add_hooks(text, BLOCK))
    assert merged["hooks"]["PreToolUse"] == [group, {"hooks": []}]  # type: ignore[index]


def test_an_older_entry_is_replaced() -> None:
    (old,), other = OLDER["PreToolUse"], {"matcher": "Bash", "hooks": []}
    text = json.dumps({"hooks": {"PreToolUse": [old, other]}}, indent=2)
    merged = value_of(settings_json.add_hooks(text, BLOCK))
    assert merged["hooks"]["PreToolUse"] == [other, *BLOCK["PreToolUse"]]  # type: ignore[index]


def test_a_correct_entry_in_another_layout_is_not_changed() -> None:
    text = json.dumps(value_of(settings_json.add_hooks("{}", BLOCK)), indent=7, sort_keys=True)
    assert settings_json.add_hooks(text, BLOCK) == text


def test_entries_are_found_with_their_matchers() -> None:
    entries = settings_json.find_entries(settings_json.add_hooks(json.dumps(FOREIGN), BLOCK))
    matchers = [(event, g.get("matcher")) for event, groups in BLOCK.items() for g in groups]
    assert sorted((entry.event, entry.matcher) for entry in entries) == sorted(
        matchers, key=lambda pair: (pair[0], pair[1] or "")
    )


# --- versions ---

VERSIONS = {
    "not known": (None, set()),
    "2.0.30": ((2, 0, 30), {"SubagentStart", "PostToolUseFailure"}),
    "2.0.43": ((2, 0, 43), {"PostToolUseFailure"}),
    "2.0.76": ((2, 0, 76), set()),
    "2.1.329": ((2, 1, 329), set()),
}


@pytest.mark.parametrize("name", VERSIONS)
def test_only_events_of_this_version_are_added(name: str) -> None:
    version, missing = VERSIONS[name]
    assert set(BLOCK) - set(settings_json.build_hooks(TEMPLATE, version)) == missing


def test_hooks_for_tasks_are_added_and_removed() -> None:
    """The hooks of an older version, which saw every shell command, are replaced."""
    plain = settings_json.add_hooks("", settings_json.build_hooks(TEMPLATE))
    assert "Bash" not in plain
    assert "backlog" not in plain
    with_tasks = settings_json.add_hooks(plain, BLOCK)
    assert '"if": "Bash(*backlog*)"' in with_tasks
    assert settings_json.add_hooks(with_tasks, settings_json.build_hooks(TEMPLATE)) == plain
    alone = settings_json.build_hooks(TEMPLATE, parts=[settings_json.TASKS])
    assert set(alone) == {"PostToolUse", "PostToolUseFailure"}


def test_events_unknown_to_an_older_client_are_removed() -> None:
    older = settings_json.build_hooks(TEMPLATE, (2, 0, 30))
    assert settings_json.add_hooks(
        settings_json.add_hooks("{}", BLOCK), older
    ) == settings_json.add_hooks("{}", older)


def test_the_page_shows_the_written_command() -> None:
    with open(REPO / "docs" / "install.md", encoding="utf-8") as page:
        assert f"```sh\n{settings_json.build_command('pre_tool_use')}\n```" in page.read()


# --- what is refused ---

REFUSED = {
    "nothing but a brace": ("{", 1, 2, "Expecting property name"),
    "comment": ('{\n  // why\n  "a": 1\n}', 2, 3, "a comment"),
    "comment behind": ('{"a": 1 /* b */}', 1, 9, "a comment"),
    "comma before the end": ('{\n  "a": 1,\n}', r"\d", r"\d+", ""),
    "comma in a list": ('{"a": [1, ]}', 1, r"\d+", ""),
    "missing comma": ('{\n  "a": 1\n  "b": 2}', 3, 3, "Expecting ',' delimiter"),
    "missing colon": ('{"a" 1}', 1, 6, "Expecting ':' delimiter"),
    "single quotes": ("{'a': 1}", 1, 2, "Expecting property name"),
    "open string": ('{"a": "b', 1, 7, "Unterminated string"),
    "line break in a string": ('{"a": "b\n"}', 1, 9, "Invalid control character"),
    "bad escape": ('{"a": "\\x"}', 1, 8, "Invalid "),
    "NaN": ('{"a": NaN}', 1, 1, "NaN is not JSON"),
    "two values": ("{}\r\n{}", 2, 1, "Extra data"),
    "merge conflict": ('{\n<<<<<<< HEAD\n"a": 1}', 2, 1, "Expecting property name"),
    "a list": ("[]", 1, 1, "the settings should be an object"),
    "hooks is null": ('{\n  "hooks": null}', 2, 12, '"hooks" should be an object'),
    "hooks is a list": ('{"hooks": []}', 1, 11, '"hooks" should be an object'),
    "event is an object": ('{"hooks": {"PreToolUse": {}}}', 1, 26, '"PreToolUse" should be an'),
    "behind a byte order mark": ("\ufeff{,}", 1, 2, "Expecting property name"),
}


@for_each("name", REFUSED)
def test_invalid_files_are_refused_with_line_and_column(name: str) -> None:
    text, line, column, what = REFUSED[name]
    with pytest.raises(
        settings_json.InvalidSettings, match=f"^line {line}, column {column}: "
    ) as refusal:
        settings_json.add_hooks(text, BLOCK)
    assert what in str(refusal.value)


def test_too_deep_nesting_is_refused() -> None:
    with pytest.raises(settings_json.InvalidSettings, match="nested too deeply"):
        settings_json.add_hooks('{"a":' * 100_000, BLOCK)


# --- the scanner against the standard parser ---

MARKS = ["{", "}", "[", "]", ",", ":", '"', "\\", "/", "-", ".", "+", " ", "\n", "\t", "\x00"]
WORDS = ["a", "u00e9", "1", "0", "e", "true", "null", '"k":', "é", "NaN", "Infinity"]
pieces = st.sampled_from([*MARKS, *WORDS])
json_like = (
    st.lists(pieces, max_size=14).map("".join)
    | odd_texts()
    | st.tuples(usual_texts(), st.integers(0, 400), pieces).map(
        lambda spoilt: spoilt[0][: spoilt[1]] + spoilt[2] + spoilt[0][spoilt[1] + 1 :]
    )
)


def refuse(name: str) -> float:
    raise ValueError(name)


@unhurried
@given(json_like)
@example("[1]]")
@example('"\\ud800"')
@example("01")
@example("-")
@example('{"a":1,"a":{"b":2}}')
def test_scanner_agrees_with_the_standard_parser(text: str) -> None:
    try:
        expected = repr(json.loads(text, parse_constant=refuse))
    except ValueError:
        expected = "refused"
    try:
        verdict = repr(rebuilt(text, settings_json.parse_json(text)))
    except settings_json.InvalidSettings:
        verdict = "refused"
    assert verdict == expected


def rebuilt(text: str, node: settings_json.JsonNode) -> object:
    """Return the value that the positions of a node describe."""
    if node.kind == "object":
        return {child.key: rebuilt(text, child) for child in node.children}
    if node.kind == "array":
        return [rebuilt(text, child) for child in node.children]
    return json.loads(text[node.start : node.end])


@unhurried
@given(odd_texts())
def test_scanner_finds_the_start_of_members(text: str) -> None:
    for child in settings_json.parse_json(text).children:
        assert json.loads(text[child.member_start : child.key_end]) == child.key
