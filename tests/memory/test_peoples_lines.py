"""Learnings of agents never remove or change a line of a person, and nothing is lost.

And of two items that contradict each other agents receive one.
"""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from memory_core.curation import agent_status, item_actions, searching
from memory_core.doctor import file_checks
from memory_core.doctor.examination import Examination
from memory_core.document import markdown, near_duplicates, template
from memory_core.document.merge_learnings import Learning
from memory_core.memory import recall
from memory_core.monitor.numbers import Numbers
from memory_core.storage.project import Project
from support.lessons import save_learnings
from support.sandbox import Sandbox

AGENT = "engineer"
KINDS = ["pattern", "mistake", "architecture", "gotcha"]


def learn(project: Project, kind: str, *texts: str, run: str = "a1") -> None:
    found = [Learning(kind, text) for text in texts]
    save_learnings(project, AGENT, found, run)


def write(project: Project, text: str) -> None:
    project.store.make_folder()
    Path(project.store.path(AGENT)).write_text(text, encoding="utf-8")


def read(project: Project) -> str:
    return Path(project.store.path(AGENT)).read_text(encoding="utf-8")


def items(project: Project) -> list[str]:
    return [item.text for item in markdown.parse_document(read(project)).items]


def waiting(project: Project) -> dict[str, str]:
    return {entry["content"]: entry["reason"] for entry in project.store.read_review(AGENT)}


def archived(project: Project) -> list[str]:
    return [entry.whole for entry in searching.list_archived(project.store, AGENT)]


def bullets(count: int, text: str = "rule number {} of this list") -> str:
    return "".join(f"- {text.format(number)}\n" for number in range(count))


WORDS = "a sentence that goes on and on, as people write them in such files"

PARTS = [("Architecture", 11), ("Common Mistakes to Avoid", 22), ("Style", 11), ("Testing", 11)]
MANY = "".join(f"## {title}\n\n{bullets(count)}\n" for title, count in PARTS)
RULES = bullets(20, f"Service {{}}: {WORDS}, {WORDS}")
NESTED = bullets(25, "rule {0}\n  - because {0}\n    - deep {0}\n\n  ```\n  code {0}\n  ```")
TITLES = ["TODO (old)", "Why?!", "Gotchas -- read", "日本語", "A & B", "**Bold**", "1. First"]
ODD = "".join(f"## {title}\n- note of {title}\n- another of {title}\n\n" for title in TITLES)
FILES = {
    "many lines in sections": f"# Notes\n\n{MANY}",
    "limits in the heading": f"## Coding Patterns Learned (Max: 9 items)\n{bullets(66)}",
    "long lines": f"# CLAUDE.md\n\n## Coding Patterns Learned\n{RULES}",
    "large": "".join(f"## Part {part}\n{bullets(12, WORDS + ' {}')}\n" for part in range(25)),
    "nested lists": f"## Coding Patterns Learned\n{NESTED}",
    "odd titles": ODD,
    "numbered": "## Common Mistakes to Avoid\nRead this first.\n\n1. one\n2. two\n\nAnd this last.",
    "CRLF": f"## Recent Learnings\r\n{bullets(20)}".replace("\n", "\r\n"),
    "preferences only": f"## Preferences\n{bullets(40, 'key{0}: value {0}')}",
    "no section": bullets(40),
    "two sections of one title": f"## Recent Learnings\n{bullets(16)}\n## Recent Learnings\n- x\n",
}


@pytest.mark.parametrize("name", FILES)
def test_learnings_of_agents_change_no_line_of_a_person(project: Project, name: str) -> None:
    write(project, FILES[name])
    for number, kind in enumerate(KINDS * 6):
        learn(project, kind, f"Upload step{number} is retried {number} times", run=f"a{number}")
    learn(project, "tip", "Rule number 3 of this list, because of the retries")  # a better wording
    before, after = FILES[name].splitlines(), iter(read(project).splitlines())
    lines = [line.partition(" (Max:")[0] for line in before if line.strip()]
    assert [line for line in lines if not any(line in other for other in after)] == []
    texts = {f"Upload step{number} is retried {number} times" for number in range(24)}
    assert texts <= {*items(project), *waiting(project), *archived(project)}
    assert not set(archived(project)) - texts


RULES_OF_AGENTS = ["short rule", f"long rule: {WORDS}", "Never use tool", "Use tool"]
ACTS = st.one_of(
    st.tuples(st.sampled_from(KINDS), st.integers(0, 30), st.sampled_from(RULES_OF_AGENTS)),
    st.tuples(st.just("confirm"), st.integers(0, 5), st.just("")),
    st.tuples(st.just("add"), st.integers(0, 30), st.just("rule of a person")),
)
FORM = "{{max_items_per_section: {}, default_size_kb: {}, max_sections: {}}}"
LIMITS = st.builds(FORM.format, st.integers(1, 3), st.integers(1, 2), st.integers(1, 3))


