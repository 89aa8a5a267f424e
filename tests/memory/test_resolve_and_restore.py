"""tidy resolves conflicts and restore brings items back without losing a line; the command run."""

import contextlib
import re
import shlex
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from memory_core.curation import item_actions, searching
from memory_core.document import dated_entries, markdown, merge_versions
from memory_core.git.resolve import resolve_files
from memory_core.history import item_history
from memory_core.storage import store
from memory_core.storage.project import Project, find_project
from memory_core.text import markdown_lines, similarity
from support.command_line import COMMAND, Person, read_fields, read_stderr
from support.sandbox import Sandbox
from support.strategies import documents
from support.tables import for_each

NOW = "2026-11-21 08:00:00"


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
    texts = [f"-> {p.readlink()}" if p.is_symlink() else p.read_bytes().decode() for p in paths]
    return {str(path.relative_to(folder)): text for path, text in zip(paths, texts, strict=True)}


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


@given(st.lists(items_kept, min_size=1, max_size=5).map(each_once), st.data())
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
    assert dated_entries.remove_items(f"## Mine\n\n{text}", ["a\n  - b"]) == "## Mine\n"
    assert dated_entries.remove_items("prose\n", ["queue"]) == "prose\n"


@given(st.text(st.sampled_from("ab[]\\ #"), max_size=12), items_kept)
def test_a_label_reads_back(section: str, item: str) -> None:
    assert dated_entries.parse_entry(dated_entries.format_entry(section, item)) == (section, item)


def test_labels_by_hand() -> None:
    texts = ["[Notes [old]] x", "[] x", "[A]", "[never closed"]
    expected = [("Notes [old]", "x"), ("", "x"), ("A", ""), ("", "[never closed")]
    assert [dated_entries.parse_entry(text) for text in texts] == expected


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
        bare = line.replace(" (Max: 15 items)", "").rstrip("\r\n")
        if bare[:7] not in markdown_lines.CONFLICT_MARKERS:
            marked = bare.strip().lstrip("-*+ ")
            assert marked in whole or any(similarity.is_same(marked, each) for each in items), line


# Resolve

CONFLICT = "<<<<<<< HEAD\n- one of ours\n=======\n- another of theirs\n>>>>>>> other\n"


def test_resolve_changes_only_files_with_conflicts(sandbox: Sandbox, project: Project) -> None:
    sandbox.memories.mkdir(parents=True)
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
    expected = {name: merge_versions.merge_sides(before[name]).text for name in names}
    after = read_texts(sandbox.memories)
    assert plain({name: after[name] for name in before}) == plain({**before, **expected})
    assert [each.refused for each in resolve_files(project, write=True)] == [link]
    assert outside.read_text() == CONFLICT


@given(documents, documents, documents)
def test_a_resolved_file_has_items_of_both_sides(above: str, ours: str, theirs: str) -> None:
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


def name_last(project: Project) -> list[tuple[str, str]]:
    return [("qa", searching.list_archived(project.store, "qa")[-1].id)]


# Memory before, archived section and item, memory after it.
PLACES = [
    ("## A\n* x\n", "A", "y", "## A\n* x\n* y\n"),
    ("## A\n1. x\n", "a", "y", "## A\n1. x\n2. y\n"),
    ("", "Mine", "y", "## Mine (Max: 15 items)\n- y\n"),
    ("## Mine\n- x\n", "Ours", "y", "## Mine\n- x\n\n## Ours (Max: 15 items)\n- y\n"),
    ("## A\n- x\n", "", "y", "## A\n- x\n\n## Recent Learnings (Max: 15 items)\n- y\n"),
    ("## A\n1. x\n", "A", "y\n  - z", "## A\n1. x\n- y\n  - z\n"),
    ("## A\n- x\n", "A", "y\n  - z", "## A\n- x\n- y\n  - z\n"),
    ("## A\n- x\n", "A", "# y", "## A\n- x\n- \\# y\n"),
    ("## A\n- x\n\n```\ncode\n", "A", "y", "## A\n- x\n- y\n\n```\ncode\n"),
]
PRESENT = [
    ("## B\n- **Use tabs**\n", "B", "use tabs.", "## B\n- **Use tabs**\n"),
    ("## B\n- x\n    - Why: a\n", "B", "x\n  - Why: a", "## B\n- x\n    - Why: a\n"),
]


@for_each(("before", "section", "item", "after"), PLACES + PRESENT)
def test_restore(before: str, section: str, item: str, after: str) -> None:
    with project_with({"qa.md": before}) as (memories, project):
        was_archived(project, "qa", ("Z", "stays"), (section, item))
        done = item_actions.restore(project, project.store, name_last(project))[0]
        assert (done.text, done.was_present) == (item, (before, section, item, after) in PRESENT)
        assert plain(read_texts(memories))["qa.md"].lstrip("\n") == after
        assert [each.whole for each in searching.list_archived(project.store, "qa")] == ["stays"]


