"""The hooks in a user's settings.json: added once, removed without a trace."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings, strategies as st

from memory_core.claude_code import settings_json
from support.paths import REPO
from support.tables import for_each

with open(REPO / "settings.template.json", encoding="utf-8") as file:
    TEMPLATE = file.read()

BLOCK = settings_json.build_hooks(TEMPLATE, parts=(settings_json.BASIC, settings_json.TASKS))
# Hooks of an older version: another matcher, another command, one event less.
OLD_HOOK = {"type": "command", "command": settings_json.COMMAND_PREFIX + '"$HOME/older"; run it'}
OLD_EVENTS = ("PreToolUse", "PostToolUse", "SubagentStop", "SessionEnd")
OLDER: settings_json.HookGroups = {
    event: [{"matcher": "Task", "hooks": [OLD_HOOK]}] for event in OLD_EVENTS
}
OTHER_HOOK = {"type": "command", "command": "other-tool agent_memory=1"}
FOREIGN = {
    "model": "opus",
    "hooks": {
        "PreToolUse": [
            {"matcher": "Bash", "hooks": [{"type": "command", "command": "check-bash"}]},
            {"matcher": "Task|Agent|SubagentHandback", "hooks": [OTHER_HOOK]},
        ],
        "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}],
    },
    "permissions": {"deny": ["Agent(x)"]},
}


# --- settings of every kind, in every layout ---

blanks = st.text(alphabet=" \t\n\r", max_size=4)
words = st.text(max_size=6)
scalars: st.SearchStrategy[Any] = st.one_of(
    st.none(), st.booleans(), st.integers(), words, st.floats(allow_nan=False, allow_infinity=False)
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
unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

texts = usual_texts() | odd_texts() | blanks

BY_HAND = [
    *("", "\n", "{}", "{}\n", "{ }", "{\n}\n", "{\r}", "{\n\n}", '{"hooks":{}}'),
    *('{"hooks": {}}\n', '{\n  "hooks": {}\n}\n', '{\n  "hooks": {\n  }\n}\n'),
    *('{"a":1,"hooks":{\n}}', '{"hooks":{"PreToolUse":[]}}'),
    '{\n  "hooks": {\n    "PreToolUse": []\n  }\n}\n',
    '{\n  "hooks": {\n    "PreToolUse": [ ]\n  }\n}\n',
    '{\n\t"env": {"A": "b"},\n\t"hooks": {"Stop": [{"hooks": []}]}\n}',
    *('{"env": {\n  "A": "b"\n}}', '{"a":1,"a":2,"hooks":{},"hooks":{"Stop":[]}}'),
    *('{"\\u00e9": "\\ud800", "n": 1.0e+2}', '\ufeff{\r\n    "a": 1\r\n}\r\n', '{\n"a": 1\n}'),
    *('  {\n    "a": 1\n  }', json.dumps(FOREIGN, indent=2) + "\n"),
]


def every(test):  # type: ignore[no-untyped-def]
    """Run a property with generated settings and with all handwritten ones."""
    for text in BY_HAND:
        test = example(text)(test)
    return unhurried(given(texts)(test))


# --- adding and removing ---


@every
def test_removing_restores_the_exact_text(text: str) -> None:
    added = settings_json.add_hooks(text, BLOCK)
    assert settings_json.add_hooks(added, BLOCK) == added
    assert settings_json.remove_hooks(added) == text
    assert settings_json.remove_hooks(text) == text
    characters = iter(added)
    assert all(character in characters for character in text), "in their order"


@every
def test_an_upgrade_replaces_the_hooks_and_restores_the_exact_text(text: str) -> None:
    upgraded = settings_json.add_hooks(settings_json.add_hooks(text, OLDER), BLOCK)
    assert value_of(upgraded) == value_of(settings_json.add_hooks(text, BLOCK))
    assert settings_json.remove_hooks(upgraded) == text


@every
def test_adding_keeps_other_values(text: str) -> None:
    is_blank = not text.strip(settings_json.BLANKS)
    before = {} if is_blank else value_of(text)
    after = value_of(settings_json.add_hooks(text, BLOCK))
    assert without_hooks(after) == without_hooks(before)
    expected = dict(before.get("hooks", {}))
    for event, groups in BLOCK.items():
        expected[event] = [*expected.get(event, []), *groups]
    assert after["hooks"] == expected


def value_of(text: str) -> dict[str, Any]:
    return dict(json.loads(text.removeprefix(settings_json.BYTE_ORDER_MARK)))


def without_hooks(value: dict[str, Any]) -> list[tuple[str, object]]:
    return [(key, inner) for key, inner in value.items() if key != "hooks"]


# --- layout ---


@pytest.mark.parametrize(("indent", "end"), [(4, ""), ("\t", "\n")])
def test_added_hooks_have_the_layout_of_the_file(indent: Any, end: str) -> None:
    merged = settings_json.add_hooks(json.dumps(FOREIGN, indent=indent) + end, BLOCK)
    assert merged == json.dumps(value_of(merged), indent=indent) + end


def test_hooks_are_on_lines_of_their_own_in_a_file_of_one_line() -> None:
    text = json.dumps({"hooks": {"Stop": []}})
    begin, *lines = settings_json.add_hooks(text, {"Stop": [{"hooks": [OTHER_HOOK]}]}).split("\n")
    assert (begin, lines[:2], lines[-1]) == (text[:-3], ["", "      {"], "    ]}}")


def test_windows_line_ends_are_used_throughout() -> None:
    text = json.dumps(FOREIGN, indent=2).replace("\n", "\r\n")
    assert "\n" not in settings_json.add_hooks(text, BLOCK).replace("\r\n", "")
    assert settings_json.add_hooks("", BLOCK) == json.dumps({"hooks": BLOCK}, indent=2) + "\n"


# --- others' hooks ---


def test_hooks_that_others_added_later_are_kept() -> None:
    value = value_of(settings_json.add_hooks("{}", BLOCK))
    value["hooks"]["SubagentStop"][0]["hooks"].append(OTHER_HOOK)
    value["hooks"]["PreToolUse"].append({"matcher": "Bash", "hooks": []})
    value["hooks"]["Stop"] = []
    text = json.dumps(value, indent=2)
    assert settings_json.add_hooks(text, BLOCK) == text
    left = json.loads(settings_json.remove_hooks(text))["hooks"]
    assert left.pop("SubagentStop") == [{"hooks": [OTHER_HOOK]}]
    assert left == {"PreToolUse": [{"matcher": "Bash", "hooks": []}], "Stop": []}


def test_an_old_hook_in_a_shared_group_gets_a_separate_group() -> None:
    mixed = {"matcher": "Task", "hooks": [OLD_HOOK, OTHER_HOOK]}
    text = json.dumps({"hooks": {"PreToolUse": [mixed]}})
    groups = value_of(settings_json.add_hooks(text, BLOCK))["hooks"]["PreToolUse"]
    assert groups == [{"matcher": "Task", "hooks": [OTHER_HOOK]}, *BLOCK["PreToolUse"]]


def test_repeated_hooks_become_one() -> None:
    (group,), (old,) = BLOCK["PreToolUse"], OLDER["PreToolUse"]
    both = {**old, "hooks": old["hooks"] * 2}
    text = json.dumps({"hooks": {"PreToolUse": [both, old, group, {"hooks": []}, group, both]}})
    merged = value_of(settings_json.add_hooks(text, BLOCK))
    assert merged["hooks"]["PreToolUse"] == [{"hooks": []}, group]


def test_a_correct_entry_in_another_layout_is_not_changed() -> None:
    text = json.dumps(value_of(settings_json.add_hooks("{}", BLOCK)), indent=7, sort_keys=True)
    assert settings_json.add_hooks(text, BLOCK) == text


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


def test_the_page_shows_the_written_command() -> None:
    with open(REPO / "docs" / "install.md", encoding="utf-8") as page:
        assert f"```sh\n{settings_json.build_command('pre_tool_use')}\n```" in page.read()


# --- what is refused ---

REFUSED: list[tuple[str, object, object, str]] = [
    ("{", 1, 2, "Expecting property name"),
    ('{\n  // why\n  "a": 1\n}', 2, 3, "a comment"),
    ('{\n  "a": 1,\n}', r"\d", r"\d+", ""),
    ('{\n  "a": 1\n  "b": 2}', 3, 3, "Expecting ',' delimiter"),
    ("{}\r\n{}", 2, 1, "Extra data"),
    ("[]", 1, 1, "the settings should be an object"),
    ('{\n  "hooks": null}', 2, 12, '"hooks" should be an object'),
    ('{"hooks": {"PreToolUse": {}}}', 1, 26, '"PreToolUse" should be an'),
    ("\ufeff{,}", 1, 3, "Expecting property name"),
]


@for_each(("text", "line", "column", "what"), REFUSED)
def test_invalid_files_are_refused_with_line_and_column(
    text: str, line: object, column: object, what: str
) -> None:
    place = f"^line {line}, column {column}: "
    with pytest.raises(settings_json.InvalidSettings, match=f"{place}.*{what}"):
        settings_json.add_hooks(text, BLOCK)


def test_too_deep_nesting_is_refused() -> None:
    with pytest.raises(settings_json.InvalidSettings, match="nested too deeply"):
        settings_json.add_hooks('{"a":' * 100_000, BLOCK)
