"""The commands status, list and search."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from memory_core.curation import agent_status, searching
from memory_core.history import item_history
from memory_core.monitor.numbers import Numbers
from memory_core.storage import paths, store
from memory_core.text import word_search
from support import lessons
from support.command_line import ITEM, Person, check_refused, read_stderr, read_stdout
from support.files import define_agents, read_files, write
from support.histories import ago
from support.review import make_waiting
from support.runs import add_runs, make_run
from support.terminal import run_on_terminal, strip_colours

UTF8 = {"LANG": "en_US.UTF-8"}
ITEM_ID = item_history.id_of(ITEM)


def learn(person: Person, agent: str, *texts: str, **level: bool) -> None:
    lessons.learn(person.sandbox.open_project(), agent, *texts, **level)


# --- how much was learned when ---


def learned_ago(*days: float, **style: Any) -> str:
    records = (item_history.make_record("learned", ago(one), f"Item {one}") for one in days)
    return "".join(f"{json.dumps(record, **style)}\n" for record in records)


TRENDS: dict[str, tuple[str, list[int]]] = {
    "seven days are a week": (learned_ago(-0.001, 0, 6, 7, 20), [0, 0, 0, 0, 0, 1, 1, 3]),
    "eight weeks, no more": (learned_ago(55, 56, 300), [1, 0, 0, 0, 0, 0, 0, 0]),
    "written by others": (learned_ago(3, separators=(",", ":")), [0] * 7 + [1]),
}


@pytest.mark.parametrize(("text", "trend"), TRENDS.values(), ids=TRENDS)
def test_the_trend_agrees_with_the_history(person: Person, text: str, trend: list[int]) -> None:
    person.sandbox.write_memory("qa", ITEM)
    path = person.sandbox.memories / "history" / "qa.jsonl"
    write(path, text)
    (found,) = agent_status.list_memories(Numbers(person.sandbox.open_project()))
    assert (found.trend, found.error) == (trend, "")


# --- status ---


def test_status_has_a_line_for_each_agent(person: Person) -> None:
    learn(person, "qa", *(f"Service {number} retries {number} times" for number in range(5)))
    learn(person, "engineer", "An event is sent once", "Prices are in cents")
    shown = strip_colours(run_on_terminal(person, "status", **UTF8))
    columns = "ITEMS SECT SIZE USED CHANGED LEARNED REVIEW"
    assert shown[0].split() == ["AGENT", *columns.split()]
    total = next(each for each in shown if each.startswith("2 agents"))
    assert re.fullmatch(r"2 agents +7 +\d+ +[\d.]+ K?B +- +now +\+7 +-", total)
    piped = person.run("status").stdout
    assert re.search(r"^qa +5 +\d+ +\d+ B +\d+% +now +\+5 +-$", piped, re.MULTILINE)


def test_status_as_a_table_for_a_pull_request(person: Person) -> None:
    learn(person, "qa", ITEM)
    person.run("preference", "set", "qa", "tone", "dry")  # their section has no limit
    for at, arrived in enumerate(("delivered", "delivered", "lost")):
        fields = {"arrived": arrived, "prompt_tokens": 100, "hook_ms": at}
        add_runs(person.sandbox.paths, make_run(f"r{at}", "done", ago(0), **fields))
    title, rule, row, total, *lines = person.run("status", "--markdown").stdout.splitlines()
    assert title.startswith("| Agent | Items | Sect | Size | Used | Changed | Learned |")
    assert (title.count("|"), rule) == (row.count("|"), f"|{' --- |' * (title.count('|') - 1)}")
    assert re.match(r"\| `qa` \| 2 \| 1 \| \d+ B \| \d+% \| now \| \+1 \| - \|", row)
    assert total.startswith("| 1 agent | 2 | 1 |")
    use = "memory adds about 100 tokens to a prompt; 2 of 3 deliveries arrived once"
    days = "1 learned, 0 confirmed, 0 removed, 1 delivery lost, 0 twice"
    hooks = "Hook time: 1 ms, 95 % within 2 ms."
    assert lines[1::2] == [f"Use: {use}.", f"Last 30 days: {days}.", hooks]


def test_without_a_home_there_are_no_settings_of_a_user(person: Person) -> None:
    person.install()
    for home in ("", "."):
        done = person.run("status", "--json", HOME=home)
        assert [each["level"] for each in json.loads(done.stdout)["hooks"]] == ["project"]
    own = person.sandbox.home / "own"
    shutil.copytree(person.sandbox.root / ".claude", own)
    done = person.run("status", "--json", HOME="", CLAUDE_CONFIG_DIR=str(own))
    assert [each["level"] for each in json.loads(done.stdout)["hooks"]] == ["user", "project"]


def test_status_of_the_users_own_memories(person: Person) -> None:
    person.sandbox.write_memory("qa", ITEM)
    assert person.run("status", "--user").stdout.startswith("No agent has a user-level memory yet")
    learn(person, "writer", "Short sentences", user=True)
    for options, agent in ((["--user"], "writer"), ([], "qa")):
        found = person.read_json("status", *options)
        agents = [each["agent"] for each in found["agents"]]
        assert (found["user"], agents) == (bool(options), [agent])
    read_stderr(person.run("status", "--user", HOME=""), 2)


CONFLICT = "<<<<<<< HEAD\n- One\n=======\n- Two\n>>>>>>> other\n"


def find_warning(person: Person) -> str:
    shown = read_stdout(person.run("status"))
    (warning,) = [line for line in shown.splitlines() if line.startswith("warning: ")]
    return warning


def test_a_warning_names_what_mends_it(person: Person) -> None:
    person.install()
    for added, what, mend in (
        (CONFLICT.encode(), "qa: a merge conflict is not resolved", "tidy"),
        (b"```\n- x\n", "qa: some lines could not be parsed as you", "doctor"),
        (b"- caf\xe9\n", "qa: some lines could not be parsed", "doctor"),
        (b"- x" + b"x" * 8200, "limit 8192: each new learning of an agent", "edit qa"),
    ):
        path = person.sandbox.write_memory("qa", ITEM)
        path.write_bytes(path.read_bytes() + added)
        warning = find_warning(person)
        assert what in warning
        assert warning.endswith(f"(agent-memory {mend})")


def test_warnings_of_files_that_are_refused(person: Person) -> None:
    person.install()
    (person.sandbox.memories / "qa.md").mkdir(parents=True)
    assert ".claude-mpm/memories/qa.md: is a folder, not a file" in find_warning(person)
    (person.sandbox.memories / "qa.md").rmdir()
    person.sandbox.write_memory("qa", ITEM)
    history = person.sandbox.memories / "history" / "qa.jsonl"
    history.parent.mkdir()
    history.symlink_to(person.sandbox.root)
    assert "its history: is a link, which is not followed" in find_warning(person)


def test_what_many_memories_have_in_common_is_one_warning(person: Person) -> None:
    person.install()
    for number in range(5):
        person.sandbox.write_memory(f"a{number}").write_text("```\n")
    said = "warning: a0, a1, a2, a3, a4: some lines could not be parsed"
    assert find_warning(person).startswith(said)
    path = person.sandbox.write_memory("qa", ITEM, user=True)
    for text, mend in ((f"## A\n{CONFLICT}", "tidy --user"), ("```\n", "show --user qa")):
        path.write_text(text)
        shown = strip_colours(run_on_terminal(person, "status --user", 60, **UTF8))
        warning = shown[[line.startswith("warning: ") for line in shown].index(True) :]
        assert f"(agent-memory {mend})" in " ".join(" ".join(warning).split())
        assert max(map(len, warning)) <= 60


# --- list ---


def test_list_is_of_the_agents_with_and_without_a_memory(person: Person) -> None:
    assert read_stderr(person.run("list"), 0).startswith("No agent has a memory yet")
    person.sandbox.write_memory("PM", "Releases go out on Tuesdays")
    person.sandbox.write_memory("engineer", ITEM, "Prices are in cents")
    person.sandbox.write_memory("plugin--reviewer", ITEM)
    (person.sandbox.memories / "qa.md").mkdir()
    define_agents(person.sandbox.root, "Engineer", "Data Scientist")
    shown = read_stdout(person.run("list"))
    assert shown.splitlines() == [
        "engineer         2 items",
        "plugin:reviewer  1 item",
        "qa               cannot be read: is a folder, not a file",
        "PM               1 item",
        "data-scientist   no memory yet",
    ]
    files = {each["agent"]: each["file"] for each in person.read_json("list")}
    assert list(files) == [line.split()[0] for line in shown.splitlines()]
    assert files["engineer"] == ".claude-mpm/memories/engineer.md"
    assert files["data-scientist"] is None


def test_list_of_an_agent_is_its_items(person: Person) -> None:
    learn(person, "engineer", "Fixtures are generated by make")
    text = f"\n## Own\n- {ITEM}\n    - but for health checks\n"
    person.sandbox.append_to_memory("engineer", text)
    learned = item_history.id_of("Fixtures are generated by make")
    assert person.run("list", "Engineer Agent").stdout.splitlines() == [
        f"{learned}  0.5  [Coding Patterns Learned] Fixtures are generated by make",
        f"{ITEM_ID}  0.8  [Own] {ITEM}",
        "                     - but for health checks",
    ]
    (_first, second) = person.read_json("list", "engineer")
    assert second["nested"] == "    - but for health checks"
    assert person.run("confirm", "engineer", ITEM_ID).returncode == 0
    assert f"{ITEM_ID}  0.9  " in person.run("list", "engineer").stdout


def test_list_says_when_there_is_nothing(person: Person) -> None:
    path = person.sandbox.write_memory("engineer", ITEM)
    define_agents(person.sandbox.root, "qa")
    for name in ("qa", "PM"):
        assert read_stderr(person.run("list", name), 0) == f"{name} has no memory yet.\n"
    assert person.read_json("list", "qa") == []
    path.write_text("# Engineer\n\nJust prose.\n")
    assert "see agent-memory show engineer" in person.run("list", "engineer").stderr
    check_refused(person, {"list enginer": "did you mean engineer?"})
    define_agents(person.sandbox.root, "web-designer", "print-designer")
    check_refused(person, {"list desiner": "did you mean print-designer or web-designer?"})
    # An agent of the project is none of the user's own.
    person.sandbox.write_memory("writer", "Short sentences", user=True)
    assert [each["agent"] for each in person.read_json("list", "--user")] == ["writer"]
    assert person.run("list", "--user", "writer").stdout.endswith("] Short sentences\n")


# --- search ---

ITEMS = {
    "cafe": "The café's prices are in `cents`, never in floats",
    "quote": "Say \u201cdon\u2019t\u201d rather than \u201cdo not\u201d \u2014 it is shorter\u2026",
    "street": "Die Straße heißt ÜBUNGSWEG",
    "bus": ITEM,
    "wide": "ＡＰＩ keys rotate on ﬁrst use",
    "kana": "がぎぐ is not かきく",
    "escaped": r"A \_private\_ name",
    "lines": "Several\n  lines of it",
}

# What is looked for, by the items that are found.
SEARCHES = {
    "bus": ["event", "EVENT bus", "bus event", "even"],
    "cafe": ["café", "cafe", "CAFÉ", "cafe\u0301", "cents, never"],
    "cafe bus": ["never"],
    "quote": ["don't", '"don\u2019t"', "not - it", "shorter..."],
    "street": ["strasse", "STRASSE", "ubungsweg", "übungsweg"],
    "wide": ["api", "first"],
    "kana": ["がぎぐ"],
    "escaped": [r"\_private\_"],
    "lines": ["several lines"],
    "": ["bus cents", "がきく", ".*"],
}


def test_search_finds_what_people_expect(tmp_path: Path) -> None:
    held = store.Store(paths.LevelPaths(str(tmp_path), {}))
    folder = Path(held.folder)
    folder.mkdir(parents=True)
    for name, text in ITEMS.items():
        (folder / f"{name}.md").write_text(f"## A\n- {text}\n", encoding="utf-8")
    for found, searches in SEARCHES.items():
        for words in searches:
            hits = searching.search_items(held, words).hits
            assert {hit.agent for hit in hits} == set(found.split()), words


@given(st.text(max_size=20), st.text(max_size=4))
def test_what_is_marked_is_the_text_itself(text: str, words: str) -> None:
    assert "".join(part for part, _is_hit in word_search.split_matches(text, words)) == text


@pytest.fixture
def archive(person: Person) -> Person:
    """Somebody with an item of the engineer's in the archive, and others in memories."""
    learn(person, "engineer", "Payments are sent by event", "Prices are in cents")
    person.run("remove", "engineer", "Payments are sent")
    person.run("preference", "set", "qa", "communication", "mention each event")
    path = person.sandbox.memories / "PM.md"
    path.write_text("# PM\n\n## Plans\n- Releases\n    - an event for each\n\nAn event in prose.\n")
    return person


