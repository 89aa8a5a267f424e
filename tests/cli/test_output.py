"""Output on a terminal: pager, completion, questions, progress, widths, and interruptions."""

import json
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memory_core.cli.common import entries
from support.command_line import COMMAND, ITEM, Person, check_refused
from support.completion import complete
from support.files import read_files
from support.terminal import YES_OR_NO, Terminal, answer_all

PAGED = "sed 1iPAGED"
MANY = [f"Service {number} talks through the event bus" for number in range(100)]


def run_to_end(person: Person, command: str, status: int = 0, **more: Any) -> Terminal:
    """Run a command on a terminal; return the terminal with all that it shows."""
    terminal = Terminal(person, command, **more)
    assert terminal.wait_for_end() == status
    return terminal


def test_any_locale_will_do(settled: Person) -> None:
    """Also one with only ASCII, or with another 8-bit encoding."""
    settled.sandbox.write_memory("müller", "Grüße — 漢字")
    latin = {"LC_ALL": "en_US.ISO-8859-1", "PYTHONIOENCODING": "iso-8859-1"}
    for env in ({"LC_ALL": "C"}, latin):
        for words in (["status"], ["show", "müller"], ["list"]):
            assert settled.succeed(*words, **env).stdout
        told = json.loads(settled.run("show", "müller", "--json", **env).stdout)
        assert "Grüße — 漢字" in told["text"]
        line = "agent-memory show müller; agent-memory nothing-ü"
        terminal = run_to_end(settled, line, status=2, **env)
        assert "no such command" in terminal.shown


# --- the pager ---


def test_long_output_uses_the_users_pager(person: Person) -> None:
    person.sandbox.write_memory("engineer", *MANY)
    project = person.sandbox.open_project()
    lines = [f"[Project Architecture] {text} now" for text in MANY]
    project.store.add_to_archive("engineer", lines, "2026-11-20")
    for command, env, is_paged in (
        ("show engineer", {"PAGER": PAGED}, True),
        ("view engineer", {"PAGER": PAGED}, True),
        ("restore engineer", {"PAGER": PAGED}, True),
        ("show engineer --no-pager", {"PAGER": PAGED}, False),
        ("show engineer --json", {"PAGER": PAGED}, False),
        ("show engineer", {"TERM": "dumb"}, False),
        ("show engineer | tail -n 1", {"PAGER": PAGED}, False),
        ("show engineer", {"PAGER": "cat"}, False),
        ("show engineer", {"PAGER": " "}, False),
        ("show engineer", {"PAGER": "no-such-pager -x"}, False),
    ):
        terminal = run_to_end(person, f"agent-memory {command}", **env)
        assert (terminal.lines[0] == "PAGED") == is_paged
        assert MANY[-1] in terminal.lines[-1] or "--json" in command


@pytest.mark.skipif(not shutil.which("less"), reason="less is not here")
@pytest.mark.parametrize("keys", ["q", "\x03q", "G\x03q"])
def test_leaving_less_early_is_not_an_error(person: Person, keys: str) -> None:
    person.sandbox.write_memory("engineer", *MANY)
    terminal = Terminal(person, "agent-memory show engineer")
    for key in keys:
        terminal.wait_for(r"\n(\x1b\S+)?(:|\(END\))|\(END\)")
        terminal.send_keys(key)
    assert terminal.wait_for_end() == 0
    assert (MANY[-1] in terminal.shown) == ("G" in keys)
    person.sandbox.write_memory("engineer", ITEM)
    terminal = run_to_end(person, "agent-memory show engineer", LESS="-R")  # it fits
    assert f"- {ITEM}" in terminal.lines


def test_messages_and_status_come_through_the_pager(person: Person) -> None:
    person.sandbox.configure("memory:\n  enabled: [\n")
    terminal = run_to_end(person, "agent-memory config show", 1, PAGER="sed s/^/:/")
    assert all(line.startswith(":") for line in terminal.lines)
    assert ":In force are the last valid settings" in terminal.shown
    # An error without a result does not use the pager.
    terminal = run_to_end(person, "agent-memory log --since x", 2, PAGER="sed s/^/:/")
    assert terminal.lines[0].startswith("agent-memory: invalid time 'x'")


def test_a_pager_gets_colours_and_the_width(settled: Person) -> None:
    settled.run("confirm", "engineer", "bus")
    settled.sandbox.write_memory("engineer", f"{ITEM}; since May")
    terminal = run_to_end(settled, "agent-memory diff engineer", PAGER=PAGED, LINES="3")
    assert "\x1b[32m+- Services" in terminal.shown.partition("PAGED")[2]
    terminal = run_to_end(settled, "agent-memory status", width=50, PAGER=PAGED, LINES="3")
    assert terminal.lines[0] == "PAGED"
    assert max(map(entries.count_cells, terminal.lines[1:3])) <= 50


# --- completion ---


def test_completion_suggests_commands_options_and_values(settled: Person) -> None:
    for words, expected in {
        "st": "status",
        "config sh": "show",
        "show Exp": "",
        "show exp": "explore",
        "--project . show eng": "engineer",
        "show --project=. eng": "engineer",
        "show engineer --as": "--as-given",
        "search bus --agent eng": "engineer",
        "optimize --with cl": "claude",
        "run --no-l": "--no-learning",
        "run -- ": "",
    }.items():
        assert complete(settled, words).split() == expected.split(), words
    (item,) = settled.read_json("list", "engineer")
    shown = complete(settled, f"confirm engineer {item['id'][:2]}", "fish")
    assert shown.startswith(f"{item['id']}\t{ITEM}")


