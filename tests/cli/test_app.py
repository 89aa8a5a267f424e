"""All commands: help, usage errors, --json; and commands for status, upkeep and setup."""

from __future__ import annotations

import doctest
import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any, get_args

import pytest

from memory_core.claude_code import events, sample_events
from memory_core.cli import app as cli
from memory_core.cli.common import tables
from memory_core.cli.setup import sample
from memory_core.files.safe_files import TEMPORARY
from memory_core.memory.project import find_project
from memory_core.setup import installation
from memory_core.storage import config_defaults, event_log, run_records, spool
from support.command_line import ITEM, JSON_PAGE, PAGE, Person, list_loaded_modules, read_fields
from support.completion import complete
from support.files import read_files
from support.paths import REPO
from support.review import make_waiting
from support.spool import add_cut_spool_entry, add_spool_entry, make_spool_entry
from support.tables import for_each
from support.terminal import Terminal, run_on_terminal, strip_colours

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
    return [line.strip() for text in told for line in text.partition("Example:")[2].split("\n")]


def test_the_page_lists_the_commands_with_their_help() -> None:
    told = re.findall(r"^\| `agent-memory ([^`]+)` \| (.+) \|$", PAGE, re.MULTILINE)
    assert told == [(name, help_of(each).split("\n")[0]) for name, each in commands().items()]


@for_each(("name", "command"), commands().items())
def test_help_is_a_sentence_and_an_example(name: str, command: Any) -> None:
    text = help_of(command)
    first = text.split("\n")[0]
    assert first.endswith(".")
    assert first.count(". ") == 0
    assert f"agent-memory {name}" in text.partition("Example:")[2]


@pytest.mark.parametrize("name", ["", *commands(), "config"])
def test_every_help_fits_into_80_columns(person: Person, name: str) -> None:
    done = person.run(*name.split(), "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert max(map(len, done.stdout.split("\n"))) <= 80
    assert "\x1b" not in done.stdout


# These do not end by themselves; tests/cli/test_monitor.py and tests/dashboard run them.
ENDLESS = ("agent-memory monitor", "agent-memory dashboard")


@pytest.mark.parametrize(
    "line", [line for line in examples() if line and not line.startswith(ENDLESS)]
)
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


def sessions() -> list[tuple[str, str]]:
    """Return (command, output) of the console sessions on the page."""
    blocks = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    turns = [turn for block in blocks for turn in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    return [(turn.partition("\n")[0], turn.partition("\n")[2]) for turn in turns]


@pytest.mark.parametrize(("line", "told"), sessions(), ids=[line for line, _ in sessions()])
def test_console_sessions_of_the_page(settled: Person, line: str, told: str) -> None:
    done = settled.run_shell(line)
    said = f"{(done.stdout + done.stderr).rstrip()}\n"
    assert doctest.OutputChecker().check_output(told, said, doctest.ELLIPSIS), said


def test_json_fields_agree_with_the_page(settled: Person) -> None:
    settled.sandbox.run_hook("pre_tool_use", settled.make_sample("pre"))
    project = find_project(str(settled.sandbox.root), settled.sandbox.env)
    event_log.write(project.paths, "agent.memory.lost", agent_id="engineer", route="prompt")
    status = settled.read_json("status")
    replay = settled.read_json("replay", "-", data=settled.make_sample("post"))
    doctor = json.loads(settled.run("doctor", "--json").stdout)
    for row, value in {
        "`version`": settled.read_json("version"),
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
        "`sweep`": settled.read_json("sweep"),
        "`config show`, a list": settled.read_json("config", "show")[0],
        "`config check`": settled.read_json("config", "check"),
        "`config paths`, a list": settled.read_json("config", "paths")[0],
    }.items():
        assert set(value) == read_fields(row), row


def test_the_summaries_are_those_of_the_commands() -> None:
    for name, info in cli.COMMANDS_BY_NAME.items():
        assert help_of(cli.load_command(name)).split("\n")[0] == info.summary


def test_the_samples_are_those_of_the_events() -> None:
    assert set(get_args(sample.Kind)) == set(sample_events.KINDS)


def test_help_lists_the_everyday_commands_or_all(person: Person) -> None:
    short, long = person.run("help").stdout, person.run("help", "--all").stdout
    assert {person.run(*words).stdout for words in ([], ["-h"], ["--help"])} == {short}
    names = {name for name in cli.COMMANDS_BY_NAME if f"\n  {name} " in short}
    assert names == set(cli.EVERYDAY)
    assert "All commands: agent-memory help --all\n" in short
    assert {name for name in cli.COMMANDS_BY_NAME if f"\n  {name} " in long} >= names


@pytest.mark.parametrize("group", ["config", "task", "preference", "git"])
def test_a_group_without_a_command_prints_its_help(person: Person, group: str) -> None:
    shown = {person.run(group, *words).stdout for words in ([], ["help"], ["-h"], ["--help"])}
    assert shown == {person.run("help", group).stdout}


@pytest.mark.parametrize("words", ["-V", "--version", "list -V", "config show --version"])
def test_the_version_is_printed_everywhere(person: Person, words: str) -> None:
    done = person.run(*words.split())
    assert (done.returncode, done.stdout) == (0, f"agent-memory {installation.__version__}\n")


def test_help_has_no_type_names(person: Person) -> None:
    """Values have names as in the documentation: N, TIME, AGENT."""
    for name in commands():
        text = person.run(*name.split(), "--help").stdout
        assert not re.search(r"<\w+|INTEGER|FLOAT|\bSTR\b|range|list\[", text), text


def test_help_prints_the_help_of_a_command_and_the_json_fields(person: Person) -> None:
    assert person.run("help", "task", "start").stdout == person.run("task", "start", "-h").stdout
    assert person.run("help", "json").stdout == JSON_PAGE
    assert person.run("help", "nothing").returncode == 2


# --- conventions ---


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["statu"], 2, "no such command 'statu'; did you mean agent-memory status?"),
        (["xyzzy"], 2, "no such command 'xyzzy'\n"),
        (["config", "chek"], 2, "'chek'; did you mean agent-memory config check?"),
        (["Show", "engineer"], 2, "did you mean agent-memory show?"),
        (["memory", "list"], 2, "did you mean agent-memory list?"),
        (["engineer", "show"], 2, "did you mean agent-memory show?"),
        (["agents"], 2, "did you mean agent-memory list"),
        (["history"], 2, "did you mean agent-memory log"),
        (["duplicates"], 2, "did you mean agent-memory optimize?"),
        (["log", "-n", "five"], 2, "'-n': invalid number 'five': use a whole number, at least 1\n"),
        (["log", "-n", "0"], 2, "invalid number '0': use a whole number, at least 1\n"),
        (["prune", "--older-than", "9d", "--below", "2"], 2, "use a number from 0 to 1\n"),
        (["mcp", "--http", "--port", "99999"], 2, "use a whole number, from 0 to 65535\n"),
        (["diff", "engineer", "qa"], 2, "unexpected argument: qa"),
        (["add", "a text"], 2, "Usage: agent-memory add AGENT [TYPE] TEXT..."),
        (["show"], 2, "missing argument"),
        (["show", "engineer", "--jason"], 2, "no such option: --jason"),
        (["--debg", "status"], 2, "no such option: --debg"),
        (["show", "engineer", "--projct", "x"], 2, "no such option: --projct"),
        (["run", "--no-lerning", "x"], 2, "--no-learning"),
        (["add", "qa", "- a text"], 2, "-- before a text or number that begins with -)"),
        (["config", "set", "limits.max_sections", "-5"], 2, "-5 (put -- before"),
        (["status", "-x"], 2, "no such option: -x\n"),
        (["show", "enginer"], 2, "did you mean engineer?"),
        (["sample", "stat"], 2, "'stat' is not one of 'pre'"),
        (["status", "--project", "nowhere"], 2, "'nowhere' does not exist"),
        (["status", "--project"], 2, "--project"),
        (["replay", "nowhere.json"], 2, "nowhere.json: No such file or directory"),
        (["replay", "/"], 2, "/: Is a directory"),
    ],
)
def test_usage_errors_are_two_lines(
    settled: Person, arguments: list[str], status: int, said: str
) -> None:
    done = settled.run(*arguments)
    assert (done.returncode, done.stdout) == (status, "")
    assert done.stderr.startswith("agent-memory: ")
    assert said in done.stderr
    assert len(done.stderr.splitlines()) <= 2