def test_rules_written_as_sentences_are_found(person: Person) -> None:
    person.run("add", "engineer", "guideline", "Tests run with make test")
    person.run("list", "engineer", "--mine")  # what comes now was typed
    rules = "\nPrices are integer cents.\nNever use floats.\n"
    person.sandbox.append_to_memory("engineer", rules)
    found = "Prices are integer cents. Never use floats."
    assert person.run("search", "floats").stdout == f"engineer  {found}\n"
    assert found in person.run("list", "engineer", "--mine").stdout


def test_search_looks_at_memories_and_archives(archive: Person) -> None:
    held = archive.sandbox.open_project().store
    held.add_to_review("qa", [make_waiting("An event to review")], "2026-11-20")
    before = read_files(archive.sandbox.root)
    done = archive.succeed("search", "event")
    texts = ("Payments are sent by event", "communication: mention each event", "Releases")
    gone, qa, pm = map(item_history.id_of, texts)
    shown = re.sub(r"\d{4}-\d\d-\d\d", "DAY", done.stdout).splitlines()
    assert shown == [
        f"engineer  {gone}  [Coding Patterns Learned] {texts[0]}  (archived DAY)",
        f"qa        {qa}  [Preferences] {texts[1]}",
        f"PM        {pm}  [Plans] {texts[2]}",
        "                          - an event for each",
        "PM                    An event in prose.",
    ]
    assert read_files(archive.sandbox.root) == before
    (hit,) = archive.read_json("search", "releases")
    assert (hit["in"], hit["day"]) == ("memory", None)


