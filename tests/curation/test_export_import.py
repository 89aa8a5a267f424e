"""Export to a file and import, and sharing with other agents: nothing is lost."""

import contextlib
import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given

from memory_core.curation import agent_context, export_import, item_actions, lookup, searching
from memory_core.curation.undo import NothingToUndo, redo_changes, undo_changes
from memory_core.document import markdown
from memory_core.history import item_history, rights
from memory_core.memory import recall, transaction
from memory_core.memory.loading import read_memory
from memory_core.origin import text_origins
from memory_core.storage.project import Project
from memory_core.text import markdown_lines
from support.command_line import Person, check_refused, hide_change, read_fields
from support.files import read_files
from support.lessons import learn
from support.review import make_waiting
from support.sandbox import Sandbox
from support.strategies import documents
from support.tables import for_each

FACT = "Services talk through the event bus, never directly"
TABS = "Use tabs in makefiles"
LIFT = "The lift is slow on Mondays"


@pytest.fixture
def other(tmp_path: Path) -> Project:
    """Create another, empty project."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    return Sandbox(folder).open_project()


def text_in(project: Project, agent: str) -> str:
    return Path(project.store.path(agent)).read_bytes().decode("utf-8", "surrogateescape")


def write(project: Project, agent: str, text: str) -> None:
    path = Path(project.store.path(agent))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8", "surrogateescape"))


def plain(text: str) -> list[str]:
    """Return the lines without header comments, which contain the time of the last write."""
    lines = markdown_lines.split_lines(text)
    return [line for line in lines if "Last Updated" not in line and "MEMORY LIMITS" not in line]


FIELDS = ("born", "confidence", "used", "run", "session", "source", "nested")


def answers(project: Project, agent: str) -> dict[str, Any]:
    """Return the results of all queries of a history."""
    memory = read_memory(project, agent)
    origins = [
        (item_history.id_of(text), text, section, memory.history.find(text))
        for text, section, _nested in markdown.list_items(memory.document)
    ]
    told = agent_context.read_knowledge(project, agent)
    return {
        "items": [
            (*item, [getattr(state, name, "") for name in FIELDS]) for *item, state in origins
        ],
        "performance": told.performance.data(),
        "preferences": told.preferences,
        "archive": archived(project, agent),
        "review": project.store.read_review(agent),
    }


def texts(project: Project, agent: str = "qa") -> list[str]:
    return [each[0] for each in items(project, agent)]


def archived(project: Project, agent: str) -> str:
    path = Path(project.store.archive_path(agent))
    return path.read_text(encoding="utf-8", errors="surrogateescape") if path.exists() else ""


def items(project: Project, agent: str) -> list[item_history.ItemFields]:
    read = project.store.read(agent)
    return markdown.list_items(markdown.parse_document(read.text)) if read else []


def given_to(project: Project, agent: str) -> str:
    """Return the block of an agent, without its tags, which have a mark of the project."""
    return recall.build_block(project, agent, 16_000).text.partition("\n")[2].rpartition("\n")[0]


def exported(project: Project) -> bytes:
    agents = lookup.list_agents(project.store)
    return json.dumps(export_import.build_export(project, project.store, agents)).encode()


def imported(project: Project, source: Project | bytes) -> list[export_import.ImportResult]:
    """Import the export of another project, or a file."""
    data = source if isinstance(source, bytes) else exported(source)
    found = export_import.parse_export(data)
    return export_import.import_agents(project, project.store, found, write=True)


def file_of(**agent: Any) -> bytes:
    """Return an export as another program could write it."""
    value = {"format": "agent-memory", "version": 1, "agents": {"engineer": agent}}
    return json.dumps(value).encode()


# A round trip.


@pytest.fixture
def lived(project: Project) -> Project:
    """Create a project whose history has every kind of record."""
    for number in range(16):  # one more than the limit of a section
        learn(project, "engineer", f"Module number{number} is built by step {number}")
    learn(project, "engineer", "module number9 is built by step 9", run="a2")
    item_actions.judge_items(project, [("engineer", "number4")], "contradicted")
    item_actions.set_preference(project, "engineer", "tone", "dry")
    mine = "\n## Mine\nSome prose of a person.\n\n- An item\n  - with a part\n- b\udcff\n"
    write(project, "engineer", text_in(project, "engineer") + mine)
    project.store.add_to_review("engineer", [make_waiting("x", "tip", "too short")], "2026-11-20")
    older = {"kind": "task", "id": "0123456789", "outcome": "done", "duration_ms": 7}
    project.store.history("engineer").append([{"time": "2026-11-20T08:00:00.000Z", **older}])
    transaction.change_memory(project, "engineer", lambda work: None)
    learn(project, "PM", "Releases go out on Tuesdays")
    return project


def test_a_round_trip_keeps_everything(lived: Project, other: Project) -> None:
    data = exported(lived)
    imported(other, data)
    for agent in ("PM", "engineer"):
        assert plain(text_in(other, agent)) == plain(text_in(lived, agent))
        expected = answers(lived, agent)
        for *_names, fields in expected["items"]:
            fields[1] = min(fields[1], rights.FOREIGN_CONFIDENCE)
        assert answers(other, agent) == expected
        lines = [given_to(each, agent).split("\n") for each in (other, lived)]
        assert {line for line in lines[0] if line[:1] != "#"} == {
            line for line in lines[1] if line[:1] != "#"
        }, "but their headings say that they are not reviewed"
    assert "[Coding Patterns Learned] Module number" in archived(other, "engineer")
    assert "- b\udcff\n" in text_in(other, "engineer")
    before = read_files(Path(other.paths.root))
    again = imported(other, data)
    assert read_files(Path(other.paths.root)) == before
    assert [(each.records, each.entries, each.archived) for each in again] == [(0, 0, [])] * 2


def test_an_export_has_new_manual_edits_and_no_invalid_record(project: Project) -> None:
    learn(project, "qa", FACT, TABS)
    write(project, "qa", text_in(project, "qa").replace(f"- {TABS}\n", f"- {LIFT}\n"))
    with Path(project.store.history("qa").path).open("a") as stream:
        stream.write('{"time": "yesterday", "kind": "learned", "id": "1"}\n')
        stream.write('{"time": "2026-11-20T10:00:00.000Z", "kind": "dreamt", "id": "1"}\n')
    told = export_import.parse_export(exported(project))["qa"]["history"]
    assert {each["kind"] for each in told} == {"learned", "removed", "edited"}
    assert all(each["time"].startswith("2") for each in told)
    assert not [each for each in project.store.history("qa").read() if each["kind"] == "removed"]


# Merged.


def test_a_different_preference_of_the_project_is_kept(project: Project, other: Project) -> None:
    item_actions.set_preference(other, "qa", "Tone", "warm")
    item_actions.set_preference(project, "qa", "tone", "dry")
    item_actions.set_preference(project, "qa", "work-style", "small steps")
    merged = {"Tone": "warm", "work-style": "small steps"}
    imported(other, project)
    for _ in range(2):
        assert item_actions.read_preferences(other, "qa") == merged
        undo_changes(other, other.store)
        assert item_actions.read_preferences(other, "qa") == {"Tone": "warm"}
        redo_changes(other, other.store)


def test_both_histories_and_both_wordings_are_kept(project: Project, other: Project) -> None:
    better = "Review migrations with alembic for consistency"
    learn(project, "qa", FACT, TABS, better, run="a1")
    learn(other, "qa", FACT, "Review migrations with alembic", run="b1")
    learn(other, "qa", LIFT, run="b2")
    before = items(other, "qa")
    imported(other, project)
    history = read_memory(other, "qa").history
    states = [history.find(text) for text, *_where in items(other, "qa")]
    told = {state.text: (state.confidence, state.run) for state in states if state}
    assert told[FACT] == (0.5, "b1"), "the run of another project does not count"
    assert (told[LIFT], told[TABS], told[better][1]) == ((0.5, "b2"), (0.5, "a1"), "a1")
    assert len(told) == 5
    undo_changes(other, other.store)
    assert items(other, "qa") == before


@for_each(
    ("ours", "theirs", "nested"),
    [
        ("", "  - a\n", "  - a"),
        ("  - a\n", "", "  - a"),
        ("  - a\n", "  - a\n  - b\n", "  - a\n  - b"),
        ("  - ab\n", "  - a\n", "  - ab\n  - a"),
    ],
)
def test_nested_lines_are_merged(ours: str, theirs: str, nested: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        project, other = fresh(Path(name), "shop", "other")
        for each, lines in ((other, ours), (project, theirs)):
            write(each, "qa", f"## Mine\n- {FACT}\n{lines}- {LIFT}\n")
        before, data = items(other, "qa"), exported(project)
        for _ in range(2):
            imported(other, data)
            assert items(other, "qa") == [(FACT, "Mine", nested), (LIFT, "Mine", "")]
        if nested != ours.strip("\n"):
            undo_changes(other, other.store)
            assert items(other, "qa") == before


def test_items_beyond_the_limits_are_archived(project: Project, other: Project) -> None:
    for number in range(30):
        for each, side in ((project, "left"), (other, "right")):
            text = f"The {side} gate {number} {'opens wide ' * 6}at {number}:30"
            learn(each, "qa", text, kind="architecture" if number % 2 else "strategy")
    had = {*texts(project), *texts(other)}
    data = exported(project)
    imported(other, data)
    assert len(text_in(other, "qa").encode()) <= 8 * 1024
    left = {each.whole for each in searching.list_archived(other.store, "qa")}
    assert had <= {*texts(other), *left}
    before = read_files(Path(other.paths.root))
    imported(other, data)
    assert read_files(Path(other.paths.root)) == before


def test_items_removed_elsewhere_are_kept(project: Project, other: Project) -> None:
    learn(other, "qa", FACT, TABS)
    shutil.copytree(other.store.folder, project.store.folder)
    item_actions.judge_items(project, [("qa", TABS)], "removed")
    imported(other, project)
    learn(other, "qa", LIFT)
    assert texts(other) == [FACT, TABS, LIFT]
    told = item_history.History(other.store.history("qa").read()).find(TABS)
    assert told
    assert told.is_present


def test_items_removed_here_stay_removed(project: Project, other: Project) -> None:
    learn(project, "qa", FACT, TABS, LIFT)
    data = exported(project)
    item_actions.judge_items(project, [("qa", TABS)], "removed")
    path = Path(project.store.path("qa"))
    path.write_text(path.read_text().replace(f"- {LIFT}\n", ""))
    imported(project, data)
    assert texts(project) == [FACT]
    for _ in range(2):  # there, nobody removed them; an undo is no removal
        imported(other, data)
        assert texts(other) == [FACT, TABS, LIFT]
        undo_changes(other, other.store)


# Random documents.


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def fresh(folder: Path, *names: str) -> list[Project]:
    made = []
    for name in names:
        shutil.rmtree(folder / name, ignore_errors=True)
        (folder / name).mkdir()
        made.append(Sandbox(folder / name).open_project())
    return made


@given(own=documents, theirs=documents)
@example(own="### Deeper", theirs="## Project Architecture\n### Deeper")
def test_no_line_is_lost_and_undo_restores_the_text(folder: Path, own: str, theirs: str) -> None:
    project, other = fresh(folder, "shop", "other")
    write(other, "qa", own)
    write(project, "qa", theirs)
    data = exported(project)
    imported(other, data)
    there = f"{text_in(other, 'qa')}\n{archived(other, 'qa')}"
    document = markdown.parse_document(own)
    headings = {each.line for each in document.headings}
    for line in (line for at, line in enumerate(document.lines) if at not in headings):
        bare = line.strip(f"{markdown_lines.BOM} \r\n")
        is_left_out = bare.startswith(("<!--", "#", *markdown_lines.CONFLICT_MARKERS))
        assert is_left_out or bare.lstrip("-*+# ") in there
    if not (is_plain_list(own) and is_plain_list(theirs)):
        return  # a history treats duplicates as one item, and writes repair conflicts of git
    after = read_files(Path(other.paths.root))
    imported(other, data)
    assert read_files(Path(other.paths.root)) == after
    with contextlib.suppress(NothingToUndo):
        undo_changes(other, other.store)
    assert text_in(other, "qa") == own


def is_plain_list(text: str) -> bool:
    """Say whether a document has no duplicate items and no conflicts."""
    document = markdown.parse_document(text)
    ids = [item_history.id_of(item.text) for item in document.items if item.text]
    return len(set(ids)) == len(ids) and not any(sign in text for sign in ("<<<<", ">>>>"))


# Invalid exports.


RECORD_OF_FACT = item_history.make_record("learned", "2026-11-20T10:00:00.000Z", FACT)
ENGINEER = {"document": f"# engineer\n\n## Mine\n- {FACT}\n", "history": [RECORD_OF_FACT]}
BROKEN = [
    (b"", "invalid JSON: "),
    (b'{"a": "\xff"}', "invalid JSON: 'utf-8' codec can't decode byte 0xff"),
    (b'{"a": ' + b"9" * 9999 + b"}", "invalid JSON: "),
    (b"[" * 200_000 + b"]" * 200_000, "invalid JSON: maximum recursion depth"),
    (b"[]", "the file: "),
    (b" " * (export_import.MAX_BYTES + 1), "the file is larger than 67108864 bytes"),
]
# A place of the export, a wrong value for it, and the start of the message.
AGENT = ("agents", "engineer")
RECORD = (*AGENT, "history", 0)
WRONG: list[tuple[tuple[Any, ...], Any, str]] = [
    (("format",), "zip", "format: "),
    (("version",), 2, "version: "),
    (("more",), 1, "more: "),
    (("agents",), [], "agents: "),
    (("agents", "Engineer Agent"), {}, 'agents."Engineer Agent": '),
    (("agents", ""), {}, 'agents."": invalid agent id, use small letters'),
    (("agents", "../../../x"), ENGINEER, "agents."),
    (("agents", "\x1b[31m\n"), {}, "agents."),
    ((*AGENT, "notes"), "", "agents.engineer.notes: "),
    ((*AGENT, "document"), None, "agents.engineer.document: "),
    ((*AGENT, "archive"), ["a"], "agents.engineer.archive: "),
    ((*AGENT, "document"), "- \ud800", "agents.engineer.document: "),
    ((*AGENT, "document"), "x" * 1_000_001, "agents.engineer.document: larger than 1,000,000 char"),
    ((*AGENT, "preferences"), {"a": 1}, "agents.engineer.preferences.a"),
    (RECORD, [], "agents.engineer.history.0: "),
    ((*RECORD, "kind"), "dreamt", "agents.engineer.history.0.kind"),
    ((*RECORD, "time"), "now", "agents.engineer.history.0.time"),
    ((*RECORD, "confidence"), 1.5, "agents.engineer.history.0.confidence"),
    ((*RECORD, "seq"), -1, "agents.engineer.history.0.seq"),
]


def changed(path: tuple[Any, ...], value: Any) -> bytes:
    """Return a valid export with one value replaced."""
    made = json.loads(file_of(**ENGINEER))
    at = made
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return json.dumps(made).encode()


@for_each(("data", "told"), [*BROKEN, *((changed(*each[:2]), each[2]) for each in WRONG)])
def test_invalid_exports_are_refused(data: bytes, told: str) -> None:
    with pytest.raises(export_import.InvalidExport) as raised:
        export_import.parse_export(data)
    assert str(raised.value).startswith(told)
    assert "\x1b" not in str(raised.value)


def test_optional_fields_can_be_omitted(project: Project) -> None:
    imported(project, b"\xef\xbb\xbf" + file_of(document=f"## Mine\n- {FACT}\n"))
    imported(project, file_of(preferences={"tone": "dry"}))
    assert texts(project, "engineer") == ["tone: dry", FACT]
    for wrong in ({"": "a"}, {"a": "b\nc"}):
        with pytest.raises(export_import.InvalidExport, match=r"^agents\.engineer\.preferences: "):
            imported(project, file_of(preferences=wrong))
    imported(project, file_of(archive="## 2026-11-20\n\n- [Mine] old\n"))
    assert [each.whole for each in searching.list_archived(project.store, "engineer")] == ["old"]
    imported(project, file_of(history=[{**RECORD_OF_FACT, "agent": "qa"}]))
    assert {each["agent"] for each in project.store.history("engineer").read()} == {"engineer"}
    assert project.store.agents_with_history() == ["engineer"]


# The commands.


def test_export_and_import_commands(person: Person, sandbox: Sandbox, tmp_path: Path) -> None:
    sandbox.write_memory("engineer", FACT)
    sandbox.write_memory("qa", LIFT)
    away = tmp_path / "away.json"
    away.write_text("old")
    done = person.run("export", "engineer", "--output", str(away))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", f"Exported 1 agent to {away}\n")
    assert list(json.loads(away.read_text())["agents"]) == ["engineer"]
    whole = person.run("export").stdout.encode()
    assert list(json.loads(whole)["agents"]) == ["engineer", "qa"]
    there = tmp_path / "there"
    there.mkdir()
    elsewhere = ["--project", str(there)]
    done = person.run("export", *elsewhere)
    assert done.stderr == "There is no memory to export.\n"
    assert person.run("import", "-", *elsewhere, data=done.stdout.encode()).returncode == 0
    shown = person.run("import", "-", "--dry-run", *elsewhere, data=whole)
    assert f"+- {FACT}" in shown.stdout
    assert shown.stderr == "Nothing is changed yet; run it without --dry-run to change it.\n"
    told = person.read_json("import", "-", "--dry-run", *elsewhere, data=whole)
    assert set(told) == read_fields("`import`")
    assert set(told["agents"][0]) == read_fields("`import`, in `agents`")
    assert list(there.iterdir()) == []
    done = person.run("import", str(away), *elsewhere)
    assert "engineer: .claude-mpm/memories/engineer.md; 1 history record" in done.stdout
    review, undo = hide_change(done.stderr).splitlines()
    assert review.endswith(f" agent-memory review --new --project {there}")
    assert undo == f"Undo with: agent-memory undo ID --project {there}"
    again = person.run("import", str(away), *elsewhere)
    assert (again.stdout, again.stderr) == ("", "Nothing new to import.\n")
    person.succeed("import", str(away), "--user")
    assert FACT in (sandbox.user_memories / "engineer.md").read_text()
    assert list(json.loads(person.run("export", "--user").stdout)["agents"]) == ["engineer"]


def test_what_a_person_removed_or_reworded_does_not_come_back(
    person: Person, sandbox: Sandbox
) -> None:
    for text in (FACT, LIFT):
        person.run("add", "engineer", text)
    backup = person.run("export").stdout.encode()
    person.run("edit", item_history.id_of(FACT), "Rockets need a permit")
    person.run("remove", item_history.id_of(LIFT))
    assert person.run("import", "-", data=backup).stderr == "Nothing new to import.\n"
    person.run("undo")
    person.run("undo")
    assert {row["text"] for row in person.read_json("list", "engineer")} == {FACT, LIFT}


def test_wrong_use_changes_nothing(person: Person, sandbox: Sandbox) -> None:
    sandbox.write_memory("engineer", FACT)
    (sandbox.root.parent / "invalid.json").write_text("{")
    (sandbox.root.parent / "link.json").symlink_to("invalid.json")
    failing = {
        "export --output .": "agent-memory: shop is a folder, not a file\n",
        "export --output no/where": "shop/no: No such file",
        "export --output /dev/null": "null is a pipe, a socket or a device",
        "export --output ../link.json": "link.json is a link, which is not followed\n",
    }
    check_refused(person, failing, status=1)
    wrong = {
        "import nowhere.json": "agent-memory: nowhere.json: No such file or directory\n",
        "import ../invalid.json": "agent-memory: ../invalid.json: invalid JSON: ",
    }
    check_refused(person, wrong)
    assert person.run("export", "PM").stderr == "PM has no memory yet\n"


def test_a_paragraph_of_an_import_is_from_outside(project: Project, other: Project) -> None:
    write(project, "engineer", "# Engineer\n\nRead docs/start.md first.\n\n- An item\n")
    text_origins.look(other)
    imported(other, exported(project))
    texts = text_origins.list_texts(other, other.store, "engineer")
    assert [(one.text[:4], one.origin) for one in texts] == [("An i", "import"), ("Read", "import")]
