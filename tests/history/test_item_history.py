"""An item's history: the state that records give, edits of a user, order of eviction."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.document import markdown, merge_learnings, template
from memory_core.files.safe_files import SafeFiles
from memory_core.history import item_history
from memory_core.learning import extraction
from memory_core.learning.extraction import Learning
from memory_core.memory import agent_memory, remember
from memory_core.memory.project import find_project
from memory_core.storage.history_file import HistoryFile
from memory_core.storage.store import Store
from support.events import (
    FACT,
    LEARNED,
    REPORT,
    is_silent,
    make_start_event,
    make_stop_event,
)
from support.paths import REPO
from support.sandbox import Sandbox
from support.tables import for_each

NOW = "2026-11-21 08:00:00"
WORDS = ["Use tabs in makefiles", "Fixtures are generated", "The lift is slow", "Ask Ann first"]


def at(day: int) -> str:
    return f"2026-11-{day:02}T08:00:00.000Z"


def make_record(kind: str, text: str, day: int, **fields: Any) -> item_history.Record:
    return item_history.make_record(kind, at(day), text, **fields)


def state(known: item_history.ItemState | None) -> dict[str, Any]:
    assert known is not None
    return {name: getattr(known, name) for name in ("born", "added_at", "is_present", "confidence")}


# The state that records give.


HAS = make_record("learned", FACT, 1, run="a1")


@for_each(
    ("records", "confidence"),
    [
        ([HAS], 0.5),
        (
            [
                make_record("learned", FACT, 1, run="a1"),
                make_record("reinforced", FACT, 2, run="a1"),
            ],
            0.5,
        ),
        (
            [
                make_record("learned", FACT, 1, run="a1"),
                make_record("reinforced", FACT, 2, run="a2"),
            ],
            0.6,
        ),
        ([make_record("reinforced", FACT, n, run=f"a{n}") for n in range(1, 20)], 1.0),
        ([make_record("imported", FACT, 1)], 0.8),
        ([make_record("edited", FACT, 1)], 0.8),
        ([make_record("edited", FACT, 1), make_record("reinforced", FACT, 2, run="a2")], 0.9),
        ([make_record("learned", FACT, 1, source="person")], 0.8),
        ([make_record("approved", FACT, 1)], 0.8),
        ([make_record("preference", FACT, 1)], 0.8),
        ([make_record("imported", FACT, 1, confidence=0.3)], 0.3),
        ([HAS, make_record("confirmed", FACT, 2, source="person")], 0.6),
        ([HAS, *[make_record("confirmed", FACT, n, source="person") for n in range(2, 20)]], 1.0),
        ([HAS, make_record("contradicted", FACT, 2, run="a2")], 0.3),
        ([HAS, *[make_record("contradicted", FACT, n, run="a2") for n in range(2, 9)]], 0.3),
        ([HAS, *[make_record("contradicted", FACT, n, run=f"a{n}") for n in range(2, 9)]], 0.0),
        ([HAS, *[make_record("contradicted", FACT, n, source="person") for n in (2, 3)]], 0.1),
        # at the lowest value, one confirmation counts as usual
        (
            [
                HAS,
                *[make_record("contradicted", FACT, n, run=f"a{n}") for n in range(2, 9)],
                make_record("reinforced", FACT, 10, run="a10"),
            ],
            0.1,
        ),
        # the run that taught the item may contradict it
        ([HAS, make_record("contradicted", FACT, 2, run="a1")], 0.3),
        # it was evicted and learned again
        ([HAS, make_record("evicted", FACT, 2), make_record("learned", FACT, 3, run="a2")], 0.6),
    ],
)
def test_each_further_run_raises_the_confidence(
    records: list[item_history.Record], confidence: float
) -> None:
    known = item_history.History(records).find(FACT)
    assert known is not None
    assert known.confidence == confidence


RECORDS = st.lists(
    st.builds(
        lambda kind, text, run, was: {"kind": kind, "text": text, "run": run, "was": was},
        st.sampled_from(["learned", "reinforced", "merged", "edited", "removed", "evicted"]),
        st.sampled_from(WORDS),
        st.sampled_from(["a1", "a2", "a3"]),
        st.sampled_from([item_history.id_of(word) for word in WORDS]),
    ),
    max_size=12,
)


@given(RECORDS, st.randoms())
def test_order_and_duplicates_do_not_matter(found: list[dict[str, str]], random: Any) -> None:
    records = [make_record(day=day, **fields) for day, fields in enumerate(found, 1)]
    mixed = records + records[: random.randint(0, len(records))]
    random.shuffle(mixed)
    one, other = item_history.History(records), item_history.History(mixed)
    assert [state(known) for known in sorted(one, key=lambda known: known.id)] == [
        state(known) for known in sorted(other, key=lambda known: known.id)
    ]


def test_a_better_wording_keeps_the_history() -> None:
    found = item_history.History(
        [
            make_record("learned", "Use tabs", 1, run="a1"),
            make_record(
                "merged",
                "Use tabs in makefiles",
                3,
                run="a2",
                was=item_history.id_of("Use tabs"),
            ),
        ]
    )
    assert state(found.find("use *tabs* in makefiles.")) == {
        "born": at(1),
        "added_at": at(3),
        "is_present": True,
        "confidence": 0.6,
    }
    older = found.find("Use tabs")
    assert older is not None
    assert not older.is_present


@pytest.mark.parametrize(
    ("kind", "fields", "confidence"),
    [("merged", {"run": "a1"}, 0.1), ("merged", {"run": "a2"}, 0.2), ("edited", {}, 0.8)],
)
def test_a_new_wording_keeps_the_confidence(
    kind: str, fields: dict[str, str], confidence: float
) -> None:
    doubted = [make_record("contradicted", FACT, n, source="person") for n in (2, 3)]
    better = make_record(kind, f"{FACT} at all", 4, was=item_history.id_of(FACT), **fields)
    known = item_history.History([HAS, *doubted, better]).find(f"{FACT} at all")
    assert known is not None
    assert known.confidence == confidence


def test_a_restored_item_counts_as_new() -> None:
    found = item_history.History(
        [
            make_record("learned", FACT, 1),
            make_record("evicted", FACT, 2),
            make_record("restored", FACT, 3),
        ]
    )
    assert state(found.find(FACT))["born"] == at(3)


# Edits of a user.

HAD = [make_record("learned", "Use tabs", 1), make_record("learned", "Ask Ann first", 3)]


@pytest.mark.parametrize(
    ("texts", "stamp", "expected"),
    [
        (["Use tabs", "Ask Ann first"], 3, {}),
        (["Ask Ann first", "use *tabs*."], 3, {}),
        (["Ask Ann first"], 3, {"gone": ["Use tabs"]}),
        (["Ask Ann first"], 1, {"gone": ["Use tabs"]}),
        (["Use tabs"], 3, {"gone": ["Ask Ann first"]}),
        (["Use tabs"], 1, {"missed": ["Ask Ann first"]}),
        ([], 1, {"gone": ["Use tabs"], "missed": ["Ask Ann first"]}),
        (["Use tabs", "Ask Bob first"], 3, {"new": ["Ask Bob first was Ask Ann first"]}),
        (
            ["Use tabs", "The lift is slow"],
            3,
            {"new": ["The lift is slow was "], "gone": ["Ask Ann first"]},
        ),
        (["Use tabs"], None, {"gone": ["Ask Ann first"]}),
    ],
)
def test_edits_of_a_user_are_recognised(
    texts: list[str], stamp: int | None, expected: dict[str, list[str]]
) -> None:
    found = item_history.compare(
        item_history.History(HAD),
        [(t, "A", "") for t in texts],
        lambda: [record["time"] for record in HAD if stamp and record["time"] > at(stamp)],
    )
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
    found = merge_learnings.merge_learnings(
        text,
        [Learning("tip", "Two more of them")],
        template.Limits(items=3),
        NOW,
        "qa",
        merge_learnings.Rules(history.age_of, 0.5),
    )
    assert found.evicted == [("Recent Learnings", first)]


PERSONS = {
    "never recorded": ([], True),
    "learned": ([HAS], False),
    "learned and confirmed by runs": ([HAS, make_record("reinforced", FACT, 2, run="a2")], False),
    "added by a person": ([make_record("learned", FACT, 1, source="person")], True),
    "added again by a person": ([HAS, make_record("reinforced", FACT, 2, source="person")], True),
    "confirmed by a person": ([HAS, make_record("confirmed", FACT, 2, source="person")], True),
    "confirmed by a program": ([HAS, make_record("confirmed", FACT, 2, source="mcp")], False),
    "contradicted by a person": (
        [HAS, make_record("contradicted", FACT, 2, source="person")],
        False,
    ),
    "written by hand": ([make_record("edited", FACT, 1, source="hand")], True),
    "in the file before its history": ([make_record("imported", FACT, 1, source="hand")], True),
    "from another project, without records": (
        [make_record("imported", FACT, 1, source="import")],
        True,
    ),
    "from another project, with records": (
        [HAS, make_record("imported", FACT, 2, source="import")],
        False,
    ),
    "accepted from the review": ([make_record("approved", FACT, 1, source="person")], True),
    "a preference": ([make_record("preference", FACT, 1, source="mcp")], True),
    "put back by hand": (
        [
            HAS,
            make_record("removed", FACT, 2, source="hand"),
            make_record("returned", FACT, 3, source="hand"),
        ],
        True,
    ),
    "restored": (
        [HAS, make_record("evicted", FACT, 2), make_record("restored", FACT, 3, source="person")],
        True,
    ),
    "brought back by undo": (
        [
            HAS,
            make_record("evicted", FACT, 2),
            make_record("restored", FACT, 3, source="person", change="c3"),
            make_record("undone", "", 3, source="person", change="c3", id="c2"),
        ],
        False,
    ),
    "confirmed, which was undone": (
        [
            HAS,
            make_record("confirmed", FACT, 2, source="person", change="c2"),
            make_record("undone", "", 3, source="person", change="c3", id="c2"),
        ],
        False,
    ),
    "reworded by hand, then by an agent": (
        [
            HAS,
            make_record("edited", LEARNED, 2, source="hand", was=item_history.id_of(FACT)),
            make_record("merged", FACT, 3, source="agent", was=item_history.id_of(LEARNED)),
        ],
        True,
    ),
}


@for_each("name", PERSONS)
def test_an_item_is_a_persons_or_an_agents(name: str) -> None:
    records, is_persons = PERSONS[name]
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
        f'{WHOLE}\n{{"time": "t", "kind": "learned", "id": ["x"]}}',
        f'{{"time": "t", "kind": "learned", "id": "x", "text": 3}}\n{WHOLE}',
        f"{'[' * 100_000}\n{WHOLE}\n{{{'[' * 100_000}\n",
        f"\ufeff{WHOLE}\n{WHOLE}\n",
        f"{WHOLE}\n\x00\udc80{{\n",
    ],
)
def test_invalid_records_are_skipped(tmp_path: Path, text: str) -> None:
    path = tmp_path / "qa.jsonl"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    history = HistoryFile(SafeFiles(str(tmp_path)), str(path))
    assert [record["text"] for record in history.read()] == [FACT]


# Through the hooks.


def learns(sandbox: Sandbox, run: str, content: str) -> None:
    assert is_silent(
        sandbox.run_hook("subagent_stop", make_stop_event(run, REPORT.replace(LEARNED, content)))
    )


def records(sandbox: Sandbox) -> list[item_history.Record]:
    found = Store(sandbox.paths).history("engineer").read()
    return [record for record in found if record["kind"] in item_history.ITEM_KINDS]


def kinds(sandbox: Sandbox) -> list[tuple[str, str]]:
    texts = {record["id"]: record["text"] for record in records(sandbox) if "text" in record}
    return [(record["kind"], texts.get(record["id"], "")) for record in records(sandbox)]


def items(sandbox: Sandbox) -> list[str]:
    return [
        text
        for text, _, _ in agent_memory.list_items(
            markdown.parse_document(sandbox.read_memory("engineer"))
        )
    ]


def test_the_history_explains_the_memory(sandbox: Sandbox) -> None:
    path = sandbox.write_memory("engineer", FACT)
    learns(sandbox, "a1", LEARNED)
    learns(sandbox, "a2", LEARNED.lower())
    path.write_text(path.read_text().replace(FACT, f"{FACT}, at last"))
    learns(sandbox, "a3", "The lift is slow")
    path.write_text(path.read_text().replace(f"- {LEARNED}\n", ""))
    learns(sandbox, "a4", "The lift is slow")
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
    assert records(sandbox)[1] == {
        "v": 1,
        "time": records(sandbox)[1]["time"],
        "kind": "learned",
        "type": "pattern",
        "id": item_history.id_of(LEARNED),
        "agent": "engineer",
        "section": "Coding Patterns Learned",
        "run": "a1",
        "session": make_stop_event()["session_id"],
        "source": "agent",
        "about": "Done",
        "text": LEARNED,
        "confidence": 0.5,
        "change": records(sandbox)[1]["change"],
        "seq": 1,
        "n": 1,
    }


def test_items_that_a_person_reworded_stay(sandbox: Sandbox) -> None:
    sandbox.configure("memory: {limits: {max_items_per_section: 4}}")
    for number, word in enumerate(WORDS):
        learns(sandbox, f"a{number}", word)
    path = sandbox.memories / "engineer.md"
    head, _, _rest = path.read_text().partition(f"- {WORDS[0]}")
    reworded = f"{WORDS[0]}, never blanks"
    path.write_text(head + "".join(f"* {word}\n" for word in [*WORDS[:0:-1], reworded]))
    learns(sandbox, "a5", LEARNED)
    assert items(sandbox) == [WORDS[3], WORDS[2], reworded, LEARNED]
    assert kinds(sandbox)[-1][0] == "evicted"
    learns(sandbox, "a6", "One more of them")
    assert items(sandbox) == [WORDS[3], reworded, LEARNED, "One more of them"]


def test_without_its_history_a_memory_keeps_its_items(sandbox: Sandbox) -> None:
    learns(sandbox, "a1", FACT)
    (sandbox.memories / "history" / "engineer.jsonl").unlink()
    learns(sandbox, "a2", LEARNED)
    assert items(sandbox) == [FACT, LEARNED]
    assert kinds(sandbox) == [("imported", FACT), ("learned", LEARNED)]


def test_where_no_history_can_be_written_a_learning_waits(sandbox: Sandbox) -> None:
    path = sandbox.memories / "history" / "engineer.jsonl"
    path.mkdir(parents=True)
    learns(sandbox, "a1", LEARNED)
    assert not (sandbox.memories / "engineer.md").exists()
    assert sandbox.read_log("agent.memory.waiting")
    path.rmdir()
    learns(sandbox, "a2", FACT)
    assert items(sandbox) == [LEARNED, FACT]


def test_a_failed_write_does_not_change_the_history(sandbox: Sandbox) -> None:
    sandbox.configure("memory: {limits: {max_items_per_section: 4}}")
    for number, word in enumerate(WORDS):
        learns(sandbox, f"a{number}", word)
    before = records(sandbox)
    (sandbox.memories / "engineer.md").rename(sandbox.memories / "away.md")
    # This file can be read, but every write to it fails.
    (sandbox.memories / "engineer.md").symlink_to("/dev/full")
    learns(sandbox, "a5", LEARNED)
    assert records(sandbox) == before
    (sandbox.memories / "away.md").rename(sandbox.memories / "engineer.md")
    learns(sandbox, "a6", FACT)
    assert items(sandbox) == [*WORDS[2:], LEARNED, FACT]
    assert "removed" not in dict(kinds(sandbox))


def removed_once(sandbox: Sandbox, text: str) -> None:
    path = sandbox.memories / "engineer.md"
    path.write_text(path.read_text().replace(f"- {text}\n", ""))


def test_removed_items_stay_removed_if_the_clock_goes_back(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, clock = find_project(str(sandbox.root), sandbox.env), time.time
    for hours, remove, text in ((1, "", FACT), (0, FACT, WORDS[0]), (2, "", WORDS[1])):
        if remove:
            removed_once(sandbox, remove)
        monkeypatch.setattr(time, "time", lambda hours=hours: clock() + 3600 * hours)
        found = extraction.Extraction([Learning("tip", text)], [], [])
        remember.save_learnings(project, "engineer", [found], text)
    assert items(sandbox) == WORDS[:2]
    assert [kind for kind, _text in kinds(sandbox)].count("removed") == 1


@pytest.mark.slow
def test_several_writes_per_second_restore_nothing(sandbox: Sandbox) -> None:
    sandbox.configure("memory: {limits: {default_size_kb: 64, max_items_per_section: 1000}}")
    project = find_project(str(sandbox.root), sandbox.env)

    def learn(number: int) -> None:
        found = extraction.Extraction([Learning("tip", f"Fact_{number}")], [], [])
        remember.save_learnings(project, "engineer", [found], f"a{number}")

    for number in range(320):
        learn(number)
    removed_once(sandbox, "Fact_310")
    learn(320)
    assert "Fact_310" not in items(sandbox)
    assert len(items(sandbox)) == 320


def test_items_lost_by_a_late_save_can_be_restored(
    sandbox: Sandbox,
) -> None:
    learns(sandbox, "a1", FACT)
    path = sandbox.memories / "engineer.md"
    text = path.read_text()
    learns(sandbox, "a2", LEARNED)
    path.write_text(text)
    learns(sandbox, "a3", WORDS[0])
    assert items(sandbox) == [FACT, WORDS[0]]
    assert LEARNED in (sandbox.memories / "archive" / "engineer.md").read_text()


def test_two_writes_within_a_second_are_two_versions(sandbox: Sandbox) -> None:
    stamps = []
    for run in ("a1", "a2", "a3"):
        learns(sandbox, run, f"{LEARNED} of {run}")
        stamps.append(
            template.read_update_time(markdown.parse_document(sandbox.read_memory("engineer")))
        )
    assert len(set(stamps)) == 3
    assert stamps == sorted(stamps)


def test_git_merges_the_histories_of_two_branches(sandbox: Sandbox) -> None:
    def git(*words: str) -> None:
        names = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main")
        subprocess.run(["git", *names, *words], cwd=sandbox.root, check=True, capture_output=True)

    learns(sandbox, "a1", FACT)
    git("init")
    git("add", "-A")
    git("commit", "-m", "begin")
    for branch, text in (("one", WORDS[0]), ("other", WORDS[1])):
        git("checkout", "-b", branch, "main")
        learns(sandbox, branch, text)
        assert items(sandbox) == [FACT, text], "a checkout brings nothing of another branch along"
        git("commit", "-am", branch)
    with pytest.raises(subprocess.CalledProcessError):
        git("merge", "one")  # of the memory file itself
    status = git_status(sandbox)
    assert "UU .claude-mpm/memories/engineer.md" in status
    assert "history" not in "".join(line for line in status if line.startswith("UU"))
    assert {text for kind, text in kinds(sandbox) if kind == "learned"} == {FACT, *WORDS[:2]}


def git_status(sandbox: Sandbox) -> list[str]:
    words = ["git", "status", "--porcelain"]
    done = subprocess.run(words, cwd=sandbox.root, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_a_link_out_of_the_memory_is_not_a_history(sandbox: Sandbox, tmp_path: Path) -> None:
    folder = sandbox.memories / "history"
    folder.mkdir(parents=True)
    outside = tmp_path / "outside"
    outside.write_text("mine\n")
    os.symlink(outside, folder / "engineer.jsonl")
    learns(sandbox, "a1", LEARNED)
    assert outside.read_text() == "mine\n"
    assert sandbox.read_log("agent.memory.waiting")


@pytest.mark.parametrize("kind", ["history", "archive"])
def test_a_folder_elsewhere_is_not_a_history(sandbox: Sandbox, tmp_path: Path, kind: str) -> None:
    sandbox.configure("memory: {limits: {max_items_per_section: 1}}")
    learns(sandbox, "a1", FACT)
    outside = tmp_path / "outside"
    outside.mkdir()
    shutil.rmtree(sandbox.memories / kind, ignore_errors=True)
    os.symlink(outside, sandbox.memories / kind)
    learns(sandbox, "a2", f"{LEARNED}\n#\n# Remember:\nContent: {'far too long ' * 30}")
    assert not list(outside.iterdir())
    assert sandbox.read_log("agent.memory.waiting")


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
    learns(sandbox, "a2", "Another fact about the bus")
    assert [kind for kind, _text in kinds(sandbox)] == ["learned", "learned"]


def test_undo_and_restore_keep_the_lines_below_an_item(sandbox: Sandbox) -> None:
    sandbox.run_hook("subagent_stop", make_stop_event("a1", NESTED))
    for way_back in (["undo"], ["restore", "engineer", LEARNED]):
        for command in (["remove", "engineer", LEARNED], way_back):
            done = subprocess.run(
                [sys.executable, "-m", "memory_core.cli", *command],
                cwd=sandbox.root,
                env={**sandbox.env, "PYTHONPATH": str(REPO)},
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, done.stderr
            has_item = LEARNED in sandbox.read_memory("engineer")
            assert has_item == (command[0] != "remove")
        assert f"- {LEARNED}\n{LINES_BELOW}\n" in sandbox.read_memory("engineer")


def test_a_known_learning_adds_lines_only_to_an_item_of_an_agent_without_any(
    sandbox: Sandbox,
) -> None:
    sandbox.write_memory("engineer", FACT)
    learns(sandbox, "a1", LEARNED)
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
