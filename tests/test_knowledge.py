"""How sure an agent's items are through its real hooks, and all that is known of it in one text."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import Any

import pytest
from conftest import REPO, Sandbox
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from test_cli import Person, contents, fields_told
from test_cli import person as person
from test_delegation import pre, start, stop
from test_merge import documents
from test_performance import failing

from memory_core import (
    contradiction,
    history,
    knowledge,
    log,
    markdown,
    memory,
    merge,
    outcomes,
    past,
    people,
    performance,
    selection,
)

FACT = "Services talk through the event bus"
TABS = "Use tabs in makefiles"


def project_in(sandbox: Sandbox) -> memory.Project:
    return memory.project_of(str(sandbox.root), sandbox.env)


def report(content: str, kind: str = "architecture") -> str:
    return f"Done.\n\n# Add To Memory:\nType: {kind}\nContent: {content}\n#\n"


def teach(sandbox: Sandbox, content: str, run: str = "a1", kind: str = "architecture") -> None:
    assert sandbox.hook("subagent_stop", stop(run, report(content, kind))).status == 0


def confidences(sandbox: Sandbox, agent: str = "engineer") -> dict[str, float]:
    known = knowledge.context(project_in(sandbox), agent)
    return {each.text: each.confidence for each in known.items}


def prompt(sandbox: Sandbox, call: str = "toolu_1") -> str:
    done = sandbox.hook("pre_tool_use", pre(call))
    return str(done.reply["updatedInput"]["prompt"]) if done.stdout else ""


# How sure.


def test_each_further_run_makes_an_item_surer(sandbox: Sandbox) -> None:
    teach(sandbox, FACT, "a1")
    assert confidences(sandbox) == {FACT: 0.5}
    assert f"- {FACT}\n" in prompt(sandbox)  # nobody has to say it twice
    for run, confidence in (("a2", 0.6), ("a2", 0.6), ("a3", 0.7)):
        teach(sandbox, f"{FACT}.", run)
        assert confidences(sandbox) == {FACT: confidence}
    for number in range(4, 9):
        teach(sandbox, FACT, f"a{number}")
    assert confidences(sandbox) == {FACT: 1.0}


def test_a_run_that_says_it_twice_counts_once(sandbox: Sandbox) -> None:
    twice = report(FACT) + report(f"{FACT}.")
    sandbox.hook("subagent_stop", stop("a1", twice))
    assert confidences(sandbox) == {FACT: 0.5}


def test_a_mistake_that_names_an_item_makes_it_less_sure(sandbox: Sandbox) -> None:
    teach(sandbox, FACT, "a1")
    wrong = "Services do not talk through the event bus"
    teach(sandbox, wrong, "a2", "mistake")
    assert confidences(sandbox) == {FACT: 0.3, wrong: 0.5}
    teach(sandbox, wrong, "a2", "anti-pattern")
    assert confidences(sandbox)[FACT] == 0.3  # each run once
    teach(sandbox, f"The item {past.identity(FACT)} is wrong", "a3", "anti-pattern")
    assert confidences(sandbox)[FACT] == 0.1


def test_only_a_mistake_contradicts(sandbox: Sandbox) -> None:
    teach(sandbox, FACT, "a1")
    teach(sandbox, "Services do not talk through the event bus", "a2", "pattern")
    assert confidences(sandbox)[FACT] == 0.5


def test_what_people_say_counts(sandbox: Sandbox) -> None:
    sandbox.remembers("engineer", TABS)
    teach(sandbox, FACT)
    project = project_in(sandbox)
    assert confidences(sandbox) == {TABS: 0.8, FACT: 0.5}
    assert people.confirm(project, "engineer", FACT).confidence == 0.6
    assert people.contradict(project, "engineer", past.identity(TABS)[:5]).confidence == 0.6
    assert people.contradict(project, "engineer", "tabs").confidence == 0.4
    assert list(confidences(sandbox)) == [FACT, TABS]  # the surest first


def test_the_weights_are_those_of_the_settings(sandbox: Sandbox) -> None:
    sandbox.configure(
        "memory:\n  confidence: {agent: 0.2, person: 0.9, step: 0.05, contradiction: 0.3}\n"
    )
    sandbox.remembers("engineer", TABS)
    teach(sandbox, FACT)
    assert confidences(sandbox) == {TABS: 0.9, FACT: 0.2}
    teach(sandbox, FACT, "a2")
    people.contradict(project_in(sandbox), "engineer", TABS)
    assert confidences(sandbox) == {TABS: 0.6, FACT: 0.25}


def test_what_is_not_sure_enough_is_not_given(sandbox: Sandbox) -> None:
    sandbox.remembers("engineer", TABS)
    teach(sandbox, FACT, "a1")
    people.prefer(project_in(sandbox), "engineer", "tone", "dry")
    people.contradict(project_in(sandbox), "engineer", "tone: dry")
    sandbox.configure("memory: {min_confidence: 0.6}\n")
    given = prompt(sandbox)
    assert TABS in given
    assert FACT not in given
    assert "tone: dry" in given  # a wish is no knowledge
    assert confidences(sandbox) == {TABS: 0.8}
    teach(sandbox, FACT, "a2")
    assert FACT in prompt(sandbox, "toolu_2")
    assert confidences(sandbox) == {TABS: 0.8, FACT: 0.6}
    assert FACT in sandbox.memory("engineer")


CONTRADICTED = [
    (FACT, f"Services {denied} the event bus")
    for denied in (
        *("do not talk through", "don't talk through", "never talk through"),
        "no longer talk through",
    )
] + [
    (FACT, f"It is wrong that {FACT}"),
    (FACT, f"Wrong: {FACT}."),
    (FACT, f"It is not true that {FACT}"),
    (FACT, f"{FACT} is outdated"),
    (FACT, f'"{FACT}" is no longer true'),
    (FACT, "Services do not talk through the event bus, they call each other"),
    (FACT, "Services don't talk through the event bus any more"),
    (FACT, f"The item {past.identity(FACT)} is wrong"),
    (TABS, f"Never {TABS}"),
    (TABS, f"Do not {TABS}: they break the build"),
    (TABS, f"It is wrong to {TABS}"),
    (TABS, f"The build broke. Do not {TABS}"),
    (TABS, "We do not use tabs in makefiles now"),
    ("The API returns XML for errors", "The API does not return XML for errors"),
    ("The cache is shared between workers", "The cache isn't shared between workers"),
    ("The cache is shared between workers", "The cache is no longer shared between workers"),
    ("src/app.py is generated by make", "`src/app.py` is not generated by make"),
    (f"Do not {TABS}", f"It is wrong that we do not {TABS}"),
]


@pytest.mark.parametrize(("item", "mistake"), CONTRADICTED)
def test_what_contradicts(item: str, mistake: str) -> None:
    other = ("0123456789", "Ask Ann before a release")
    told = contradiction.contradicted(mistake, [(past.identity(item), item), other])
    assert told == [item]


IN_DOUBT = [
    (FACT, FACT),
    (FACT, ""),
    (FACT, f"{FACT}, not directly"),
    (FACT, "Services do not talk through the event bus directly"),
    (FACT, "Services talk not only through the event bus"),
    (FACT, f"{FACT}. Never call them directly"),
    (FACT, f"Never assume that {FACT} alone"),
    (FACT, f"It is not wrong that {FACT}"),
    (FACT, f"It was wrong to remove: {FACT}"),
    (FACT, f"Using the wrong port: {FACT}"),
    (FACT, "Whoever says that services do not talk through the event bus is confused"),
    (TABS, f"In the frontend, do not {TABS}"),
    (TABS, f"Do not {TABS} of the frontend"),
    (TABS, f"Do not {TABS} unless asked"),
    (TABS, f"Do not forget: {TABS}"),
    (TABS, f"Forgetting to {TABS} is wrong"),
    (TABS, f"When it is not documented {TABS}"),
    (TABS, f"{TABS}, never blanks"),
    (TABS, "Do not use tabs in Python"),
    (TABS, "Use blanks in makefiles"),
    ("Use tabs", "Do not use tabs"),  # two words stand in many a sentence
    (f"Do not {TABS}", f"Do not {TABS}"),
    (f"Do not {TABS}", TABS),
]


@pytest.mark.parametrize(("item", "mistake"), IN_DOUBT)
def test_in_doubt_nothing_is_contradicted(item: str, mistake: str) -> None:
    assert contradiction.contradicted(mistake, [(past.identity(item), item)]) == []


# What a hook gives.


def read_by(sandbox: Sandbox, hook: str, event: dict[str, Any]) -> list[str]:
    """Return the files of the project that a hook's process opens."""
    path = str(REPO / "hooks" / f"{hook}.py")
    program = (
        "import os, sys\n"
        "opened = []\n"
        "sys.addaudithook(lambda name, args: name == 'open' and opened.append(str(args[0])))\n"
        "os._exit = lambda status: (sys.stderr.write('\\n'.join(opened)), sys.exit(status))\n"
        f"code = compile(open({path!r}).read(), {path!r}, 'exec')\n"
        f"exec(code, {{'__name__': '__main__', '__file__': {path!r}}})\n"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", program],
        input=json.dumps(event),
        capture_output=True,
        text=True,
        env=sandbox.env,
        check=True,
    )
    return [each for each in done.stderr.split("\n") if each.startswith(str(sandbox.root))]