def test_an_error_shows_its_origin_only_when_asked(settled: Person) -> None:
    path = settled.sandbox.memories / "engineer.md"
    path.write_text("x" * 1_000_001)
    plain = settled.run("show", "engineer")
    assert (plain.returncode, plain.stdout) == (1, "")
    said = "agent-memory: .claude-mpm/memories/engineer.md is larger than 1 MB\n"
    assert plain.stderr == said
    for done in (
        settled.run("show", "engineer", "--debug"),
        settled.run("--debug", "show", "engineer"),
        settled.run("show", "engineer", AGENT_MEMORY_DEBUG="1"),
    ):
        assert done.returncode == 1
        assert "Traceback" in done.stderr


def test_without_a_command_help_is_shown(person: Person) -> None:
    done = person.run()
    assert done.returncode == 0
    assert done.stdout.startswith("Usage: agent-memory ")


def test_the_version_is_that_of_the_package(person: Person) -> None:
    told = {person.run(*words).stdout for words in (["version"], ["--version"], ["-V"])}
    assert told == {f"agent-memory {installation.__version__}\n"}


@pytest.mark.parametrize("words", ["status", "--help", "sample", "config show", "show a0"])
def test_a_closed_pipe_is_not_an_error(person: Person, words: str) -> None:
    for number in range(200):
        person.sandbox.write_memory(f"a{number}", *[ITEM] * 20)
    done = person.run_shell(f"agent-memory {words} | true")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_full_disk_is_reported_in_one_line(settled: Person) -> None:
    done = settled.run_shell("ulimit -f 0; agent-memory status > out.txt")
    assert done.returncode == 1
    assert done.stderr == "agent-memory: File too large\n"


def test_closed_streams_are_not_an_error(settled: Person) -> None:
    assert settled.run_shell("agent-memory status >&-").returncode == 0
    assert settled.run_shell("agent-memory show engineer >&- 2>&-").returncode == 0


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
    for words in ("--version", "--help", "status", "show engineer", "blame engineer", "sweep"):
        assert not (list_loaded_modules(settled, main, words) - bare) & HEAVY, words
    help_modules = list_loaded_modules(settled, main, "--help")
    assert not [name for name in help_modules if name.startswith("memory_core.memory")]
    assert "memory_core.doctor.checks" not in list_loaded_modules(settled, main, "status")


# These commands print nothing, a script, or JSON already.
WITHOUT_JSON = {
    "config edit",
    "completion",
    "dashboard",
    "edit",
    "export",
    "install",
    "help",
    "mcp",
    "report",
    "run",
    "sample",
    "uninstall",
}


