"""Commands that change memories: add, edit, init, clean."""

import json
import os
import re
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from memory_core.curation import cleaning, edit_session
from memory_core.document import markdown, template
from memory_core.history import item_history
from memory_core.learning import type_names
from memory_core.memory.loading import read_memory
from memory_core.storage import history_file
from memory_core.storage.project import Project, find_project
from memory_core.storage.store import Store
from support.command_line import ITEM, Person, check_refused, hide_change, read_fields, read_stderr
from support.events import make_stop_event
from support.files import define_agents, read_files, write
from support.histories import DAY, ago
from support.inbox import add_report
from support.lessons import learn
from support.memory_files import make_section
from support.runs import add_runs, make_run
from support.sandbox import Sandbox
from support.terminal import YES_OR_NO, Terminal, answer, answer_all

NEWS = "Handlers return Result objects"
OTHER = "The bank answers within a day"
LEARNED = "The retry count is set in settings.py"
UNDO_HINT = "Undo with: agent-memory undo ID\n"
UNCHANGED = "Nothing is changed.  An editor such as VS Code needs its option --wait.\n"


def items(text: str) -> list[str]:
    return [item.text for item in markdown.parse_document(text).items]


# --- add ---


def test_add_teaches_a_new_agent(person: Person, sandbox: Sandbox) -> None:
    done = person.run("add", "QA Agent", "Best Practice", f"{NEWS}.")
    shown = f"{item_history.id_of(NEWS)} [Implementation Guidelines] {NEWS}"
    assert done.stdout == f"Added: {shown} (0.8)\n"
    undo, place, unknown = done.stderr.splitlines(keepends=True)
    assert hide_change(undo) == UNDO_HINT
    assert place == f"Note: the first memory here; its folder is {sandbox.memories}.\n"
    assert unknown.startswith("Note: no agent named qa is defined")
    assert items(sandbox.read_memory("qa")) == [NEWS]
    (told,) = person.read_json("log", "qa")
    assert (told["kind"], told["source"], told["confidence"]) == ("learned", "person", 0.8)
    define_agents(sandbox.root, "qa")
    done = person.run("add", "qa", "learning", NEWS.upper())
    assert done.stdout == f"Already known, confidence raised: {shown} (0.9)\n"
    assert hide_change(done.stderr) == UNDO_HINT
    assert "defined" not in person.run("add", "PM", "pattern", NEWS).stderr
    person.run("undo", "3")
    assert not (sandbox.memories / "qa.md").exists()


def test_an_add_of_a_known_item_makes_it_the_persons(person: Person, project: Project) -> None:
    def do(*words: str) -> tuple[str, float]:
        person.succeed(*words)
        shown = person.read_json("show", item_history.id_of(NEWS))
        return shown["origin"], shown["confidence"]

    for run in ("a1", "a2"):
        learn(project, "engineer", NEWS, run=run)
    assert (do("undo"), do("redo")) == (("agent", 0.5), ("agent", 0.6))
    assert do("add", "engineer", "pattern", NEWS) == ("person", 0.7)


def test_the_type_of_an_item_is_optional(person: Person) -> None:
    for words, section in (
        ([NEWS], "Recent Learnings"),
        (NEWS.split(), "Recent Learnings"),
        (["pattern", *NEWS.split()], "Coding Patterns Learned"),
        (["Patterns", NEWS], "Coding Patterns Learned"),
        (["-"], "Recent Learnings"),
    ):
        (added,) = person.read_json("add", "qa", *words, data=f"{NEWS}\n".encode())["items"]
        assert (added["text"], added["section"]) == (NEWS, section)
        person.run("undo")


def test_add_says_what_it_changed(person: Person, sandbox: Sandbox) -> None:
    sandbox.write_memory("engineer", ITEM)
    told = person.read_json("add", "engineer", "architecture", OTHER)
    assert set(told) == read_fields("`add`")
    (item,) = told["items"]
    assert set(item) == read_fields("`add`, in `items`")
    assert (item["text"], item["known"], item["was"]) == (OTHER, False, None)
    person.run("add", "engineer", "context", "The port is 8080")
    (old,) = person.read_json("add", "engineer", "context", "The port is 9090")["contradicted"]
    assert old == {"id": old["id"], "text": "The port is 8080", "confidence": 0.8}
    shorter = "All services use dependency injection"
    person.run("add", "qa", "pattern", shorter)
    done = person.run("add", "qa", "pattern", f"{shorter} because tests need it")
    assert f"  replaces: {shorter}\n" in done.stdout


