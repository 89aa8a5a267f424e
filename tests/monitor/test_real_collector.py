"""Memory operations arrive in a real collector of spans, Arize Phoenix, in a process of its own.

`scripts/fetch-tools phoenix` installs it; AGENT_MEMORY_PHOENIX names another program.  It is large,
so it is not one of the default tools.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from support.command_line import COMMAND, ITEM, Person
from support.events import make_pre_event, make_stop_event
from support.paths import REPO

DEFAULT = REPO / ".tools" / "phoenix" / "bin" / "phoenix"
PHOENIX = shutil.which(os.environ.get("AGENT_MEMORY_PHOENIX") or DEFAULT)
SECONDS = 60

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not PHOENIX, reason="no Phoenix: scripts/fetch-tools phoenix"),
]


def find_free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def wait_for(read: Callable[[], Any]) -> Any:
    """Return the first true value; poll, because Phoenix does not say when it is ready."""
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        try:
            if value := read():
                return value
        except (urllib.error.URLError, ConnectionError):
            pass
        time.sleep(0.1)
    raise TimeoutError


def read_json(url: str) -> list[dict[str, Any]]:
    with urllib.request.urlopen(url, timeout=5) as answer:
        data: list[dict[str, Any]] = json.load(answer)["data"]
    return data


@pytest.fixture
def collector(tmp_path: Path) -> Iterator[str]:
    """Return the address of a running Phoenix."""
    port = find_free_port()
    settings = {
        "PHOENIX_WORKING_DIR": str(tmp_path / "phoenix"),
        "PHOENIX_HOST": "127.0.0.1",
        "PHOENIX_PORT": str(port),
        "PHOENIX_GRPC_PORT": str(find_free_port()),
        "PHOENIX_TELEMETRY_ENABLED": "false",
    }
    with (tmp_path / "phoenix.log").open("wb") as log:
        process = subprocess.Popen(
            [str(PHOENIX), "serve"], env={**os.environ, **settings}, stdout=log, stderr=log
        )
    url = f"http://127.0.0.1:{port}"
    try:
        wait_for(lambda: read_json(f"{url}/v1/projects"))
        yield url
    finally:
        process.kill()
        process.wait()


def test_phoenix_has_the_memory_operations(person: Person, collector: str) -> None:
    person.sandbox.write_memory("engineer", ITEM)
    monitor = subprocess.Popen(
        [*COMMAND, "monitor", "--json", "--since", "2026-01-01", "--otel", collector],
        cwd=person.sandbox.root,
        env=person.env,
        stdout=subprocess.PIPE,
        text=True,
    )
    person.sandbox.run_hook("pre_tool_use", make_pre_event())
    person.sandbox.run_hook("subagent_stop", make_stop_event())
    assert monitor.stdout
    names = {json.loads(monitor.stdout.readline())["event"] for _event in range(2)}
    assert "agent.memory.loaded" in names
    monitor.send_signal(signal.SIGINT)
    monitor.communicate(timeout=SECONDS)
    spans = wait_for(lambda: read_json(f"{collector}/v1/projects/default/spans"))
    assert "search_memory" in {span["name"] for span in spans}
    for span in spans:
        assert span["attributes"]["gen_ai.operation.name"] == span["name"]
        assert span["attributes"]["gen_ai.memory.store.id"] == "shop/engineer"
    assert ITEM not in json.dumps(spans)