@pytest.mark.parametrize(("hook", "event"), [("pre_tool_use", pre()), ("subagent_start", start())])
def test_ten_thousand_records_cost_a_hook_nothing(
    sandbox: Sandbox, hook: str, event: dict[str, Any]
) -> None:
    sandbox.remembers("engineer", FACT)
    now = time.time()
    records = [
        past.record("learned", log.utc(now - number), f"Item {number}", run=f"a{number}")
        for number in range(10_000)
    ]
    history.append(str(sandbox.memories / "history" / "engineer.jsonl"), records)
    opened = read_by(sandbox, hook, event)
    assert str(sandbox.memories / "engineer.md") in opened
    assert [each for each in opened if "history" in each] == []
    assert sandbox.log("agent.memory.loaded")


def test_an_error_that_comes_again_is_given(sandbox: Sandbox) -> None:
    sandbox.remembers("engineer", FACT)
    sandbox.hook("post_tool_use", failing("a1"))
    assert "Common Errors" not in prompt(sandbox)
    sandbox.hook("post_tool_use", failing("a2"))
    line = "- Exit code 2: no such table: users\n"
    assert f"### Common Errors to Avoid\n{line}" in prompt(sandbox, "toolu_2")
    teach(sandbox, "Run make migrate before the tests", "a2")
    given = prompt(sandbox, "toolu_3")
    assert "- Exit code 2: no such table: users → Run make migrate before the tests\n" in given