def test_add_reads_lines(person: Person, sandbox: Sandbox) -> None:
    lines = f"\ufeff- {NEWS}\n\n  * {OTHER}.  \r\n2) {NEWS}\n10. {OTHER}.\n".encode()
    done = person.run("add", "qa", "pattern", "-", data=lines)
    shown = [line.split("] ")[1] for line in done.stdout.splitlines()]
    assert shown == [f"{NEWS} (0.8)", f"{OTHER} (0.8)"]
    assert items(sandbox.read_memory("qa")) == [NEWS, OTHER]
    person.run("undo")  # it is one change
    assert not (sandbox.memories / "qa.md").exists()


def test_refused_input_changes_nothing(settled: Person) -> None:
    for data, said in (
        (b"\n \n", "stdin is empty: at least one line is expected\n"),
        (b"caf\xe9 is open", "stdin is not UTF-8 text\n"),
    ):
        check_refused(settled, {"add qa pattern -": said}, data=data)
    cases = {
        "enginer pattern x": "no agent 'enginer' here; did you mean engineer?\n",
        "explor pattern x": "did you mean explore?\n",
        "qa patern x": "unknown type 'patern'; use one of pattern, architecture, ",
        "qa ''": "the text is empty\n",
        "qa pattern": "missing text: use agent-memory add AGENT pattern TEXT\n",
        "'Be kind' engineer": "the agent comes first: use agent-memory add engineer TEXT\n",
        "../../evil pattern x": "invalid agent name '../../evil': use letters",
        f"{'a' * 101} pattern x": "invalid agent name",
        "' ' pattern x": "invalid agent name ' '",
    }
    check_refused(settled, cases, prefix="add")


def test_limits_do_not_count_for_a_person(settled: Person) -> None:
    limits = "max_items_per_section: 1, max_sections: 1, max_line_length: 20, default_size_kb: 1"
    settled.sandbox.configure(f"memory: {{limits: {{{limits}}}}}")
    facts = [f"Service {name} listens on a socket of its own" for name in "abcdefghijklmnop"]
    for kind, fact in zip(type_names.TYPES * 2, facts, strict=False):
        assert settled.run("add", "engineer", kind, fact).returncode == 0
    done = editing_with(settled, 'seq -f "- long item %.0f of a list that goes on" 99 >> "$1"')
    assert done.returncode == 0, done.stderr
    kept = items(settled.sandbox.read_memory("engineer"))
    assert {ITEM, *facts} <= set(kept)
    assert len(kept) == 1 + len(facts) + 99
    assert settled.read_json("restore", "engineer") == []


def test_the_users_own_memory(settled: Person) -> None:
    done = settled.run("add", "engineer", "pattern", NEWS, "--user")
    undo = "Undo with: agent-memory undo ID --user\n"
    assert hide_change(done.stderr).startswith(undo)
    assert done.stderr.endswith("  If you want them to: agent-memory allow\n")
    settled.succeed("allow")
    editor = f'f() {{ echo "- {OTHER}" >> "$1"; }}; f'  # a shell parses the command
    done = editing_with(settled, "", "engineer", "--user", VISUAL=editor)
    assert hide_change(done.stderr) == undo
    assert items((settled.sandbox.user_memories / "engineer.md").read_text()) == [NEWS, OTHER]
    assert items(settled.sandbox.read_memory("engineer")) == [ITEM]


# --- edit ---

# Scripts that insert the line into the given file in the ways of usual editors.
EDITORS = {
    "in-place": 'printf -- "- %s\\n" "$LINE" >> "$1"',
    "by-rename": '{ cat "$1"; printf -- "- %s\\n" "$LINE"; } > "$1~" && mv "$1~" "$1"',
    "backup": 'cp "$1" "$1.bak"; printf -- "- %s\\n" "$LINE" >> "$1"',
}
ADDS_LINE = EDITORS["in-place"]


def editing_with(person: Person, script: str, *words: str, **env: str) -> Any:
    person.add_program("editor", script)
    return person.run("edit", *(words or ("engineer",)), **{**editor_settings(person), **env})