def test_every_command_with_output_has_json() -> None:
    without = {
        name
        for name, command in commands().items()
        if not any("--json" in param.opts for param in command.params)
    }
    assert without == WITHOUT_JSON
    fields = JSON_PAGE.split("\n")
    rows = " ".join(line.split("|")[1] for line in fields if line.startswith("|"))
    assert not [name for name in set(commands()) - without if not re.search(rf"`{name}\b", rows)]


@pytest.mark.parametrize(
    "words",
    [
        "show enginer",
        "show engineer --at x",
        "log enginer",
        "blame nobody",
        "diff nobody",
        "undo 9",
        "share nothing --user",
        "remove engineer nothing",
        "preference get enginer x",
        "git install",
        "config check --nothing",
        "import nowhere.json",
        "prune --older-than x",
        "status --project nowhere",
        "version now",
    ],
)
def test_an_error_leaves_stdout_empty_for_json(settled: Person, words: str) -> None:
    done = settled.run(*words.split(), "--json")
    assert done.returncode in (1, 2)
    assert done.stdout == ""
    assert done.stderr.startswith("agent-memory: ")


# --- which project ---


def test_the_project_is_found_as_hooks_find_it(settled: Person, tmp_path: Path) -> None:
    inner = settled.sandbox.root / "src" / "deep"
    inner.mkdir(parents=True)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    root = str(settled.sandbox.root)

    def told(*words: str, cwd: Path, project: str = "") -> str:
        done = settled.run(*words, "status", "--json", cwd=cwd, CLAUDE_PROJECT_DIR=project)
        return str(json.loads(done.stdout)["project"])

    assert told(cwd=inner) == root
    assert told(cwd=elsewhere, project=root) == root
    assert told(cwd=elsewhere) == str(elsewhere)
    assert told("--project", str(inner), cwd=elsewhere) == root
    # Options override the environment.
    assert told(f"--project={elsewhere}", cwd=inner, project=root) == str(elsewhere)


@pytest.mark.parametrize(
    ("arguments", "moved"),
    [
        (["show", "x", "--project", "."], ["--project", ".", "show", "x"]),
        (["--project=/", "show", "x", "--debug"], ["--project=/", "--debug", "show", "x"]),
        (["show", "--", "--debug"], ["show", "--", "--debug"]),
        (["run", "--memory-limit", "8", "x", "--debug"], None),
        (["run", "--debug", "x", "--debug"], ["--debug", "run", "x", "--debug"]),
        ([], []),
    ],
)
def test_shared_options_are_moved_before_the_command(
    arguments: list[str], moved: list[str] | None
) -> None:
    assert cli.move_shared_options(arguments) == (arguments if moved is None else moved)


# --- show ---


@pytest.mark.parametrize("name", ["engineer", "Engineer", "engineer-agent", "ENGINEER_memories.md"])
def test_show_finds_an_agent_by_any_spelling(settled: Person, name: str) -> None:
    assert settled.run("show", name).stdout == settled.sandbox.read_memory("engineer")


def test_show_prints_the_exact_bytes(settled: Person) -> None:
    odd = b"\xef\xbb\xbf# Odd\r\n- caf\xe9 \x1b[31m\r\nno end"
    (settled.sandbox.memories / "engineer.md").write_bytes(odd)
    done = settled.run("show", "engineer")
    assert done.stdout.encode("utf-8", "surrogateescape") == odd
    assert "caf\ufffd" in settled.read_json("show", "engineer")["text"]


def test_show_removes_control_sequences_on_a_terminal(settled: Person) -> None:
    (settled.sandbox.memories / "engineer.md").write_text("- \x1b]0;pwned\x07item\n")
    assert "\x1b" not in run_on_terminal(settled, "show engineer", PAGER="cat")


def test_show_of_an_empty_memory_succeeds(settled: Person) -> None:
    makes = "its first learning creates .claude-mpm/memories/plan.md"
    done = settled.run("show", "Plan")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == f"plan has no memory yet; {makes}\n"
    done = settled.run("show", "PM")
    assert done.returncode == 0
    assert done.stderr == (
        "The main session has no memory yet.  To give it one: agent-memory add PM guideline TEXT\n"
    )
    assert settled.read_json("show", "Plan")["file"] is None
    assert not (settled.sandbox.memories / "plan.md").exists()


@pytest.mark.parametrize("option", ["--json", "--user", "--as-given"])
def test_show_of_an_unknown_agent_is_an_error(settled: Person, option: str) -> None:
    done = settled.run("show", "nosuch", option)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("agent-memory: no agent 'nosuch' here; agent-memory status")


@pytest.mark.parametrize("name", ["PM", "pm"])
def test_show_knows_the_main_session(settled: Person, name: str) -> None:
    path = settled.sandbox.write_memory("PM", "Releases go out on Tuesdays")
    assert settled.run("show", name).stdout == path.read_text()


def test_show_knows_the_agents_that_claude_code_knows(settled: Person) -> None:
    folder = settled.sandbox.root / ".claude" / "agents"
    folder.mkdir()
    (folder / "x.md").write_text("---\nname: engine\ndescription: like engineer\n---\nYou ...\n")
    assert settled.run("show", "engine").returncode == 0
    assert settled.run("show", "Explor").stderr.endswith("did you mean explore?\n")


