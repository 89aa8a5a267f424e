"""The command line on a terminal, as the installed command: what it shows, asks, and leaves."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pexpect
import pytest
from conftest import Sandbox
from test_cli import COMMAND, ITEM, Person, contents
from typer.testing import CliRunner

from memory_core import memory, pruning, timeline
from memory_core.cli import COMPLETE, main, output
from memory_core.cli import app as cli

PAGED = "echo PAGED; cat"
MANY = [f"Service {number} talks through the event bus" for number in range(100)]

# Locales that know no more than ASCII, or another 8 bits.
LOCALES: list[dict[str, str]] = [
    {"LC_ALL": "C"},
    {"LC_ALL": "POSIX", "PYTHONIOENCODING": "ascii"},
    {"LC_ALL": "en_US.ISO-8859-1", "PYTHONIOENCODING": "iso-8859-1"},
]


class Terminal:
    """A terminal on which a person started `agent-memory`, or a shell."""

    def __init__(self, person: Person, command: str, width: int = 80, **env: str) -> None:
        alone = not set(command) & set(";|")  # else Ctrl-C would end the shell around it, too
        self.child = pexpect.spawn(
            "sh",
            ["-c", f"exec {command}" if alone else command],
            env={**person.env, "TERM": "xterm", **env},
            cwd=str(person.sandbox.root),
            dimensions=(24, width),
            encoding="utf-8",
            codec_errors="replace",
            timeout=30,
        )
        self.shown = ""

    def sees(self, pattern: str) -> None:
        self.child.expect(pattern)
        self.shown += f"{self.child.before}{self.child.after}"

    def types(self, keys: str) -> None:
        self.child.send(keys)

    def ends(self) -> int:
        """Wait for the end of it all; return the exit status."""
        self.shown += str(self.child.read())
        self.child.close()
        assert "Traceback" not in self.shown
        return int(self.child.exitstatus)

    @property
    def lines(self) -> list[str]:
        shown = re.sub(r"\x1b(\[[0-9;?]*[A-Za-z]|[=>])", "", self.shown).replace("\r\n", "\n")
        return shown.splitlines()


@pytest.fixture
def person(sandbox: Sandbox, tmp_path: Path) -> Person:
    return Person(sandbox, tmp_path)


@pytest.fixture
def settled(person: Person) -> Person:
    """Somebody with hooks installed and one memory."""
    person.install()
    person.sandbox.remembers("engineer", ITEM)
    return person


@pytest.fixture
def crowd(person: Person) -> Person:
    """Somebody with 200 agents."""
    for number in range(200):
        person.sandbox.remembers(f"agent-{number:03}", ITEM, f"Retries of {number} are its own")
    return person


# --- the pager ---


@pytest.mark.parametrize(
    ("command", "env", "is_paged"),
    [
        ("show engineer", {"PAGER": PAGED}, True),
        ("view engineer", {"PAGER": f"A=1 {PAGED}"}, True),
        ("restore engineer", {"PAGER": PAGED}, True),
        ("restore engineer --no-pager", {"PAGER": PAGED}, False),
        ("show engineer --no-pager", {"PAGER": PAGED}, False),
        ("--no-pager show engineer", {"PAGER": PAGED}, False),
        ("show engineer --json", {"PAGER": PAGED}, False),
        ("show engineer", {"PAGER": PAGED, "TERM": "dumb"}, False),
        ("show engineer | tail -n 1", {"PAGER": PAGED}, False),
        ("show engineer", {"PAGER": "cat"}, False),
        ("show engineer", {"PAGER": ""}, False),
        ("show engineer", {"PAGER": " "}, False),
        ("show engineer", {"PAGER": "'"}, False),
        ("show engineer", {"PAGER": "no-such-pager -x"}, False),
    ],
)
def test_what_is_long_goes_to_the_pager_of_the_person(
    person: Person, command: str, env: dict[str, str], is_paged: bool
) -> None:
    person.sandbox.remembers("engineer", *MANY)
    project = memory.project_of(str(person.sandbox.root), person.sandbox.env)
    project.store.append(
        "archive", "engineer", [f"[Project Architecture] {MANY[-1]}"], "2026-11-20"
    )
    terminal = Terminal(person, f"agent-memory {command}", **env)
    assert terminal.ends() == 0
    assert (terminal.lines[0] == "PAGED") == is_paged
    assert MANY[-1] in terminal.lines[-1] or "--json" in command


@pytest.mark.parametrize("keys", ["q", "\x03q", "G\x03q"])
def test_who_leaves_less_early_has_seen_enough(person: Person, keys: str) -> None:
    if not shutil.which("less"):
        pytest.skip("less is not here")
    person.sandbox.remembers("engineer", *MANY)
    terminal = Terminal(person, "agent-memory show engineer")
    for key in keys:
        terminal.sees(r"\n(\x1b\S+)?(:|\(END\))|\(END\)")
        terminal.types(key)
    assert terminal.ends() == 0
    assert (MANY[-1] in terminal.shown) == ("G" in keys)
    assert MANY[0] in terminal.shown


def test_less_only_prints_what_fits(settled: Person) -> None:
    terminal = Terminal(settled, "agent-memory show engineer; echo $?")
    assert terminal.ends() == 0
    assert terminal.lines[-1] == "0"
    assert f"- {ITEM}" in "\n".join(terminal.lines)


def test_a_pager_that_is_left_at_once_is_no_error(person: Person) -> None:
    person.sandbox.remembers("engineer", *MANY * 100)
    terminal = Terminal(person, "agent-memory show engineer", PAGER="true")
    assert (terminal.ends(), terminal.shown) == (0, "")


def test_messages_and_status_come_through_the_pager(person: Person) -> None:
    person.sandbox.configure("memory:\n  enabled: [\n")
    terminal = Terminal(person, "agent-memory config show", PAGER="sed s/^/:/")
    assert terminal.ends() == 1
    assert all(line.startswith(":") for line in terminal.lines)
    assert ":In force is what was last understood" in terminal.shown
    # An error before there is a result has nothing to do with a pager.
    terminal = Terminal(person, "agent-memory show engineer --at x", PAGER="sed s/^/:/")
    assert terminal.ends() == 2
    assert terminal.lines[0].startswith("agent-memory: 'x' is no time")


@pytest.mark.parametrize(("env", "is_coloured"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_a_pager_gets_colours(settled: Person, env: dict[str, str], is_coloured: bool) -> None:
    settled.run("confirm", "engineer", "bus")
    settled.sandbox.remembers("engineer", f"{ITEM}; since May")
    terminal = Terminal(settled, "agent-memory diff engineer", PAGER=PAGED, **env)
    assert terminal.ends() == 0
    assert terminal.lines[0] == "PAGED"
    assert ("\x1b[32m+- Services" in terminal.shown) == is_coloured


@pytest.mark.parametrize("command", ["status", "doctor"])
def test_what_looks_at_all_agents_is_paged(settled: Person, command: str) -> None:
    terminal = Terminal(settled, f"agent-memory {command}", PAGER=PAGED)
    terminal.ends()
    assert "PAGED" in terminal.lines


TABLE = """
from memory_core.cli.output import Column, end_page, out, page, table
page()
out("first")
for line in table([Column("NAME", 0, right=False), Column("ITEMS", 1)], [["x" * 60, "1"]]):
    out(line)