def editor_settings(person: Person) -> dict[str, str]:
    """Return the variables of a script that edits; copies are made on the desk."""
    event = Path(desk(person)).parent / "event.json"
    write(event, json.dumps(make_stop_event()))
    return {"VISUAL": "editor", "LINE": NEWS, "TMPDIR": desk(person), "EVENT": str(event)}


def desk(person: Person) -> str:
    """Return the temporary folder of this test, in which copies are made."""
    folder = person.sandbox.root.parent / "tmp"
    folder.mkdir(exist_ok=True)
    return str(folder)


def test_an_edit_is_reported_and_undone_as_one_change(settled: Person) -> None:
    path = settled.sandbox.write_memory("engineer", "One fact", ITEM, "Another fact", "A last one")
    settled.run("add", "engineer", "architecture", OTHER)
    before = items(path.read_text())
    script = f'sed -i.old "/fact/d; s/never/seldom/; \\$a - {NEWS}" "$1"'
    done = editing_with(settled, script)
    assert done.stdout == "engineer: 1 item added, 1 item changed, 2 items removed\n"
    assert hide_change(done.stderr) == UNDO_HINT
    changed = ITEM.replace("never", "seldom")
    assert items(path.read_text()) == [changed, "A last one", OTHER, NEWS]
    ids = [item_history.id_of(text) for text in (changed, "A last one")]
    assert [each["source"] for each in settled.read_json("show", *ids)] == ["person", "hand"]
    settled.run("undo")
    assert items(path.read_text()) == before
    settled.run("redo")
    assert items(path.read_text()) == [changed, "A last one", OTHER, NEWS]


def test_a_paragraph_typed_in_the_editor_is_the_persons(settled: Person) -> None:
    settled.sandbox.write_memory("engineer", ITEM)
    settled.run("list", "engineer")  # looks at the file
    editing_with(settled, 'printf "\\n## Deploy\\n\\nOnly on Mondays.\\n" >> "$1"')
    assert settled.list_origins(task="deploy")["Only on Mondays."] == "person"


def test_an_edit_without_a_change_changes_nothing(settled: Person) -> None:
    before = read_files(settled.sandbox.root)
    for script in ("true", 'cat "$1" > "$1~"; mv "$1~" "$1"'):
        assert read_stderr(editing_with(settled, script), 0) == UNCHANGED
    assert read_files(settled.sandbox.root) == before
    assert os.listdir(desk(settled)) == []


def test_an_editor_that_fails_changes_nothing(settled: Person) -> None:
    before, wrote = read_files(settled.sandbox.root), 'echo "- A line" >> "$1"; exit 1'
    for script, env, said in (
        ('rm "$1"', {}, "the editor removed the file; nothing was changed\n"),
        ("kill -TERM $$", {}, "editor 'editor' failed with status 143; nothing was changed\n"),
        ("", {"EDITOR": "no-such --wait"}, "editor 'no-such --wait' failed with status 127"),
        ("", {"VISUAL": "false", "EDITOR": "true"}, "editor 'false' failed with status 1"),
        ("", {"EDITOR": "/"}, "editor '/' failed with status 126; nothing was changed\n"),
        (': > "$1"', {}, "the file is empty; nothing was changed\n"),
        ("", {"EDITOR": ""}, "vi needs a terminal: set VISUAL or EDITOR to another editor\n"),
        (wrote, {}, "editor 'editor' failed with status 1; nothing was changed\n"),
    ):
        assert not any(read_files(Path(desk(settled))).values())
        done = editing_with(settled, script, **({"VISUAL": "", **env} if env else {}))
        assert said in read_stderr(done, 1)
        assert read_files(settled.sandbox.root) == before
    # The edited text is not lost: its file is named.
    (path,) = re.findall(r"What you wrote is in (.+)\n", done.stderr)
    assert "- A line\n" in Path(path).read_text()


LEARNS = f'"{sys.executable}" -I "$HOOKS/subagent_stop.py" < "$EVENT"; '
LEARNS += 'agent-memory status > "$EVENT.out"; '  # it waits for the worker