def test_search_can_be_narrowed(archive: Person) -> None:
    for options, agents in {
        "": "engineer qa PM PM",
        "--agent QA-Agent": "qa",
        "--agent pm --agent qa": "qa PM PM",
        "sent by": "engineer",
    }.items():
        found = archive.read_json("search", "event", *options.split())
        assert [each["agent"] for each in found] == agents.split()


def test_search_without_success(archive: Person) -> None:
    for words in ("nothing like it", "nobody --agent qa"):
        assert read_stderr(archive.run("search", *words.split()), 1) == "Nothing found.\n"
        assert archive.run("search", *words.split(), "--json").stdout == "[]\n"
    cases = {
        "' '": "the search is empty: enter at least one word\n",
        "": "missing argument",
        "x --agent enginer --json": "did you mean engineer?",
    }
    check_refused(archive, cases, prefix="search")


def test_search_in_the_users_own(archive: Person) -> None:
    learn(archive, "writer", "Write an event", "Short sentences", user=True)
    archive.run("remove", "--user", "writer", "Write an event")
    done = archive.run("search", "--user", "event")
    assert done.stdout.startswith("writer  ")
    command = done.stderr.removeprefix("To restore an archived item: ").rstrip()
    assert archive.run_shell(command).returncode == 0
    assert "- Write an event\n" in (archive.sandbox.user_memories / "writer.md").read_text()
    # What was archived twice is found once.
    lines = ["[Coding Patterns Learned] Payments are sent by event"]
    archive.sandbox.open_project().store.add_to_archive("engineer", lines, "2199-01-01")
    (hit,) = archive.read_json("search", "payments")
    assert hit["day"] == "2199-01-01"