def test_show_falls_back_to_the_users_memory(settled: Person) -> None:
    users = settled.sandbox.write_memory("engineer", "Prefers tabs", user=True)
    done = settled.run("show", "engineer")
    assert done.stdout == settled.sandbox.read_memory("engineer")
    assert str(users) in done.stderr
    (settled.sandbox.memories / "engineer.md").unlink()
    assert settled.run("show", "engineer").stdout == users.read_text()


def test_show_as_given_agrees_with_the_hook(settled: Person) -> None:
    reply = settled.sandbox.run_hook("pre_tool_use", settled.make_sample("pre")).reply
    given = reply["updatedInput"]["prompt"].removeprefix(f"{sample_events.PROMPT}\n\n")
    assert settled.run("show", "engineer", "--as-given").stdout == f"{given}\n"
    assert settled.read_json("show", "engineer", "--as-given")["text"] == given


def test_show_as_given_for_the_main_session_is_what_its_hook_gives(settled: Person) -> None:
    settled.sandbox.write_memory("PM", "Releases go out on Tuesdays")
    reply = settled.sandbox.run_hook("session_start", settled.make_sample("session")).reply
    assert settled.run("show", "PM", "--as-given").stdout == f"{reply['additionalContext']}\n"


@pytest.mark.parametrize("agent", ["statusline-setup", "qa"])
def test_show_as_given_says_when_nothing_is_given(settled: Person, agent: str) -> None:
    settled.sandbox.write_memory(agent, ITEM)
    settled.sandbox.configure("memory:\n  exclude: [qa]\n")
    done = settled.run("show", agent, "--as-given")
    assert (done.returncode, done.stdout) == (0, "")
    assert "nothing" in done.stderr


# --- status ---


def test_status_of_a_new_project(person: Person) -> None:
    lines = person.run("status").stdout.splitlines()
    assert lines[0].startswith("No agent has a memory yet")
    assert "Hooks: not installed" in lines
    assert person.read_json("status")["agents"] == []
    assert read_files(person.sandbox.root) == {}


def test_status_counts_what_there_is(settled: Person) -> None:
    settled.sandbox.write_memory("PM", "Releases go out on Tuesdays", "No deploys on Friday")
    project = find_project(str(settled.sandbox.root), settled.sandbox.env)
    project.store.add_to_review("engineer", [make_waiting("a"), make_waiting("b")], "2026-11-20")
    spool.add(project.paths, "qa", make_spool_entry("qa"))
    rows = {each["agent"]: each for each in settled.read_json("status")["agents"]}
    assert list(rows) == ["engineer", "qa", "PM"]
    numbers = {name: (row["items"], row["review"], row["spooled"]) for name, row in rows.items()}
    assert numbers == {"engineer": (1, 2, 0), "qa": (0, 0, 1), "PM": (2, 0, 0)}
    said = settled.run("status").stdout
    assert "warning: 1 learning not merged yet (agent-memory tidy)" in said
    assert "warning: 2 learnings wait for you (agent-memory review)" in said
    assert f"\nEvent log: {settled.sandbox.state / 'events.jsonl'}\n" in said
    assert re.search(r"^3 agents +3 ", said, re.MULTILINE)


def test_status_of_200_agents(person: Person) -> None:
    for number in range(200):
        person.sandbox.write_memory(f"agent-number-{number:03}", ITEM)
    lines = person.run("status").stdout.splitlines()
    assert len([line for line in lines if line.startswith("agent-number-")]) == 200
    assert max(len(line) for line in lines if not line.startswith("Event log: ")) <= 80
    assert all(line == line.rstrip() for line in lines)


@pytest.mark.parametrize("width", [20, 40, 60, 80, 200])
def test_status_fits_the_terminal(settled: Person, width: int) -> None:
    long = "a-very-long-name-of-an-agent-that-somebody-made-up-on-a-quiet-afternoon"
    settled.sandbox.write_memory(long, ITEM)
    settled.sandbox.write_memory("漢字漢字漢字漢字", ITEM)
    shown = strip_colours(run_on_terminal(settled, "status", width, LANG="en_US.UTF-8"))
    table = shown[: shown.index("")]
    assert max(map(tables.count_cells, table)) <= width
    assert ("REVIEW" in table[0]) == (width >= 60)
    assert ("SECT" in table[0] and "TREND" in table[0]) == (width >= 80)
    assert (long in "".join(table)) == (width == 200)


@pytest.mark.parametrize(
    ("env", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)]
)
def test_colour_is_for_terminals_that_want_it(
    person: Person, env: dict[str, str], coloured: bool
) -> None:
    assert ("\x1b[" in run_on_terminal(person, "status", **env)) == coloured
    assert "\x1b" not in person.run("status", TERM="xterm").stdout
    assert person.run("status").stdout.isascii()


def test_status_shows_the_last_delivery(settled: Person) -> None:
    project = find_project(str(settled.sandbox.root), settled.sandbox.env)
    for verdict, route in (("delivered", "prompt"), ("lost", "prompt")):
        event_log.write(project.paths, f"agent.memory.{verdict}", agent_id="engineer", route=route)
    assert settled.read_json("status")["last_delivery"]["verdict"] == "lost"
    said = settled.run("status").stdout
    assert "Last delivery: engineer, lost by prompt, " in said
    assert "was lost (agent-memory doctor)" in said


# --- sample and replay ---


@pytest.mark.parametrize("kind", sample_events.KINDS)
def test_a_sample_is_a_valid_event(person: Person, kind: str) -> None:
    event = json.loads(person.run("sample", kind, "--agent", "qa").stdout)
    assert events.validate(event, "") == event
    assert run_records.is_safe_id(event["session_id"])
    assert run_records.is_safe_id(event.get("agent_id", "a"))