@pytest.mark.parametrize("script", EDITORS.values(), ids=EDITORS)
def test_learnings_during_an_edit_are_kept(settled: Person, script: str) -> None:
    """The editor reads the memory, then a hook writes, then the editor saves."""
    stale = 'cp "$1" "$1.read"; ' + LEARNS + 'cp "$1.read" "$1"; rm "$1.read"; ' + script
    done = editing_with(settled, stale)
    assert (done.returncode, done.stdout) == (0, "engineer: 1 item added\n")
    assert "Changes that were written meanwhile are kept.\n" in done.stderr
    assert items(settled.sandbox.read_memory("engineer")) == [LEARNED, ITEM, NEWS]
    assert os.listdir(desk(settled)) == []
    settled.run("undo")
    assert items(settled.sandbox.read_memory("engineer")) == [LEARNED, ITEM]


def test_a_new_memory_that_somebody_made_meanwhile(settled: Person) -> None:
    (settled.sandbox.memories / "engineer.md").unlink()
    assert editing_with(settled, LEARNS + ADDS_LINE).stdout == "engineer: 1 item added\n"
    assert sorted(items(settled.sandbox.read_memory("engineer"))) == sorted([LEARNED, NEWS])


def test_edits_of_the_header_are_ignored(settled: Person) -> None:
    settled.run("add", "engineer", "architecture", OTHER)
    done = editing_with(settled, f'echo "- {NEWS}" > "$1"')
    assert done.stdout == "engineer: 1 item added, 2 items removed\n"
    settled.run("add", "engineer", "pattern", LEARNED)
    text = settled.sandbox.read_memory("engineer")
    assert items(text) == [NEWS, LEARNED]
    assert text.count("Last Updated:") == 1


def test_without_a_terminal_problems_are_reported_and_kept(settled: Person) -> None:
    problems = {
        "a\033[31m red": "invisible characters",
        "caf\udce9 is open": "bytes that are not UTF-8",
        "<<<<<<< a\n- x y\n=======\n- z y\n>>>>>>> b": "a merge conflict is not resolved",
        "```\ncode": "is never closed",
    }
    text = "\n".join([*problems, ""]).encode("utf-8", "surrogateescape")
    Path(desk(settled), "problems").write_bytes(text)
    done = editing_with(settled, 'cat "$TMPDIR/problems" >> "$1"')
    assert (done.returncode, done.stdout[:10]) == (1, "engineer: ")
    lines = [line for line in done.stderr.splitlines() if re.match(r"engineer\.md:\d+: ", line)]
    assert [any(said in line for line in lines) for said in problems.values()] == [True] * 4
    assert (settled.sandbox.memories / "engineer.md").read_bytes().endswith(text)


def test_a_new_memory_has_the_usual_headings(person: Person, sandbox: Sandbox) -> None:
    before = read_files(sandbox.root)
    shown = editing_with(person, 'cat "$1" >&2', "qa").stderr
    assert shown.endswith(UNCHANGED)
    assert read_files(sandbox.root) == before
    assert "# QA Memory - shop\n" in shown
    told = [line for line in shown.splitlines() if line.startswith("## ")]
    assert told == [f"## {title} (Max: 15 items)" for title in template.SECTION_TITLES.values()]
    done = editing_with(person, f"sed -i.old '/^## Effective/a - {NEWS}' \"$1\"", "qa")
    assert (done.returncode, done.stdout) == (0, "qa: 1 item added\n")
    assert "qa.md:" not in done.stderr
    assert done.stderr.splitlines()[-1].startswith("Note: no agent named qa is defined")
    text = sandbox.read_memory("qa")
    assert f"\n\n## Effective Strategies (Max: 15 items)\n- {NEWS}\n" in text
    assert text.count("## ") == len(template.SECTION_TITLES)


def test_edit_of_an_unknown_agent(settled: Person, tmp_path: Path) -> None:
    check_refused(settled, {"edit enginer": "did you mean engineer?"})
    (settled.sandbox.memories / "qa.md").symlink_to(tmp_path / "elsewhere.md")
    (tmp_path / "elsewhere.md").write_text("- a secret\n")
    said = read_stderr(editing_with(settled, ADDS_LINE, "qa"), 1)
    assert "is a link, which is not followed" in said


def test_text_that_cannot_be_saved_stays_in_the_copy(settled: Person, project: Project) -> None:
    before = settled.sandbox.read_memory("engineer")
    with project.store.lock("engineer"):
        said = read_stderr(editing_with(settled, ADDS_LINE), 1)
    assert "is locked by another process" in said
    assert settled.sandbox.read_memory("engineer") == before
    (path,) = re.findall(r"What you wrote is in (.+)\n", said)
    assert items(Path(path).read_text()) == [ITEM, NEWS]