def test_five_errors_are_given_and_twenty_kept(sandbox: Sandbox) -> None:
    for number in range(22):
        for run in range(2):
            told = performance.error(f"Cannot build part {chr(97 + number)}", run=f"a{run}")
            assert told
            assert outcomes.keep(project_in(sandbox), "engineer", [told], time.time() + number)
    lines = [line for line in prompt(sandbox).split("\n") if line.startswith("- Cannot")]
    assert lines == [f"- Cannot build part {letter}" for letter in "vutsr"]
    assert len(knowledge.context(project_in(sandbox), "engineer").errors) == 20


def test_without_its_history_no_error_is_given(sandbox: Sandbox) -> None:
    for run in ("a1", "a2"):
        sandbox.hook("post_tool_use", failing(run))
    assert "Common Errors" in prompt(sandbox)
    (sandbox.memories / "history" / "engineer.jsonl").unlink()
    teach(sandbox, FACT)
    assert "Common Errors" not in prompt(sandbox, "toolu_2")


def test_performance_is_for_people_unless_it_is_switched_on(sandbox: Sandbox) -> None:
    sandbox.remembers("engineer", FACT)
    done = performance.task("a1", "done", type="feature", tokens=1200)
    outcomes.keep(project_in(sandbox), "engineer", [done])
    assert "## Your Performance" not in prompt(sandbox)
    sandbox.configure("memory: {give_performance: true}\n")
    assert "## Your Performance\n- all tasks: 1 finished" in prompt(sandbox, "toolu_2")


