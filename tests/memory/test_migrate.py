"""migrate, resolve and restore never lose a line; the command run."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.curation import archive, item_actions, lookup
from memory_core.document import conflicts, dated_entries, markdown
from memory_core.git.resolve import resolve_files
from memory_core.memory import maintained_files
from memory_core.memory.migrate import migrate_files
from memory_core.storage import store
from memory_core.storage.project import Project, find_project
from memory_core.text import markdown_lines, similarity
from support.command_line import COMMAND, Person, read_fields
from support.sandbox import Sandbox
from support.strategies import documents
from support.tables import for_each

NOW = "2026-11-21 08:00:00"


def project_in(sandbox: Sandbox) -> Project:
    return find_project(str(sandbox.root), sandbox.env)


@pytest.fixture
def project(sandbox: Sandbox) -> Project:
    sandbox.memories.mkdir(parents=True)
    return project_in(sandbox)


@pytest.fixture(autouse=True)
def _now(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(maintained_files, "_now", lambda: NOW)


def put(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text.encode("utf-8", "surrogateescape"))


@contextlib.contextmanager
def project_with(files: dict[str, str]) -> Iterator[tuple[Path, Project]]:
    """Create a project with these memories, for one example of a property."""
    with tempfile.TemporaryDirectory() as folder:
        memories = Path(folder) / ".claude-mpm" / "memories"
        put(memories, files)
        yield memories, find_project(folder, {})


def read_texts(folder: Path) -> dict[str, str]:
    """Return the text of each file, and the target of each link."""
    paths = [path for path in sorted(folder.rglob("*")) if path.is_symlink() or path.is_file()]
    return {
        str(path.relative_to(folder)): (
            f"-> {path.readlink()}" if path.is_symlink() else path.read_bytes().decode()
        )
        for path in paths
    }


def plain(files: dict[str, str]) -> dict[str, str]:
    """Return files without header comments, which every write updates."""
    return {name: HEADERS.sub("", text) for name, text in files.items()}


HEADERS = re.compile(r"(<!-- (MEMORY LIMITS|Last Updated): .*?-->(\r\n|\n|\r))+[\r\n]{0,2}")


# Archive entries

items_kept = st.text(st.sampled_from("ab- #[]\\\n\t1é"), max_size=30)


def each_once(items: list[str]) -> list[str]:
    return list(dict.fromkeys(map(dated_entries.normalize, items)))


@given(st.lists(items_kept, max_size=5), st.lists(items_kept, max_size=5))
def test_archive_entries_can_be_read_back(first: list[str], second: list[str]) -> None:
    text = dated_entries.add(dated_entries.add("", first, "2026-11-20"), second, "2026-11-21")
    told = [(entry.day, entry.text) for entry in dated_entries.parse_entries(text)]
    expected = [("2026-11-20", item) for item in each_once(first)]
    expected += [("2026-11-21", item) for item in each_once(second)]
    assert told == expected
    assert dated_entries.add(text, second, "2026-11-21") == text


@given(
    st.lists(items_kept.map(dated_entries.normalize), unique=True, min_size=1, max_size=5),
    st.data(),
)
def test_removing_entries_keeps_the_others(items: list[str], data: st.DataObject) -> None:
    text = "Kept by hand.\n"
    for number, item in enumerate(items):
        text = dated_entries.add(text, [item], f"2026-11-2{number // 2}")
    gone = data.draw(st.lists(st.sampled_from(items), min_size=1))
    left = dated_entries.remove_items(text, gone)
    kept = [item for item in items if item not in gone]
    entries = dated_entries.parse_entries(left)
    assert [entry.text for entry in entries] == kept
    assert left.startswith("Kept by hand.\n")
    assert left.count("\n## ") == len({entry.day for entry in entries}), "a day is empty"


def test_removing_the_last_entry_leaves_an_empty_text() -> None:
    text = dated_entries.add("", ["a\n  - b"], "2026-11-20")
    assert text == "## 2026-11-20\n\n- a\n    - b\n"
    assert dated_entries.remove_items(text, ["a\n  - b"]) == ""
    assert dated_entries.remove_items("prose\n", ["queue"]) == "prose\n"


@given(st.text(st.sampled_from("ab[]\\ #"), max_size=12), items_kept)
def test_a_label_reads_back(section: str, item: str) -> None:
    assert dated_entries.parse_entry(dated_entries.format_entry(section, item)) == (section, item)


def test_labels_by_hand() -> None:
    texts = ["[Notes [old]] x", "[] x", "[A]", "[never closed"]
    expected = [("Notes [old]", "x"), ("", "x"), ("A", ""), ("", "[never closed")]
    assert [dated_entries.parse_entry(text) for text in texts] == expected


def test_nested_lines_are_archived_and_restored(sandbox: Sandbox, project: Project) -> None:
    old = "old\n  - nested\n\n    ```\n    ## 2026-01-01\n    - code\n    ```"
    before = f"## Recent Learnings\n- {old}\n- newer\n"
    put(sandbox.memories, {"qa.md": before})
    item_actions.judge(project, "qa", "old", "removed")
    found = archive.list_items(project.store, "qa")
    assert [(each.section, each.text) for each in found] == [("Recent Learnings", old)]
    archive.restore(project, project.store, [("qa", "old")])
    assert sandbox.read_memory("qa").endswith(f"- {old}\n")


# Migrate

TWO_AGENTS = {"QA.md": "- a\n", "Ops.md": "- b\n"}
NOT_OURS = {"README.md": "x", "notes.txt": "y", "archive/Engineer.md": "z"}
IN_CONFLICT = "## A\n<<<<<<< HEAD\n- y\n=======\n- z\n>>>>>>> other\n"
MANY = "## A (Max: 3 items)\n" + "".join(f"- item number {number} of many\n" for number in range(9))
# Files before, and memories after it.
MOVES = [
    ({"engineer_memories.md": "- a\r\n"}, {"engineer.md": "- a\r\n"}),
    ({"engineer_agent.md": "- a"}, {"engineer.md": "- a"}),
    ({"Code Reviewer_agent.md": "- a\n"}, {"code-reviewer.md": "- a\n"}),
    ({"jose\u0301.md": "- a\n"}, {"jos\u00e9.md": "- a\n"}),
    ({"pm_memories.md": "- a\n"}, {"PM.md": "- a\n"}),
    (TWO_AGENTS, {"qa.md": "- a\n", "ops.md": "- b\n"}),
    (NOT_OURS, NOT_OURS),
    (
        {"qa.md": "## A\n- x\n", "qa_memories.md": "## A\n* X.\n* y\n\n## B\n- z\n"},
        {"qa.md": "## A\n- x\n* y\n\n## B\n- z\n"},
    ),
    (
        {"qa_agent.md": "## A\n- x\n", "qa_memories.md": "## A\n- y\n"},
        {"qa.md": "## A\n- y\n- x\n"},
    ),
    (
        {"qa.md": "- a\n", "Qa.md": "- b\n", "qa_agent.md": f"{markdown_lines.BOM}prose\n"},
        {"qa.md": "- a\n- b\n\nprose\n"},
    ),
    ({"qa.md": "## A\n- x\n", "qa_agent.md": IN_CONFLICT}, {"qa.md": "## A\n- x\n- y\n- z\n"}),
    # Limits evict nothing: a person may move the items.
    ({"qa.md": MANY, "qa_agent.md": "## A\n- more\n"}, {"qa.md": f"{MANY}- more\n"}),
    ({"qa.md": MANY, "qa_agent.md": "## A\n- item number 3 of many\n"}, {"qa.md": MANY}),
]


@for_each(("before", "after"), MOVES)
def test_migrate(before: dict[str, str], after: dict[str, str]) -> None:
    with project_with(before) as (memories, project):
        planned = migrate_files(project)
        assert read_texts(memories) == before
        assert not os.path.exists(project.paths.state.root)
        assert migrate_files(project, write=True) == planned
        assert not [each for each in planned if each.archived or each.refused]
        assert plain(read_texts(memories)) == after
        assert migrate_files(project, write=True) == []


def test_migrate_archives_text_that_does_not_fit(sandbox: Sandbox, project: Project) -> None:
    new = "---\nowner: bob\n---\n# Engineer\n\n## A\n- x\n"
    old = "---\nowner: ann\n---\n# The old one\n\n## A\n- y\n"
    put(sandbox.memories, {"engineer.md": new, "engineer_agent.md": old})
    (done,) = migrate_files(project, ["engineer"], write=True)
    left = ["---\nowner: ann\n---", "# The old one"]
    assert done.archived == [f"[from engineer_agent.md] {each}" for each in left]
    after = read_texts(sandbox.memories)
    entries = dated_entries.parse_entries(after["archive/engineer.md"])
    assert [entry.text for entry in entries] == done.archived
    assert plain(after)["engineer.md"] == f"{new}- y\n"


def in_memory_or_archive(folder: Path, name: str) -> list[str]:
    """Return the texts of all items of a memory and its archive."""
    files = read_texts(folder)
    items = [item.text for item in markdown.parse_document(files[f"{name}.md"]).items]
    entries = dated_entries.parse_entries(files.get(f"archive/{name}.md", ""))
    return [*items, *(dated_entries.parse_entry(entry.text)[1].split("\n")[0] for entry in entries)]


def assert_kept(folder: Path, name: str, *texts: str) -> None:
    """Assert that a memory and its archive have each line of these texts."""
    whole, items = "".join(read_texts(folder).values()), in_memory_or_archive(folder, name)
    for line in (line for text in texts for line in markdown_lines.split_lines(text)):
        bare = line.removeprefix(markdown_lines.BOM).replace(" (Max: 15 items)", "").rstrip("\r\n")
        if bare[:7] not in markdown_lines.CONFLICT_MARKERS:
            marked = bare.strip().lstrip("-*+ ")
            assert marked in whole or any(similarity.is_same(marked, each) for each in items), line


def test_migrate_does_not_overwrite_a_concurrent_save(
    sandbox: Sandbox, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(sandbox.memories, {"qa.md": "- a\n", "qa_agent.md": "- b\n"})
    write_file = store.Store.write_file

    def saved_meanwhile(self: store.Store, path: str, *rest: Any) -> None:
        write_file(self, path, *rest)
        put(sandbox.memories, {"qa_agent.md": "- b\n- c\n"})

    with monkeypatch.context() as patched:
        patched.setattr(store.Store, "write_file", saved_meanwhile)
        (done,) = migrate_files(project, write=True)
    assert done.refused == ".claude-mpm/memories/qa_agent.md was saved by somebody else just now"
    migrate_files(project, write=True)
    assert plain(read_texts(sandbox.memories)) == {"qa.md": "- a\n- b\n- c\n"}


LINK = "is a link, which is not followed; replace it by a file"


@pytest.mark.parametrize("target", ["qa.md", "shared.txt", "../outside.txt", "nowhere.md"])
def test_migrate_refuses_links_and_goes_on(sandbox: Sandbox, project: Project, target: str) -> None:
    put(sandbox.memories, {"qa.md": "- b\n", "shared.txt": "- a\n", "../outside.txt": "- a\n"})
    put(sandbox.memories, {"Ops.md/x": "", "Zoe.md": "- a\n", "Ann.md": "- a\n"})
    (sandbox.memories / "qa_agent.md").symlink_to(target)
    before = read_texts(sandbox.memories)
    done = migrate_files(project, ["ops", "qa", "zoe"], write=True)
    of_ops = ".claude-mpm/memories/Ops.md is a folder, not a file; replace it by a file"
    of_qa = f".claude-mpm/memories/qa_agent.md {LINK}"
    assert [each.refused for each in done] == [of_ops, of_qa, ""]
    before["zoe.md"] = before.pop("Zoe.md")
    assert read_texts(sandbox.memories) == before


def test_an_old_file_goes_only_after_the_new_one_is_there(
    sandbox: Sandbox, project: Project
) -> None:
    files = {"qa.md": "# QA\n\n## A\n- a\n", "qa_agent.md": "# Old\n\n## A\n- b\n", "archive": ""}
    put(sandbox.memories, files)
    (done,) = migrate_files(project, write=True)
    assert done.refused == ".claude-mpm/memories/archive is a file, not a folder"
    assert read_texts(sandbox.memories) == files


def test_migrate_waits_for_the_lock(sandbox: Sandbox, project: Project) -> None:
    put(sandbox.memories, {"QA.md": "- a\n"})
    with project.store.lock("qa"):
        (done,) = migrate_files(project, write=True)
    assert "locked by another process" in done.refused
    assert list(read_texts(sandbox.memories)) == ["QA.md"]


TIGHT = {"../config.yml": "memory: {limits: {max_items_per_section: 2, max_sections: 1}}"}


@given(documents, documents, st.sampled_from([{"../config.yml": ""}, TIGHT]))
def test_migrate_loses_no_line(first: str, second: str, tight: dict[str, str]) -> None:
    files = {"qa.md": first, "qa_agent.md": second, **tight}
    with project_with(files) as (memories, project):
        (done,) = migrate_files(project, write=True)
        assert not done.refused
        assert set(read_texts(memories)) <= {"qa.md", "archive/qa.md"}
        assert_kept(memories, "qa", first, second)
        assert migrate_files(project, write=True) == []


# Resolve

CONFLICT = "<<<<<<< HEAD\n- one of ours\n=======\n- another of theirs\n>>>>>>> other\n"


def test_resolve_changes_only_files_with_conflicts(sandbox: Sandbox, project: Project) -> None:
    outside = sandbox.root / "outside.md"
    outside.write_text(CONFLICT)
    (sandbox.memories / "linked.md").symlink_to(outside)
    calm = {"calm.md": "## A\n```\n<<<<<<< HEAD\n```\n=======\n", "README.md": CONFLICT}
    put(sandbox.memories, {**calm, "qa.md": f"# QA\r\n\r\n## A\n{CONFLICT}"})
    put(sandbox.memories, {"Ops_agent.md": f"## A\n{CONFLICT}"})
    put(sandbox.memories, {"archive/qa.md": f"## A\n\n{CONFLICT}", "archive/gone.md": CONFLICT})
    before = read_texts(sandbox.memories)
    planned = resolve_files(project)
    assert read_texts(sandbox.memories) == before
    assert resolve_files(project, write=True) == planned
    refused = {each.change.path: each.refused for each in planned}
    link = refused.pop(".claude-mpm/memories/linked.md")
    assert link == ".claude-mpm/memories/linked.md is a link, which is not followed"
    names = [path.removeprefix(".claude-mpm/memories/") for path in refused]
    assert names == ["archive/gone.md", "Ops_agent.md", "qa.md", "archive/qa.md"]
    expected = {name: conflicts.merge_sides(before[name]).text for name in names}
    assert plain(read_texts(sandbox.memories)) == plain({**before, **expected})
    assert [each.refused for each in resolve_files(project, write=True)] == [link]
    assert outside.read_text() == CONFLICT


@given(documents, documents, documents)
def test_a_resolved_file_has_items_of_both_sides(above: str, ours: str, theirs: str) -> None:
    ours, theirs = (side.removeprefix(markdown_lines.BOM) for side in (ours, theirs))
    text = f"{above}\n<<<<<<< HEAD\n{ours}\n=======\n{theirs}\n>>>>>>> other\n"
    with project_with({"qa.md": text}) as (memories, project):
        resolve_files(project, write=True)
        assert not markdown.parse_document((memories / "qa.md").read_bytes().decode()).markers
        assert resolve_files(project, write=True) == []
        assert_kept(memories, "qa", above, ours, theirs)


# Restore


def was_archived(project: Project, agent: str, *items: tuple[str, str]) -> None:
    labels = [dated_entries.format_entry(section, item) for section, item in items]
    project.store.add_to_archive(agent, labels, NOW)


ARCHIVED = [("A", "Read the failing test first"), ("A", "Bisect before guessing")]
ARCHIVED += [("B", "Write the migration twice"), ("B", "3"), ("B", "equal"), ("B", "equal")]


@for_each(
    ("item", "found"),
    [
        ("read the **failing** test first.", 1),
        ("2", 2),
        ("3", 4),
        ("twice", 3),
        ("equal", 6),
        ("i", "several items match 'i': use the number: 1, 2, 3"),
        ("nothing of it", "no item 'nothing of it' in the archive or the history"),
    ],
)
def test_an_item_is_found_by_every_kind_of_name(item: str, found: int | str) -> None:
    entries = [archive.ArchivedItem(at, "d", *each) for at, each in enumerate(ARCHIVED, 1)]
    try:
        answer: int | str = archive.find_in_lists(item, entries).number
    except (lookup.ItemNotFound, lookup.AmbiguousItem) as error:
        answer = str(error)
    assert answer == found


# Memory before, archived section and item, memory after it.
PLACES = [
    ("## A\n* x\n", "A", "y", "## A\n* x\n* y\n"),
    ("## A\n1. x\n", "a", "y", "## A\n1. x\n2. y\n"),
    ("", "Mine", "y", "## Mine (Max: 15 items)\n- y\n"),
    ("## Mine\n- x\n", "Ours", "y", "## Mine\n- x\n\n## Ours (Max: 15 items)\n- y\n"),
    ("## A\n- x\n", "", "y", "- y\n\n## A\n- x\n"),
    ("## A\n- x\n", "A", "y\n  - z", "## A\n- x\n\n- y\n  - z\n"),
    ("## A\n", "A", "- ```\n  code\n  ```", "## A\n\n- ```\n  code\n  ```\n"),
    ("## A\n- x\n", "A", "# y", "## A\n- x\n- \\# y\n"),
    ("## A\n- x\n\n```\ncode\n", "A", "y", "## A\n- x\n- y\n\n```\ncode\n"),
]
PRESENT = [
    ("## B\n- **Use tabs**\n", "B", "use tabs.", "## B\n- **Use tabs**\n"),
    ("## B\n- x\n    - Why: a\n", "B", "x\n  - Why: a", "## B\n- x\n    - Why: a\n"),
    ("## B\n- x\n", "B", "x\n  - Why: a", "## B\n- x\n  - Why: a\n"),
    ("## B\n- x\n  - See: b\n", "B", "x\n  - Why: a", "## B\n- x\n  - Why: a\n  - See: b\n"),
]


@for_each(("before", "section", "item", "after"), PLACES + PRESENT)
def test_restore(before: str, section: str, item: str, after: str) -> None:
    with project_with({"qa.md": before}) as (memories, project):
        was_archived(project, "qa", ("Z", "stays"), (section, item))
        done = archive.restore(project, project.store, [("qa", "2")])[0][1]
        assert (done.text, done.was_present) == (item, (before, section, item, after) in PRESENT)
        assert plain(read_texts(memories))["qa.md"].lstrip("\n") == after
        assert [each.text for each in archive.list_items(project.store, "qa")] == ["stays"]


def test_restore_creates_the_memory(sandbox: Sandbox, project: Project) -> None:
    was_archived(project, "qa", ("A", "x"))
    archive.restore(project, project.store, [("qa", "x")])
    assert sandbox.read_memory("qa").startswith("# QA Memory - shop\n\n<!-- MEMORY LIMITS: 8KB")
    assert sandbox.read_memory("qa").endswith("## A (Max: 15 items)\n- x\n")


@for_each(("section", "item"), [("from qa_agent.md", "# Bank"), ("`a\n", "x\n```\n# y")])
def test_restore_refuses(section: str, item: str) -> None:
    with project_with({}) as (memories, project):
        was_archived(project, "qa", (section, item))
        before = read_texts(memories)
        with pytest.raises(archive.NotRestored, match="copy it by hand"):
            archive.restore(project, project.store, [("qa", "1")])
        assert read_texts(memories) == before


ITEMS = st.sampled_from(["queue", "one\n  - nested", "# y", "- ```\n  code\n  ```"])


@given(documents, st.sampled_from(["Mine", "", "Recent Learnings"]), ITEMS)
def test_restore_loses_no_line(text: str, section: str, item: str) -> None:
    with project_with({"qa.md": text}) as (memories, project):
        was_archived(project, "qa", (section, item))
        with contextlib.suppress(archive.NotRestored):
            archive.restore(project, project.store, [("qa", "1")])
        assert_kept(memories, "qa", text, item)


# The commands


def test_migrate_command(person: Person) -> None:
    folder = person.sandbox.memories
    files = {"engineer.md": "## A\n- x\n", "Engineer_Agent.md": "## A\n- caf\udce9 y\n"}
    put(folder, files)
    (folder / "ops_agent.md").symlink_to("/etc/hostname")
    refused = f"ops is not changed: .claude-mpm/memories/ops_agent.md {LINK}\n"
    done = person.run("tidy")
    assert done.returncode == 1
    assert done.stderr.endswith(
        f"{refused}Nothing is changed yet; run it with --yes to change it.\n"
    )
    assert done.stdout.startswith("engineer: Engineer_Agent.md -> engineer.md\n--- a/.claude-mpm/")
    assert done.stdout.endswith("\n - x\n+- caf\ufffd y\n")
    planned = json.loads(person.run("tidy", "--json").stdout)["migrate"]["migrations"]
    assert "is a link" in planned[1]["error"]
    done = person.run("tidy", "--yes")
    assert done.returncode == 1
    assert refused in done.stderr
    assert done.stdout == "engineer: Engineer_Agent.md -> engineer.md\n"
    assert (folder / "engineer.md").read_bytes().endswith(b"## A\n- x\n- caf\xe9 y\n")
    put(person.sandbox.user_memories, {"QA_agent.md": "- a\n"})
    assert person.run("tidy", "--user", "--yes").returncode == 0
    assert read_texts(person.sandbox.user_memories) == {"qa.md": "- a\n"}
    assert "HOME is not set" in person.run("tidy", "--user", HOME="").stderr


def test_resolve_names_the_files(person: Person) -> None:
    put(person.sandbox.memories, {"qa.md": f"## A\n{CONFLICT}", "ops.md": "- a\n"})
    done = person.run("tidy", "--dry-run")
    assert done.returncode == 0
    assert "-<<<<<<< HEAD\n" in done.stdout
    assert "<<<<<<<" in person.sandbox.read_memory("qa")
    shown = person.run("show", "qa").stderr.splitlines()[0]
    assert shown == ".claude-mpm/memories/qa.md:2: a merge conflict is not resolved: <<<<<<<"
    done = person.run("tidy")
    assert (done.returncode, done.stdout) == (0, "Resolved: .claude-mpm/memories/qa.md\n")
    assert person.sandbox.read_memory("qa").endswith("- one of ours\n- another of theirs\n")
    assert person.run("tidy").stderr == "Nothing to tidy up.\n"
    assert person.run("show", "qa").stderr == ""


def test_commands_report_archived_text(person: Person) -> None:
    folder = person.sandbox.memories
    ours, theirs = "# Ours\n- one\n", "# Theirs\n- two\n"
    put(folder, {"qa.md": f"<<<<<<< HEAD\n{ours}=======\n{theirs}>>>>>>> other\n"})
    put(folder, {"ops.md": ours, "ops_agent.md": theirs})
    would = "1 entry would be archived; list them with agent-memory restore qa\n"
    assert would in person.run("tidy", "--dry-run").stderr
    done = person.run("tidy", "--yes")
    assert would.replace("would be archived", "archived") in done.stderr
    assert "archived: [from ops_agent.md] # Theirs\n" in done.stdout
    assert "1 entry archived; list them with agent-memory restore ops" in done.stderr
    assert in_memory_or_archive(folder, "qa") == ["one", "two", "# Theirs"]


def test_restore_command(person: Person) -> None:
    put(person.sandbox.memories, {"qa.md": ""})
    done = person.run("restore", "qa")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "The archive of qa is empty.\n"
    project = project_in(person.sandbox)
    was_archived(project, "qa", ("A", "one\n  - nested"), ("", "two"))
    shown = person.run("restore", "QA").stdout
    assert shown == "1  2026-11-21  [A] one\n                 - nested\n2  2026-11-21  two\n"
    done = person.run("restore", "qa", "one")
    assert done.stdout == "Restored to .claude-mpm/memories/qa.md [A]: one\n"
    assert "- one\n  - nested\n" in person.sandbox.read_memory("qa")
    assert [each["text"] for each in person.read_json("restore", "qa")] == ["two"]
    project.level(user=True).add_to_archive("qa", ["[A] of the user"], NOW)
    assert person.run("restore", "qa", "of the user", "--user").returncode == 0
    assert (person.sandbox.user_memories / "qa.md").read_text().endswith("- of the user\n")


# Without these capabilities root cannot write into a read-only folder either.
CAPABILITIES = "--bounding-set=-dac_override,-dac_read_search --inh-caps=-all"


def test_a_read_only_folder_is_reported(person: Person) -> None:
    if os.geteuid() == 0 and not shutil.which("setpriv"):
        pytest.skip("root may write everywhere")
    memories = person.sandbox.memories
    put(memories, {"ops_agent.md": "- a\n"})
    memories.parent.chmod(0o555)
    others = f"setpriv {CAPABILITIES} " if os.geteuid() == 0 else ""
    done = person.run_shell(f"{others}agent-memory tidy --yes")
    memories.parent.chmod(0o755)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "ops is not changed: .claude-mpm/locks: Permission denied\n"
    assert read_texts(memories) == {"ops_agent.md": "- a\n"}


def test_json_fields_agree_with_the_page(person: Person) -> None:
    put(person.sandbox.memories, {"QA.md": f"- a\n{CONFLICT}"})
    was_archived(project_in(person.sandbox), "qa", ("A", "one"))
    migrate = person.read_json("tidy", "--dry-run")["migrate"]
    resolve = person.read_json("tidy", "--dry-run")["resolve"]
    for row, value in {
        "`migrate`": migrate,
        "`migrate`, in `migrations`": migrate["migrations"][0],
        "`resolve`": resolve,
        "`resolve`, in `files`": resolve["files"][0],
        "`restore AGENT`, a list": person.read_json("restore", "qa")[0],
        "`restore AGENT ITEM`": person.read_json("restore", "qa", "one"),
    }.items():
        assert set(value) == read_fields(row), row


def test_run(person: Person) -> None:
    show = "sh -c 'echo $AGENT_MEMORY:$AGENT_MEMORY_LEARNING:$AGENT_MEMORY_LIMIT_KB'"
    for words, status, output, error in (
        (f"-- {show}", 0, "::\n", ""),
        (f"--no-memory -- {show}", 0, "off::\n", ""),
        (f"--enable-learning -- {show}", 0, ":on:\n", ""),
        (f"--no-learning --memory-limit 16 -- {show}", 0, ":off:16\n", ""),
        ("sh -c 'exit 3'", 3, "", ""),
        ("-- ./no/such", 127, "", "agent-memory: ./no/such: command not found\n"),
        ("-- /", 126, "", "agent-memory: /: Permission denied\n"),
    ):
        done = person.run("run", *shlex.split(words))
        assert (done.returncode, done.stdout, done.stderr) == (status, output, error), words


def test_run_is_replaced_by_the_command(person: Person) -> None:
    assert person.run_shell("agent-memory run -- yes | head -n 1").stderr == ""
    words = [*COMMAND, "run", "--", "sh", "-c", "echo $$; exec cat"]
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=person.env)
    stdout, _none = process.communicate()
    assert stdout.decode() == f"{process.pid}\n"


def test_the_store_lists_an_agents_files_in_the_order_of_look_up(
    sandbox: Sandbox, project: Project
) -> None:
    names = ["qa.md", "QA.md", "QA_memories.md", "qa_agent.md", "qa-agent.md"]
    put(sandbox.memories, dict.fromkeys([*reversed(names), "qa-lead.md"], "- a\n"))
    found = project.store.list_files("qa")
    assert [Path(path).name for path in found] == [*names[:3], "qa_agent.md", "qa-agent.md"]
    while found:
        assert project.store.path("qa") == found[0]
        Path(found[0]).unlink()
        found = project.store.list_files("qa")
    assert store.Store(project.paths).list_files("PM") == []
