"""The MCP server's rows: how long a client waits for a resource, and for the server's start.

The client is a pipe and JSON, so the server is measured.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import time
from collections.abc import Iterator
from statistics import quantiles
from typing import Any, NamedTuple

import samples
from scene import Broken, Scene

REPO = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
AGENTS, TASKS, SIZE = 100, 1000, 2000

# What the seeds of this project asked for is 100 ms, for any read.
MEDIAN_MS, WORST_MS = 5.0, 20.0
READS, QUICK, STARTS = 1000, 100, 5

# What the installed command does, out of this clone.
START = f"import sys; sys.path.insert(0, {REPO!r}); from memory_core.cli import program; program()"

TASK = "---\nid: TASK-{0}\ntitle: Task {0}\nstatus: {1}\ncreated_date: '2026-11-20'\n---\n"
MEMORY = (
    "---\ntask_id: task-{0}\ntitle: Task {0}\ncreated: '2026-11-20 10:00:00'\n"
    "updated: '2026-11-20 11:00:00'\narchived:\n---\n\n# task-{0}: Task {0}\n\n## Notes\n\n{1}"
)
ACTIVE = 7
STATE = f"""\
active_task: task-{ACTIVE}
last_updated: '2026-11-20 11:00:00'
in_progress:
  - task-{ACTIVE}
"""


class Timed(NamedTuple):
    """A row: milliseconds of each try."""

    name: str
    tries: list[float]

    @property
    def median(self) -> float:
        return quantiles(self.tries, n=2)[0]

    @property
    def p99(self) -> float:
        return quantiles(self.tries, n=100)[98]


class Client:
    """A server process, and its client: a line out, a line in."""

    def __init__(self, python: str, place: Scene) -> None:
        job = place.job([python, "-c", START, "mcp"])
        self._process: Any = subprocess.Popen(
            job.argv, cwd=job.cwd, env=job.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._asked = 0
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}}
        self.ask("initialize", **hello, clientInfo={"name": "bench", "version": "1"})
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        self._asked += 1
        self._send({"jsonrpc": "2.0", "id": self._asked, "method": method, "params": params})
        while True:
            answer = json.loads(self._process.stdout.readline())
            if answer.get("id") == self._asked:
                break
        if "result" not in answer:
            raise Broken(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def _send(self, message: dict[str, Any]) -> None:
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()

    def end(self) -> None:
        self._process.communicate(timeout=30)


def measured(python: str, folder: str, is_quick: bool) -> list[Timed]:
    """Return the rows: of a start, and of reads in a project that has seen some work."""
    place = project(os.path.join(folder, "mcp"))
    starts = [Timed("start, to the answer to `initialize`", [])]
    for _ in range(STARTS):
        began = time.perf_counter()
        client = Client(python, place)
        starts[0].tries.append((time.perf_counter() - began) * 1000)
        client.end()
    client = Client(python, place)
    client.ask("resources/list")  # as clients do; then all that is loaded late is loaded
    rows = [_reads(client, name, uris, is_quick) for name, uris in _resources()]
    client.end()
    return starts + rows


def project(folder: str) -> Scene:
    """Make a project with agents and tasks, each with a memory."""
    place = Scene(
        folder, {f"agent-{n}.md": samples.memory(f"agent-{n}", SIZE) for n in range(AGENTS)}
    )
    tops = [os.path.join(place.project, "backlog", name) for name in ("tasks", "memory")]
    for top in tops:
        os.makedirs(top)
    notes = samples.memory("task", SIZE)
    for number in range(1, TASKS + 1):
        status = "In Progress" if number == ACTIVE else "To Do"
        path = os.path.join(tops[0], f"task-{number} - Task-{number}.md")
        _write(path, TASK.format(number, status))
        _write(os.path.join(tops[1], f"task-{number}.md"), MEMORY.format(number, notes))
    _write(os.path.join(place.project, "backlog", ".state.yml"), STATE)
    return place


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def _resources() -> Iterator[tuple[str, list[str]]]:
    agents = [f"memory://agents/agent-{number}" for number in range(AGENTS)]
    tasks = [f"backlog://memory/task-{number}" for number in range(1, TASKS + 1)]
    yield "`memory://agents/{agent}`", agents
    yield "`backlog://memory/{task_id}`", tasks
    yield "`backlog://memory/active`", ["backlog://memory/active"]
    yield "`memory://agents`", ["memory://agents"]


def _reads(client: Client, name: str, uris: list[str], is_quick: bool) -> Timed:
    row = Timed(name, [])
    chosen = random.Random(1).choices(uris, k=QUICK if is_quick else READS)
    for uri in chosen:
        began = time.perf_counter()
        (content,) = client.ask("resources/read", uri=uri)["contents"]
        row.tries.append((time.perf_counter() - began) * 1000)
        if len(content["text"]) < SIZE // 2:
            raise Broken(f"{uri}: {content['text'][:200]!r}")
    return row
