"""The block of an agent with selection: ids, the mark, the recording note, and its size."""

import re

import pytest

from memory_core.history.item_history import id_of
from memory_core.memory import recall
from memory_core.origin import text_origins
from memory_core.text import memory_echoes
from support.events import make_stop_event
from support.sandbox import Sandbox

FACT = "Payments are retried with one message id"
LEARNED = "Refunds of payments need the id of the invoice"
REPORT = f"Done.\n\n# Add To Memory:\nType: mistake\nContent: {LEARNED}\nSee: src/refunds.py\n#\n"
TASK = "retry the payments and refunds"
MARK = "✓: confirmed by a person or several runs."
MARKER = "# Add To Memory:\n"


@pytest.fixture
def selecting(sandbox: Sandbox) -> Sandbox:
    sandbox.switch_selection_on()
    return sandbox


def build(sandbox: Sandbox, task: str = TASK, agent: str = "engineer", budget: int = 16_000) -> str:
    project = sandbox.open_project()
    return recall.build_block(project, agent, budget, lambda: task).text


def note_of(block: str) -> str:
    """Return the recording note: the lines behind the last item."""
    lines = block.split("\n")[1:-1]
    begin = max((at + 2 for at, line in enumerate(lines) if line[:3] in ("- [", "  -")), default=0)
    return "\n".join(lines[begin:])


def test_items_have_their_ids_their_lines_and_a_mark(selecting: Sandbox) -> None:
    selecting.write_memory("engineer", FACT)
    selecting.run_hook("subagent_stop", make_stop_event("a1", REPORT))
    assert f"- [{id_of(FACT)[:4]}] {FACT}\n" in build(selecting), "nobody has said whose it is"
    project = selecting.open_project()
    texts = text_origins.list_texts(project, project.store, "engineer")
    text_origins.accept(project.store, [text for text in texts if text.text == FACT])
    block = build(selecting)
    assert f"- [{id_of(FACT)[:4]}]✓ {FACT}\n" in block
    assert f"- [{id_of(LEARNED)[:4]}] {LEARNED}\n  - See: src/refunds.py\n" in block
    assert block.count(MARK) == 1
    assert block == build(selecting), "equal input yields equal bytes"


def test_the_mark_is_explained_only_if_it_is_there(selecting: Sandbox) -> None:
    selecting.run_hook("subagent_stop", make_stop_event("a1", REPORT))
    block = build(selecting)
    assert LEARNED in block
    assert "✓" not in block
    selecting.run_hook("subagent_stop", make_stop_event("a2", REPORT))
    assert MARK in build(selecting)


def test_the_note_shows_the_id_of_the_best_item(selecting: Sandbox) -> None:
    selecting.write_memory("engineer", FACT, LEARNED)
    block = build(selecting)
    best = re.findall(r"^- \[(\w+)\]", block, re.MULTILINE)[0]
    assert f"`Used: {best}`" in note_of(block)
    assert f"`Wrong: {best} because ...`" in note_of(block)


CHOOSING = "memory: {selection: {whole_below_tokens: 0}}\n"


@pytest.mark.parametrize("setting", [CHOOSING, "memory: {selection: off}\n"])
def test_without_items_the_note_names_none(selecting: Sandbox, setting: str) -> None:
    selecting.configure(setting)
    assert "Used:" not in build(selecting)
    selecting.write_memory("engineer", FACT)
    block = build(selecting, task="a heading" if setting == CHOOSING else TASK)
    assert MARKER in block
    assert "Used:" not in block
    assert (FACT in block, "✓" in block) == (setting != CHOOSING, False)


def test_the_note_is_short_and_shorter_for_an_agent_that_recorded(selecting: Sandbox) -> None:
    selecting.write_memory("engineer", FACT)
    first = note_of(build(selecting))
    selecting.run_hook("subagent_stop", make_stop_event("a1", REPORT))
    later = note_of(build(selecting))
    for note, most in ((first, 90), (later, 70)):
        assert len(note.split()) <= most
        assert "three" in note
        assert all(
            key in note for key in (MARKER, "\nType: [", "\nContent: [", "\nSee: [", "\n#\n")
        )
        assert "`Used: " in note
    assert len(later) < len(first)


def test_the_block_never_exceeds_its_budget(selecting: Sandbox) -> None:
    selecting.write_memory("engineer", *(f"Payment {number} is retried" for number in range(30)))
    whole = build(selecting)
    for budget in range(0, len(whole) + 50, 7):
        block = build(selecting, budget=budget)
        assert len(block) <= budget
        assert not block or (memory_echoes.has_block(block) and block.endswith(">"))


def test_an_item_is_marked_and_ranked_lower_if_its_file_is_gone(selecting: Sandbox) -> None:
    source = selecting.root / "src"
    source.mkdir()
    for name in ("sales", "stock"):
        (source / f"{name}.py").touch()
    items = [f"src/{name}.py retries twice\n  - Why: it lags" for name in ("sales", "stock")]
    selecting.write_memory("engineer", *items)
    before = re.findall(r"^- \[.*", build(selecting), re.MULTILINE)
    (source / "sales.py").unlink()
    block = build(selecting)
    after = re.findall(r"^- \[.*", block, re.MULTILINE)
    assert after == [f"{before[0]} (may be out of date: src/sales.py is gone)", before[1]]
    assert f"`Used: {before[1][3:7]}`" in note_of(block), "the other one fits better now"


