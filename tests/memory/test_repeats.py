"""Lines that differ only in case, blanks or marks are one item, wherever they come from."""

from __future__ import annotations

import pytest

from memory_core.curation import agent_status, item_actions
from memory_core.document import markdown, near_duplicates
from memory_core.learning import extraction
from memory_core.memory import recall
from memory_core.monitor.numbers import Numbers
from memory_core.storage.project import Project
from support.lessons import save_learnings
from support.sandbox import Sandbox
from support.tables import for_each

ITEM = "Orders are kept for ten years"
# Ways to write ITEM.
SAME = [
    "ORDERS ARE KEPT FOR TEN YEARS",
    "Orders  are kept\tfor ten years",
    "Orders are kept for ten years.",
    "**Orders** are kept for `ten` years",
    "\u00a0Orders are kept for \u201cten\u201d years",
]


def list_texts(project: Project) -> list[str]:
    snapshot = project.store.read("engineer")
    return [item.text for item in markdown.parse_document(snapshot.text if snapshot else "").items]


@pytest.mark.parametrize("text", SAME)
def test_nothing_adds_it_again(sandbox: Sandbox, text: str) -> None:
    sandbox.write_memory("engineer", ITEM)
    project = sandbox.open_project()
    item_actions.teach(project, "engineer", "pattern", [text])
    found = [extraction.Learning("mistake", text)]
    save_learnings(project, "engineer", [extraction.Extraction(found, [])], "a1")
    assert list_texts(project) == [ITEM]


@pytest.mark.parametrize("text", SAME)
def test_of_two_lines_agents_receive_the_first(sandbox: Sandbox, text: str) -> None:
    path = sandbox.write_memory("engineer", ITEM, text, "Queues are durable")
    project = sandbox.open_project()
    delivered = recall.build_block(project, "engineer", 5000).text
    lines = [line for line in delivered.splitlines() if line.startswith("- ")]
    assert lines == [f"- {ITEM}", "- Queues are durable"]
    assert path.read_text().count("\n- ") == 3
    (memory,) = agent_status.list_memories(Numbers(project))
    assert memory.notes == [(5, "line 5 repeats line 4: agents receive it once")]


@for_each(
    ("one", "other"),
    [
        ("Run tar with -c here", "Run tar with -C here"),
        ("Read README.md before releases", "Read readme.md before releases"),
        ("Use `Foo` for parsing", "Use `foo` for parsing"),
    ],
)
def test_the_case_of_code_counts(one: str, other: str) -> None:
    document = markdown.parse_document(f"## A\n- {one}\n- {other}\n")
    assert near_duplicates.find_repeats(document) == []


def test_nested_lines_and_other_sections_are_kept() -> None:
    text = (
        "## Guidelines\n- Push to main\n- push to main\n  Why: it is deployed\n- Push to main.\n"
        "## Common Mistakes to Avoid\n- Push to main\n"
    )
    document = markdown.parse_document(text)
    assert [(item.line, first.line) for item, first in near_duplicates.find_repeats(document)] == [
        (4, 1)
    ]


def test_a_finding_twice_in_a_report_keeps_its_reason(sandbox: Sandbox) -> None:
    project = sandbox.open_project()
    text = "The importer skips rows with a null date"
    found = [
        extraction.Learning("mistake", text, "  - Why: pandas drops NaT keys in groupby"),
        extraction.Learning("context", text),
    ]
    save_learnings(project, "engineer", [extraction.Extraction(found, [])], "a1")
    memory = sandbox.read_memory("engineer")
    assert memory.count(text) == 1
    assert "## Common Mistakes to Avoid" in memory
    assert "- Why: pandas drops NaT keys in groupby" in memory