@pytest.mark.parametrize("kind", sample_events.KINDS)
def test_each_sample_is_a_new_run(settled: Person, kind: str) -> None:
    """The hooks themselves read the event, because they wait for it only for a short time."""
    script = {"pre": "pre_tool_use", "start": "subagent_start", "stop": "subagent_stop"}
    script |= {"session": "session_start", "handback": "pre_tool_use"}
    hook = script.get(kind, "post_tool_use")
    said = []
    settled.run("review", "--new", "--accept")
    for _ in range(2):
        event = settled.run("sample", kind).stdout
        (settled.sandbox.home / "event.json").write_text(event)
        done = settled.run_shell(f'python3 "$HOOKS/{hook}.py" < "$HOME/event.json"')
        assert (done.returncode, done.stderr) == (0, "")
        said.append(bool(done.stdout))
    assert said == [kind in ("pre", "start", "post", "handback")] * 2
    assert not settled.sandbox.read_log("agent.memory.error")
    assert settled.sandbox.read_memory("engineer").count(sample_events.LEARNING) <= 1


@pytest.mark.parametrize("kind", sample_events.KINDS)
def test_replay_changes_nothing(settled: Person, kind: str) -> None:
    settled.run("status")  # the first reader compiles the settings
    before = read_files(settled.sandbox.root)
    told = settled.read_json("replay", "-", data=settled.make_sample(kind))
    assert read_files(settled.sandbox.root) == before
    assert told["written"] is False
    assert told["changes"]
    assert 1 < told["milliseconds"] < 10_000


def test_replay_shows_what_write_does(settled: Person, tmp_path: Path) -> None:
    event = tmp_path / "event.json"
    event.write_bytes(settled.make_sample("post"))
    shown = settled.read_json("replay", str(event))
    assert sample_events.LEARNING not in settled.sandbox.read_memory("engineer")
    diff = next(each for each in shown["changes"] if each["file"].endswith("engineer.md"))
    assert f"+- {sample_events.LEARNING}" in diff["diff"]
    copy = tmp_path / "copy"
    copy.mkdir()
    patched = copy / ".claude-mpm" / "memories" / "engineer.md"
    patched.parent.mkdir(parents=True)
    patched.write_text(settled.sandbox.read_memory("engineer"))
    subprocess.run(["patch", "-p1", "-s"], input=diff["diff"].encode(), cwd=copy, check=True)
    done = settled.run("replay", str(event), "--write")
    assert done.returncode == 0, done.stderr
    stamp = re.compile("Last Updated: [^|]*")
    assert stamp.sub("", settled.sandbox.read_memory("engineer")) == stamp.sub(
        "", patched.read_text()
    )


def test_replay_prints_reply_diff_and_time(settled: Person) -> None:
    said = settled.run("replay", "-", data=settled.make_sample("pre")).stdout
    heads = [line for line in said.splitlines() if line.startswith("== ")]
    assert heads[0] == "== in: pre_tool_use.py"
    assert re.fullmatch(r"== out, after \d+ ms", heads[1])
    assert heads[2] == "== would change"
    assert f"    - {ITEM}\n" in said
    assert "+++ b/state/events.jsonl" in said


def test_replay_of_a_project_without_memory(person: Person) -> None:
    told = person.read_json("replay", "-", data=person.make_sample("post"))
    kinds = {each["file"]: each["kind"] for each in told["changes"]}
    assert kinds[".claude-mpm/memories/engineer.md"] == "created"
    assert kinds[".claude-mpm/memories/README.md"] == "created"
    assert "# Engineer Memory - shop" in json.dumps(told["changes"])
    assert read_files(person.sandbox.root) == {}


def test_replay_heeds_the_settings(settled: Person) -> None:
    settled.sandbox.configure("memory:\n  enabled: false\n")
    told = settled.read_json("replay", "-", data=settled.make_sample("pre"))
    assert (told["reply"], told["changes"]) == (None, [])


def test_replay_spares_memories_that_are_linked_from_elsewhere(
    settled: Person, tmp_path: Path
) -> None:
    shared = tmp_path / "shared"
    settled.sandbox.memories.rename(shared)
    settled.sandbox.memories.symlink_to(shared)
    before = read_files(shared)
    told = settled.read_json("replay", "-", data=settled.make_sample("post"))
    assert sample_events.LEARNING in json.dumps(told["changes"])
    assert read_files(shared) == before


def test_replay_spares_a_file_that_is_linked_from_elsewhere(
    settled: Person, tmp_path: Path
) -> None:
    target = tmp_path / "engineer.md"
    path = settled.sandbox.memories / "engineer.md"
    path.rename(target)
    path.symlink_to(target)
    before = target.read_bytes()
    settled.run("replay", "-", data=settled.make_sample("post"))
    assert target.read_bytes() == before


def test_replay_finds_memories_in_another_folder(settled: Person) -> None:
    settled.sandbox.configure("memory:\n  directory: .claude-mpm/team\n")
    team = settled.sandbox.memories.with_name("team")
    settled.sandbox.memories.rename(team)
    (team / "huge.bin").write_bytes(b"0" * 100)
    told = settled.read_json("replay", "-", data=settled.make_sample("post"))
    files = [each["file"] for each in told["changes"]]
    assert ".claude-mpm/team/engineer.md" in files
    assert sample_events.LEARNING not in (team / "engineer.md").read_text()