LINES = ["- a b", "- c d", "text", "", "## Mine", "```", "<<<<<<< x", "  - nested", "# T", "- "]
TEXTS = st.lists(st.sampled_from(LINES), max_size=8).map("\n".join)


@given(TEXTS, TEXTS)
def test_saved_text_is_kept_line_by_line(old: str, new: str) -> None:
    """The texts are equal line by line, except for the header, which the command writes."""
    with tempfile.TemporaryDirectory() as root:
        project = find_project(root, {"CLAUDE_PROJECT_DIR": root, "HOME": f"{root}/home"})
        project.store.make_folder()
        path = Path(project.store.path("qa"))
        path.write_text(old)
        taken = edit_session.open_copy(project, "qa", project.store)
        assert taken == old
        edit_session.save_copy(project, "qa", taken, new, project.store)
        kept = [line for line in path.read_text().split("\n") if not line.startswith("<!--")]
    if not markdown.parse_document(old).markers:  # then the edit is merged
        assert list(filter(None, kept)) == list(filter(None, new.split("\n")))


# On a terminal.


def test_ctrl_c_in_the_editor_goes_to_the_editor(settled: Person) -> None:
    before, env = read_files(settled.sandbox.root), editor_settings(settled)
    settled.add_program("editor", "echo ready; exec sleep 30")
    terminal = Terminal(settled, "agent-memory edit engineer", **env)
    assert answer_all(terminal, "ready", "\x03") == 130
    assert read_files(settled.sandbox.root) == before
    assert os.listdir(desk(settled)) == []
    waits = f"trap 'echo heard' INT; echo ready; read line || read line; {ADDS_LINE}"
    settled.add_program("editor", waits)
    terminal = Terminal(settled, "agent-memory edit engineer", **env)
    answer(terminal, "ready", "\x03")
    assert answer_all(terminal, "heard", "\r") == 0
    assert "engineer: 1 item added" in terminal.shown


# --- init ---


def test_init_creates_the_files_once(person: Person, sandbox: Sandbox) -> None:
    define_agents(sandbox.root, "Code Reviewer")
    define_agents(sandbox.home, "qa")
    (sandbox.root / ".claude" / "agents" / "README.md").write_text("Our agents.\n")
    made = ["memories/README.md", "memories/history/.gitattributes"]
    done = person.run("init")
    assert done.stdout == "".join(f"Created .claude-mpm/{name}\n" for name in made)
    assert done.stderr.splitlines() == [
        "Without a memory: code-reviewer, qa. Pass --yes to create them.",
        "Next: agent-memory install makes Claude Code use the memories.",
    ]
    readme, attributes = (sandbox.root / ".claude-mpm" / name for name in made)
    assert attributes.read_text() == history_file.GIT_ATTRIBUTES
    assert readme.read_text().startswith("# What the agents of this project remember")
    readme.write_text("Mine.\n")
    before = read_files(sandbox.root)
    said = read_stderr(person.run("init"), 0)
    assert said.startswith("Nothing to do: .claude-mpm/memories is complete.")
    assert read_files(sandbox.root) == before


def test_init_gives_empty_memories(person: Person, sandbox: Sandbox) -> None:
    define_agents(sandbox.root, "qa", "docs", "ops")
    told = person.read_json("init", "QA agent", "ops")
    assert set(told) == read_fields("`init`")
    assert told["agents"][0] == {"agent": "qa", "file": ".claude-mpm/memories/qa.md"}
    assert (told["without"], told["hooks"]) == (["docs"], False)
    header = (
        r"# QA Memory - shop\n\n<!-- .* -->\n<!-- .* -->\n(\n## [A-Z].* \(Max: 15 items\)\n){8}"
    )
    assert re.fullmatch(header, sandbox.read_memory("qa"))
    (sandbox.memories / "ops.md").write_text("---\nkind: notes\n---\n- Pages go to Kim\n")
    done = person.run("init", "ops")
    assert "Added the title to .claude-mpm/memories/ops.md\n" in done.stdout
    text = "---\nkind: notes\n---\n# Ops Memory - shop\n\n- Pages go to Kim\n"
    assert sandbox.read_memory("ops") == text
    person.install()
    done = person.run("init", "--yes")
    assert (done.stdout, done.stderr) == ("Created .claude-mpm/memories/docs.md\n", "")
    before = read_files(sandbox.root)
    done = person.run("init", "--yes", "ops")
    assert (done.stdout, done.stderr) == ("", "ops has a memory already.\n")
    check_refused(person, {"init dcs": "did you mean docs?"})
    assert read_files(sandbox.root) == before