def test_completion_suggests_nothing_that_a_shell_could_run(settled: Person) -> None:
    settled.sandbox.write_memory("=24=28touch x=29", ITEM)
    folder = settled.sandbox.root / ".claude" / "agents"
    folder.mkdir()
    for number, name in enumerate(("a;`touch y`", "good")):
        (folder / f"{number}.md").write_text(f"---\nname: {name}\n---\n")
    names = complete(settled, "show ")
    assert {"engineer", "good"} <= set(names.split())
    assert not set("$();` ") & set(names)
    settled.sandbox.write_memory("engineer", "a \x1b[31m`b`\\$(c)\td")
    assert not set("$`\\\x1b") & set(complete(settled, "remove engineer ", "fish"))
    for words in ("remove nobody ", "--project /nowhere remove x "):
        assert complete(settled, words).strip() == ""


@pytest.mark.skipif(not shutil.which("bash"), reason="bash is not here")
def test_completion_is_installed_and_removed(settled: Person) -> None:
    start = settled.sandbox.home / ".bashrc"
    start.write_bytes(b"alias cafe=ls\n")
    check_refused(settled, {"completion bash": "completion was removed: use agent-memory --inst"})
    terminal = Terminal(settled, "bash -i", 400, INPUTRC="/dev/null")
    terminal.send_keys("agent-memory --install-completion\r")
    terminal.wait_for("completion installed in")
    terminal.send_keys("exec bash -i\r")
    for keys, expected in (("config pa", "config.yml"), ("--vers", "agent-memory ")):
        terminal.send_keys(f"agent-memory {keys}\t\r")
        terminal.wait_for(expected)
    terminal.child.close(force=True)
    assert b"agent-memory" in start.read_bytes()
    settled.run("uninstall", "--all", "--yes")
    assert start.read_bytes() == b"alias cafe=ls\n"


# --- asking ---


def unsure(person: Person) -> str:
    """Give two agents items with low confidence."""
    for agent in ("engineer", "qa"):
        person.sandbox.write_memory(agent, ITEM)
        person.run("contradict", agent, "event bus")
    return "prune --older-than 0d --below 0.9"


def everything(person: Person) -> str:
    person.install()
    return "uninstall --all"


def files(person: Person) -> dict[str, bytes]:
    """Return all files except those that may be deleted at any time."""
    found = {**read_files(person.sandbox.root), **read_files(person.sandbox.home)}
    return {name: data for name, data in found.items() if "/state/" not in name}


@pytest.mark.parametrize(
    ("prepare", "way_back"), [(unsure, "agent-memory undo"), (everything, "agent-memory install")]
)
def test_large_changes_ask_first(
    person: Person, prepare: Callable[[Person], str], way_back: str
) -> None:
    words = prepare(person)
    before = files(person)
    done = person.run(*words.split())
    assert (done.returncode, done.stdout != "") == (0, True)
    assert done.stderr.endswith("Nothing is changed yet; run it with --yes to change it.\n")
    for keys, status in (("n\r", 1), ("\x03", 130), ("y\r", 0)):
        assert files(person) == before
        terminal = Terminal(person, f"agent-memory {words}")
        assert answer_all(terminal, YES_OR_NO, keys) == status, terminal.shown
        assert ("nothing was changed" in terminal.shown) == (status == 1)
    assert files(person) != before
    assert way_back in terminal.shown + person.run(words.split()[0], "--help").stdout


# --- widths, encodings, crowds ---


def test_a_project_without_memory_is_an_empty_state(person: Person) -> None:
    for command, status, said in (
        ("status", 0, ""),
        ("list", 0, ""),
        ("show explore", 0, ""),
        ("search bus", 1, ""),
        ("log PM", 0, "Nothing is recorded yet.\n"),
        ("diff Plan", 0, "No item of plan has changed.\n"),
        ("restore Plan", 0, "The archive of plan is empty.\n"),
        ("undo", 1, "there is nothing to undo: no change is recorded here\n"),
    ):
        terminal = run_to_end(person, f"agent-memory {command}", status, width=40)
        assert terminal.lines
        assert person.run(*command.split()).stderr.endswith(said)
        done = person.run(*command.split(), "--json")
        assert done.returncode == status
        assert command == "undo" or json.loads(done.stdout) is not None
        assert read_files(person.sandbox.root) == {}


# --- meanwhile ---


@pytest.mark.parametrize("words", ["replay -", "import -"])
def test_ctrl_c_is_quiet(person: Person, words: str) -> None:
    command, pipe = [*COMMAND, *words.split()], subprocess.PIPE
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=person.env)
    assert process.stdin
    process.stdin.write(b" " * 1_000_000)  # more than the size of a pipe, so the reader is active
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate()
    assert (process.returncode, stdout, stderr) == (130, b"", b"")


def test_a_process_that_ignores_hangup_continues(settled: Person) -> None:
    """nohup starts a process in this way."""
    done = settled.run_shell("trap '' HUP; agent-memory run sh -c 'kill -HUP $$; echo on'")
    assert done.stdout == "on\n"
    done = settled.run_shell("agent-memory run sh -c 'kill -TERM $$; echo on'; echo $?")
    assert done.stdout == "143\n"


def test_a_command_that_is_named_is_for_the_same_project(settled: Person, tmp_path: Path) -> None:
    (tmp_path / "my shop").symlink_to(settled.sandbox.root)
    project = ["--project", f"{tmp_path}/my shop"]
    settled.run("remove", "engineer", ITEM, *project)
    named = f"--project '{tmp_path}/my shop'"
    found = settled.run("search", "bus", *project).stderr
    assert f"agent-memory restore {named} engineer " in found
    assert settled.run("undo", *project).stderr == f"Redo with: agent-memory redo {named}\n"
