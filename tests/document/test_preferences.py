"""The user's preferences for an agent: set, listed, removed, and never changed by learnings."""

import json

import pytest
from hypothesis import given, strategies as st

from memory_core.document import markdown, merge_learnings, merge_versions, preferences, template
from memory_core.document.merge_learnings import Learning
from memory_core.text import markdown_lines
from support.command_line import Person, hide_change, read_fields
from support.memory_files import LIMITS, make_conflict, make_section, merge
from support.strategies import LINES, documents, learnings, small_limits
from support.tables import for_each


def listed(text: str) -> dict[str, str]:
    return preferences.read_values(markdown.parse_document(text))


def put(text: str, key: str, value: str, limits: template.Limits = LIMITS) -> str:
    return merge_learnings.put_preference(text, key, value, limits)


def wished(*lines: str, title: str = "Preferences") -> str:
    return make_section(title, *lines)


LISTED = {
    "in their order": (wished("b: 1", "a: 2"), {"b": "1", "a": "2"}),
    "the later wins": (wished("a: 1", "b: 2", "A: 3"), {"b": "2", "A": "3"}),
    "one key in two spellings": (wished("work-style: 1", "Work_Style: 2"), {"Work_Style": "2"}),
    "in bold type": (wished("**Tone:** dry", "**a**: b"), {"Tone": "dry", "a": "b"}),
    "a value with colons": (wished("docs: see https://a: b"), {"docs": "see https://a: b"}),
    "no colon": (wished("Be kind"), {}),
    "no blank behind it": (wished("a:b"), {}),
    "no value": (wished("a: "), {}),
    "no key": (wished(": b"), {}),
    "a sentence": (wished("x" * 61 + ": b"), {}),
    "elsewhere": (make_section("Recent Learnings", "a: b"), {}),
    "another case of the title": (wished("a: b", title="PREFERENCES (Max: 15 items)"), {"a": "b"}),
    "in two sections": (wished("a: 1") + wished("a: 2", title="preferences"), {"a": "2"}),
    "below a deeper heading": ("## Preferences\n### Talk\n- tone: dry\n", {"tone": "dry"}),
    "what is nested is no part": (wished("a: b\n  - c"), {"a": "b"}),
    "on two lines": ("## Preferences\n- a: b\n  c\n", {"a": "b c"}),
}


@for_each("name", LISTED)
def test_list(name: str) -> None:
    text, expected = LISTED[name]
    assert list(listed(text).items()) == list(expected.items())


A = wished("a: 1")
FULL = "".join(f"## S{n}\n" for n in range(10))
PUT = {
    "into nothing": ("", "## Preferences\n- a: 1\n"),
    "in front": ("# T\n\n## A\n- x\n", "# T\n\n## Preferences\n- a: 1\n\n## A\n- x\n"),
    "behind the header": ("# T\n\n<!-- x -->\n", "# T\n\n<!-- x -->\n\n## Preferences\n- a: 1\n"),
    "behind the last": (wished("b: 2"), wished("b: 2", "a: 1")),
    "as the list": ("## preferences\n1. b: 2\n", "## preferences\n1. b: 2\n2. a: 1\n"),
    "in the place of the older value": (wished("A: 0", "b: 2"), wished("A: 1", "b: 2")),
    "as it is written": (wished("**A:**  0\n  - nested"), wished("**A:**  1\n  - nested")),
    "once": (wished("a: 0", "b: 2", "a: 5"), wished("b: 2", "a: 1")),
    "once, though the last says so": (wished("a: 0", "b: 2", "a: 1"), wished("b: 2", "a: 1")),
    "what is so already": ("## Preferences\r\n+ A: 1", "## Preferences\r\n+ A: 1"),
    "beside what is no pair": (wished("Be kind"), wished("Be kind", "a: 1")),
    "though all sections are taken": (FULL, f"## Preferences\n- a: 1\n\n{FULL}"),
}


@for_each("name", PUT)
def test_put(name: str) -> None:
    before, after = PUT[name]
    assert put(before, "a", "1") == after
    assert put(after, "A", " 1 ") == after


