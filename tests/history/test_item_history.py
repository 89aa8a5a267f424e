"""An item's history: the state that records give, edits of a user, order of eviction."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from memory_core.document import markdown, merge_learnings, template
from memory_core.document.merge_learnings import Learning
from memory_core.files.safe_files import SafeFiles
from memory_core.history import item_history
from memory_core.storage.history_file import HistoryFile
from memory_core.storage.store import Store
from support.calls import teach
from support.events import FACT, LEARNED, is_silent, make_start_event, make_stop_event
from support.lessons import learn
from support.sandbox import Sandbox
from support.tables import for_each

NOW = "2026-11-21 08:00:00"
WORDS = ["Use tabs in makefiles", "Fixtures are generated", "The lift is slow", "Ask Ann first"]


def at(day: int) -> str:
    return f"2026-11-{day:02}T08:00:00.000Z"


def make_record(kind: str, text: str, day: int, **fields: Any) -> item_history.Record:
    return item_history.make_record(kind, at(day), text, **fields)


def find(records: list[item_history.Record], text: str = FACT) -> item_history.ItemState:
    state = item_history.History(records).find(text)
    assert state is not None
    return state


def describe(state: item_history.ItemState) -> tuple[Any, ...]:
    return state.born, state.added_at, state.is_present, state.confidence


# The state that records give.


HAS = make_record("learned", FACT, 1, run="a1")
CONTRADICTED = [make_record("contradicted", FACT, day, run=f"a{day}") for day in range(2, 9)]
DOUBTED = [make_record("contradicted", FACT, day, source="person") for day in (2, 3)]
CONFIRMED = [make_record("confirmed", FACT, day, source="person") for day in range(2, 20)]
AGAIN = make_record("reinforced", FACT, 2, run="a2")
EVICTED = make_record("evicted", FACT, 2)


@for_each(
    ("records", "confidence"),
    [
        ([HAS], 0.5),
        ([HAS, {**AGAIN, "run": "a1"}], 0.5),
        ([HAS, AGAIN], 0.6),
        ([make_record("reinforced", FACT, day, run=f"a{day}") for day in range(1, 20)], 1.0),
        ([make_record("edited", FACT, 1)], 0.8),
        ([make_record("edited", FACT, 1), AGAIN], 0.9),
        ([make_record("learned", FACT, 1, source="person")], 0.8),
        ([make_record("approved", FACT, 1)], 0.8),
        ([make_record("imported", FACT, 1, confidence=0.3)], 0.3),
        ([HAS, CONFIRMED[0]], 0.6),
        ([HAS, *CONFIRMED], 1.0),
        ([HAS, CONTRADICTED[0]], 0.3),
        ([HAS, *({**record, "run": "a2"} for record in CONTRADICTED)], 0.3),
        ([HAS, *CONTRADICTED], 0.0),
        ([HAS, *DOUBTED], 0.1),
        # at the lowest value, one confirmation counts as usual
        ([HAS, *CONTRADICTED, make_record("reinforced", FACT, 10, run="a10")], 0.1),
        # the run that taught the item may contradict it
        ([HAS, make_record("contradicted", FACT, 2, run="a1")], 0.3),
        # it was evicted and learned again
        ([HAS, EVICTED, make_record("learned", FACT, 3, run="a2")], 0.6),
    ],
)
def test_each_further_run_raises_the_confidence(
    records: list[item_history.Record], confidence: float
) -> None:
    assert find(records).confidence == confidence


KINDS = st.sampled_from(["learned", "reinforced", "merged", "edited", "removed", "evicted"])
RUNS, IDS = (
    st.sampled_from(["a1", "a2", "a3"]),
    st.sampled_from(list(map(item_history.id_of, WORDS))),
)
FIELDS = {"kind": KINDS, "text": st.sampled_from(WORDS), "run": RUNS, "was": IDS}


@given(st.lists(st.fixed_dictionaries(FIELDS), max_size=12), st.randoms())
def test_order_and_duplicates_do_not_matter(found: list[dict[str, str]], random: Any) -> None:
    records = [make_record(day=day, **fields) for day, fields in enumerate(found, 1)]
    mixed = records + records[: random.randint(0, len(records))]
    random.shuffle(mixed)
    one, other = (
        {state.id: describe(state) for state in item_history.History(each)}
        for each in (records, mixed)
    )
    assert one == other


def test_a_better_wording_keeps_the_history() -> None:
    better, was = "Use tabs in makefiles", item_history.id_of("Use tabs")
    records = [
        make_record("learned", "Use tabs", 1, run="a1"),
        make_record("merged", better, 3, run="a2", was=was),
    ]
    assert describe(find(records, "use *tabs* in makefiles.")) == (at(1), at(3), True, 0.6)
    assert not find(records, "Use tabs").is_present


@pytest.mark.parametrize(
    ("kind", "fields", "confidence"),
    [("merged", {"run": "a1"}, 0.1), ("merged", {"run": "a2"}, 0.2), ("edited", {}, 0.8)],
)
def test_a_new_wording_keeps_the_confidence(
    kind: str, fields: dict[str, str], confidence: float
) -> None:
    better = make_record(kind, f"{FACT} at all", 4, was=item_history.id_of(FACT), **fields)
    assert find([HAS, *DOUBTED, better], f"{FACT} at all").confidence == confidence


def test_a_restored_item_counts_as_new() -> None:
    assert find([HAS, EVICTED, make_record("restored", FACT, 3)]).born == at(3)


# Edits of a user.

HAD = [make_record("learned", "Use tabs", 1), make_record("learned", "Ask Ann first", 3)]


@pytest.mark.parametrize(
    ("texts", "stamp", "expected"),
    [
        (["Use tabs", "Ask Ann first"], 3, {}),
        (["Ask Ann first", "use *tabs*."], 3, {}),
        (["Ask Ann first"], 1, {"gone": ["Use tabs"]}),
        (["Use tabs"], 3, {"gone": ["Ask Ann first"]}),
        (["Use tabs"], 1, {"missed": ["Ask Ann first"]}),
        ([], 1, {"gone": ["Use tabs"], "missed": ["Ask Ann first"]}),
        (["Use tabs", "Ask Bob first"], 3, {"new": ["Ask Bob first was Ask Ann first"]}),
        (["Use tabs", "Slow"], 3, {"new": ["Slow was "], "gone": ["Ask Ann first"]}),
        (["Use tabs"], None, {"gone": ["Ask Ann first"]}),
    ],
)
def test_edits_of_a_user_are_recognised(
    texts: list[str], stamp: int | None, expected: dict[str, list[str]]
) -> None:
    items = [(text, "A", "") for text in texts]
    later = [record["time"] for record in HAD if stamp and record["time"] > at(stamp)]
    found = item_history.compare(item_history.History(HAD), items, lambda: later)
    was = {item_history.id_of(record["text"]): record["text"] for record in HAD}
    assert {
        "new": [f"{text} was {was.get(key, '')}" for text, _section, _nested, key in found.new],
        "gone": [known.text for known in found.gone],
        "missed": [known.text for known in found.missed],
        "back": [text for text, _section, _nested in found.returned],
    } == {"new": [], "gone": [], "missed": [], "back": [], **expected}


def test_two_different_files_are_compared_quickly() -> None:
    records = [make_record("learned", f"old line {n} of many", 1) for n in range(3000)]
    items = [(f"new line {n} among them", "A", "") for n in range(3000)]
    found = item_history.compare(item_history.History(records), items)
    assert (len(found.new), len(found.gone)) == (3000, 3000)


# Order of eviction.


@pytest.mark.parametrize(
    ("records", "first"),
    [
        # the oldest of equally certain items, wherever it stands
        ([], WORDS[0]),
        # the least certain one
        ([make_record("reinforced", WORDS[0], 4, run="a2")], WORDS[1]),
        ([make_record("reinforced", word, 4, run="a2") for word in WORDS[:2]], WORDS[2]),
        ([make_record("contradicted", WORDS[2], 4, run="a2")], WORDS[2]),
        # an item of an agent, not of a person
        ([make_record("edited", WORDS[0], 4)], WORDS[1]),
        ([make_record("confirmed", WORDS[0], 4, source="person")], WORDS[1]),
    ],
)
@given(order=st.permutations(WORDS[:3]))
def test_the_least_certain_item_of_an_agent_is_evicted(
    records: list[item_history.Record], first: str, order: list[str]
) -> None:
    learned = [make_record("learned", word, day, run="a1") for day, word in enumerate(WORDS[:3], 1)]
    history = item_history.History([*learned, *records])
    text = "## Recent Learnings\n" + "".join(f"- {word}\n" for word in order)
    rules, limits = merge_learnings.Rules(history.age_of, 0.5), template.Limits(items=3)
    more = [Learning("tip", "Two more of them")]
    found = merge_learnings.merge_learnings(text, more, limits, NOW, "qa", rules)
    assert [*found.evicted] == [("Recent Learnings", first)]


# The records of an item, and whether it is a person's.
RETURNED = make_record("returned", FACT, 3, source="hand")
RESTORED = make_record("restored", FACT, 3, source="person", change="c3")
UNDONE = make_record("undone", "", 3, source="person", change="c3", id="c2")
BY_HAND = make_record("edited", LEARNED, 2, source="hand", was=item_history.id_of(FACT))
REWORDED = make_record("merged", FACT, 3, source="agent", was=item_history.id_of(LEARNED))
PERSONS = [
    ([], True),
    ([HAS], False),
    ([make_record("learned", FACT, 1, source="person")], True),
    ([HAS, make_record("reinforced", FACT, 2, source="person")], True),
    ([HAS, CONFIRMED[0]], True),
    ([HAS, make_record("confirmed", FACT, 2, source="mcp")], False),
    ([HAS, DOUBTED[0]], False),
    ([make_record("edited", FACT, 1, source="hand")], True),
    ([make_record("imported", FACT, 1, source="hand")], True),
    ([make_record("imported", FACT, 1, source="import")], True),
    ([HAS, make_record("imported", FACT, 2, source="import")], False),
    ([make_record("approved", FACT, 1, source="person")], True),
    ([make_record("preference", FACT, 1, source="mcp")], True),
    ([HAS, make_record("removed", FACT, 2, source="hand"), RETURNED], True),
    ([HAS, EVICTED, RESTORED], True),
    ([HAS, EVICTED, RESTORED, UNDONE], False),
    ([HAS, make_record("confirmed", FACT, 2, source="person", change="c2"), UNDONE], False),
    ([HAS, BY_HAND, REWORDED], True),
]


@for_each(("records", "is_persons"), PERSONS)
def test_an_item_is_a_persons_or_an_agents(
    records: list[item_history.Record], is_persons: bool
) -> None:
    history = item_history.History(records)
    assert history.is_persons(FACT) == is_persons
    assert (history.age_of(FACT) is None) == is_persons


# The file.


def test_a_line_after_a_torn_one_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "history" / "qa.jsonl"
    history = HistoryFile(SafeFiles(str(tmp_path)), str(path))
    history.append([make_record("learned", FACT, 1)])
    with path.open("a") as file:
        file.write('{"time": "2026-')
    history.append([make_record("learned", LEARNED, 2)])
    assert [record["text"] for record in history.read()] == [FACT, LEARNED]


WHOLE = json.dumps(make_record("learned", FACT, 1))


@pytest.mark.parametrize(
    "text",
    [
        f"<<<<<<< HEAD\n{WHOLE}\n=======\n>>>>>>> other\n",
        f"{WHOLE}\n[]\nnull\n{{}}\n3\n",
        f'{{"time": 3, "kind": "learned", "id": "x"}}\n{WHOLE}',
        f'{{"time": "t", "kind": "learned", "id": "x", "text": 3}}\n{WHOLE}',
        f"{'[' * 100_000}\n{WHOLE}\n{{{'[' * 100_000}\n",
        f"\ufeff{WHOLE}\n{WHOLE}\n",
    ],
)
def test_invalid_records_are_skipped(tmp_path: Path, text: str) -> None:
    path = tmp_path / "qa.jsonl"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    history = HistoryFile(SafeFiles(str(tmp_path)), str(path))
    assert [record["text"] for record in history.read()] == [FACT]


# Through the hooks.


def records(sandbox: Sandbox) -> list[item_history.Record]:
    found = Store(sandbox.paths).history("engineer").read()
    return [record for record in found if record["kind"] in item_history.ITEM_KINDS]


def kinds(sandbox: Sandbox) -> list[tuple[str, str]]:
    texts = {record["id"]: record["text"] for record in records(sandbox) if "text" in record}
    return [(record["kind"], texts.get(record["id"], "")) for record in records(sandbox)]


def items(sandbox: Sandbox) -> list[str]:
    document = markdown.parse_document(sandbox.read_memory("engineer"))
    return [text for text, _section, _nested in markdown.list_items(document)]


def test_the_history_explains_the_memory(sandbox: Sandbox) -> None:
    sandbox.write_memory("engineer", FACT)
    teach(sandbox, "a1", LEARNED)
    teach(sandbox, "a2", LEARNED.lower())
    sandbox.edit_memory("engineer", FACT, f"{FACT}, at last")
    teach(sandbox, "a3", "The lift is slow")
    sandbox.edit_memory("engineer", f"- {LEARNED}\n")
    teach(sandbox, "a4", "The lift is slow")
    assert kinds(sandbox) == [
        ("edited", FACT),
        ("learned", LEARNED),
        ("reinforced", LEARNED),
        ("edited", f"{FACT}, at last"),
        ("learned", "The lift is slow"),
        ("removed", LEARNED),
        ("reinforced", "The lift is slow"),
    ]
    assert records(sandbox)[3]["was"] == records(sandbox)[0]["id"]
    learned = records(sandbox)[1]
    texts = {"text": LEARNED, "section": "Coding Patterns Learned"}
    source = {"run": "a1", "session": "s1", "source": "agent", "agent": "engineer"}
    numbers = {"v": 1, "seq": 1, "n": 1, "confidence": 0.5}
    expected = {**texts, **source, **numbers, "kind": "learned", "type": "pattern"}
    assert learned == {**expected, **{name: learned[name] for name in ("time", "id", "change")}}


def test_items_that_a_person_reworded_stay(sandbox: Sandbox) -> None:
    sandbox.configure("memory: {limits: {max_items_per_section: 4}}")
    for number, word in enumerate(WORDS):
        teach(sandbox, f"a{number}", word)
    path = sandbox.memories / "engineer.md"
    head, _, _rest = path.read_text().partition(f"- {WORDS[0]}")
    reworded = f"{WORDS[0]}, never blanks"
    path.write_text(head + "".join(f"* {word}\n" for word in [*WORDS[:0:-1], reworded]))
    teach(sandbox, "a5", LEARNED)
    assert items(sandbox) == [WORDS[3], WORDS[2], reworded, LEARNED]
    assert kinds(sandbox)[-1][0] == "evicted"
    teach(sandbox, "a6", "One more of them")
    assert items(sandbox) == [WORDS[3], reworded, LEARNED, "One more of them"]


def test_without_its_history_a_memory_keeps_its_items(sandbox: Sandbox) -> None:
    teach(sandbox, "a1", FACT)
    (sandbox.memories / "history" / "engineer.jsonl").unlink()
    teach(sandbox, "a2", LEARNED)
    assert items(sandbox) == [FACT, LEARNED]
    assert kinds(sandbox) == [("imported", FACT), ("learned", LEARNED)]


def test_a_number_that_no_database_holds_stops_no_learning(sandbox: Sandbox) -> None:
    teach(sandbox, "a1", FACT)
    path = sandbox.memories / "history" / "engineer.jsonl"
    (record,) = records(sandbox)
    with path.open("a") as file:
        file.write(json.dumps({**record, "change": "theirs", "seq": 10**30}) + "\n")
    teach(sandbox, "a2", LEARNED)
    assert items(sandbox) == [FACT, LEARNED]


def test_where_no_history_can_be_written_a_learning_waits(sandbox: Sandbox) -> None:
    path = sandbox.memories / "history" / "engineer.jsonl"
    path.mkdir(parents=True)
    teach(sandbox, "a1", LEARNED)
    assert not (sandbox.memories / "engineer.md").exists()
    assert sandbox.read_log("agent.memory.waiting")
    path.rmdir()
    teach(sandbox, "a2", FACT)
    assert items(sandbox) == [LEARNED, FACT]


def test_a_failed_write_does_not_change_the_history(sandbox: Sandbox) -> None:
    sandbox.configure("memory: {limits: {max_items_per_section: 4}}")
    for number, word in enumerate(WORDS):
        teach(sandbox, f"a{number}", word)
    before = records(sandbox)
    (sandbox.memories / "engineer.md").rename(sandbox.memories / "away.md")
    # This file can be read, but every write to it fails.
    (sandbox.memories / "engineer.md").symlink_to("/dev/full")
    teach(sandbox, "a5", LEARNED)
    assert records(sandbox) == before
    (sandbox.memories / "away.md").rename(sandbox.memories / "engineer.md")
    teach(sandbox, "a6", FACT)
    assert items(sandbox) == [*WORDS[2:], LEARNED, FACT]
    assert "removed" not in dict(kinds(sandbox))


def test_writes_within_a_second_are_versions_in_order(sandbox: Sandbox) -> None:
    stamps = []
    for text in WORDS:
        learn(sandbox.open_project(), "engineer", text, run=f"run of {text}")
        document = markdown.parse_document(sandbox.read_memory("engineer"))
        stamps.append(markdown.read_update_time(document))
    assert stamps == sorted(set(stamps))


# Reasons and places below an item.

NESTED = f"""Done.

