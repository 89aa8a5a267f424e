"""`agent-memory monitor` as a process: in a pipe, on a terminal, and how it ends."""

from __future__ import annotations

import json
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from memory_core.monitor import otel_export
from memory_core.storage import event_log
from support.command_line import COMMAND, ITEM, Person
from support.events import make_pre_event, make_stop_event
from support.refusals import check_refused
from support.sandbox import Sandbox
from support.terminal import Terminal

HINT = "Nothing was logged in this project yet. Let Claude Code call an agent, or check"


@pytest.fixture
def person(sandbox: Sandbox, tmp_path: Path) -> Person:
    sandbox.write_memory("engineer", ITEM)
    return Person(sandbox, tmp_path)


Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start(person: Person) -> Iterator[Start]:
    """Start `monitor` in a pipe; return when it has said that nothing was logged yet."""
    started: list[subprocess.Popen[str]] = []

    def start_one(*options: str) -> subprocess.Popen[str]:
        command, pipe = [*COMMAND, "monitor", *options], subprocess.PIPE
        process = subprocess.Popen(
            command, cwd=person.sandbox.root, env=person.env, stdout=pipe, stderr=pipe, text=True
        )
        started.append(process)
        if not event_log.read(person.sandbox.paths):
            assert process.stderr
            assert process.stderr.readline().startswith(HINT)
        return process

    yield start_one
    for process in started:  # those of a test that failed
        process.kill()
        process.communicate()


def read_lines(process: subprocess.Popen[str], count: int) -> list[str]:
    assert process.stdout
    return [process.stdout.readline() for _ in range(count)]


def end(process: subprocess.Popen[str], number: int = signal.SIGINT) -> tuple[int, str, str]:
    """Send a signal; return the status and the rest of the output."""
    process.send_signal(number)
    return (*process.communicate(timeout=30), process.returncode)[::-1]


def test_events_of_hooks_arrive_at_once(person: Person, start: Start) -> None:
    process = start()
    person.sandbox.run_hook("pre_tool_use", make_pre_event())
    (line,) = read_lines(process, 1)
    assert line.split()[2:4] == ["agent.memory.loaded", "engineer"]
    assert "\x1b" not in line
    assert " items=1 " in line
    person.sandbox.run_hook("subagent_stop", make_stop_event())
    assert read_lines(process, 2)[1].split()[2:5] == ["agent.memory.learned", "engineer", "items=1"]
    assert end(process) == (0, "", "")


def test_json_is_one_line_for_each_event_of_the_pattern(person: Person, start: Start) -> None:
    process = start("--json", "--events", "*.learned")
    for number in range(3):
        assert person.run("add", "engineer", f"Fact {number} about module_{number}").returncode == 0
    events = list(map(json.loads, read_lines(process, 3)))
    logged = person.sandbox.read_log("agent.memory.learned")
    assert events == logged
    assert len(logged) == 3
    assert end(process, signal.SIGTERM) == (128 + signal.SIGTERM, "", "")


def test_since_begins_with_older_events(person: Person, start: Start) -> None:
    for day in (1, 3):
        when = f"2026-01-0{day}T10:00:00.000Z"
        event_log.write(person.sandbox.paths, "hook.slow", timestamp=when, hook="x", duration_ms=1)
    process = start("--since", "2026-01-02")
    (line,) = read_lines(process, 1)
    assert line == f"{'2026-01-03 10:00:00  hook.slow':<65}hook=x duration_ms=1\n"
    assert end(process) == (0, "", "")


def test_it_ends_when_nobody_reads_its_output(person: Person, start: Start) -> None:
    """No event happens in between."""
    process = start()
    assert process.stdout
    process.stdout.close()
    assert process.wait(timeout=30) == 141


def test_a_terminal_shows_colours_and_no_control_characters(person: Person) -> None:
    terminal = Terminal(person, "agent-memory monitor", width=200)
    terminal.wait_for("Nothing was logged")
    person.run("add", "engineer", "Use make")
    event_log.write(person.sandbox.paths, "hook.error", hook="x", error="\x1b[2J gone")
    terminal.wait_for("gone")
    terminal.send_keys("\x03")
    assert terminal.wait_for_end() == 0
    assert "\x1b[32magent.memory.learned" in terminal.shown
    assert "\x1b[31mhook.error" in terminal.shown
    assert "\x1b[2J" not in terminal.shown


def test_invalid_options(person: Person) -> None:
    cases = {
        "--since yesterday": "invalid time 'yesterday'",
        "--otel collector:4318": "invalid URL 'collector:4318': use one like http://",
    }
    check_refused(person, cases, prefix="monitor")


class Collector(HTTPServer):
    """A real OTLP/HTTP endpoint, which decodes the requests with OpenTelemetry's own messages."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Receiver)
        self.paths: list[str] = []
        self.spans: list[dict[str, Any]] = []

    def take(self, path: str, data: bytes) -> None:
        self.paths.append(path)
        for resource in ExportTraceServiceRequest.FromString(data).resource_spans:
            names = {pair.key: pair.value.string_value for pair in resource.resource.attributes}
            assert names["service.name"] == "agent-memory"
            for span in (span for scope in resource.scope_spans for span in scope.spans):
                values = {
                    pair.key: pair.value.string_value or pair.value.int_value
                    for pair in span.attributes
                }
                length = (span.end_time_unix_nano - span.start_time_unix_nano) // 1_000_000
                self.spans.append({"name": span.name, "ms": length, **values})


class Receiver(BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:
        self.server.take(self.path, self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_arguments: object) -> None:
        pass


def test_memory_operations_reach_a_collector(person: Person, start: Start) -> None:
    with Collector() as collector:
        server = threading.Thread(target=collector.serve_forever, daemon=True)
        server.start()
        url = f"http://127.0.0.1:{collector.server_port}"
        process = start("--json", "--otel", url)
        person.sandbox.run_hook("pre_tool_use", make_pre_event())
        person.sandbox.run_hook("subagent_stop", make_stop_event())
        assert person.run("remove", "engineer", "event bus").returncode == 0
        person.sandbox.run_hook("subagent_stop", b"no JSON")
        events = list(map(json.loads, read_lines(process, 5)))
        assert end(process) == (0, "", "")
        collector.shutdown()
        server.join()
    assert set(collector.paths) == {"/v1/traces"}
    spans = {span["gen_ai.operation.name"]: span for span in collector.spans}
    assert [*spans] == ["search_memory", "update_memory", "create_memory", "delete_memory"]
    assert all(span["name"] == operation for operation, span in spans.items())
    assert {span["gen_ai.memory.store.id"] for span in spans.values()} == {"shop/engineer"}
    loaded = spans["search_memory"]
    assert loaded["ms"] == events[0]["duration_ms"]
    assert (loaded["gen_ai.agent.id"], loaded["gen_ai.conversation.id"]) == ("engineer", "s1")
    assert loaded["gen_ai.memory.record.count"] == 1
    assert loaded["agent_memory.route"] == "prompt"
    learned = next(event for event in events if event["event"] == "agent.memory.learned")
    assert spans["create_memory"]["gen_ai.memory.record.id"] == learned["ids"][0]
    assert "event bus" not in str(collector.spans)


def test_only_documented_events_are_operations() -> None:
    from memory_core.monitor import event_models

    assert {f"agent.memory.{kind}" for kind in otel_export.OPERATIONS} <= set(event_models.MODEL_OF)