def test_init_of_another_folder(person: Person, sandbox: Sandbox) -> None:
    define_agents(sandbox.root, "docs")
    define_agents(sandbox.home, "qa")
    done = person.run("init", "--user", "--yes")
    assert done.stdout.splitlines()[-1] == "Created ~/.claude-mpm/memories/qa.md"
    assert done.stderr == "Next: agent-memory install --user makes Claude Code use the memories.\n"
    assert os.listdir(sandbox.user_memories / "history") == [".gitattributes"]
    assert not sandbox.memories.exists()
    sandbox.configure("memory:\n  directory: .claude-mpm/team\n")
    done = person.run("init", cwd=sandbox.root / ".claude")
    assert done.stderr.startswith(f"The project is {sandbox.root}\n")
    assert "Created .claude-mpm/team/README.md\n" in done.stdout


@pytest.mark.parametrize(("keys", "status"), [("y\r", 0), ("\r", 0), ("\x03", 130)])
def test_init_offers_memories_on_a_terminal(
    person: Person, sandbox: Sandbox, keys: str, status: int
) -> None:
    define_agents(sandbox.root, "docs", "qa")
    terminal = Terminal(person, "agent-memory init")
    question = f"Create empty memories for docs, qa? {YES_OR_NO}"
    assert answer_all(terminal, question, keys) == status
    assert (sandbox.memories / "README.md").exists() == (status == 0)
    assert ("Without a memory: docs, qa." in terminal.shown) == (keys == "\r")
    assert (sandbox.memories / "qa.md").exists() == (keys == "y\r")


# --- clean ---


def aged(path: Path, days: float) -> None:
    """Set the age of a file or folder in days."""
    then = time.time() - days * DAY
    os.utime(path, (then, then), follow_symlinks=False)


TEMPORARY = ".0123456789abcdef.agent-memory-tmp"


def file(sandbox: Sandbox, name: str, days: float, data: str = "x\n") -> Path:
    """Write a file of this age below .claude-mpm, or of the state of this machine."""
    if name.startswith("state/"):
        sandbox.paths.state.make_root()
        path = sandbox.state / name.removeprefix("state/")
    else:
        path = sandbox.root / ".claude-mpm" / name
    write(path, data)
    aged(path, days)
    if name.startswith(("state/runs/", "state/receipts/")):
        aged(path.parent, days)
    return path


def remembered(sandbox: Sandbox, agent: str = "old-bot", text: str = "") -> Path:
    """Write a memory with its history, as of a run 60 days ago."""
    when = ago(60)
    head = f"# Old\n\n<!-- Last Updated: {when[:19].replace('T', ' ')} | Auto-updated by: x -->\n"
    text = text or f"{head}\n{make_section('Mine', ITEM)}{make_section('B', NEWS)}"
    path = file(sandbox, f"memories/{agent}.md", 60, text)
    told = [item_history.make_record("learned", when, each, run="a1") for each in (ITEM, NEWS)]
    Store(sandbox.paths).history(agent).append(told)
    return path


def found(project: Project) -> cleaning.UnusedData:
    return cleaning.find_unused(project, project.store)


# Files that are removed after this many days; a bit younger, they stay.
LEFTOVERS = ("memories", "memories/archive", "memories/history", "state", "state/inbox")
REMOVED = [
    *((f"{folder}/{{}}{TEMPORARY}", 1 / 24, "left by a write") for folder in LEFTOVERS),
    (f"state/ready/{{}}{TEMPORARY}", 1 / 24, "left by a write"),
    ("state/receipts/{}/t1.json", 30, "of a session"),
    ("state/runs/{}/a1.jsonl", 30, "of a session"),
]
STAYING = """
    memories/.qa.md.4711 memories/.notes memories/.notes.1 memories/.gitattributes locks/qa.lock
    state/settings state/mine.txt state/inbox/qa~0.1 state/route.json
    state/versions/qa state/review.jsonl state/events.jsonl config.yml
"""