def test_the_hooks_leave_out_what_would_take_the_room_of_the_memory(sandbox: Sandbox) -> None:
    project = project_in(sandbox)
    for number in range(5):
        text = f"{chr(97 + number)} " + "word " * 45
        told = performance.error(text, resolution=text, run="a1")
        assert told
        outcomes.keep(project, "engineer", [told])
    small = memory.recall(project, "engineer", 4_000).text
    large = memory.recall(project, "engineer", 16_000).text
    assert "Common Errors" not in small
    assert "Common Errors" in large


# In one text.


def test_all_that_is_known(sandbox: Sandbox) -> None:
    sandbox.remembers("engineer", TABS)
    sandbox.remembers("engineer", "The user's own word", TABS, user=True)
    teach(sandbox, FACT, "a1", "workflow")
    project = project_in(sandbox)
    people.prefer(project, "engineer", "coding-style", "small functions")
    people.prefer(project, "engineer", "Coding Style", "any", project.level(user=True))
    wrong = performance.error("It is broken", resolution="Mend it", run="a1")
    assert wrong
    done = performance.task("a1", "done", type="feature")
    outcomes.keep(project, "engineer", [wrong, done])
    known = knowledge.context(project, "engineer")
    assert knowledge.rendered(known, 20) == (
        "## Your Role Knowledge\n"
        f"- [Project Architecture] {TABS}\n"
        "- [Project Architecture] The user's own word\n"
        f"- [workflow] {FACT}\n\n"
        "## Your Preferences\n"
        "- coding-style: small functions\n\n"
        "## Your Performance\n"
        "- all tasks: 1 finished (1 done; 100% success)\n"
        "- feature: 1 finished (1 done; 100% success)\n\n"
        "### Common Errors to Avoid\n"
        "- It is broken → Mend it"
    )
    assert knowledge.rendered(known, 1).count("\n- [") == 1


HEADINGS = [
    knowledge.KNOWLEDGE,
    knowledge.PREFERENCES,
    knowledge.PERFORMANCE,
    knowledge.ERRORS,
]
ODD = st.one_of(
    st.text(max_size=40),
    st.text("-*+#>`~<![]_:=|\\ 12.)ab\n\t\x0b\u2028", max_size=16),
    st.sampled_from(["# a", "- - -", "--", "1. a", "```", "<!-- a", "[a]: b", "> a", "***", "=="]),
)


def rendered(
    texts: list[tuple[str, str]], wished: dict[str, str], types: list[str], errors: list[str]
) -> str:
    told = [people.Told("0", text, section, 0.5) for section, text in texts]
    runs = [
        {"time": log.utc(0), **performance.task(str(number), "done", type=kind)}
        for number, kind in enumerate(types)
    ]
    made = [performance.error(text, resolution="Mend it") for text in errors]
    common = performance.common([{"time": log.utc(0), **each} for each in made if each])
    known = knowledge.Knowledge("engineer", told, wished, performance.Performance(runs), common)
    return knowledge.rendered(known, 20)


def one_line(text: str) -> str:
    return " ".join(text.split())


LINE = ODD.map(one_line).filter(bool)


@settings(max_examples=300, deadline=None)
@given(
    texts=st.lists(st.tuples(ODD.map(one_line), LINE), max_size=4),
    wished=st.dictionaries(LINE, LINE, max_size=3),
    types=st.lists(ODD, max_size=3),
    errors=st.lists(ODD, max_size=3),
)
def test_it_is_a_list_below_each_heading_whatever_is_known(
    texts: list[tuple[str, str]], wished: dict[str, str], types: list[str], errors: list[str]
) -> None:
    text = rendered(texts, wished, types, errors)
    parts = text.split("\n\n") if text else []
    assert [part.split("\n")[0] for part in parts] == [
        each for each in HEADINGS if each in [part.split("\n")[0] for part in parts]
    ]
    count = sum(len(part.split("\n")) - 1 for part in parts)
    document = markdown.parse(text)
    assert [f"{'#' * each.level} {each.title}" for each in document.headings] == [
        part.split("\n")[0] for part in parts
    ]
    assert len(document.items) == count
    assert all(item.text and item.end == item.line + 1 for item in document.items)
    tokens = MarkdownIt("commonmark").parse(text)
    assert sum(token.type == "heading_open" for token in tokens) == len(parts)
    assert sum(token.type == "list_item_open" for token in tokens) == count
    assert {token.type for token in tokens} <= {
        *("heading_open", "heading_close", "inline", "bullet_list_open", "bullet_list_close"),
        *("list_item_open", "list_item_close", "paragraph_open", "paragraph_close"),
    }


