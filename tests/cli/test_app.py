"""All commands: help, usage errors, --json; and commands for status, upkeep and setup."""

import doctest
import json
import os
import re
from pathlib import Path
from typing import Any, get_args

import pytest

from memory_core.claude_code import events, sample_events
from memory_core.claude_code.settings_files import find_transcript_folder
from memory_core.cli import app as cli
from memory_core.cli.common import entries
from memory_core.cli.setup import replay
from memory_core.files.safe_files import TEMPORARY
from memory_core.setup import hook_runner, installation
from memory_core.storage import run_records
from support import transcripts
from support.command_line import (
    ITEM,
    Person,
    check_refused,
    list_loaded_modules,
    read_fields,
    read_stderr,
)
from support.files import define_agents, read_files, write
from support.inbox import TAUGHT, add_report
from support.pages import JSON_PAGE, PAGE, read_turns
from support.paths import REPO
from support.review import make_waiting
from support.runs import add_runs, make_run
from support.tables import for_each
from support.terminal import YES_OR_NO, Terminal, answer_all, run_on_terminal, strip_colours

# --- documentation ---


def commands() -> dict[str, Any]:
    """Return every command by its words, without groups."""
    top = cli.build_command()
    found = {}
    for name in top.list_commands(None):
        command = top.get_command(None, name)
        inner = getattr(command, "commands", {})
        shown = {f"{name} {word}": one for word, one in inner.items() if not one.hidden}
        found.update(shown or {name: command})
    return found


def help_of(command: Any) -> str:
    return str(command.help).replace("\b", "").strip()


def examples() -> list[str]:
    told = [help_of(command) for command in [cli.build_command(), *commands().values()]]
    lines = [line.strip() for text in told for line in text.partition("Example:")[2].split("\n")]
    # Two do not end by themselves; tests/cli/test_monitor.py and tests/dashboard run them.
    endless = ("agent-memory monitor", "agent-memory dashboard")
    return [line for line in lines if line and not line.startswith(endless)]


def test_the_page_lists_the_commands() -> None:
    rows = re.findall(r"^\| [a-z ]+ \| (`status`.*|`[a-z]+`.*) \|$", PAGE, re.MULTILINE)
    names = [
        " ".join(filter(None, (group, name)))
        for row in rows
        for group, inner, single in re.findall(r"`([a-z]+)` \(([^)]+)\)|`([a-z ]+)`", row)
        for name in ([single] if single else re.findall(r"`([a-z]+)`", inner))
    ]
    assert names == [*commands()]


@for_each(("name", "command"), commands().items())
def test_help_is_a_sentence_and_an_example(name: str, command: Any) -> None:
    text = help_of(command)
    first = text.split("\n")[0]
    assert first.endswith(".")
    assert first.count(". ") == 0
    assert f"agent-memory {name}" in text.partition("Example:")[2]