UNFIT = {
    "no key": ("", "b", "invalid preference name .*: use a name like coding-style"),
    "a key of signs": ("--", "b", "invalid preference name"),
    "a key with a colon": ("a: b", "c", "remove the colon"),
    "a long key": ("k" * 61, "v", "61 characters; 60 are allowed"),
    "a key of two lines": ("a\nb", "c", "the key of a preference must be one line"),
    "no value": ("a", " \t ", "'a' has no value"),
    "a value that cannot be seen": ("a", "\u200b\x1b[31m", "'a' has no value"),
    "a value of two lines": ("a", "b\r\nc", "the value of a preference must be one line"),
}


@for_each("name", UNFIT)
def test_invalid_preferences_are_refused(name: str) -> None:
    key, value, reason = UNFIT[name]
    with pytest.raises(preferences.InvalidPreference, match=reason):
        put("## A\n", key, value)


def test_remove() -> None:
    text = wished("a: 1\n  - nested", "b: 2", "**A:** 3", "Be kind") + make_section("A", "a: 4")
    assert preferences.remove(text, "a") == wished("b: 2", "Be kind") + make_section("A", "a: 4")
    assert preferences.remove(text, "c") == text
    assert preferences.remove(text, "") == text


PREFERRED = ["## Preferences", "- a: 1", "* **A:** 2", "- b: 3", "- Be kind", "- tone_of: x: y"]
wishes = st.lists(st.sampled_from([*LINES, *PREFERRED * 3]), max_size=24).map("\n".join)
odd_keys = st.sampled_from(["a", "B", "tone of", "# x", "1.", "[x]", "`y`"])
keys = st.one_of(odd_keys, st.text(max_size=8))
values = st.one_of(st.sampled_from(["1", "x: y", "**z**", "`q`", "a  b."]), st.text(max_size=30))


def without_key(pairs: dict[str, str], key: str) -> dict[str, str]:
    normal = preferences.normalize_key
    return {each: value for each, value in pairs.items() if normal(each) != normal(key)}


@given(st.one_of(documents, wishes), keys, values)
def test_a_set_preference_is_listed_once(text: str, key: str, value: str) -> None:
    try:
        once = put(text, key, value)
    except preferences.InvalidPreference:
        return
    assert put(once, key, value) == once
    after, others = listed(once), without_key(listed(text), key)
    (told,) = after.keys() - without_key(after, key).keys()
    if value.isascii() and value.isprintable():
        assert after[told] == " ".join(value.split())
    assert without_key(after, key) == others
    assert listed(preferences.remove(once, key)) == others


@given(st.one_of(documents, wishes), keys)
def test_setting_changes_nothing_else(text: str, key: str) -> None:
    try:
        once = put(text, key, "some value")
    except preferences.InvalidPreference:
        return
    gone = preferences.find_all(markdown.parse_document(text), key)
    own = {at for each in gone for at in range(each.line, each.end)}
    kept = [line for at, line in enumerate(markdown_lines.split_lines(text)) if at not in own]
    lines = iter([line.strip("\r\n") for line in markdown_lines.split_lines(once)])
    assert all(line.strip("\r\n") in lines for line in kept if line.strip(" \t\r\n"))


# Learnings do not change preferences.


def test_preferences_are_neither_counted_nor_evicted_nor_added_to() -> None:
    text = wished(*(f"k{n}: {n}" for n in range(20))) + make_section("A", "x")
    found = merge(text, ("tip", "a learning"), limits=template.Limits(items=1, sections=2))
    assert not found.evicted
    assert len(listed(found.text)) == 20
    sections = markdown.parse_document(found.text).sections
    assert [each.title for each in sections] == ["Preferences", "A", "Recent Learnings"]
    text = make_section("Recent Learnings", "x") + wished("a: b")
    found = merge(text, ("pattern", "a learning"), limits=template.Limits(sections=1))
    first = markdown.parse_document(found.text).sections[0]
    assert [item.text for item in first.items] == ["x", "a learning"]
    found = merge(wished("a: b"), ("tip", "a learning"), limits=template.Limits(sections=0))
    assert [each.reason for each in found.refused] == ["the file has 0 sections, and none for it"]


SAID = "testing: All services use dependency injection"