@settings(max_examples=100, deadline=None)
@given(documents)
def test_the_items_read_back(text: str) -> None:
    found = [
        (section.title, item.text)
        for section in markdown.parse(text).sections
        for item in section.items
        if item.text
    ]
    told = markdown.parse(rendered(found, {}, [], []))
    labels = [f"[{merge.category(title)}] {item}" for title, item in found]
    assert [item.text for item in told.items] == labels[:20]


def test_context_by_hand(person: Person, sandbox: Sandbox) -> None:
    sandbox.remembers("engineer", TABS, FACT)
    sandbox.remembers("PM", "Releases go out on Tuesdays")
    before = contents(sandbox.root)
    done = person.run("context", "Engineer Agent", "--top", "1")
    assert done.stdout == f"## Your Role Knowledge\n- [Project Architecture] {TABS}\n"
    for name in ("engineer", "PM"):
        given = person.run("context", name, "--as-given").stdout
        assert given == person.run("show", name, "--as-given").stdout
        assert person.json("context", name, "--as-given")["text"] == given[:-1]
    told = prompt(sandbox)
    assert told == f"Add a retry.\n\n{person.run('context', 'engineer', '--as-given').stdout[:-1]}"
    assert {key: value for key, value in contents(sandbox.root).items() if key in before} == before


def test_the_json_of_a_context_is_that_on_the_page(person: Person, sandbox: Sandbox) -> None:
    sandbox.configure("memory: {context_items: 1}\n")
    sandbox.remembers("engineer", TABS, FACT)
    wrong = performance.error("It is broken", resolution="Mend it", run="a1")
    assert wrong
    outcomes.keep(project_in(sandbox), "engineer", [wrong])
    told = person.json("context", "engineer")
    for row, value in {
        "`context`": told,
        "`context`, in `items`": told["items"][0],
        "`context`, in `performance`": told["performance"],
        "`context`, in `errors`": told["errors"][0],
        "`context --as-given`": person.json("context", "engineer", "--as-given"),
    }.items():
        assert set(value) == fields_told(row), row
    assert [each["text"] for each in told["items"]] == [TABS, FACT]
    assert len(person.json("context", "engineer", "--top", "1")["items"]) == 1
    assert person.run("context", "engineer").stdout.count("- [") == 1


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["PM"], 0, "Nothing is known of PM yet.\n"),
        (["nobody"], 2, "agent-memory: no agent 'nobody' here"),
        (["enginer"], 2, "agent-memory: no agent 'enginer' here; did you mean engineer?"),
        ([], 2, "agent-memory: missing argument"),
        (["engineer", "--top", "0"], 2, "agent-memory: invalid value for '--top'"),
        (["engineer", "--top", "x"], 2, "agent-memory: invalid value for '--top'"),
        (["engineer", "--top", "3", "--as-given"], 2, "agent-memory: --as-given prints the"),
    ],
)
def test_nothing_to_tell(
    person: Person, sandbox: Sandbox, arguments: list[str], status: int, said: str
) -> None:
    sandbox.remembers("engineer", FACT)
    done = person.run("context", *arguments)
    assert (done.returncode, done.stdout) == (status, "")
    assert done.stderr.startswith(said)


def test_the_categories_have_their_place_in_the_selection() -> None:
    titles = {merge.section_of(name).casefold() for name in merge.CATEGORIES}
    assert titles <= set(selection.WORTH)
    assert {knowledge.category(merge.section_of(name)) for name in merge.CATEGORIES} == set(
        merge.CATEGORIES
    )
    assert knowledge.category("Mine") is None