@pytest.mark.parametrize("name", ["", *commands(), "config"])
def test_every_help_fits_into_80_columns(person: Person, name: str) -> None:
    """Values have names as in the documentation: N, TIME, AGENT."""
    done = person.run(*name.split(), "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert max(map(len, done.stdout.split("\n"))) <= 80
    assert not re.search(r"\x1b|<\w+|INTEGER|FLOAT|\bSTR\b|range|list\[", done.stdout)


@pytest.mark.parametrize("line", examples())
def test_the_examples_in_help_run(settled: Person, line: str) -> None:
    (settled.sandbox.home / "code").mkdir()
    (settled.sandbox.home / "code" / "shop").symlink_to(settled.sandbox.root)
    settled.add_program("claude", 'echo "2.1.329 (Claude Code)"')
    settled.run_shell("git init -q")
    if " task " in line:
        settled.run_shell("agent-memory task start 368")
    done = settled.run_shell(line)
    assert done.returncode == 0, done.stderr
    assert done.stdout or done.stderr


TURNS = read_turns("docs/cli.md")


@pytest.mark.parametrize(("line", "told"), TURNS, ids=[line for line, _told in TURNS])
def test_console_sessions_of_the_page(settled: Person, line: str, told: str) -> None:
    done = settled.run_shell(line)
    said = f"{(done.stdout + done.stderr).rstrip()}\n"
    assert doctest.OutputChecker().check_output(told, said, doctest.ELLIPSIS), said


def test_json_fields_agree_with_the_page(settled: Person) -> None:
    settled.sandbox.run_hook("pre_tool_use", settled.make_sample("pre"))
    project = settled.sandbox.open_project()
    add_runs(project.paths, make_run("r1", arrived="lost", arrived_by="prompt"))
    status = settled.read_json("status")
    replay = settled.read_json("replay", "-", data=settled.make_sample("post"))
    doctor = json.loads(settled.run("doctor", "--json").stdout)
    for row, value in {
        "`status`": status,
        "`status`, in `agents`": status["agents"][0],
        "`status`, in `hooks`": status["hooks"][0],
        "`status`, in `last_delivery`": status["last_delivery"],
        "`status`, in `warnings`": status["warnings"][0],
        "`show`": settled.read_json("show", "engineer"),
        "`show --as-given`": settled.read_json("show", "engineer", "--as-given"),
        "`doctor`": doctor,
        "`doctor`, in `findings`": doctor["findings"][0],
        "`replay`": replay,
        "`replay`, in `changes`": replay["changes"][0],
        "`sweep`": settled.read_json("tidy")["sweep"],
        "`config show`, a list": settled.read_json("config", "show")[0],
        "`config check`": settled.read_json("config", "check"),
        "`config paths`, a list": settled.read_json("config", "paths")[0],
        "`list`, a list": settled.read_json("list")[0],
        "`list AGENT`, a list": settled.read_json("list", "engineer")[0],
        "`search`, a list": settled.read_json("search", "event")[0],
        "`log`, a list": settled.read_json("log")[0],
        "`diff`": settled.read_json("diff", "engineer"),
        "`confirm`, `contradict`, `remove`, `pin`, `unpin`": settled.read_json(
            "pin", "engineer", "bus"
        ),
        "`undo`, a list": settled.read_json("undo")[0],
    }.items():
        assert set(value) == read_fields(row), row


def test_the_summaries_and_samples_are_complete() -> None:
    groups = (*cli.COMMAND_GROUPS.values(), cli.HIDDEN_COMMANDS)
    summaries = {target: summary for group in groups for target, summary in group.items()}
    for name, target in cli.TARGETS.items():
        assert help_of(cli.load_command(name)).split("\n")[0] == summaries[target]
    assert set(get_args(replay.Kind)) == set(sample_events.KINDS)


def test_help_lists_the_everyday_commands_or_all(person: Person) -> None:
    short, long = person.run("help").stdout, person.run("help", "--all").stdout
    assert short.startswith("Usage: agent-memory ")
    assert {person.run(*words).stdout for words in ([], ["-h"], ["--help"])} == {short}
    names = {name for name in cli.TARGETS if f"\n  {name} " in short}
    assert names == set(cli.EVERYDAY)
    assert "All commands: agent-memory help --all\n" in short
    assert {name for name in cli.TARGETS if f"\n  {name} " in long} == {*cli.TARGETS} - {"clean"}


def test_help_of_groups_commands_and_json(person: Person) -> None:
    for group in ("config", "task", "preference", "git"):
        shown = {person.run(group, *words).stdout for words in ([], ["help"], ["-h"], ["--help"])}
        assert shown == {person.run("help", group).stdout}
    assert person.run("help", "task", "start").stdout == person.run("task", "start", "-h").stdout
    assert person.run("help", "json").stdout == JSON_PAGE
    assert person.run("help", "nothing").returncode == 2


def test_the_version_is_printed_everywhere(person: Person) -> None:
    for words in ("-V", "--version", "list -V", "config show --version"):
        done = person.run(*words.split())
        assert (done.returncode, done.stdout) == (0, f"agent-memory {installation.__version__}\n")


# --- conventions ---


def test_usage_errors_are_two_lines(settled: Person) -> None:
    cases = {
        "statu": "no such command 'statu'. Did you mean 'status'",
        "xyzzy": "no such command 'xyzzy'\n",
        "config chek": "'chek'. Did you mean 'check'",
        "audit --git": "audit was removed: agent-memory doctor names items with secrets",
        "prune --older-than 9d --below 2": "2.0 is not in the range 0<=x<=1\n",
        "config edit": "config edit was removed: edit config.yml",
        "config path": "config path was removed: use agent-memory config paths",
        "experiment status": "experiment status was removed: use agent-memory experiment report",
        "dashboard --port 99999": "99999 is not in the range 0<=x<=65535\n",
        "diff engineer qa": "unexpected extra argument",
        "add text": "Usage: agent-memory add AGENT [TYPE] TEXT...",
        "--debg status": "no such option: --debg",
        "show -- --debug": "invalid agent name '--debug'",
        "run --no-lerning x": "--no-learning",
        "run": "missing argument",
        "config set limits.max_sections -5": "-5 (put -- before a text or number that",
        "sample stat": "'stat' is not one of 'pre'",
        "status --project nowhere --json": "'nowhere' does not exist",
        "status --project": "--project",
        "replay nowhere.json --json": "nowhere.json: No such file or directory",
    }
    check_refused(settled, cases)


def test_an_error_shows_its_origin_only_when_asked(settled: Person) -> None:
    (settled.sandbox.memories / "engineer.md").write_text("x" * 1_000_001)
    shows = "show engineer"
    message = "agent-memory: .claude-mpm/memories/engineer.md is larger than 1 MB\n"
    check_refused(settled, {shows: message}, status=1)
    debug = {"AGENT_MEMORY_DEBUG": "1"}
    for words, env in ((f"{shows} --debug", {}), (f"--debug {shows}", {}), (shows, debug)):
        assert "Traceback" in read_stderr(settled.run(*words.split(), **env), 1)


def test_a_closed_pipe_is_not_an_error_but_a_full_disk_is(person: Person) -> None:
    for number in range(200):
        person.sandbox.write_memory(f"a{number}", *[ITEM] * 20)
    for words in (
        "status | true",
        "--help | true",
        "show a0 | true",
        "status >&-",
        "list >&- 2>&-",
    ):
        done = person.run_shell(f"agent-memory {words}")
        assert (done.returncode, done.stderr) == (0, "")
    done = person.run_shell("ulimit -f 0; agent-memory status > out.txt")
    assert (done.returncode, done.stderr) == (1, "agent-memory: File too large\n")


# Typer itself, without its --help, for which some versions load pydantic.
BARE = """
import typer
app = typer.Typer(rich_markup_mode=None)
main = lambda: typer.main.get_command(app).main(standalone_mode=False)
app.command(add_help_option=False)(lambda: None)
"""


# Slow to import, and needed by few commands.
HEAVY = {"rich", "yaml", "filelock", "subprocess"}


def test_a_command_loads_only_what_it_needs(settled: Person) -> None:
    settled.run("status")  # the first reader compiles the settings
    bare = list_loaded_modules(settled, BARE, "")
    main = "from memory_core.cli.entry import main"
    for words in ("--version", "--help", "status", "show engineer", "log engineer"):
        assert not (list_loaded_modules(settled, main, words) - bare) & HEAVY, words
    help_modules = list_loaded_modules(settled, main, "--help")
    assert not [name for name in help_modules if name.startswith("memory_core.memory")]
    assert "memory_core.doctor.checks" not in list_loaded_modules(settled, main, "status")


def test_every_command_with_output_has_json() -> None:
    without = {
        name
        for name, command in commands().items()
        if not any("--json" in param.opts for param in command.params)
    }
    assert without == cli.WITHOUT_JSON - {"monitor"}
    fields = JSON_PAGE.split("\n")
    rows = " ".join(line.split("|")[1] for line in fields if line.startswith("|"))
    assert not [name for name in set(commands()) - without if not re.search(rf"`{name}\b", rows)]


# --- which project ---


def test_the_project_is_found_as_hooks_find_it(settled: Person, tmp_path: Path) -> None:
    root, inner, elsewhere = settled.sandbox.root, settled.sandbox.root / "src", tmp_path / "other"
    inner.mkdir()
    elsewhere.mkdir()
    for options, folder, variable, expected in (
        ("", inner, "", root),
        ("", elsewhere, str(root), root),
        ("", elsewhere, "", elsewhere),
        (f"--project {inner}", elsewhere, "", root),
        (f"--project={elsewhere}", inner, str(root), elsewhere),
    ):
        words = [*options.split(), "status", "--json"]
        done = settled.run(*words, cwd=folder, CLAUDE_PROJECT_DIR=variable)
        assert json.loads(done.stdout)["project"] == str(expected)


# --- show ---


def test_show_finds_an_agent_by_any_spelling(settled: Person) -> None:
    settled.sandbox.write_memory("PM", "Releases go out on Tuesdays")
    for name, agent in (("ENGINEER_memories.md", "engineer"), ("pm", "PM")):
        assert settled.run("show", name).stdout == settled.sandbox.read_memory(agent)
    define_agents(settled.sandbox.root, "engine")
    assert settled.run("show", "engine").returncode == 0


def test_show_prints_the_exact_bytes_except_on_a_terminal(settled: Person) -> None:
    odd = b"\xef\xbb\xbf# Odd\r\n- caf\xe9 \x1b]0;pwned\x07\r\nno end"
    (settled.sandbox.memories / "engineer.md").write_bytes(odd)
    assert settled.run("show", "engineer").stdout.encode("utf-8", "surrogateescape") == odd
    assert "caf\ufffd" in settled.read_json("show", "engineer")["text"]
    assert "\x1b" not in run_on_terminal(settled, "show engineer")


def test_show_of_an_empty_memory_succeeds(settled: Person) -> None:
    makes = "its first learning creates .claude-mpm/memories/plan.md"
    said = read_stderr(settled.run("show", "Plan"), 0)
    assert said == f"plan has no memory yet; {makes}\n"
    done = settled.succeed("show", "PM")
    assert done.stderr.endswith("To give it one: agent-memory add PM guideline TEXT\n")
    assert settled.read_json("show", "Plan")["file"] is None


def test_show_of_the_users_memory(settled: Person) -> None:
    users = settled.sandbox.write_memory("engineer", "Prefers tabs", user=True)
    assert settled.run("show", "engineer", "--user").stdout == users.read_text()
    message = "no agent 'nosuch' here; agent-memory status"
    options = ("--json", "--user", "--as-given")
    check_refused(settled, {f"show nosuch {option}": message for option in options})


def test_show_as_given_agrees_with_the_hook(settled: Person) -> None:
    reply = settled.sandbox.run_hook("pre_tool_use", settled.make_sample("pre")).reply
    given = reply["updatedInput"]["prompt"].removeprefix(f"{sample_events.PROMPT}\n\n")
    assert settled.run("show", "engineer", "--as-given").stdout == f"{given}\n"
    assert settled.read_json("show", "engineer", "--as-given")["text"] == given
    settled.sandbox.write_memory("PM", "Releases go out on Tuesdays")
    reply = settled.sandbox.run_hook("session_start", settled.make_sample("session")).reply
    assert settled.run("show", "PM", "--as-given").stdout == f"{reply['additionalContext']}\n"
    settled.sandbox.configure("memory:\n  exclude: [qa]\n")
    for agent in ("statusline-setup", "qa"):
        settled.sandbox.write_memory(agent, ITEM)
        assert "nothing" in read_stderr(settled.run("show", agent, "--as-given"), 0)


# --- status ---


def test_status_counts_what_there_is(settled: Person) -> None:
    settled.sandbox.write_memory("PM", "Releases go out on Tuesdays", "No deploys on Friday")
    project = settled.sandbox.open_project()
    project.store.add_to_review("engineer", [make_waiting("a"), make_waiting("b")], "2026-11-20")
    add_report(project.paths, "qa", is_tried=True)
    for hour, verdict in ((8, "delivered"), (9, "lost")):
        when = f"2026-11-20T0{hour}:00:00.000Z"
        run = make_run(verdict, "done", when, arrived=verdict, arrived_by="prompt")
        add_runs(project.paths, run)
    told = settled.read_json("status")
    rows = [(row["agent"], row["items"], row["review"], row["unmerged"]) for row in told["agents"]]
    assert rows == [("engineer", 1, 2, 0), ("qa", 0, 0, 1), ("PM", 2, 0, 0)]
    assert told["last_delivery"]["verdict"] == "lost"
    shown = settled.run("status").stdout
    for said in (
        "warning: 1 report not merged yet (agent-memory tidy)",
        "warning: 2 learnings wait for you (agent-memory review)",
        f"\nEvent log: {settled.sandbox.state / 'events.jsonl'}\n",
        "Last delivery: engineer, lost by prompt, ",
        "was lost (agent-memory doctor)",
    ):
        assert said in shown


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_status_fits_the_terminal(settled: Person, width: int) -> None:
    long = "a-very-long-name-of-an-agent-that-somebody-made-up-on-a-quiet-afternoon"
    settled.sandbox.write_memory(long, ITEM)
    settled.sandbox.write_memory("漢字漢字漢字漢字", ITEM)
    shown = strip_colours(run_on_terminal(settled, "status", width, LANG="en_US.UTF-8"))
    table = shown[: shown.index("")]
    assert max(map(entries.count_cells, table)) <= width
    assert ("REVIEW" in table[0]) == (width >= 60)
    assert ("SECT" in table[0]) == (width >= 80)
    assert (long in "".join(table)) == (width == 200)


def test_colour_is_for_terminals_that_want_it(person: Person) -> None:
    for env in ({}, {"NO_COLOR": "1"}, {"TERM": "dumb"}):
        assert ("\x1b[" in run_on_terminal(person, "status", **env)) == (not env)
    shown = person.run("status", TERM="xterm").stdout
    assert shown.isascii()
    assert "\x1b" not in shown
    assert shown.startswith("No agent has a memory yet")
    assert "Hooks: not installed\n" in shown


# --- sample and replay ---


@pytest.mark.parametrize("kind", sample_events.KINDS)
def test_each_sample_is_a_new_run(settled: Person, kind: str) -> None:
    """The hooks themselves read the event, because they wait for it only for a short time."""
    settled.run("review", "--new", "--accept")
    for _ in range(2):
        event = json.loads(settled.run("sample", kind).stdout)
        assert events.validate(event, "") == event
        assert run_records.is_safe_id(event.get("agent_id", "a"))
        script = hook_runner.list_scripts()[event["hook_event_name"]]
        done = settled.sandbox.run_hook(script, event)
        assert (done.status, done.stderr) == (0, b"")
        assert bool(done.stdout) == (kind in ("pre", "start", "post", "handback"))
    assert not settled.sandbox.read_log("agent.memory.error")
    assert settled.sandbox.read_memory("engineer").count(sample_events.LEARNING) <= 1


def test_replay_shows_what_write_does(person: Person, tmp_path: Path) -> None:
    event = tmp_path / "event.json"
    event.write_bytes(person.make_sample("post"))
    shown = person.read_json("replay", str(event))
    assert read_files(person.sandbox.root) == {}
    assert shown["written"] is False
    assert 1 < shown["milliseconds"] < 10_000
    (change,) = [each for each in shown["changes"] if each["file"].endswith("engineer.md")]
    assert change["kind"] == "created"
    assert f"+- {sample_events.LEARNING}" in change["diff"]
    person.succeed("replay", str(event), "--write")
    assert f"- {sample_events.LEARNING}\n" in person.sandbox.read_memory("engineer")


def test_replay_prints_reply_diff_and_time(settled: Person) -> None:
    settled.sandbox.append_to_memory("engineer", "- Build in C:\\new\n")
    said = settled.run("replay", "-", data=settled.make_sample("pre")).stdout
    assert "Build in C:\\\\new\n" in said
    heads = [line for line in said.splitlines() if line.startswith("== ")]
    assert re.fullmatch(r"== pre_tool_use.py, after \d+ ms", heads[0])
    assert heads[1] == "== would change"
    assert f"\n- {ITEM}\n" in said
    assert "+++ b/state/events.jsonl" in said
    settled.sandbox.configure("memory:\n  enabled: false\n")
    told = settled.read_json("replay", "-", data=settled.make_sample("pre"))
    assert (told["reply"], told["changes"]) == (None, [])


def test_replay_runs_the_hooks_of_an_installed_package(settled: Person, tmp_path: Path) -> None:
    for name in ("memory_core", "settings.template.json"):
        (tmp_path / name).symlink_to(REPO / name)
    (tmp_path / "agent_memory_hooks").symlink_to(REPO / "hooks")
    data = settled.make_sample("pre")
    done = settled.run("replay", "-", "--json", data=data, PYTHONPATH=str(tmp_path))
    told = json.loads(done.stdout)
    assert told["hook"] == str(tmp_path / "agent_memory_hooks" / "pre_tool_use.py")
    assert told["reply"]


def test_replay_says_what_is_no_event(settled: Person) -> None:
    for data, said in {
        **dict.fromkeys((b"", b"\xff\xfe", b"[" * 100_000, b"[1]"), "a JSON object is expected"),
        b'{"a": 1}': "no hook answers the event without hook_event_name",
        b'{"hook_event_name": "Stop"}': "no hook answers the event Stop",
        b'{"hook_event_name": [1]}': "no hook answers the event [1]",
    }.items():
        check_refused(settled, {"replay -": said}, data=data)
    done = settled.run("replay", "-", data=settled.make_sample("pre", tool_input=[]))
    assert done.returncode == 1
    assert "The hook reported: InvalidEvent: PreToolUse: tool_input is a list" in done.stderr


# --- sweep ---


def test_sweep_learns_missed_reports(settled: Person) -> None:
    assert settled.read_json("tidy")["sweep"]["transcripts"] == 0  # the first one only begins
    interrupted = transcripts.Transcripts(settled.sandbox)
    interrupted.folder = Path(find_transcript_folder(str(settled.sandbox.root), settled.env))
    interrupted.write("a1", transcripts.said(sample_events.REPORT), agentType="engineer")
    told = settled.read_json("tidy")["sweep"]
    assert (told["transcripts"], told["learnings"]) == (1, 1)
    assert sample_events.LEARNING in settled.sandbox.read_memory("engineer")


# --- tidy ---

SIDES = f"<<<<<<< HEAD\n- {ITEM}\n=======\n- Tests need redis\n>>>>>>> other\n"


@pytest.fixture
def untidy(settled: Person) -> Person:
    """Return a user with work for each step of `tidy`."""
    add_report(settled.sandbox.paths, is_tried=True)
    settled.sandbox.write_memory("qa").write_text(f"# Qa\n\n## Project Architecture\n{SIDES}")
    leftover = settled.sandbox.state / "ready" / f"engineer.1{TEMPORARY}"
    write(leftover, "half")
    os.utime(leftover, (0, 0))
    return settled


def test_tidy_does_all_upkeep(untidy: Person) -> None:
    before = read_files(untidy.sandbox.root)
    dry = untidy.run("tidy", "--dry-run")
    assert dry.returncode == 0, dry.stderr
    assert read_files(untidy.sandbox.root) == before
    for said in ("1 report would", "-<<<<<<< HEAD", "1 file"):
        assert said in dry.stdout
    assert "Merged 1 waiting report." in untidy.succeed("tidy").stdout
    assert TAUGHT in untidy.sandbox.read_memory("engineer")
    assert "<<<<<<<" not in untidy.sandbox.read_memory("qa")
    # Nothing is removed unasked.
    assert list(untidy.sandbox.state.glob(f"ready/*{TEMPORARY}"))
    assert untidy.run("tidy", "--yes").returncode == 0
    assert not list(untidy.sandbox.state.glob(f"ready/*{TEMPORARY}"))
    again = untidy.read_json("tidy", "--yes")
    assert list(again) == ["gone", "sweep", "resolve", "clean"]
    assert (again["sweep"]["merged"], again["resolve"]["files"]) == (0, [])


def test_tidy_says_once_that_there_is_nothing_to_do(person: Person) -> None:
    person.run("add", "qa", "an item")
    person.run("tidy")
    for options in ([], ["--yes"], ["--user"]):
        assert read_stderr(person.run("tidy", *options), 0) == "Nothing to tidy up.\n"


def test_the_answer_no_concerns_one_step(untidy: Person) -> None:
    assert answer_all(Terminal(untidy, "agent-memory tidy"), YES_OR_NO, "n\r") == 1
    assert list(untidy.sandbox.state.glob(f"ready/*{TEMPORARY}"))


# --- config ---


def test_config_shows_where_a_value_comes_from(settled: Person) -> None:
    users = settled.sandbox.home / ".claude-mpm" / "config.yml"
    write(users, "memory:\n  user_level: shadow\n  strip_markers: false\n")
    settled.sandbox.configure(
        "memory:\n  strip_markers: true\n  agent_overrides: {qa: {size_kb: 16, max_sections: 3}}\n"
    )
    settled.env["AGENT_MEMORY_LIMIT_KB"] = "4"
    rows = settled.read_json("config", "show")
    found = {row["key"]: (row["value"], row["source"]) for row in rows}
    own = str(settled.sandbox.root / ".claude-mpm" / "config.yml")
    for key, told in {
        "enabled": (True, "default"),
        "user_level": ("shadow", str(users)),
        "strip_markers": (True, own),
        "agent_overrides.qa.max_sections": (3, own),
        "agent_overrides.qa.size_kb": (4, "environment"),
        "limits.default_size_kb": (4, "environment"),
    }.items():
        assert found[key] == told
    assert all(row["description"] for row in rows)


def test_config_show_counts_problems_and_check_names_their_lines(settled: Person) -> None:
    done = settled.run("config", "show")
    meaning = "    save what agents report; false means off\n"
    assert f"memory.auto_learning: true  (default)\n{meaning}" in done.stdout
    assert done.stderr == ""
    settled.sandbox.configure("memory:\n  enabled: true\n  user_levle: off\n")
    done = settled.succeed("config", "show")
    assert done.stderr == "config.yml: 1 problem (agent-memory config check)\n"
    path = settled.sandbox.root / ".claude-mpm" / "config.yml"
    told = f"{path}:3: memory.user_levle: unknown key; did you mean memory.user_level?"
    done = settled.run("config", "check")
    assert (done.returncode, done.stdout, done.stderr) == (1, f"{told}\n", "")
    done = settled.run("config", "check", "--json")
    assert (done.returncode, json.loads(done.stdout)) == (1, {"problems": [told]})


SETTINGS = """\
# The team's settings.
memory:
  # on or off
  enabled: true  # since May
  limits:
    default_size_kb: 8
  # names of agents
  include:
  - "a*"
  exclude: []
"""
OF_QA = "  agent_overrides:\n    qa:\n      size_kb: 9\n"


def test_config_set_changes_one_setting(person: Person) -> None:
    path = person.sandbox.root / ".claude-mpm" / "config.yml"
    for key, value, old, new in (
        ("enabled", "false", "enabled: true  #", "enabled: false #"),
        ("memory.limits.default_size_kb", "16", "_kb: 8", "_kb: 16"),
        ("exclude", "[x, y]", "exclude: []", "exclude: [x, y]"),
        ("exclude", "x, y", "exclude: []", "exclude: [x, y]"),
        ("exclude", "research", "exclude: []", "exclude: [research]"),
        ("include", "[b]", '\n  - "a*"', " [b]"),
        ("user_level", "off", "exclude: []\n", "exclude: []\n  user_level: off\n"),
        ("limits.max_sections", "7", "_kb: 8\n", "_kb: 8\n    max_sections: 7\n"),
        ("agent_overrides.qa.size_kb", "9", "exclude: []\n", f"exclude: []\n{OF_QA}"),
    ):
        person.sandbox.configure(SETTINGS)
        person.succeed("config", "set", key, value)
        assert path.read_text() == SETTINGS.replace(old, new)


def test_config_set_refuses_what_is_invalid(person: Person) -> None:
    person.sandbox.configure(SETTINGS)
    cases = {
        "enabled maybe": "Input should be a valid boolean, not maybe",
        "limits.default_size_kb 0": "0 is less than 1",
        "limits.default_size 5": "did you mean memory.limits.default_size_kb?",
        "limits {}": "did you mean memory.limits.default_size_kb or memory.limits.max_sections or",
        "enabled ''": "use YAML on one line",
        "enabled 'true\nother: 1'": "use YAML on one line",
        "enabled [1": "not YAML",
    }
    check_refused(person, cases, prefix="config set")


def test_config_get_prints_values(person: Person) -> None:
    assert person.run("config", "get", "limits.default_size_kb").stdout == "8\n"
    limits = person.run("config", "get", "limits").stdout
    assert "memory.limits.max_sections: 10  (default)\n" in limits
    every = person.run("config", "get").stdout
    assert "memory.enabled: true  (default)\n" in every
    assert every == person.run("config", "get", "memory").stdout
    assert every == person.run("config", "show").stdout
    check_refused(person, {"config get limts": "did you mean"})
    shown = person.run("config", "paths").stdout
    for folder in (person.sandbox.root, person.sandbox.home):
        assert f"{folder}/.claude-mpm/config.yml\n" in shown


FLOW = "memory: {learning: auto, notices: all}\n"


def test_config_unset_restores_the_default(person: Person) -> None:
    def get_learning() -> str:
        return person.run("config", "get", "learning").stdout.strip()

    for text in ("", "# mine\n", "memory:\n", "memory: {learning: auto}\n", FLOW):
        if text:
            person.sandbox.configure(text)
        person.run("config", "set", "learning", "ask", "--user")
        person.run("config", "set", "learning", "off")
        assert get_learning() == "off"
        for options, value in (([], "ask"), (["--user"], "auto")):
            person.succeed("config", "unset", "learning", *options)
            assert get_learning() == value
        path = person.sandbox.root / ".claude-mpm" / "config.yml"
        left = path.read_text() if path.exists() else ""
        assert left == (
            FLOW.replace("learning: auto, ", "") if text == FLOW else text.partition("memory:")[0]
        )
    for form in ("tasks: off", "tasks: {enabled: off}"):
        for words in (["unset", "tasks.enabled"], ["set", "tasks.enabled", "on"]):
            person.sandbox.configure(f"memory:\n  {form}\n")
            person.succeed("config", *words)
            assert person.run("config", "get", "tasks.enabled").stdout == "true\n"
    person.sandbox.configure("memory:\n  selection: off\n")
    person.succeed("config", "set", "selection.budget_tokens", "500")
    assert person.run("config", "get", "selection.enabled").stdout == "false\n"
    for arguments, value in ((["set", "tasks", "off"], "false"), (["unset", "tasks"], "true")):
        person.succeed("config", *arguments)
        assert person.run("config", "get", "tasks.enabled").stdout == f"{value}\n"
    assert person.run("config", "unset", "lerning").returncode == 2


def test_config_unset_keeps_comments(person: Person) -> None:
    path = person.sandbox.root / ".claude-mpm" / "config.yml"
    for key, removed in {
        "enabled": "  enabled: true  # since May\n",
        "include": '  include:\n  - "a*"\n',
        "exclude": "  exclude: []\n",
    }.items():
        person.sandbox.configure(f"{SETTINGS}# the end\n")
        person.succeed("config", "unset", key)
        assert path.read_text() == f"{SETTINGS}# the end\n".replace(removed, "")


def test_config_unset_says_what_counts_now(person: Person) -> None:
    file = ".claude-mpm/config.yml"
    for key, value, now in (
        ("memory.learning", "ask", '; now "auto" (default)'),
        ("memory.agent_overrides.qa.max_sections", "3", ""),
    ):
        assert person.run("config", "set", key, value).stdout == f"{key}: {value}  ({file})\n"
        for said in (f"Removed {key} ({file}){now}", f"{key} is not set in {file}"):
            assert person.run("config", "unset", key).stdout == f"{said}\n"