@for_each("learned", [SAID, SAID.upper(), f"{SAID} because tests need it"])
def test_a_learning_equal_to_a_preference_is_known(learned: str) -> None:
    found = merge(wished(SAID), ("guideline", learned))
    assert found.text == wished(SAID)
    assert found.duplicates == [(SAID, learned)]


@given(wishes, learnings, small_limits)
def test_learning_changes_none(text: str, learned: list[Learning], limits: template.Limits) -> None:
    found = merge(text, *learned, limits=limits)
    documents = map(markdown.parse_document, (text, found.text))
    before, after = ([item.text for item in preferences.list_items(each)] for each in documents)
    assert after == before


# Merging two documents.


def header(day: int) -> str:
    return f"<!-- Last Updated: 2026-11-{day} 22:10:05 | Auto-updated by: agent-memory -->\n\n"


OLD, NEW = header(20), header(21)
NESTED = wished("a: 1\n  - x")
MORE = f"{SAID} for testability"
UNIONS: dict[str, tuple[str, str, str, list[str]]] = {
    "another key": (A, wished("b: 2"), wished("a: 1", "b: 2"), []),
    "the same": (A, wished("**A:** 1"), A, []),
    "ours stays": (A, wished("A: 2"), A, ["- A: 2"]),
    "whatever the headers say": (OLD + A, NEW + wished("a: 2"), OLD + A, ["- a: 2"]),
    "each value of theirs": (A, wished("a: 3", "a: 2"), A, ["- a: 3", "- a: 2"]),
    "what is nested of ours": (NESTED, wished("a: 2"), NESTED, ["- a: 2"]),
    "what is nested of theirs": (A, wished("a: 2\n  - x"), A, ["- a: 2\n  - x"]),
    "no pair": (wished("Be kind"), wished("be kind.", "Be on"), wished("Be kind", "Be on"), []),
    "the same words": (make_section("A", "a: 1"), A, make_section("A", "a: 1") + A, []),
    "a learning that is a preference": (A, "## B\n- a: 1\n", f"{A}## B\n- a: 1\n", []),
    "a learning that says more": (
        wished(SAID),
        f"## B\n- {MORE}\n",
        f"{wished(SAID)}## B\n- {MORE}\n",
        [],
    ),
}


@for_each("name", UNIONS)
def test_merge_documents_preferences(name: str) -> None:
    text, other, expected, left = UNIONS[name]
    found = merge_versions.merge_documents(text, other)
    assert (found.text, found.left) == (expected, left)
    assert merge_versions.merge_documents(found.text, other).text == expected
    assert merge_versions.merge_documents(text, text).text == text


def test_the_sides_of_a_conflict() -> None:
    theirs = "## Preferences\n" + make_conflict("- a: 1\n- b: 2\n", "- a: 3\n")
    headers = make_conflict(NEW, OLD) + "## Preferences\n" + make_conflict("- a: 1\n", "- a: 3\n")
    for text, expected in ((theirs, {"a": "1", "b": "2"}), (headers, {"a": "1"})):
        found = merge_versions.merge_sides(text)
        assert (listed(found.text), found.left) == (expected, ["- a: 3"])
        assert merge_versions.merge_sides(found.text).text == found.text


def is_kept(source: str, key: str, texts: list[str]) -> bool:
    """Say whether one of the texts has the line that sets a key in `source`."""
    document = markdown.parse_document(source)
    item = preferences.find(document, key)
    return item is not None and any(document.lines[item.line].strip() in text for text in texts)


# Below a deeper heading that is in the preferences of one side, items of the other become some.
flat_wishes = wishes.filter(lambda text: "###" not in text)


@given(flat_wishes, flat_wishes)
def test_a_union_has_all_keys_and_loses_no_value(text: str, other: str) -> None:
    text, other = merge_versions.merge_sides(text).text, merge_versions.merge_sides(other).text
    found = merge_versions.merge_documents(text, other)
    after = listed(found.text)
    ours, theirs = listed(text), listed(other)
    for source in (text, other):
        for key, value in listed(source).items():
            item = preferences.find(markdown.parse_document(found.text), key)
            now = item and preferences.parse_pair(item.text)[1]
            assert now in [*ours.values(), *theirs.values()]
            assert now == value or is_kept(source, key, [found.text, *found.left])
    assert len(after) == len({preferences.normalize_key(key) for key in (*ours, *theirs)})
    assert merge_versions.merge_documents(text, text).text == text