end_page()
"""


def test_a_table_in_the_pager_knows_the_width(person: Person) -> None:
    (person.sandbox.root / "table.py").write_text(TABLE)
    terminal = Terminal(person, f"{sys.executable} table.py", 40, PAGER=PAGED)
    assert terminal.ends() == 0
    assert terminal.lines[:2] == ["PAGED", "first"]
    assert max(map(output.cells, terminal.lines)) == 40


# --- completion ---


Ask = Callable[..., list[str]]


@pytest.fixture
def suggested(
    settled: Person, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Ask:
    """Ask as a shell does, in this process, what may stand in the place of the last word."""

    def ask(words: str, shell: str = "zsh") -> list[str]:
        for name, value in {**settled.env, COMPLETE: shell}.items():
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(settled.sandbox.root)
        monkeypatch.setattr(sys, "argv", ["agent-memory", *words.split(" ")])
        main()
        said = capsys.readouterr()
        assert said.err == ""
        return [line.partition("\t")[0] for line in said.out.splitlines()]

    return ask


@pytest.mark.parametrize(
    ("words", "shell", "told"),
    [
        ("st", "zsh", ["status"]),
        ("config sh", "zsh", ["show"]),
        ("show eng", "zsh", ["engineer"]),
        ("show Exp", "zsh", []),
        ("show exp", "zsh", ["explore"]),
        ("--project . show eng", "zsh", ["engineer"]),
        ("show --project=. eng", "zsh", ["engineer"]),
        ("--project = . show eng", "bash", ["engineer"]),
        ("show engineer --as", "zsh", ["--as-given"]),
        ("show engineer --p", "zsh", ["--project"]),
        ("show engineer --project ", "zsh", []),
        ("share x --from eng", "zsh", ["engineer"]),
        ("share x --from=eng", "zsh", ["--from=engineer"]),
        ("share x --from = eng", "bash", ["engineer"]),
        ("completion f", "zsh", ["fish"]),
        ("search bus --in ar", "zsh", ["archive"]),
        ("sample sto", "zsh", ["stop"]),
        ("preference set engineer co", "zsh", ["coding-style", "communication"]),
        ("add engineer pat", "zsh", ["pattern"]),
        ("run --no-l", "zsh", ["--no-learning"]),
        ("run -- ", "zsh", []),
        ("run claude --no-l", "zsh", []),
        ("show plugin", "zsh", ["plugin:docs"]),
        ("show plugin : d", "bash", ["docs"]),
        ("nothing ", "zsh", []),
        ("version --", "zsh", ["--json", "--help", "--project", "--no-pager", "--debug"]),
    ],
)
def test_a_shell_is_told_what_may_stand_next(
    settled: Person, suggested: Ask, words: str, shell: str, told: list[str]
) -> None:
    settled.sandbox.remembers("plugin--docs", ITEM)
    assert suggested(words, shell) == told


def test_a_shell_is_told_of_items(settled: Person) -> None:
    (item,) = settled.json("blame", "engineer")
    done = settled.run("confirm", "engineer", item["id"][:2], **{COMPLETE: "fish"})
    assert done.stdout == f"{item['id']}\t{ITEM}\n"


def test_nothing_that_a_shell_could_run_is_suggested(settled: Person, suggested: Ask) -> None:
    settled.sandbox.remembers("=24=28touch x=29", ITEM)
    folder = settled.sandbox.root / ".claude" / "agents"
    folder.mkdir()
    (folder / "x.md").write_text("---\nname: a;`touch y`\n---\n")
    (folder / "y.md").write_text("---\nname: good\n---\n")
    names = suggested("show ")
    assert {"engineer", "good"} <= set(names)
    assert not set("$();` ") & set("".join(names))
    settled.sandbox.remembers("engineer", "a \x1b[31m`b`\tc")
    done = settled.run("remove", "engineer", "", **{COMPLETE: "zsh"})
    assert done.stdout.endswith("\ta [31m`b` c\n")


def test_a_shell_is_told_of_no_error(settled: Person, suggested: Ask) -> None:
    settled.sandbox.configure("memory: [\n")
    shutil.rmtree(settled.sandbox.memories)
    settled.sandbox.memories.write_text("no folder")
    assert set(suggested("show ")) >= {"explore", "plan"}
    for words in ("remove nobody ", "--project /nowhere remove x ", "show --nothing x", "xyz "):
        assert suggested(words) == []
        assert suggested(words, "no-shell") == []
    done = settled.run("remove", "nobody", "", **{COMPLETE: "bash"}, HOME="", CLAUDE_PROJECT_DIR="")
    assert (done.stdout, done.stderr) == ("", "")


# How a shell is started without anything of this machine, and with our completion.
SHELLS = {
    "bash": ["bash", "--noprofile", "-i"],
    "zsh": ["zsh", "--no-globalrcs", "-i"],
    "fish": ["fish", "-i"],
}


@pytest.mark.parametrize("shell", SHELLS)
def test_the_tab_key_of_real_shells(settled: Person, shell: str) -> None:
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not here")
    settled.run("completion", shell, "--install")
    child = pexpect.spawn(
        SHELLS[shell][0],
        SHELLS[shell][1:],
        env={**settled.env, "TERM": "xterm", "INPUTRC": "/dev/null"},
        cwd=str(settled.sandbox.root),
        dimensions=(24, 400),
        encoding="utf-8",
        timeout=30,
    )
    for typed, told in (
        ("agent-memory config pa", "config.yml"),
        (f"agent-memory --project {settled.sandbox.root} show eng", "Services talk"),
        ("agent-memory version --js", '"version": '),
    ):
        child.send(f"{typed}\t\r")
        child.expect_exact(told)
    child.close(force=True)


@pytest.mark.parametrize("shell", SHELLS)
def test_completion_is_installed_once_and_taken_back(person: Person, shell: str) -> None:
    start = person.sandbox.home / f".{shell}rc"
    start.write_bytes(b"alias caf\xe9=ls")
    done = person.run("completion", "--install", SHELL=f"/usr/bin/{shell}")
    assert done.returncode == 0, done.stderr
    assert f"agent-memory completion {shell} --uninstall takes it back" in done.stderr
    after = contents(person.sandbox.home)
    assert start.read_bytes().startswith(b"alias caf\xe9=ls")
    assert person.run("completion", shell, "--install").returncode == 0
    assert contents(person.sandbox.home) == after
    assert len(after) == 2
    done = person.run("completion", shell, "--uninstall")
    assert done.returncode == 0, done.stderr
    assert {name: data.strip() for name, data in contents(person.sandbox.home).items()} == {
        start.name: b"alias caf\xe9=ls"
    }
    again = person.run("completion", shell, "--uninstall")
    assert (again.returncode, again.stdout) == (0, "")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["tcsh"], "no completion for 'tcsh'. There are bash, zsh, fish"),
        (["zhs"], "no completion for 'zhs'; did you mean zsh?"),
        ([], "no completion for of your shell: no SHELL"),
        (["bash", "--install", "--uninstall"], "exclude each other"),
    ],
)
def test_completion_of_no_shell(person: Person, words: list[str], said: str) -> None:
    done = person.run("completion", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


# --- asking ---


def unsure(person: Person) -> str:
    """Give two agents what nobody is sure of."""
    for agent in ("engineer", "qa"):
        person.sandbox.remembers(agent, ITEM)
        person.run("contradict", agent, "event bus")
    return "prune --older-than 0d --below 0.9"


def replaced(person: Person) -> str:
    person.sandbox.remembers("engineer", ITEM)
    person.run("export", "-o", "all.json")
    person.sandbox.remembers("engineer", "Services call one another")
    return "import all.json --replace"


def doubled(person: Person) -> str:
    person.sandbox.remembers("engineer", "Use tabs in Makefiles", "Always use tabs in Makefiles")
    return "optimize"


def misnamed(person: Person) -> str:
    path = person.sandbox.remembers("engineer", "Services call one another")
    path.rename(path.with_name("engineer_memories.md"))
    person.sandbox.remembers("engineer", ITEM)
    return "migrate"


def everything(person: Person) -> str:
    person.install()
    return "uninstall --all"


def files(person: Person) -> dict[str, bytes]:
    """Return what a person would miss: all but what may be deleted at any time."""
    found = {**contents(person.sandbox.root), **contents(person.sandbox.home)}
    return {name: data for name, data in found.items() if "/state/" not in name}


CHANGING = [unsure, replaced, doubled, misnamed, everything]


@pytest.mark.parametrize("prepare", CHANGING)
def test_what_changes_much_asks_first(person: Person, prepare: Callable[[Person], str]) -> None:
    command = f"agent-memory {prepare(person)}"
    before = files(person)
    for keys, status in (("n\r", 1), ("\x03", 130)):
        terminal = Terminal(person, command)
        terminal.sees(r"\? \[y/N\]: ")
        terminal.types(keys)
        assert terminal.ends() == status, terminal.shown
        assert ("nothing was done" in terminal.shown) == (status == 1)
        assert files(person) == before
    terminal = Terminal(person, command)
    terminal.sees(r"\? \[y/N\]: ")
    terminal.types("y\r")
    assert terminal.ends() == 0
    assert files(person) != before


@pytest.mark.parametrize("prepare", CHANGING)
def test_yes_is_not_asked(person: Person, prepare: Callable[[Person], str]) -> None:
    command = f"agent-memory {prepare(person)} --yes"
    before = files(person)
    terminal = Terminal(person, command)
    assert terminal.ends() == 0
    assert "[y/N]" not in terminal.shown
    assert files(person) != before
    undoes = {"migrate": "git has them", "uninstall": "agent-memory install"}
    told = undoes.get(command.split()[1], "agent-memory undo")
    assert told in terminal.shown + person.run(command.split()[1], "--help").stdout


# --- progress ---

COUNTING = """
from memory_core.cli import output
output.PATIENCE = {patience}
print(*output.counted_off([1, 2, 3], "Counting"))
"""


@pytest.mark.parametrize(
    ("patience", "env", "is_shown"),
    [(-1, {}, True), (60, {}, False), (-1, {"TERM": "dumb"}, False)],
)
def test_what_takes_long_shows_how_far_it_is(
    person: Person, patience: int, env: dict[str, str], is_shown: bool
) -> None:
    (person.sandbox.root / "count.py").write_text(COUNTING.format(patience=patience))
    terminal = Terminal(person, f"{sys.executable} count.py", **env)
    assert terminal.ends() == 0
    assert "1 2 3" in terminal.shown
    assert ("Counting" in terminal.shown) == is_shown
    done = person.shell(f"{sys.executable} count.py")
    assert (done.stdout, done.stderr) == ("1 2 3\n", "")


# --- widths, encodings, crowds ---


@pytest.mark.parametrize("width", [40, 80, 200])
def test_200_agents_fit_any_terminal(crowd: Person, width: int) -> None:
    for command in ("status --no-pager", "list --no-pager"):
        terminal = Terminal(crowd, f"agent-memory {command}", width)
        assert terminal.ends() == 0
        rows = [line for line in terminal.lines if re.match(r"agent-\d", line)]
        assert len(rows) == 200
        assert max(map(output.cells, rows)) <= width


LOOKING = ["status", "list", "show explore", "search bus", "log", "blame plan"]


@pytest.mark.parametrize("command", LOOKING)
def test_a_project_without_memory_is_an_empty_state(person: Person, command: str) -> None:
    status = 1 if command.startswith("search") else 0
    terminal = Terminal(person, f"agent-memory {command}", 40)
    assert terminal.ends() == status
    assert terminal.lines
    done = person.run(*command.split(), "--json")
    assert done.returncode == status
    json.loads(done.stdout)
    assert contents(person.sandbox.root) == {}


@pytest.mark.parametrize("env", LOCALES, ids=lambda env: next(iter(env.values())))
def test_any_locale_will_do(settled: Person, env: dict[str, str]) -> None:
    settled.sandbox.remembers("müller", "Grüße — 漢字")
    for words in (["status"], ["show", "müller"], ["list"]):
        done = settled.run(*words, **env)
        assert done.returncode == 0, done.stderr
        assert done.stdout
    told = json.loads(settled.run("show", "müller", "--json", **env).stdout)
    assert "Grüße — 漢字" in told["text"]
    terminal = Terminal(settled, "agent-memory show müller; agent-memory nothing-ü", **env)
    assert terminal.ends() == 2
    assert "no command" in terminal.shown


def test_the_runner_of_typer_sees_the_same(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(sandbox.root))
    path = sandbox.remembers("engineer", ITEM)
    for words, told in (
        (["show", "Engineer Agent"], path.read_text()),
        (["version"], "agent-memory "),
        (["status"], "AGENT"),
        ([], "Usage: agent-memory "),
    ):
        result = CliRunner().invoke(cli.app, words, prog_name="agent-memory")
        assert result.exit_code == 0, result.output
        assert result.output.startswith(told)
    assert CliRunner().invoke(cli.app, ["config", "check"]).exit_code == 0


# --- meanwhile ---

WRITER = """
import os, sys
path = sys.argv[1]
print("ready", flush=True)
while True:
    for count in (1, 200):
        lines = "".join(f"- Item {n} of {count}\\n" for n in range(count))
        with open(path + ".new", "w") as file:
            file.write("# engineer\\n\\n## Project Architecture\\n" + lines)
        os.replace(path + ".new", path)