@given(st.lists(ACTS, max_size=12), LIMITS)
def test_nothing_is_lost_and_people_decide(acts: list[tuple[str, int, str]], limits: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        sandbox = Sandbox(Path(folder))
        sandbox.configure(f"memory: {{max_learning_length: 200, limits: {limits}}}")
        project = sandbox.open_project()
        write(project, "# Notes\n\n## Mine\n- mine alone\n\n## Coding Patterns Learned\n- kept\n")
        peoples, said = {"mine alone", "kept"}, set[str]()
        for kind, number, text in acts:
            if kind == "confirm":
                text = items(project)[number % len(items(project))]
                item_actions.judge_items(project, [(AGENT, text)], "confirmed")
                peoples.add(text)
            elif kind == "add":
                text = f"{text}, number{number}"
                item_actions.teach(project, AGENT, "pattern", [text])
                peoples.add(text)
            else:
                text = f"{text} number{number}"
                learn(project, kind, text, run=str(number))
                said.add(text)
            assert peoples <= set(items(project))
        assert said <= {*items(project), *waiting(project), *archived(project)}


def test_a_full_section_of_agents_loses_its_least_certain_item(sandbox: Sandbox) -> None:
    sandbox.configure("memory: {limits: {max_items_per_section: 3}}")
    project = sandbox.open_project()
    first, second, third = (f"the {word} rule of an agent" for word in ("one", "two", "three"))
    write(project, "## Coding Patterns Learned\n- a rule of a person\n")
    learn(project, "pattern", first, second)
    learn(project, "pattern", first, run="a2")  # more certain now
    learn(project, "pattern", third, run="a3")
    assert items(project) == ["a rule of a person", first, third]
    assert archived(project) == [second]
    for text in items(project):
        item_actions.judge_items(project, [(AGENT, text)], "confirmed")
    before = read(project)
    learn(project, "pattern", "one more rule", run="a4")
    assert read(project) == before
    reason = "no room: Coding Patterns Learned has 3 items, limit 3"
    assert waiting(project) == {"one more rule": reason}


def test_a_full_file_makes_room_in_the_section_of_the_learning(sandbox: Sandbox) -> None:
    sandbox.configure("memory: {limits: {default_size_kb: 1}}")
    project = sandbox.open_project()
    learn(project, "architecture", *(f"Service number{n} is {'x' * 60}" for n in range(8)))
    learn(project, "pattern", "Patterns are short", "Patterns are few")
    learn(project, "pattern", f"A new pattern is {'y' * 75}", run="a2")
    assert archived(project) == ["Patterns are short", "Patterns are few"]
    assert len(read(project).encode()) <= 1024
    learn(project, "mistake", f"A new mistake is {'z' * 75}", run="a3")
    (reason,) = waiting(project).values()
    assert reason.startswith("no room: the file would have 1")


WAIT = "new learnings of agents wait for review"
REPLACE = "each new learning of an agent replaces the least certain one"
SECTIONS = "".join(f"## Part {number}\n- x\n\n" for number in range(12))
LONG_LINES = "## A\n" + bullets(10, f"{WORDS} " * 20 + "{}")
# A memory, and what is said about its limits.
NOTES = [
    (f"## Recent Learnings\n{bullets(15)}", f"Recent Learnings has 15 items, limit 15: {WAIT}"),
    (f"## My Notes\n{bullets(22)}", ""),
    (SECTIONS, "the file has 12 sections, limit 10: agents cannot add another one"),
    (
        LONG_LINES,
        f"the file has 13445 bytes, limit 8192: {REPLACE} of its section, or waits for review",
    ),
    (f"## Recent Learnings\n{bullets(14)}", ""),
    (f"## Preferences\n{bullets(22)}", ""),
]


@pytest.mark.parametrize(("text", "note"), NOTES)
def test_status_reports_limits(sandbox: Sandbox, project: Project, text: str, note: str) -> None:
    write(project, text)
    (memory,) = agent_status.list_memories(Numbers(project))
    assert [what for _line, what in memory.notes] == [note] * bool(note)
    warnings = [warning.what for warning in agent_status.read_status(Numbers(project)).warnings]
    assert not note or f"{AGENT}: {note}" in warnings


def test_a_section_with_items_of_agents_goes_on_learning(project: Project) -> None:
    learn(project, "pattern", "one rule of an agent")
    write(project, read(project) + bullets(20))
    (memory,) = agent_status.list_memories(Numbers(project))
    ((_line, note),) = memory.notes
    assert note.endswith(f": {REPLACE}")
    learn(project, "pattern", "another rule of an agent", run="a2")
    assert archived(project) == ["one rule of an agent"]
    assert len(items(project)) == 21


# Contradictions.

OLD, NEW = "The API port is 8080", "The API port is 9090"


def given_text(project: Project) -> str:
    return recall.build_block(project, AGENT, 16_000).text


def test_a_newer_learning_takes_the_place_of_the_older_one(project: Project) -> None:
    learn(project, "context", "Two workers share a cache", OLD)
    learn(project, "architecture", "Services are small")
    learn(project, "architecture", NEW, run="a2")
    assert items(project) == ["Services are small", "Two workers share a cache", NEW]
    assert archived(project) == [OLD]
    (entry,) = project.store.read_review(AGENT)
    assert (entry["type"], entry["content"], entry["run"]) == ("context", OLD, "a1")
    assert (entry["reason"], entry["other"]) == (f"contradicts: {NEW}", NEW)


def test_a_more_certain_item_stays_and_loses_confidence(project: Project) -> None:
    for run in ("a1", "a2", "a3"):
        learn(project, "context", OLD, run=run)
    learn(project, "context", NEW, run="a4")
    assert items(project) == [OLD]
    (entry,) = project.store.read_review(AGENT)
    assert (entry["content"], entry["other"], entry["run"]) == (NEW, OLD, "a4")
    learn(project, "context", NEW, run="a5")  # two runs say so: the older one was 0.7, is 0.5
    assert items(project) == [NEW]
    assert archived(project) == [OLD]


def test_an_item_of_a_person_wins(project: Project) -> None:
    write(project, f"## Current Technical Context\n- {OLD}\n{bullets(14)}")
    before = read(project)
    learn(project, "context", NEW)
    assert waiting(project) == {NEW: f"contradicts: {OLD}"}
    full = "no room: Current Technical Context has 15 items, limit 15"
    for text, reason in ((NEW, f"contradicts: {OLD}"), ("Two workers share a cache", full)):
        done = item_actions.teach(project, AGENT, "context", [text], source="mcp")
        assert done.waits == waiting(project)[text] == reason
    assert read(project) == before


def test_of_two_items_of_people_agents_receive_the_newer_one(project: Project) -> None:
    for text, other in ((NEW, ""), (OLD, NEW), ("Two workers share a cache", "")):
        added = item_actions.teach(project, AGENT, "context", [text])
        assert [item.text for item in added.rivals] == [other] * bool(other)
    assert items(project) == [NEW, OLD, "Two workers share a cache"]
    assert OLD in given_text(project)
    assert NEW not in given_text(project)


def test_a_person_corrects_an_agent(project: Project) -> None:
    learn(project, "context", OLD, "Two workers share a cache")
    item_actions.teach(project, AGENT, "context", [NEW])
    assert items(project) == ["Two workers share a cache", NEW]
    assert waiting(project) == {OLD: f"contradicts: {NEW}"}


def test_agents_receive_one_of_two_contradicting_items(sandbox: Sandbox, project: Project) -> None:
    learn(project, "context", OLD, "Two workers share a cache")
    write(project, read(project) + f"\n## Mine\n- {NEW}\n")
    text = given_text(project)
    assert [each in text for each in (NEW, "Two workers share a cache", OLD)] == [True, True, False]
    (memory,) = agent_status.list_memories(Numbers(project))
    ((line, note),) = memory.notes
    lines = read(project).splitlines()
    assert lines[line - 1] == f"- {OLD}"
    number = lines.index(f"- {NEW}") + 1
    assert note == f"agents do not receive {OLD!r}: line {number} contradicts it"
    findings = file_checks.check_memories(Examination(project))
    assert note in [finding.what for finding in findings]


def test_a_mistake_does_not_contradict_a_rule(project: Project) -> None:
    learn(project, "guideline", "Use Redis in tests")
    learn(project, "mistake", "Never use Redis in tests")
    assert len(items(project)) == 2
    assert waiting(project) == {}
    assert near_duplicates.is_avoid_section(template.SECTION_TITLES["mistake"])


# Lines that differ only in case, blanks or marks are one item, wherever they come from.


ITEM = "Orders are kept for ten years"
# Ways to write ITEM.
SAME = [
    "ORDERS ARE KEPT FOR TEN YEARS",
    "Orders  are kept\tfor ten years",
    "Orders are kept for ten years.",
    "**Orders** are kept for `ten` years",
    "\u00a0Orders are kept for \u201cten\u201d years",
]


@pytest.mark.parametrize("text", SAME)
def test_nothing_adds_it_again(sandbox: Sandbox, text: str, project: Project) -> None:
    sandbox.write_memory("engineer", ITEM)
    item_actions.teach(project, "engineer", "pattern", [text])
    learn(project, "mistake", text)
    assert items(project) == [ITEM]


def test_a_finding_twice_in_a_report_keeps_its_reason(sandbox: Sandbox, project: Project) -> None:
    text = "The importer skips rows with a null date"
    mistake = Learning("mistake", text, "  - Why: pandas drops NaT keys in groupby")
    found = [mistake, Learning("context", text)]
    save_learnings(project, "engineer", found, "a1")
    memory = sandbox.read_memory("engineer")
    assert memory.count(text) == 1
    assert "## Common Mistakes to Avoid" in memory
    assert "- Why: pandas drops NaT keys in groupby" in memory
