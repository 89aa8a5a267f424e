"""Floor 1 and its neighbours: JSON, places, settings, the log, and what keeps text harmless."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import REPO, Sandbox
from hypothesis import given, settings
from hypothesis import strategies as st
from test_delegation import FACT, LEARNED, post
from test_processes import ended, released, started

from memory_core import (
    config,
    fastjson,
    log,
    markdown,
    places,
    runs,
    selection,
    spool,
    store,
    trust,
)

NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
TEXTS = st.text(st.characters(codec=None))
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner),
    max_leaves=20,
)


@given(VALUES)
def test_json_is_what_the_standard_library_reads_and_writes(value: Any) -> None:
    text = fastjson.dumps(value)
    assert text.isascii()
    assert text == json.dumps(value)
    assert fastjson.loads(text) == json.loads(text) == value


def plain_loads(text: str) -> Any:
    def refuse(name: str) -> None:
        raise ValueError(name)

    return json.loads(text, parse_constant=refuse)


@given(VALUES.map(json.dumps), st.integers(0, 40), TEXTS)
def test_json_is_refused_where_the_standard_library_refuses_it(
    text: str, at: int, junk: str
) -> None:
    spoilt = text[:at] + junk + text[at:]
    try:
        expected = plain_loads(spoilt)
    except (ValueError, RecursionError):
        with pytest.raises(ValueError):  # noqa: PT011 - each has its own words
            fastjson.loads(spoilt)
    else:
        assert fastjson.loads(spoilt) == expected


def test_json_works_without_the_private_c_functions() -> None:
    program = (
        "import sys, _json; del _json.make_scanner\n"
        "from memory_core import fastjson\n"
        "assert 're' in sys.modules\n"
        "value = {'a': [1, None, '\\ud800'], 'b': {}}\n"
        "assert fastjson.loads(fastjson.dumps(value)) == value\n"
        "for bad in ('', '{', '1 2', 'NaN', '[' * 99999):\n"
        "    try: fastjson.loads(bad)\n"
        "    except ValueError: continue\n"
        "    raise SystemExit(bad)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("bad", ["", "{", '{"a', '{"a" 1}', "[1", "1 2", "NaN"])
def test_what_is_not_json_is_told_where_json_is_not_imported(bad: str) -> None:
    program = (
        "import sys\n"
        f"sys.path.append({str(REPO)!r})\n"
        "from memory_core import fastjson\n"
        "assert 'json' not in sys.modules\n"
        f"try: fastjson.loads({bad!r})\n"
        "except ValueError: sys.exit(0)\n"
        "sys.exit('nothing is wrong with it')\n"
    )
    subprocess.run([sys.executable, "-I", "-S", "-c", program], check=True)


# Places


def project_root(cwd: Path, home: Path, **env: str) -> str:
    return places.project(str(cwd), {"HOME": str(home), **env}).root


def test_the_root_of_a_project(tmp_path: Path) -> None:
    home = tmp_path / "home"
    shop = home / "code" / "shop"
    deep = shop / "src" / "deep"
    deep.mkdir(parents=True)
    (home / ".claude-mpm").mkdir()
    assert project_root(deep, home) == str(deep), "nothing to go by: stay"
    (shop / ".git").mkdir()
    assert project_root(deep, home) == str(shop), "the git root"
    (shop / "src" / ".claude-mpm").mkdir()
    assert project_root(deep, home) == str(shop / "src"), "a folder with memory comes first"
    assert project_root(home, home) == str(home)
    (home / ".git").mkdir()
    (home / "notes").mkdir()
    assert project_root(home / "notes", home) == str(home / "notes"), "not the settings' repository"
    assert project_root(Path("/nowhere"), home, CLAUDE_PROJECT_DIR=str(deep)) == str(shop / "src")


def test_a_submodule_is_a_project_of_its_own(tmp_path: Path) -> None:
    inner = tmp_path / "shop" / "lib"
    inner.mkdir(parents=True)
    (tmp_path / "shop" / ".git").mkdir()
    (inner / ".git").write_text("gitdir: ../.git/modules/lib\n")
    assert project_root(inner, tmp_path) == str(inner)


def loop(path: Path) -> None:
    """Make what cannot be looked at, as on a disk that fails; root meets it as well."""
    path.symlink_to(path.name)


def memory_on_a_bad_disk(project: Path) -> None:
    loop(project / ".claude-mpm")


def repository_on_a_bad_disk(project: Path) -> None:
    loop(project / ".git")


def main_tree_on_a_bad_disk(project: Path) -> None:
    loop(project / "disk")
    (project / ".git").write_text(f"gitdir: {project}/disk/shop/.git/worktrees/lib\n")


def closed(project: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may look into every folder")
    project.chmod(0)


@pytest.mark.parametrize(
    "spoil", [memory_on_a_bad_disk, repository_on_a_bad_disk, main_tree_on_a_bad_disk, closed]
)
def test_no_folder_is_passed_over_for_one_that_can_be_looked_at(
    tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    shop = tmp_path / "shop"
    lib = shop / "lib"
    lib.mkdir(parents=True)
    (shop / ".claude-mpm").mkdir()
    assert project_root(lib, tmp_path) == str(shop)
    spoil(lib)
    with pytest.raises(OSError, match="lib"):
        project_root(lib, tmp_path)
    lib.chmod(0o755)


def test_a_project_on_a_bad_disk_is_not_passed_over_for_the_events_folder(tmp_path: Path) -> None:
    loop(tmp_path / "disk")
    with pytest.raises(OSError, match="disk"):
        project_root(tmp_path, tmp_path, CLAUDE_PROJECT_DIR=str(tmp_path / "disk" / "shop"))


def test_a_memory_on_a_disk_that_is_not_mounted_is_the_projects(tmp_path: Path) -> None:
    lib = tmp_path / "shop" / "lib"
    lib.mkdir(parents=True)
    (tmp_path / "shop" / ".claude-mpm").mkdir()
    (lib / ".claude-mpm").symlink_to(tmp_path / "disk" / "lib")
    assert project_root(lib, tmp_path) == str(lib)


def test_what_can_be_no_path_is_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert project_root(Path("a\0b"), tmp_path / "home") == str(tmp_path)


@pytest.mark.parametrize("spoil", [memory_on_a_bad_disk, closed])
def test_a_report_waits_while_its_project_cannot_be_looked_at(
    sandbox: Sandbox, spoil: Callable[[Path], None]
) -> None:
    sandbox.remembers("engineer", FACT)
    lib = sandbox.root / "lib"
    (lib / ".git").mkdir(parents=True)
    sandbox.env["CLAUDE_PROJECT_DIR"] = str(lib)
    spoil(lib)
    outcome = sandbox.hook("post_tool_use", post())
    assert (outcome.status, outcome.stdout) == (0, b""), "the block stays in the report"
    assert re.fullmatch(rb"agent-memory: PostToolUse: \w+: .*lib.*\n", outcome.stderr)
    lib.chmod(0o755)
    (lib / ".claude-mpm").unlink(missing_ok=True)
    sandbox.hook("post_tool_use", post())
    assert LEARNED in (lib / ".claude-mpm" / "memories" / "engineer.md").read_text()
    assert LEARNED not in sandbox.memory("engineer")


# Settings

PROBLEMS = [
    (
        "memory: {enabled: 3}",
        "config.yml:1: memory.enabled: Input should be a valid boolean, not 3",
    ),
    (
        "memory:\n  auto_lerning: true\n",
        "config.yml:2: memory.auto_lerning: unknown key; did you mean auto_learning?",
    ),
    ("other: 1", "config.yml:1: other: unknown key"),
    (
        "memory:\n  user_level: both\n",
        "config.yml:2: memory.user_level: Input should be 'append', 'shadow' or 'off'",
    ),
    (
        "memory:\n  limits:\n    max_sections: 0\n",
        "config.yml:3: memory.limits.max_sections: Input should be greater",
    ),
    (
        "memory:\n  directory: ../elsewhere\n",
        "config.yml:2: memory.directory: a folder below",
    ),
    ("memory: &a {agent_overrides: {x: *a}}", "config.yml:1: memory.agent_overrides.x"),
    ("memory: {1: 2}", "config.yml:1: memory.1: unknown key"),
]


def loaded(sandbox: Sandbox, **env: str) -> config.Config:
    place = places.Place(str(sandbox.root))
    return config.load(place, places.Place(str(sandbox.home)), env)


@pytest.mark.parametrize(("text", "problem"), PROBLEMS)
def test_a_wrong_key_is_named_and_the_others_count(
    sandbox: Sandbox, text: str, problem: str
) -> None:
    sandbox.configure(text)
    found = loaded(sandbox)
    assert any(problem in told for told in found.problems), found.problems
    if text.startswith("memory:\n"):
        sandbox.configure(text + "  max_learning_length: 77\n")
        assert loaded(sandbox)["max_learning_length"] == 77


@pytest.mark.parametrize("text", ["memory: [", "- a", "memory: *x"])
def test_a_file_that_is_no_settings_at_all_leaves_memory_off(sandbox: Sandbox, text: str) -> None:
    sandbox.configure(text)
    found = loaded(sandbox)
    assert not found.readable
    assert not found["enabled"]
    assert "config.yml:1:" in found.problems[0]


def test_the_example_of_the_documentation_is_understood(sandbox: Sandbox) -> None:
    sandbox.configure(
        "memory:\n  enabled: true\n  auto_learning: true\n  natural_language: false\n"
        "  directory: .claude-mpm/memories\n  max_learning_length: 100\n"
        "  limits: {default_size_kb: 8, max_sections: 10,\n"
        "    max_items_per_section: 15, max_line_length: 120}\n"
        "  agent_overrides:\n    research: {size_kb: 16, auto_learning: true}\n"
    )
    found = loaded(sandbox)
    assert not found.problems
    assert found.override("Research Agent")["size_kb"] == 16
    assert found.override("engineer") == {}


def test_settings_are_compiled_once_and_again_when_they_change(sandbox: Sandbox) -> None:
    sandbox.configure("memory: {max_learning_length: 50}")
    assert loaded(sandbox)["max_learning_length"] == 50
    compiled = sandbox.state / "config.json"
    compiled.write_text(compiled.read_text().replace('length": 50', 'length": 51'))
    assert loaded(sandbox)["max_learning_length"] == 51, "taken from what was compiled"
    sandbox.configure("memory: {max_learning_length: 60 }")
    assert loaded(sandbox)["max_learning_length"] == 60
    compiled.write_text("torn")
    assert loaded(sandbox)["max_learning_length"] == 60


def test_the_projects_settings_stand_over_the_users(sandbox: Sandbox) -> None:
    (sandbox.home / ".claude-mpm").mkdir()
    (sandbox.home / ".claude-mpm" / "config.yml").write_text(
        "memory: {max_learning_length: 50, limits: {max_sections: 3}}"
    )
    sandbox.configure("memory: {limits: {max_items_per_section: 4}}")
    found = loaded(sandbox)
    assert found["max_learning_length"] == 50
    assert found["limits"]["max_sections"] == 3
    assert found["limits"]["max_items_per_section"] == 4


ENVIRONMENT = [
    ({"AGENT_MEMORY": "off"}, "enabled", False),
    ({"AGENT_MEMORY": "on"}, "enabled", True),
    ({"AGENT_MEMORY_LEARNING": "off"}, "auto_learning", False),
    ({"AGENT_MEMORY_LEARNING": "what"}, "auto_learning", True),
]


@pytest.mark.parametrize(("env", "key", "value"), ENVIRONMENT)
def test_the_environment_overrides_for_one_run(
    sandbox: Sandbox, env: dict[str, str], key: str, value: bool
) -> None:
    assert loaded(sandbox, **env)[key] == value


@pytest.mark.parametrize(
    ("told", "size"), [("12", 12), ("0", 8), ("x", 8), ("9" * 5000, 8), ("", 8)]
)
def test_the_size_limit_can_be_set_for_one_run(sandbox: Sandbox, told: str, size: int) -> None:
    assert loaded(sandbox, AGENT_MEMORY_LIMIT_KB=told)["limits"]["default_size_kb"] == size


# The log


def test_the_log_is_rotated_and_read_over_both_files(tmp_path: Path) -> None:
    place = places.Place(str(tmp_path))
    for number in range(40):
        log.write(place, "agent.memory.loaded", number=number, filler="x" * 60_000)
    assert sorted(os.listdir(place.logs)) == ["events.1.jsonl", "events.jsonl"]
    numbers = [event["number"] for event in log.read(place)]
    assert numbers == list(range(numbers[0], 40))
    assert len(numbers) > 15
    with open(os.path.join(place.logs, "events.jsonl"), "a") as file:
        file.write('{"torn')
    assert len(log.read(place)) == len(numbers)


def numbers(place: places.Place) -> list[object]:
    return [event["number"] for event in log.read(place)]


def test_a_torn_line_takes_no_other_with_it(tmp_path: Path) -> None:
    place = places.Place(str(tmp_path))
    log.write(place, "agent.memory.loaded", number=1)
    path = Path(place.logs) / "events.jsonl"
    path.write_text(path.read_text() + '{"torn')
    log.write(place, "agent.memory.loaded", number=2)
    log.write(place, "agent.memory.loaded", number=3)
    assert numbers(place) == [1, 2, 3]
    lines = path.read_text().splitlines()
    assert lines.pop(1) == '{"torn'
    assert [json.loads(line)["number"] for line in lines] == [1, 2, 3]


# A disk that is full after ten bytes more, as a limit of the process.
FULL = """
import os, resource, sys
from memory_core import log, places
place = places.Place(sys.argv[1])
log.write(place, "agent.memory.loaded", number=1)
size = os.path.getsize(os.path.join(place.logs, "events.jsonl")) + 10
resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
log.write(place, "agent.memory.loaded", number=2)
"""


def test_a_line_that_is_written_in_part_is_told(tmp_path: Path) -> None:
    command = [sys.executable, "-c", FULL, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr.startswith("agent-memory: [Errno 28] only part of a line could be written")
    assert '"number": 2}\n' in done.stderr
    place = places.Place(str(tmp_path))
    log.write(place, "agent.memory.loaded", number=3)
    assert numbers(place) == [1, 3]


def overfull_log(folder: Path) -> tuple[places.Place, Path]:
    """Return a log that the next writer will find too large."""
    place = places.Place(str(folder))
    path = Path(place.made("logs")) / log.NAME
    path.write_text(json.dumps({"number": -1, "filler": "x" * log.ROTATE_AT}) + "\n")
    return place, path


# Waits where the interpreter tells of a call, before that is made.
PAUSING = """
import sys
from memory_core import log, places
def pause(event, _arguments):
    if event == sys.argv[2]:
        print("ready", flush=True)
        sys.stdin.read()