"""


@pytest.fixture
def writer(settled: Person) -> Iterator[None]:
    """Somebody who saves the engineer's memory again and again, with 1 item or with 200."""
    path = settled.sandbox.memories / "engineer.md"
    command = [sys.executable, "-c", WRITER, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.readline()
        yield
        process.kill()


@pytest.mark.usefixtures("writer")
def test_a_memory_that_is_being_written_is_seen_whole(settled: Person) -> None:
    whole = {1, 200}
    for _ in range(2):
        (row,) = settled.json("status")["agents"]
        assert row["items"] in whole
        shown = settled.run("show", "engineer").stdout.count("\n- Item ")
        assert shown in whole
        assert len(settled.json("list", "engineer")) in whole


def interrupted(person: Person, command: list[str], touched: Path) -> int:
    """Start a command, press Ctrl-C once this file is there; return the exit status."""
    process = subprocess.Popen([*COMMAND, *command], env=person.env, cwd=person.sandbox.root)
    while process.poll() is None and not touched.exists():
        pass
    process.send_signal(signal.SIGINT)
    return process.wait(30)


def test_ctrl_c_leaves_nothing_half_done(person: Person) -> None:
    """Each memory is as it was or as it is to be, and undo takes back what was done."""
    for number in range(50):
        person.sandbox.remembers(f"agent-{number:03}", ITEM)
    project = memory.project_of(str(person.sandbox.root), person.sandbox.env)
    memories = person.sandbox.memories
    before = {path.name: path.read_text() for path in memories.glob("*.md")}
    archive = memories / "archive"
    command = ["prune", "--older-than", "0d", "--below", "1"]
    assert interrupted(person, command, archive / "agent-010.md") == 130
    left = {path.name: path.read_text() for path in memories.glob("*.md")}
    pruned = {name for name in before if ITEM not in left[name]}
    assert 0 < len(pruned) < 50
    assert all(left[name] == before[name] for name in before if name not in pruned)
    assert not [path for path in memories.rglob(".*") if path.name[-1].isdigit()]
    assert person.run("undo").returncode == 0
    again = {path.name: path.read_text() for path in memories.glob("*.md")}
    assert [name for name in before if ITEM not in again[name]] == []
    assert pruning.prune(project, project.store, project.store.agents(), 0, 1.0)
    assert timeline.undoable(project.store)


@pytest.mark.parametrize("words", ["replay -", "import -"])
def test_ctrl_c_is_quiet(person: Person, words: str) -> None:
    process = subprocess.Popen(
        [*COMMAND, *words.split()],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=person.env,
    )
    assert process.stdin
    process.stdin.write(b" " * 1_000_000)  # more than a pipe holds: so it is being read
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate()
    assert (process.returncode, stdout, stderr) == (130, b"", b"")


ENDS = [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)]