def test_replay_guesses_the_event_of_a_short_example(settled: Person) -> None:
    short = b'{"tool_name": "Task", "tool_input": {"prompt": "x", "subagent_type": "engineer"}}'
    assert settled.read_json("replay", "-", data=short)["hook"].endswith("pre_tool_use.py")


def test_replay_runs_the_hooks_of_an_installed_package(settled: Person, tmp_path: Path) -> None:
    packages = tmp_path / "site-packages"
    packages.mkdir()
    (packages / "memory_core").symlink_to(REPO / "memory_core")
    (packages / "agent_memory_hooks").symlink_to(REPO / "hooks")
    data = settled.make_sample("pre")
    done = settled.run("replay", "-", "--json", data=data, PYTHONPATH=str(packages))
    told = json.loads(done.stdout)
    assert told["hook"] == str(packages / "agent_memory_hooks" / "pre_tool_use.py")
    assert told["reply"]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is not JSON"),
        (b"{", "is not JSON"),
        (b"\xff\xfe", "is not JSON"),
        (b"[" * 100_000, "is not JSON"),
        (b"[1]", "a JSON object is expected"),
        (b"{}", "the event has no hook_event_name"),
        (b'{"hook_event_name": "Stop"}', "no hook answers the event Stop"),
        (b'{"hook_event_name": []}', "the event has no hook_event_name"),
        (b'{"hook_event_name": [1]}', "no hook answers the event [1]"),
    ],
)
def test_replay_says_what_is_no_event(person: Person, data: bytes, said: str) -> None:
    done = person.run("replay", "-", data=data)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_replay_ends_with_1_when_the_hook_reports_an_error(settled: Person) -> None:
    done = settled.run("replay", "-", data=settled.make_sample("pre", tool_input=[]), cwd=None)
    assert done.returncode == 1
    assert "The hook reported: InvalidEvent: PreToolUse: tool_input is a list" in done.stderr


# --- sweep ---


def transcript(person: Person, project: Path) -> Path:
    """Write the transcript of an interrupted run of the engineer."""
    slug = re.sub("[^0-9A-Za-z]", "-", str(project))
    folder = person.sandbox.home / ".claude" / "projects" / slug / "s1" / "subagents"
    folder.mkdir(parents=True)
    content = [{"type": "text", "text": sample_events.REPORT}]
    line = {
        "type": "assistant",
        "sessionId": "s1",
        "agentId": "a1",
        "cwd": str(project),
        "message": {"content": content},
    }
    path = folder / "agent-a1.jsonl"
    path.write_text(json.dumps(line) + "\n")
    path.with_suffix(".meta.json").write_text('{"agentType": "engineer"}')
    return path


def test_sweep_learns_missed_reports(settled: Person) -> None:
    assert settled.read_json("sweep")["transcripts"] == 0  # the first one only begins
    transcript(settled, settled.sandbox.root)
    told = settled.read_json("sweep")
    assert (told["transcripts"], told["learnings"], told["complete"]) == (1, 1, True)
    assert sample_events.LEARNING in settled.sandbox.read_memory("engineer")
    assert settled.run("sweep").stderr == "Nothing to tidy up.\n"


def test_sweep_merges_and_counts_the_spool(settled: Person) -> None:
    spool.add(settled.sandbox.paths, "engineer", make_spool_entry("engineer"))
    assert settled.run("sweep", "--dry-run").stdout == "1 learning would be merged.\n"
    done = settled.run("sweep")
    assert done.stdout == "Merged 1 waiting learning.\n"
    assert settled.read_json("sweep")["waiting"] == []
    assert "Retries are set in one place" in settled.sandbox.read_memory("engineer")


def test_unmerged_learnings_are_reported_until_the_cause_is_repaired(settled: Person) -> None:
    add_cut_spool_entry(settled)
    add_spool_entry(settled)
    settled.sandbox.run_hook("session_start", json.loads(settled.make_sample("session")))
    assert settled.read_json("sweep")["waiting"] == []
    assert settled.sandbox.read_memory("engineer").count("Retries are set in one place") == 1
    (left,) = (settled.sandbox.state / "spool" / "engineer").iterdir()
    found = json.loads(settled.run("doctor", "--json").stdout)["findings"]
    (told,) = [each for each in found if each["check"] == "spool"]
    assert told["where"] == str(left)
    assert told["what"].startswith("a waiting learning is invalid: ")
    learnings = [["pattern", "Fixtures are generated by make"]]
    left.write_text(
        json.dumps({**make_spool_entry("engineer"), "run": "a2", "learnings": learnings})
    )
    settled.run("sweep")
    assert "- Fixtures are generated by make\n" in settled.sandbox.read_memory("engineer")
    assert settled.list_findings("warning", "broken") == []


def test_sweep_shows_a_sign_of_life_on_a_terminal(settled: Person) -> None:
    assert "Reading transcripts" in run_on_terminal(settled, "sweep")


# --- tidy ---

CONFLICT = f"""\
# Qa

## Project Architecture
<<<<<<< HEAD
- {ITEM}
=======
- Tests need redis
>>>>>>> other
"""


@pytest.fixture
def untidy(settled: Person) -> Person:
    """Return a user with work for each step of `tidy`."""
    spool.add(settled.sandbox.paths, "engineer", make_spool_entry("engineer"))
    settled.sandbox.write_memory("qa", ITEM)
    (settled.sandbox.memories / "qa.md").write_text(CONFLICT)
    (settled.sandbox.memories / "reviewer_memories.md").write_text(f"## Notes\n- {ITEM}\n")
    leftover = settled.sandbox.state / "errors" / f"engineer.1{TEMPORARY}"
    leftover.parent.mkdir(exist_ok=True)
    leftover.write_text("half")
    os.utime(leftover, (0, 0))
    return settled


