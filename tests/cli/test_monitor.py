"""`agent-memory monitor` as a process: in a pipe, on a terminal, and how it ends."""

import json
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from memory_core.monitor import log_reading
from memory_core.storage import event_log
from support.command_line import COMMAND, Person
from support.events import make_pre_event, make_stop_event
from support.terminal import Terminal

HINT = "Nothing was logged in this project yet. Let Claude Code call an agent, or check"


Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start(settled: Person) -> Iterator[Start]:
    """Start `monitor` in a pipe; return when it has said that nothing was logged yet."""
    with ExitStack() as started:

        def start_one(*options: str) -> subprocess.Popen[str]:
            command, pipe = [*COMMAND, "monitor", *options], subprocess.PIPE
            place = {"cwd": settled.sandbox.root, "env": settled.env}
            process = subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, **place)
            started.enter_context(process)
            started.callback(process.kill)  # in a test that failed
            if not log_reading.read(settled.sandbox.paths):
                assert process.stderr
                assert process.stderr.readline().startswith(HINT)
            return process

        yield start_one


def read_lines(process: subprocess.Popen[str], count: int) -> list[str]:
    assert process.stdout
    return [process.stdout.readline() for _ in range(count)]


def end(process: subprocess.Popen[str], number: int = signal.SIGINT) -> tuple[int, str, str]:
    """Send a signal; return the status and the rest of the output."""
    process.send_signal(number)
    return (*process.communicate(timeout=30), process.returncode)[::-1]


def test_events_of_hooks_arrive_at_once(settled: Person, start: Start) -> None:
    process = start()
    settled.sandbox.run_hook("pre_tool_use", make_pre_event())
    (line,) = read_lines(process, 1)
    assert line.split()[2:4] == ["agent.memory.loaded", "engineer"]
    assert "\x1b" not in line
    assert " items=1 " in line
    settled.sandbox.run_hook("subagent_stop", make_stop_event())
    assert read_lines(process, 2)[1].split()[2:5] == ["agent.memory.learned", "engineer", "items=1"]
    assert end(process) == (0, "", "")


def test_json_is_one_line_for_each_event_of_the_pattern(settled: Person, start: Start) -> None:
    process = start("--json", "--events", "*.learned")
    for number in range(3):
        settled.succeed("add", "engineer", f"Fact {number} about module_{number}")
    events = list(map(json.loads, read_lines(process, 3)))
    logged = settled.sandbox.read_log("agent.memory.learned")
    assert events == logged
    assert len(logged) == 3
    assert end(process, signal.SIGTERM) == (128 + signal.SIGTERM, "", "")


def test_since_begins_with_older_events(settled: Person, start: Start) -> None:
    for day in (1, 3):
        when = f"2026-01-0{day}T10:00:00.000Z"
        event_log.write(settled.sandbox.paths, "hook.slow", timestamp=when, hook="x", duration_ms=1)
    process = start("--since", "2026-01-02")
    (line,) = read_lines(process, 1)
    assert line == f"{'2026-01-03 10:00:00  hook.slow':<65}hook=x duration_ms=1\n"
    assert end(process) == (0, "", "")


def test_it_ends_when_nobody_reads_its_output(settled: Person, start: Start) -> None:
    """As `tail -f`, it notices that with the next event."""
    process = start()
    assert process.stdout
    process.stdout.close()
    event_log.write(settled.sandbox.paths, "hook.error", hook="x", error="gone")
    assert process.wait(timeout=30) == 141


def test_a_terminal_shows_colours_and_no_control_characters(settled: Person) -> None:
    terminal = Terminal(settled, "agent-memory monitor", width=200)
    terminal.wait_for("Nothing was logged")
    settled.run("add", "engineer", "Use make")
    event_log.write(settled.sandbox.paths, "hook.error", hook="x", error="\x1b[2J gone")
    terminal.wait_for("gone")
    terminal.send_keys("\x03")
    assert terminal.wait_for_end() == 0
    assert "\x1b[32magent.memory.learned" in terminal.shown
    assert "\x1b[31mhook.error" in terminal.shown
    assert "\x1b[2J" not in terminal.shown