# A memory of a person, and what an agent receives of it: in the order of the file, and each item
# with what stands above it.
GROUPED = """\
## Common Mistakes to Avoid
1. Do not forget `await` in route handlers
2. Do not use `datetime.now()` without a zone

### Only in the legacy app

- `mysql_query` returns false on empty results

**Imports**

- Composer 2 breaks them

### Everywhere else

Before each release:

- Run the smoke tests

Ask Otto first.
"""
MODULES = ("upload", "login", "ledger", "search", "export", "import", "audit", "cart")
ABOVE = {
    "Composer 2 breaks them": ["### Only in the legacy app", "**Imports**"],
    "Run the smoke tests": ["### Everywhere else", "Before each release:"],
}


def test_a_small_memory_has_the_order_of_the_file(selecting: Sandbox) -> None:
    write_lines(selecting, GROUPED)
    lines = [re.sub(r"\[\w+\]✓? ", "", line) for line in build(selecting).split("\n")]
    given = [line.removeprefix("> ") for line in lines if line]
    written = [line for line in GROUPED.split("\n") if line]
    assert [line for line in given if line in written] == written


@pytest.mark.parametrize(("item", "above"), ABOVE.items())
def test_an_item_is_given_with_what_stands_above_it(
    selecting: Sandbox, item: str, above: list[str]
) -> None:
    selecting.configure(CHOOSING)
    write_lines(selecting, GROUPED, is_decided=False)
    lines = build(selecting, task=item).split("\n")
    own = next(line for line in lines if line.endswith(f"] {item}"))
    places = [lines.index(f"> {heading}") for heading in above]
    assert places == sorted(places)
    assert places[-1] < lines.index(own)
    others = {heading for headings in ABOVE.values() for heading in headings} - {*above}
    assert not [line for line in lines if line.removeprefix("> ") in others]


def test_nothing_is_given_below_a_line_that_is_not_about_it(selecting: Sandbox) -> None:
    groups = [f"{word} in the {name} module" for name in MODULES for word in ("Always", "Never")]
    lines = [f"### {group}\n" + "".join(f"- {n} of {group}\n" for n in "abc") for group in groups]
    write_lines(selecting, "## Rules\n" + "\n".join(lines))
    for budget in (100, 200, 300, 600):
        selecting.configure(
            f"memory: {{selection: {{whole_below_tokens: 0, budget_tokens: {budget}}}}}"
        )
        heading, count = "", 0
        for line in build(selecting, task="fix the upload").split("\n"):
            heading = line.removeprefix("> ### ") if line.startswith("> ### ") else heading
            if " module" in line and line.startswith("- ["):
                assert line.endswith(f" of {heading}")
                count += 1
        assert count >= budget // 40


def test_a_new_paragraph_comes_before_older_lines(selecting: Sandbox) -> None:
    selecting.configure("memory: {selection: {whole_below_tokens: 0, budget_tokens: 100}}")
    old = "".join(f"- Rule {number} is about the ledger\n" for number in range(40))
    write_lines(selecting, f"## Rules\n{old}")
    new = "Never touch the frobnicator without asking Otto"
    selecting.append_to_memory("engineer", f"\n{new}\n")
    assert new in build(selecting, task="update the typo")


def test_the_prose_of_a_person_is_given_like_their_items(selecting: Sandbox) -> None:
    selecting.configure(CHOOSING)
    prose = "Never push to main directly. Every change goes through a pull request."
    write_lines(selecting, f"## Rules\n{prose}\n\n```sh\nmake up\n```\n\n- {FACT}\n")
    block = build(selecting, task="update the typo")
    assert f"> {prose}\n" in block
    assert "> make up\n" in block


def test_a_new_line_reaches_the_next_agent(selecting: Sandbox) -> None:
    selecting.configure(CHOOSING)
    write_lines(selecting, f"## Rules\n- {FACT}\n")
    assert FACT in build(selecting, task="update the typo")
    new = "Never touch the frobnicator without asking Otto"
    selecting.append_to_memory("engineer", f"- {new}\n\n## Release checklist\n- Tag it\n")
    block = build(selecting, task="update the typo")
    assert re.search(rf"- \[\w+\] {new}\n", block), "not yet as a person's"
    assert "## Release checklist\n" in block


def write_lines(sandbox: Sandbox, text: str, is_decided: bool = True) -> None:
    """Write a memory by hand; with `is_decided`, as a person's whose lines have been looked at."""
    sandbox.write_memory("engineer").write_text(f"# Engineer Memory\n\n{text}")
    if is_decided:
        project = sandbox.open_project()
        texts = text_origins.list_texts(project, project.store, "engineer")
        text_origins.accept(project.store, texts, is_mine=True)


def test_the_users_own_items_name_files_of_any_project(selecting: Sandbox) -> None:
    (selecting.root / "src").mkdir()
    selecting.write_memory("engineer", "Retry payments in src/pay.py", user=True)
    block = build(selecting)
    assert "src/pay.py" in block
    assert "gone" not in block


def test_lines_outside_of_sections_come_first(selecting: Sandbox) -> None:
    selecting.write_memory("engineer", FACT)
    sections = "## Performance Considerations\n\n- Cache prices\n\n## Preferences\n\n- tone: dry\n"
    (selecting.memories / "engineer.md").write_text(f"- Amounts are cents\n\n{sections}")
    block = build(selecting)
    places = [block.index(text) for text in ("Amounts are", "tone: dry", "Cache prices")]
    assert places == sorted(places)