sys.addaudithook(pause)
log.write(places.Place(sys.argv[1]), "agent.memory.loaded", number=0)
"""


@pytest.mark.parametrize("call", ["fcntl.flock", "os.rename"])
def test_two_that_find_the_log_too_large_lose_no_line(tmp_path: Path, call: str) -> None:
    place, path = overfull_log(tmp_path)
    slow = started(PAUSING, tmp_path, call)
    log.write(place, "agent.memory.loaded", number=1)
    log.write(place, "agent.memory.loaded", number=2)
    released([slow])
    ended(slow)
    assert numbers(place) == [-1, 0, 1, 2]
    assert path.with_name("events.1.jsonl").stat().st_size > log.ROTATE_AT


def test_times_are_utc_with_milliseconds() -> None:
    assert log.utc(1_795_221_786.25) == "2026-11-21T00:43:06.250Z"


# State


@given(st.text(st.characters(codec=None)))
def test_every_id_is_one_plain_part_of_a_path(name: str) -> None:
    plain = runs.file_name(name)
    assert runs.safe(plain) == bool(name)
    assert plain == name or not runs.safe(name)


def test_a_run_is_known_by_all_that_was_noted(tmp_path: Path) -> None:
    records = runs.Runs(places.Place(str(tmp_path)), "s1")
    assert records.record("a1") == {}
    records.note("a1", agent="engineer", keys=["x"])
    records.note("a1", ended=1.5, keys=["y"])
    path = tmp_path / ".claude-mpm" / "state" / "runs" / "s1" / "a1.jsonl"
    path.write_text(path.read_text() + '{"torn')
    assert records.record("a1") == {"agent": "engineer", "ended": 1.5, "keys": ["x", "y"]}


def test_old_records_are_cleared_and_young_ones_stay(tmp_path: Path) -> None:
    place = places.Place(str(tmp_path))
    for session in ("old", "young"):
        runs.Runs(place, session).note("a1", agent="engineer")
        runs.Runs(place, session).leave_receipt("toolu_1", "engineer", "")
    long_ago = 1_700_000_000
    for kind in ("runs", "receipts"):
        folder = Path(place.state) / kind / "old"
        for path in [*folder.iterdir(), folder]:
            os.utime(path, (long_ago, long_ago))
    runs.clear_old(place)
    assert runs.Runs(place, "old").record("a1") == {}
    assert runs.Runs(place, "young").record("a1")
    assert runs.Runs(place, "young").open_receipts("engineer", "a1")


# The spool

SETTLING = """
import sys
from memory_core import places, spool
place = places.Place(sys.argv[1])
ids = {"agent": "engineer", "run": "a1", "session": "s1", "source": "agent"}
path = spool.add(place, "engineer", {**ids, "learnings": [["pattern", "x"]], "rejected": []})
spool.settle(place, path)
print(path)
"""


def settled(folder: Path, *options: str) -> tuple[str, list[str]]:
    """Have an entry put on the disk under strace; return its path and what was synced."""
    if not shutil.which("strace") and not os.environ.get("CI"):
        pytest.skip("strace is not installed (package strace)")
    trace = folder.parent / "strace.log"
    command = ["strace", "-y", "-o", str(trace), "-e", "trace=fsync", *options]
    command += [sys.executable, "-c", SETTLING, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert not done.stderr
    return done.stdout.strip(), re.findall(r"fsync\(\d+<(.*?)>\)", trace.read_text())


def test_what_has_to_wait_is_on_the_disk_with_the_folders_above(sandbox: Sandbox) -> None:
    path, synced = settled(sandbox.root)
    spools = sandbox.state / "spool"
    above = (spools / "engineer", spools, sandbox.state, sandbox.state.parent, sandbox.root)
    assert synced == [path, *map(str, above)]
    assert sandbox.log() == []


def test_a_disk_that_fails_meanwhile_is_told_and_the_entry_stays(sandbox: Sandbox) -> None:
    path, _synced = settled(sandbox.root, "-e", "inject=fsync:error=EIO")
    (kept,) = spool.entries(places.Place(str(sandbox.root)), "engineer")
    assert kept[0] == path
    told = sandbox.log("agent.memory.error")[0]["error"]
    assert f"{path[len(str(sandbox.root)) + 1 :]} might not outlive a power failure" in told


def test_what_another_writer_has_merged_need_not_wait(sandbox: Sandbox) -> None:
    place = places.Place(str(sandbox.root))
    path = spool.add(place, "engineer", {})
    spool.done([path])
    spool.settle(place, path)
    assert sandbox.log() == []


# The store


def test_a_file_keeps_its_mode_and_its_old_name(tmp_path: Path) -> None:
    held = store.Store(places.Place(str(tmp_path)))
    folder = Path(held.folder)
    folder.mkdir(parents=True)
    old = folder / "Code_Reviewer_agent.md"
    old.write_text("- a\n")
    old.chmod(0o640)
    held.write("code-reviewer", "- b\n", held.read("code-reviewer"))
    assert [path.name for path in folder.glob("*.md")] == ["Code_Reviewer_agent.md"]
    assert old.read_text() == "- b\n"
    assert old.stat().st_mode & 0o777 == 0o640


def test_a_link_within_the_folder_is_written_through(tmp_path: Path) -> None:
    held = store.Store(places.Place(str(tmp_path)))
    folder = Path(held.folder)
    folder.mkdir(parents=True)
    (folder / "shared.md").write_text("- a\n")
    (folder / "engineer.md").symlink_to("shared.md")
    held.write("engineer", "- b\n", held.read("engineer"))
    assert (folder / "engineer.md").is_symlink()
    assert (folder / "shared.md").read_text() == "- b\n"


def test_the_agents_with_a_memory(tmp_path: Path) -> None:
    held = store.Store(places.Place(str(tmp_path)))
    assert held.agents() == []
    folder = Path(held.folder)
    (folder / "archive").mkdir(parents=True)
    for name in ("README.md", "PM.md", "engineer.md", "QA_agent.md", "notes.txt"):
        (folder / name).write_text("")
    assert held.agents() == ["PM", "engineer", "qa"]


def test_what_is_kept_aside_is_kept_once_a_day(tmp_path: Path) -> None:
    held = store.Store(places.Place(str(tmp_path)))
    held.append("archive", "engineer", ["a", "b"], "2026-11-20 10:00:00")
    held.append("archive", "engineer", ["b", "c"], "2026-11-20 11:00:00")
    held.append("archive", "engineer", ["c"], "2026-11-21 10:00:00")
    text = (Path(held.folder) / "archive" / "engineer.md").read_text()
    assert text == "## 2026-11-20\n\n- a\n- b\n- c\n\n## 2026-11-21\n\n- c\n"


# What is given


def given_text(text: str, budget: int = 10_000) -> str:
    return selection.select(selection.pieces(markdown.parse(text)), budget)


GIVEN = [
    (
        "title and comments are left out",
        "# T\n\n<!-- a\nb -->\n\n## A (Max: 15 items)\n- x\n",
        "## A\n- x",
    ),
    ("empty sections too", "## A\n\n## B\n- x\n", "## B\n- x"),
    (
        "prose and what is nested stay",
        "## A\nprose\nmore\n\n- x\n  - y\n",
        "## A\nprose\nmore\n- x\n  - y",
    ),
    ("front matter is left out", "---\na: b\n---\n## A\n- x\n", "## A\n- x"),
    ("code stays", "## A\n```\n- no item\n```\n", "## A\n```\n- no item\n```"),
    (
        "two of one title become one",
        "## A\n- x\n## B\n- y\n## A\n- z\n",
        "## A\n- x\n- z\n\n## B\n- y",
    ),
    (
        "conflict markers are left out",
        "## A\n<<<<<<< a\n- x\n=======\n- y\n>>>>>>> b\n",
        "## A\n- x\n- y",
    ),
    ("items without a heading", "- x\n", "- x"),
    ("nothing", "", ""),
]


@pytest.mark.parametrize(
    ("text", "expected"), [row[1:] for row in GIVEN], ids=[row[0] for row in GIVEN]
)
def test_what_an_agent_is_given_of_a_document(text: str, expected: str) -> None:
    assert given_text(text) == expected


@pytest.mark.parametrize(
    ("budget", "expected"), [(11, "- x"), (17, "prose\n- x"), (21, "prose\n- x\n- z")]
)
def test_of_equal_worth_the_surer_then_the_newer_is_given(budget: int, expected: str) -> None:
    found = selection.pieces(markdown.parse("## A\nprose\n- x\n- y\n- z\n"))
    sure = {"x": 0.9, "y": 0.5, "z": 0.5, "": 0.7}
    given = selection.select(found, budget, None, lambda: lambda text: sure[text])
    assert given == f"## A\n{expected}"


@given(st.lists(st.text("ab \n#-", min_size=1), max_size=20), st.integers(0, 200))
def test_the_budget_is_never_exceeded(items: list[str], budget: int) -> None:
    text = "".join(f"## S{n % 3}\n- {item}\n" for n, item in enumerate(items))
    assert len(given_text(text, budget)) <= budget


@given(st.text(st.sampled_from("<>/!agent-memory system:reminder\u200b\u202e\n")))
@settings(max_examples=500)
def test_no_text_holds_a_tag_of_the_harness(text: str) -> None:
    safe = trust.defuse(text).casefold()
    for tag in ("agent-memory", "system-reminder", "system", "antml:x"):
        assert f"<{tag}" not in safe
        assert f"</{tag}" not in safe


@given(st.text(st.characters(categories=["L", "N", "P", "Zs"], exclude_characters="<")))
def test_ordinary_text_is_given_as_it_stands(text: str) -> None:
    plain = "".join(char for char in text if char.isprintable())
    assert trust.defuse(plain) == plain