# Add To Memory:
Type: gotcha
Content: {LEARNED}
Why: the lock of the worker is not reentrant
See: src/bus.py, `make stress`
#
"""
LINES_BELOW = "  - Why: the lock of the worker is not reentrant\n  - See: src/bus.py, `make stress`"


def test_reasons_and_places_stay_with_their_item(sandbox: Sandbox) -> None:
    assert is_silent(sandbox.run_hook("subagent_stop", make_stop_event("a1", NESTED)))
    assert sandbox.read_memory("engineer").endswith(
        f"## Recent Learnings (Max: 15 items)\n- {LEARNED}\n{LINES_BELOW}\n"
    )
    record = records(sandbox)[0]
    assert (record["type"], record["nested"]) == ("gotcha", LINES_BELOW)
    start = sandbox.run_hook("subagent_start", make_start_event("b1"))
    assert LINES_BELOW in start.reply["additionalContext"]
    teach(sandbox, "a2", "Another fact about the bus")
    assert [kind for kind, _text in kinds(sandbox)] == ["learned", "learned"]


def test_a_known_learning_adds_lines_only_to_an_item_of_an_agent_without_any(
    sandbox: Sandbox,
) -> None:
    sandbox.write_memory("engineer", FACT)
    teach(sandbox, "a1", LEARNED)
    for run, report in (
        ("a2", NESTED),
        ("a3", NESTED.replace("src/bus.py", "src/other.py")),
        ("a4", NESTED.replace(LEARNED, FACT)),
    ):
        sandbox.run_hook("subagent_stop", make_stop_event(run, report))
    text = sandbox.read_memory("engineer")
    assert f"- {LEARNED}\n{LINES_BELOW}\n" in text
    assert "src/other.py" not in text
    assert f"- {FACT}\n  -" not in text