def test_unreadable_files_do_not_hide_others(archive: Person) -> None:
    for name in ("broken.md", "archive/qa.md"):
        (archive.sandbox.memories / name).mkdir(parents=True)
    outside = archive.sandbox.root / "elsewhere.md"
    outside.write_text("- An event\n")
    (archive.sandbox.memories / "linked.md").symlink_to(outside)
    done = archive.run("search", "event")
    assert len(done.stdout.splitlines()) == 5
    assert done.returncode == 1
    hint, *problems = sorted(done.stderr.splitlines(), reverse=True)
    assert hint.startswith("To restore an archived item: ")
    assert problems[::-1] == [
        ".claude-mpm/memories/archive/qa.md is a folder, not a file",
        ".claude-mpm/memories/broken.md is a folder, not a file",
        ".claude-mpm/memories/linked.md is a link, which is not followed",
    ]


def test_search_shows_the_hit_on_a_terminal_that_wants_it(archive: Person) -> None:
    path = archive.sandbox.memories / "PM.md"
    path.write_text("## A\n- \x1b]0;pwned\x07 of an event.\n")
    shown = run_on_terminal(archive, "search PWNED event . --no-pager")
    assert all(f"\x1b[31m\x1b[1m{word}\x1b[0m" in shown for word in ("pwned", "event", "."))
    assert "\x1b]" not in shown