# A claude that would work for long, and says that it began.
WORKING = """case "$*" in
*--version*) echo "2.1.329 (Claude Code)" ;;
*) sleep 0.3; echo $$ > "$BEGAN"; sleep 60 ;;
esac"""


@pytest.mark.parametrize(("number", "status"), ENDS)
def test_who_is_ended_leaves_no_child_and_no_folder(
    settled: Person, tmp_path: Path, number: int, status: int
) -> None:
    settled.program("claude", WORKING)
    began, temporary = tmp_path / "began", tmp_path / "temporary"
    temporary.mkdir()
    env = {**settled.env, "BEGAN": str(began), "TMPDIR": str(temporary)}
    process = subprocess.Popen(
        [*COMMAND, "doctor", "--live", "--yes"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=env,
        cwd=settled.sandbox.root,
    )
    while process.poll() is None and not (began.exists() and began.read_text()):
        pass
    process.send_signal(number)
    process.communicate(timeout=30)
    assert process.returncode == status
    assert list(temporary.iterdir()) == []
    with pytest.raises(ProcessLookupError):
        os.kill(int(began.read_text()), 0)


def test_what_ignores_the_end_of_its_terminal_goes_on(settled: Person) -> None:
    """As nohup starts it."""
    done = settled.shell("trap '' HUP; agent-memory run sh -c 'kill -HUP $$; echo on'")
    assert done.stdout == "on\n"
    done = settled.shell("agent-memory run sh -c 'kill -TERM $$; echo on'; echo $?")
    assert done.stdout == "143\n"


def test_who_reads_json_on_a_terminal_is_not_asked(settled: Person) -> None:
    terminal = Terminal(settled, "agent-memory doctor --live --json")
    assert terminal.ends() == 2
    assert "--yes is wanted as well" in terminal.shown


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("log -n 0", "-n 0: a number from 1 on is expected\n"),
        ("undo abc", "invalid value for 'N': a whole number from 1 on is expected\n"),
        ("undo 1.5", "invalid value for 'N': a whole number from 1 on is expected\n"),
    ],
)
def test_a_number_is_from_1_on(settled: Person, words: str, told: str) -> None:
    done = settled.run(*words.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"agent-memory: {told}")


def test_a_command_that_is_named_is_for_the_same_project(settled: Person, tmp_path: Path) -> None:
    (tmp_path / "my shop").symlink_to(settled.sandbox.root)
    project = ["--project", f"{tmp_path}/my shop"]
    settled.run("remove", "engineer", ITEM, *project)
    named = f"--project '{tmp_path}/my shop'"
    assert (
        f"agent-memory restore {named} engineer " in settled.run("search", "bus", *project).stderr
    )
    assert settled.run("undo", *project).stderr == f"agent-memory undo {named} brings it back.\n"