def test_files_to_clean(project: Project, sandbox: Sandbox) -> None:
    sandbox.write_memory("engineer", ITEM)
    expected = {str(file(sandbox, "state/events.1.jsonl", 91)): "a log that nobody reads"}
    file(sandbox, "state/events.2.jsonl", 89)  # of an older version
    for name, days, reason in REMOVED:
        expected[str(file(sandbox, name.format("old"), days * 1.1))] = reason
        file(sandbox, name.format("new"), days * 0.9)
    for name in STAYING.split():
        file(sandbox, name, 500)
    told = {each.path: each.reason for each in found(project).files}
    assert set(told) == set(expected)
    assert [path for path in told if not told[path].startswith(expected[path])] == []


# Agents without a run for two months whose memories `clean` keeps.
KEPT_AGENTS = [
    *("in-the-project", "of-the-user", "has-a-slip", "general-purpose", "tools:bot"),
    *("ran-lately", "edited-lately", "waits", "has-two-files", "is-a-link"),
    *("too-large", "is-named", "has-prose-alone", "never-ours"),
]


def keep_memories(sandbox: Sandbox) -> None:
    """Write the memories of these agents, and what keeps them."""
    store, memories = Store(sandbox.paths), sandbox.memories
    paths = {agent: remembered(sandbox, store.stem(agent)) for agent in KEPT_AGENTS}
    define_agents(sandbox.root, "In The Project")
    define_agents(sandbox.home, "of-the-user")
    slip = sandbox.root / ".claude" / "agents" / "has-a-slip.md"
    slip.write_text("---\nname: [unclosed\n---\n")
    add_runs(sandbox.paths, make_run("r1", time=ago(29), agent="ran-lately"))
    aged(paths["edited-lately"], 29)
    add_report(sandbox.paths, "waits")
    file(sandbox, "memories/has-two-files_memories.md", 60)
    paths["is-a-link"].rename(memories / "history" / "real.txt")
    paths["is-a-link"].symlink_to("history/real.txt")
    sandbox.configure("memory: {agent_overrides: {is-named: {size_kb: 4}}}")
    prose = f"{paths['has-prose-alone'].read_text().partition('##')[0]}Ask Ann first.\n"
    file(sandbox, "memories/has-prose-alone.md", 60, prose)
    file(sandbox, "memories/too-large.md", 60, "x" * 1_000_001)
    file(sandbox, "memories/never-ours.md", 60, "# Plan\n- Buy milk\n")
    (memories / "history" / "never-ours.jsonl").unlink()


def test_memories_that_clean_keeps(sandbox: Sandbox) -> None:
    keep_memories(sandbox)
    before = read_files(sandbox.memories)
    project = sandbox.open_project()
    told = found(project)
    assert told.orphans == []
    cleaning.remove_unused(project, project.store, told)
    assert read_files(sandbox.memories) == before


def test_all_memories_stay_if_definitions_are_unknown(project: Project, sandbox: Sandbox) -> None:
    path, agents = remembered(sandbox), sandbox.root / ".claude" / "agents"

    def find_orphans(home: str, user: bool = False) -> list[str]:
        level = project.level(user)
        at_home = Project(project.paths, {"HOME": home} if home else {})
        told = cleaning.find_unused(at_home, level)
        return [orphan.agent for orphan in told.orphans]

    assert find_orphans(str(sandbox.home)) == ["old-bot"]
    for home in ("", f"{sandbox.home}-elsewhere"):
        assert find_orphans(home) == []
    agents.mkdir(parents=True)
    (agents / "qa.md").symlink_to("qa.md")  # root cannot read it either
    assert find_orphans(str(sandbox.home)) == []
    agents.rename(agents.with_name("others"))
    agents.symlink_to("others")
    assert find_orphans(str(sandbox.home)) == []
    sandbox.user_memories.mkdir(parents=True)
    path.rename(sandbox.user_memories / "old-bot.md")
    assert find_orphans(str(sandbox.home), user=True) == []


