"""The process of `agent-memory dashboard`: its start, its end, and what happens between them."""

import shutil
import signal
import socket
from pathlib import Path

import pytest

from memory_core.dashboard import server
from support.command_line import ITEM, Person, read_stderr
from support.dashboard import PATIENCE, Dashboard
from support.events import make_pre_event
from support.processes import wait_until
from support.sandbox import Sandbox


class Stream:
    """An open stream of events."""

    def __init__(self, dashboard: Dashboard) -> None:
        self._connection = socket.create_connection(("127.0.0.1", dashboard.port), PATIENCE)
        head = f"GET /dashboard/live HTTP/1.1\r\nHost: {dashboard.host}\r\n"
        self._connection.sendall(f"{head}Cookie: {dashboard.cookie}\r\n\r\n".encode())
        self.text = ""
        self.read_until("event: ready")

    def read_until(self, wanted: str) -> None:
        while wanted not in self.text:
            part = self._connection.recv(65536).decode()
            assert part, self.text
            self.text += part

    def close(self) -> None:
        self._connection.close()


ENDS = [(signal.SIGINT, 0), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]


@pytest.mark.parametrize(("number", "status"), ENDS)
def test_a_signal_ends_it_and_its_open_streams(sandbox: Sandbox, number: int, status: int) -> None:
    with Dashboard(sandbox) as dashboard:
        streams = [Stream(dashboard.enter()) for _ in range(3)]
        assert dashboard.end(number) == (status, f"Dashboard of {sandbox.root}; Ctrl-C ends it.\n")
        for stream in streams:
            stream.read_until("\r\n0\r\n\r\n")  # its own end: nothing was cut off
            stream.close()


def test_events_of_hooks_reach_open_pages(sandbox: Sandbox) -> None:
    sandbox.write_memory("engineer", ITEM)
    with Dashboard(sandbox) as dashboard:
        stream = Stream(dashboard.enter())
        sandbox.run_hook("pre_tool_use", make_pre_event())
        stream.read_until("\ndata:\n\n\r\n")
        assert "text/event-stream" in stream.text
        assert "agent.memory.loaded" in dashboard.get("/dashboard/events").body
        stream.close()


def test_without_a_port_the_next_free_one_is_used(sandbox: Sandbox) -> None:
    with Dashboard(sandbox, "--port", "0") as first, Dashboard(sandbox, "--port", "0") as second:
        assert first.port != second.port
    with server.listen(None) as own, server.listen(None) as other:
        assert server.PORT <= own.getsockname()[1] < other.getsockname()[1]


def test_a_port_in_use_is_an_error(person: Person) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        done = person.run("dashboard", "--port", str(port), process=True)
    said = f"port {port}: Address already in use; --port chooses another"
    assert read_stderr(done, 1) == f"agent-memory: {said}\n"


def test_open_starts_the_browser_with_the_address(person: Person, tmp_path: Path) -> None:
    person.sandbox.write_memory("engineer", ITEM)
    person.add_program("browser", f'printf %s "$1" > "{tmp_path}/new"; mv {tmp_path}/new "$OUT"')
    opened = tmp_path / "opened"
    env = {"BROWSER": str(person.bin / "browser"), "OUT": str(opened)}
    with Dashboard(person.sandbox, "--port", "0", "--open", **env) as dashboard:
        wait_until(opened.exists)
        address = opened.read_text()
        assert address != dashboard.address  # other users see it in the list of processes
        assert address.partition("?")[0] == dashboard.address.partition("?")[0]
        target = address[address.index("/dashboard") :]
        assert [dashboard.send("GET", target).status for _ in range(2)] == [303, 403]
        dashboard.enter()
        assert dashboard.get("/dashboard").status == 200


def test_a_gone_project_is_an_error_until_it_is_back(sandbox: Sandbox, tmp_path: Path) -> None:
    sandbox.write_memory("engineer", ITEM)
    (tmp_path / ".claude-mpm").mkdir()  # a project further up must not take its place
    with Dashboard(sandbox) as dashboard:
        assert "8.0 KB" in dashboard.enter().get("/dashboard").body
        sandbox.configure("memory:\n  limits: {default_size_kb: 20}\n")
        assert "20.0 KB" in dashboard.get("/dashboard").body, "settings are read for each page"
        sandbox.root.rename(tmp_path / "elsewhere")
        for path in ("/dashboard", "/dashboard/events", "/dashboard/live"):
            answer = dashboard.get(path)
            assert answer.status == 404
            assert f"The project&#39;s folder is gone: {sandbox.root}" in answer.body
        (tmp_path / "elsewhere").rename(sandbox.root)
        assert "engineer" in dashboard.get("/dashboard").body
        shutil.rmtree(sandbox.root / ".claude-mpm")
        answer = dashboard.get("/dashboard")
        assert answer.status == 200
        assert "No agent has a memory yet" in answer.body


def test_the_home_folder_shows_the_user_level_memories(sandbox: Sandbox) -> None:
    sandbox.write_memory("engineer", "Prefers short answers", user=True)
    options = ("--project", str(sandbox.home), "--port", "0")
    with Dashboard(sandbox, *options) as dashboard:
        assert "Prefers short answers" in dashboard.enter().get("/dashboard/agents/engineer").body