def test_tidy_does_all_upkeep(untidy: Person) -> None:
    memories = untidy.sandbox.memories
    before = read_files(untidy.sandbox.root)
    dry = untidy.run("tidy", "--dry-run")
    assert dry.returncode == 0, dry.stderr
    assert read_files(untidy.sandbox.root) == before
    for said in ("1 learning would", "-<<<<<<< HEAD", "reviewer_memories.md ->", "1 file"):
        assert said in dry.stdout
    done = untidy.run("tidy", "--yes")
    assert done.returncode == 0, done.stderr
    assert "Merged 1 waiting learning." in done.stdout
    assert "<<<<<<<" not in (memories / "qa.md").read_text()
    names = {path.name for path in memories.iterdir() if path.is_file()}
    assert names == {"engineer.md", "qa.md", "reviewer.md"}
    assert not list(untidy.sandbox.state.glob(f"errors/*{TEMPORARY}"))
    again = untidy.read_json("tidy", "--yes")
    assert list(again) == ["sweep", "resolve", "migrate", "clean", "expire"]
    assert [again["sweep"]["merged"], again["resolve"]["files"]] == [0, []]


@pytest.mark.parametrize("words", ["tidy", "tidy --yes", "tidy --user"])
def test_tidy_says_once_that_there_is_nothing_to_do(person: Person, words: str) -> None:
    person.run("add", "qa", "an item")
    person.run("tidy")
    done = person.run(*words.split())
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "Nothing to tidy up.\n")


def test_tidy_removes_nothing_unasked(untidy: Person) -> None:
    assert untidy.run("tidy").returncode == 0
    names = {path.name for path in untidy.sandbox.memories.iterdir() if path.is_file()}
    assert "reviewer_memories.md" in names
    assert list(untidy.sandbox.state.glob(f"errors/*{TEMPORARY}"))


def test_the_answer_no_concerns_one_step(untidy: Person) -> None:
    terminal = Terminal(untidy, "agent-memory tidy")
    for keys in ("n\r", "y\r"):
        terminal.wait_for(r"\? \[y/N\]: ")
        terminal.send_keys(keys)
    assert terminal.wait_for_end() == 1
    names = {path.name for path in untidy.sandbox.memories.iterdir() if path.is_file()}
    assert names == {"engineer.md", "qa.md", "reviewer_memories.md"}
    assert not list(untidy.sandbox.state.glob(f"errors/*{TEMPORARY}"))


@pytest.mark.parametrize("name", ["sweep", "resolve", "migrate", "clean", "version"])
def test_older_names_work_but_are_not_listed(person: Person, name: str) -> None:
    assert person.run(name).returncode == 0
    assert f"\n  {name} " not in person.run("help", "--all").stdout
    assert name not in complete(person, name[:3]).split()


# --- config ---


def test_config_shows_where_a_value_comes_from(settled: Person) -> None:
    users = settled.sandbox.home / ".claude-mpm" / "config.yml"
    users.parent.mkdir()
    users.write_text("memory:\n  user_level: shadow\n  strip_markers: false\n")
    settled.sandbox.configure(
        "memory:\n  strip_markers: true\n  agent_overrides: {qa: {size_kb: 16, max_sections: 3}}\n"
    )
    done = settled.run("config", "show", "--json", AGENT_MEMORY_LIMIT_KB="4")
    found = {each["key"]: (each["value"], each["source"]) for each in json.loads(done.stdout)}
    own = str(settled.sandbox.root / ".claude-mpm" / "config.yml")
    assert found["enabled"] == (True, "default")
    assert found["user_level"] == ("shadow", str(users))
    assert found["strip_markers"] == (True, own)
    assert found["agent_overrides.qa.max_sections"] == (3, own)
    assert found["agent_overrides.qa.size_kb"] == (4, "environment")
    assert found["limits.default_size_kb"] == (4, "environment")
    assert all(each["description"] for each in json.loads(done.stdout))


def test_config_show_prints_whole_keys_and_counts_problems(settled: Person) -> None:
    done = settled.run("config", "show")
    assert (
        "memory.auto_learning: true  (default)\n    save what agents report; false means off\n"
        in done.stdout
    )
    assert done.stderr == ""
    settled.sandbox.configure("memory:\n  auto_learning: 7\n  user_levle: off\n")
    done = settled.run("config", "show")
    assert done.returncode == 0
    assert done.stderr == "config.yml: 2 problems (agent-memory config check)\n"


SETTINGS = """\
# The team's settings.
memory:
  # on or off
  enabled: true  # since May
  limits:
    default_size_kb: 8
  include:
  - "a*"
  exclude: []

other: [1, 2]  # of another tool
"""