def test_orphaned_memories_are_archived_and_can_be_restored(
    person: Person, sandbox: Sandbox
) -> None:
    path = remembered(sandbox)
    other = remembered(sandbox, "dull-bot", make_section("Recent Learnings", ITEM, NEWS))
    before = read_files(sandbox.root)
    done = person.succeed("clean")
    assert f"old-bot is not defined anywhere, last used on {ago(60)[:10]}:\n" in done.stdout
    assert "  .claude-mpm/memories/dull-bot.md: 2 items\n" in done.stdout
    assert done.stderr == "Nothing is changed yet; run it with --yes to change it.\n"
    assert read_files(sandbox.root) == before
    told = person.read_json("clean", "--yes")["memories"]
    assert [each["agent"] for each in told] == ["dull-bot", "old-bot"]
    assert not any(each.exists() for each in (other, path))
    archive = (sandbox.memories / "archive" / "old-bot.md").read_text()
    assert "## Mine" in archive  # a user wrote this heading
    assert [each["text"] for each in person.read_json("restore", "dull-bot")] == [ITEM, NEWS]
    done = person.succeed("undo")
    assert items(other.read_text()) == [ITEM, NEWS]
    assert sorted(items(path.read_text())) == sorted([ITEM, NEWS])  # the headings are made again
    assert markdown.parse_document(other.read_text()).sections[0].title == "Recent Learnings"
    assert person.read_json("restore", "dull-bot") == []
    assert person.read_json("clean")["memories"] == []  # they were written just now


def test_a_memory_that_changes_meanwhile_stays(project: Project, sandbox: Sandbox) -> None:
    path = remembered(sandbox)
    told = found(project)
    assert sandbox.run_hook("subagent_stop", make_stop_event(agent="old-bot")).status == 0
    done = cleaning.remove_unused(project, project.store, told)
    assert (done.orphans, done.failed) == ([], {"old-bot": "it was changed just now"})
    assert sorted(items(path.read_text())) == sorted([ITEM, NEWS, LEARNED])


def test_a_failed_removal_is_reported(person: Person, sandbox: Sandbox) -> None:
    path = file(sandbox, "state/events.1.jsonl", 100)
    path.unlink()
    path.mkdir()
    aged(path, 100)
    failed = json.loads(person.run("clean", "--yes", "--json").stdout)["failed"]
    assert failed == {str(path): "Is a directory"}
    done = person.run("clean", "--yes")
    assert (done.returncode, path.exists()) == (1, True)
    assert f"{path} is kept: Is a directory\n" in done.stderr
    assert done.stderr.endswith("Removed: nothing.\n")


def test_clean_shows_and_removes(person: Person, sandbox: Sandbox) -> None:
    sandbox.write_memory("engineer", ITEM)
    names = [f"memories/{TEMPORARY}", f"memories/archive/{TEMPORARY}", "state/receipts/s1/t1.json"]
    names += [f"state/runs/s1/a{number}.jsonl" for number in range(9)]
    dust = [file(sandbox, name, 100) for name in (*names, "state/events.1.jsonl")]
    before = read_files(sandbox.root)
    done = person.run("clean")
    assert (done.returncode, read_files(sandbox.root)) == (0, before)
    assert "10 files (20 B) of a session that ended long ago:\n" in done.stdout
    assert "  and 5 more\n" in done.stdout
    assert done.stdout.count("\n  .claude-mpm/") == 2
    assert done.stdout.count(f"\n  {sandbox.state}/") == 5 + 1
    told = person.read_json("clean", "--dry-run")
    assert set(told) == read_fields("`clean`")
    assert (told["written"], len(told["files"])) == (False, 13)
    done = person.succeed("clean", "--yes")
    assert done.stderr.splitlines()[-1] == "Removed: 13 files (26 B)."
    assert not any(path.exists() for path in dust)
    assert read_files(sandbox.root).items() < before.items()
    assert not (sandbox.state / "runs" / "s1").exists()
    assert person.run("clean", "--yes").stderr.splitlines()[-1] == "Nothing to tidy up."


def test_an_empty_memory_is_bare(project: Project) -> None:
    head = read_memory(project, "qa", project.store).text
    default = "## Recent Learnings (Max: 15 items)\n\n## Preferences\n<!-- -->\n"
    for text in (head, "", f"{head}\n{default}"):
        assert cleaning.has_only_header(text), text
    more = ["## Recent Learnings\nAsk Ann.\n", "## Mine\n", "<!-- Ask Ann. -->\n", "# B\n", "- \n"]
    for text in (*(f"{head}\n{each}" for each in more), "---\nowner: ann\n---\n"):
        assert not cleaning.has_only_header(text), text