CODE = "- ```\n  code\n  ```"


REFUSED = [
    ("from qa_agent.md", "# Bank"),
    ("`a\n", "x\n```\n# y"),
    ("", "known\n  - Why: a"),
    ("", CODE),
]


@for_each(("section", "item"), REFUSED)
def test_restore_refuses(section: str, item: str) -> None:
    with project_with({"qa.md": "- known\n"}) as (memories, project):
        was_archived(project, "qa", (section, item))
        before = read_texts(memories)
        with pytest.raises(item_actions.NotRestored, match=r"copy (it|them) by hand"):
            item_actions.restore(project, project.store, name_last(project))
        assert read_texts(memories) == before


ITEMS = st.sampled_from(["queue", "one\n  - nested", "# y", CODE])


@given(documents, st.sampled_from(["Mine", "", "Recent Learnings"]), ITEMS)
def test_restore_loses_no_line(text: str, section: str, item: str) -> None:
    with project_with({"qa.md": text}) as (memories, project):
        was_archived(project, "qa", (section, item))
        with contextlib.suppress(item_actions.NotRestored):
            item_actions.restore(project, project.store, name_last(project))
        assert_kept(memories, "qa", text, item)


# The commands


def test_resolve_names_the_files(person: Person) -> None:
    put(person.sandbox.memories, {"qa.md": f"## A\n{CONFLICT}", "ops.md": "- a\n"})
    done = person.succeed("tidy", "--dry-run")
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
    would = "1 entry would be archived; list them with agent-memory restore qa\n"
    assert would in person.run("tidy", "--dry-run").stderr
    done = person.run("tidy", "--yes")
    assert would.replace("would be archived", "archived") in done.stderr
    assert in_memory_or_archive(folder, "qa") == ["one", "two", "# Theirs"]


def test_restore_command(person: Person, project: Project) -> None:
    put(person.sandbox.memories, {"qa.md": ""})
    assert read_stderr(person.run("restore", "qa"), 0) == "The archive of qa is empty.\n"
    was_archived(project, "qa", ("A", "one\n  - nested"), ("", "two"))
    shown = person.run("restore", "QA").stdout
    first, second = map(item_history.id_of, ("one", "two"))
    nested = f"{'- nested':>34}"
    assert shown == f"{first}  2026-11-21  [A] one\n{nested}\n{second}  2026-11-21  two\n"
    done = person.run("restore", "qa", "one")
    assert done.stdout == "Restored to .claude-mpm/memories/qa.md [A]: one\n"
    assert "- one\n  - nested\n" in person.sandbox.read_memory("qa")
    assert [each["text"] for each in person.read_json("restore", "qa")] == ["two"]
    project.level(user=True).add_to_archive("qa", ["[A] of the user"], NOW)
    assert person.run("restore", "qa", "of the user", "--user").returncode == 0
    assert (person.sandbox.user_memories / "qa.md").read_text().endswith("- of the user\n")


def test_json_fields_agree_with_the_page(person: Person) -> None:
    put(person.sandbox.memories, {"QA.md": f"- a\n{CONFLICT}"})
    was_archived(person.sandbox.open_project(), "qa", ("A", "one"))
    resolve = person.read_json("tidy", "--dry-run")["resolve"]
    for row, value in {
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
        ("-- ./no/such", 127, "", "agent-memory: ./no/such: No such file or directory\n"),
        ("nowhere --debug", 127, "", "agent-memory: nowhere: No such file or directory\n"),
        ("-- /", 127, "", "agent-memory: /: Permission denied\n"),
    ):
        done = person.run("run", *shlex.split(words))
        assert (done.returncode, done.stdout, done.stderr) == (status, output, error), words


def test_run_is_replaced_by_the_command(person: Person) -> None:
    assert person.run_shell("agent-memory run -- yes | head -n 1").stderr == ""
    words = [*COMMAND, "run", "--", "sh", "-c", "echo $$; exec cat"]
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=person.env)
    stdout, _none = process.communicate()
    assert stdout.decode() == f"{process.pid}\n"


def test_the_store_lists_files_in_the_order_of_look_up(sandbox: Sandbox, project: Project) -> None:
    names = ["qa.md", "QA.md", "QA_memories.md", "qa_agent.md", "qa-agent.md"]
    put(sandbox.memories, dict.fromkeys([*reversed(names), "qa-lead.md"], "- a\n"))
    found = project.store.list_files("qa")
    assert [Path(path).name for path in found] == [*names[:3], "qa_agent.md", "qa-agent.md"]
    while found:
        assert project.store.path("qa") == found[0]
        Path(found[0]).unlink()
        found = project.store.list_files("qa")
    assert store.Store(project.paths).list_files("PM") == []