@pytest.mark.parametrize(
    ("key", "value", "old", "new"),
    [
        ("enabled", "false", "enabled: true  #", "enabled: false  #"),
        ("memory.limits.default_size_kb", "16", "_kb: 8", "_kb: 16"),
        ("exclude", "[x, y]", "exclude: []", "exclude: [x, y]"),
        ("user_level", "off", "  enabled", "  user_level: off\n  enabled"),
        ("limits.max_sections", "7", "    default", "    max_sections: 7\n    default"),
        (
            "agent_overrides.qa.size_kb",
            "9",
            "  enabled",
            "  agent_overrides:\n    qa:\n      size_kb: 9\n  enabled",
        ),
    ],
)
def test_config_set_changes_one_line(
    person: Person, key: str, value: str, old: str, new: str
) -> None:
    person.sandbox.configure(SETTINGS)
    done = person.run("config", "set", key, value)
    assert done.returncode == 0, done.stderr
    path = person.sandbox.root / ".claude-mpm" / "config.yml"
    assert path.read_text() == SETTINGS.replace(old, new)
    assert person.run("config", "get", key).returncode == 0


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("enabled", "maybe", "expected true or false, not maybe"),
        ("limits.default_size_kb", "0", "0 is less than 1"),
        ("limits.default_size", "5", "did you mean memory.limits.default_size_kb?"),
        ("limits", "{}", "unknown setting 'memory.limits'"),
        ("other", "1", "unknown setting"),
        ("enabled", "", "use YAML on one line"),
        ("enabled", "true\nother: 1", "use YAML on one line"),
        ("enabled", "[1", "not YAML"),
        ("include", "[b]", "cannot be changed in this file: use agent-memory config edit"),
    ],
)
def test_config_set_refuses_what_is_invalid(
    person: Person, key: str, value: str, said: str
) -> None:
    person.sandbox.configure(SETTINGS)
    done = person.run("config", "set", key, value)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert (person.sandbox.root / ".claude-mpm" / "config.yml").read_text() == SETTINGS


@pytest.mark.parametrize("text", ["", "# mine\n", "memory:\n", "memory: {enabled: true}\n"])
def test_config_set_writes_a_new_file_too(person: Person, text: str) -> None:
    if text:
        person.sandbox.configure(text)
    assert person.run("config", "set", "enabled", "false").returncode == 0
    assert person.run("config", "get", "enabled").stdout == "false\n"
    assert person.run("config", "set", "enabled", "false", "--user").returncode == 0


def test_config_get_prints_values(person: Person) -> None:
    assert person.run("config", "get", "limits.default_size_kb").stdout == "8\n"
    assert person.run("config", "get", "learning").stdout == "auto\n"
    limits = person.run("config", "get", "limits").stdout
    assert "memory.limits.max_sections: 10  (default)\n" in limits
    every = person.run("config", "get").stdout
    assert "memory.enabled: true  (default)\n" in every
    assert every == person.run("config", "get", "memory").stdout
    assert every == person.run("config", "show").stdout
    done = person.run("config", "get", "limts")
    assert (done.returncode, done.stdout) == (2, "")
    assert "did you mean" in done.stderr


def test_config_edit_saves_only_valid_files(person: Person) -> None:
    person.sandbox.configure(SETTINGS.partition("other")[0])
    path = person.sandbox.root / ".claude-mpm" / "config.yml"
    done = person.run("config", "edit", EDITOR="sed -i s/true/false/")
    assert (done.returncode, done.stdout) == (0, "Saved .claude-mpm/config.yml\n")
    assert "enabled: false  # since May" in path.read_text()
    before = path.read_text()
    done = person.run("config", "edit", EDITOR="sed -i s/enabled:/[/")
    assert (done.returncode, done.stdout) == (1, "")
    assert "nothing was changed, your text is in" in done.stderr
    assert path.read_text() == before


def test_config_without_a_file_has_every_default(person: Person) -> None:
    settings = {row["key"]: row["value"] for row in person.read_json("config", "show")}
    defaults = config_defaults.DEFAULTS
    flat = {key: value for key, value in defaults.items() if not isinstance(value, dict)}
    assert settings.items() >= flat.items()


def test_config_check_names_the_line(settled: Person) -> None:
    settled.sandbox.configure("memory:\n  enabled: true\n  user_levle: off\n")
    path = settled.sandbox.root / ".claude-mpm" / "config.yml"
    done = settled.run("config", "check")
    assert (done.returncode, done.stderr) == (1, "")
    told = "memory.user_levle: unknown key; did you mean memory.user_level?"
    assert done.stdout == f"{path}:3: {told}\n"
    done = settled.run("config", "check", "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout) == {"problems": [f"{path}:3: {told}"]}


def test_config_paths_names_both_files(person: Person) -> None:
    done = person.run("config", "paths")
    for folder in (person.sandbox.root, person.sandbox.home):
        assert f"{folder}/.claude-mpm/config.yml\n" in done.stdout
    assert person.run("config", "path").stdout == done.stdout


def test_config_unset_restores_the_default(person: Person) -> None:
    person.run("config", "set", "learning", "ask", "--user")
    person.run("config", "set", "learning", "off")
    assert person.run("config", "get", "learning").stdout == "off\n"
    assert person.run("config", "unset", "learning").returncode == 0
    assert person.run("config", "get", "learning").stdout == "ask\n"
    assert person.run("config", "unset", "learning", "--user").returncode == 0
    assert person.run("config", "get", "learning").stdout == "auto\n"
    assert person.run("config", "unset", "lerning").returncode == 2


@pytest.mark.parametrize("command", ["get", "get learning", "show", "get --json"])
def test_config_get_names_the_fault_of_a_broken_file(person: Person, command: str) -> None:
    person.sandbox.configure("memory:\n  learning: [\n")
    done = person.run("config", *command.split())
    assert done.returncode == 1
    assert f"{person.sandbox.root}/.claude-mpm/config.yml:3:1: not YAML" in done.stderr
    done = person.run("config", "set", "learning", "ask")
    assert (done.returncode, done.stderr[:41]) == (2, "agent-memory: config.yml:3:1: not YAML: w")