# The command.


def file_of(person: Person, user: bool = False) -> str:
    folder = person.sandbox.user_memories if user else person.sandbox.memories
    return (folder / "engineer.md").read_text(encoding="utf-8")


def preference(person: Person, *words: str) -> tuple[int, str, str]:
    done = person.run("preference", *words)
    return done.returncode, done.stdout, hide_change(done.stderr)


def test_command_sets_lists_and_removes(person: Person) -> None:
    person.sandbox.write_memory("engineer", "Services talk through the event bus")
    said = "engineer: coding-style: small functions\n"
    undo = "Undo with: agent-memory undo ID\n"
    first = preference(person, "set", "Engineer", "coding-style", "small functions")
    assert first == (0, said, undo)
    assert "\n## Preferences\n- coding-style: small functions\n\n## Proj" in file_of(person)
    written = file_of(person)
    again = preference(person, "set", "engineer", "Coding Style", "small functions")
    assert again == (0, said, "It was set already.\n")
    assert file_of(person) == written
    assert preference(person, "set", "engineer", "tone", "dry")[0] == 0
    assert preference(person, "list") == (0, f"{said}engineer: tone: dry\n", "")
    assert preference(person, "unset", "engineer", "coding style") == (0, f"Removed: {said}", undo)
    assert preference(person, "list", "engineer") == (0, "engineer: tone: dry\n", "")


def test_user_level_preferences_are_separate_and_overridden(person: Person) -> None:
    assert preference(person, "set", "engineer", "tone", "dry", "--user")[0] == 0
    assert listed(file_of(person, user=True)) == {"tone": "dry"}
    assert preference(person, "list") == (0, "", "No agent has preferences.\n")
    assert preference(person, "list", "--user") == (0, "engineer: tone: dry\n", "")
    assert preference(person, "set", "engineer", "a", "1", "--user")[0] == 0
    assert preference(person, "set", "engineer", "tone", "warm")[0] == 0
    person.run("allow")
    person.sandbox.edit_memory("engineer", "- tone", "- **Tone:** curt\n- tone")
    items = person.read_json("explain", "engineer", "x")["items"]
    given = {one["text"]: one["given"] for one in items}
    assert given == {"tone: warm": True, "a: 1": True, "**Tone:** curt": False}


def test_invalid_arguments_are_refused(person: Person) -> None:
    before = person.sandbox.write_memory("engineer", "x").read_bytes()
    for words, status, said in (
        (["unset", "engineer", "tone"], 1, "engineer has no preference 'tone'"),
        (["list", "engineer"], 0, "engineer has no preferences."),
        (["unset", "enginer", "tone"], 2, "did you mean engineer?"),
        (["set", "engineer", "a: b", "c"], 2, "invalid preference name 'a: b'"),
    ):
        found, out, err = preference(person, *words)
        assert (found, out) == (status, "")
        assert said in err
    assert file_of(person).encode() == before
    assert not (person.sandbox.memories / "history").exists()


def test_json_fields_agree_with_the_page(person: Person) -> None:
    tone = {"agent": "engineer", "key": "tone", "value": "dry"}
    for row, words, value in (
        ("set", ["engineer", "tone", "dry"], {**tone, "changed": True}),
        ("set", ["engineer", "Tone", "dry"], {**tone, "changed": False}),
        ("list", [], [tone]),
        ("unset", ["engineer", "tone"], {**tone, "changed": True}),
        ("list", ["engineer"], []),
    ):
        found = person.read_json("preference", row, *words)
        assert found == (value | {"change": found["change"]} if row.endswith("set") else value)
        if value:
            first = found[0] if row == "list" else found
            assert set(first) == read_fields(f"`preference {row}`{', a list' * (row == 'list')}")
    done = person.run("preference", "unset", "engineer", "tone", "--json")
    assert (done.returncode, json.loads(done.stdout)["value"]) == (1, None)
