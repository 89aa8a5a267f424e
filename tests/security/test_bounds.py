"""What hooks cost in a project with huge files: they end by themselves, with a bounded memory."""

import base64
import json
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from support import events
from support.calls import SESSION
from support.paths import REPO
from support.sandbox import Sandbox
from support.workers import await_worker

MEASURE = REPO / "tests" / "support" / "measure.py"

# The times of the usual cost, up to 70 ms where a memory is prepared: more would come near five
# seconds, when a hook ends itself.  And bytes above the usual ones.
TIMES = 65
MEMORY = 96_000_000

LIFE: list[tuple[str, dict[str, Any]]] = [
    ("session_start", SESSION),
    ("pre_tool_use", events.make_pre_event("other", "qa")),
    ("pre_tool_use", events.make_pre_event()),
    ("subagent_start", events.make_start_event("b1")),
    ("post_tool_use", events.make_failure_event("b1")),
    ("subagent_stop", events.make_stop_event("b1")),
    ("subagent_stop", events.make_stop_event("b2")),
    ("session_start", SESSION),
]


class Cost(NamedTuple):
    """Seconds of the processor, and bytes."""

    seconds: float
    memory: int


def measure(sandbox: Sandbox, hook: str, event: dict[str, Any]) -> Cost:
    """Run a hook, which must succeed, and return its cost."""
    notes = sandbox.home / "cost"
    command = [sys.executable, "-I", "-S", str(MEASURE), str(notes)]
    command += [sys.executable, "-I", str(REPO / "hooks" / f"{hook}.py")]
    data = json.dumps({**event, "cwd": str(sandbox.root)}).encode()
    place: dict[str, Any] = {"cwd": sandbox.root, "env": sandbox.env, "timeout": 60}
    subprocess.run(command, input=data, capture_output=True, check=True, **place)
    await_worker(sandbox.paths)
    costs = json.loads(notes.read_text())
    assert costs["status"] == 0
    return Cost(costs["cpu"], costs["memory"])


def fill(sandbox: Sandbox, name: str, text: str | bytes) -> Path:
    """Write a file of the project."""
    path: Path = sandbox.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def fill_memory(text: str) -> Callable[[Sandbox], None]:
    """Return what gives the agents and the main session this memory."""

    def prepare(sandbox: Sandbox) -> None:
        for agent in ("engineer", "qa", "PM"):
            fill(sandbox, f".claude-mpm/memories/{agent}.md", text)

    return prepare


def fill_history(*lines: bytes) -> Callable[[Sandbox], None]:
    """Return what gives the agent this history, and a memory that is full."""

    def prepare(sandbox: Sandbox) -> None:
        sandbox.write_memory("engineer", *[f"Service {n} has port {n * 7}" for n in range(300)])
        fill(sandbox, ".claude-mpm/memories/history/engineer.jsonl", b"".join(lines))

    return prepare


def make_record(number: int) -> bytes:
    ids = {"v": 1, "kind": "learned", "id": f"{number:010x}", "agent": "engineer", "run": "a"}
    times = {"time": "2026-11-20T10:00:00.000Z", "source": "agent", "confidence": 0.5}
    text = f"The service {number} talks to the database"
    record = {**ids, **times, "section": "Coding Patterns Learned", "text": text}
    return json.dumps(record).encode() + b"\n"


def pack(data: bytes) -> bytes:
    packed = base64.b64encode(zlib.compress(data, 9)).decode()
    return json.dumps({"v": 1, "of": "items", "packed": packed}).encode() + b"\n"


def fill_folders(sandbox: Sandbox) -> None:
    """Put 100,000 files into each folder that hooks list."""
    folders = (".claude-mpm/memories", "backlog/tasks", "backlog/memory")
    sandbox.write_memory("engineer", events.FACT)
    for folder in folders:
        (sandbox.root / folder).mkdir(parents=True, exist_ok=True)
        for number in range(100_000):
            (sandbox.root / folder / f"task-{number} - x.md").touch()


def sentence(number: int) -> str:
    return f"- The service {number} talks to the database {number * 7} by port {number * 3}\n"


def paragraph(number: int) -> str:
    """Return an item of 25 words that are not in the other ones."""
    return f"- {' '.join(f'word{place}of{number:x}' for place in range(25))}\n"


HEADING = "# Engineer\n\n## Coding Patterns Learned\n"
RECORDS = b"".join(map(make_record, range(30_000)))

# Name -> what prepares the project, and what the log must name.
CASES: dict[str, tuple[Callable[[Sandbox], None], str]] = {
    "memory over 1 MB": (fill_memory(HEADING + "- an item\n" * 200_000), "larger than 1 MB"),
    "memory of short lines": (fill_memory(HEADING + "- a\n" * 240_000), "more than 40,000 lines"),
    "memory of items": (fill_memory(HEADING + "".join(map(sentence, range(9_990)))), ""),
    "memory of long items": (fill_memory(HEADING + "".join(map(paragraph, range(5_000)))), ""),
    "memory of headings": (fill_memory("## a\n" * 9_990), ""),
    "memory of fences": (fill_memory("```\n" * 9_990), ""),
    "memory of one line": (fill_memory(HEADING + "- " + "word " * 190_000), ""),
    "history over 8 MB": (fill_history(RECORDS * 3), "larger than 8 MB"),
    "history of empty records": (fill_history(b"{}\n" * 2_600_000), ""),
    "history of brackets": (fill_history(b"[" * 50 + b"\n", b"[" * 7_900_000), ""),
    "packed history": (fill_history(*[pack(RECORDS)] * 8), ""),
    "packed history of nothing": (fill_history(pack(b"{}\n" * 2_600_000)), ""),
    "packed history of zeros": (fill_history(*[pack(bytes(60_000_000))] * 8), ""),
    "large settings": (lambda shop: shop.configure("# comment\n" * 30_000), "larger than 256 KB"),
    "settings of many keys": (lambda shop: shop.configure("a: {b: [c]}\n" * 20_000), ""),
    "full folders": (fill_folders, "more than 10,000 entries"),
}


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Cost]:
    """Return the highest cost of each hook in a usual project."""
    sandbox = Sandbox(tmp_path_factory.mktemp("usual"))
    sandbox.write_memory("engineer", events.FACT)
    fill(sandbox, "backlog/tasks/task-1 - A.md", "---\nid: TASK-1\nstatus: To Do\n---\n")
    costs = sorted((hook, measure(sandbox, hook, event)) for hook, event in LIFE)
    return dict(costs)


def test_a_report_of_50_megabytes_takes_little_memory(sandbox: Sandbox) -> None:
    """L5 of the third look at the security; the largest report seen had 0.2 MB."""
    report = "A line of the report, \u00e9 \U0001f600.\n" * 1_600_000 + events.BLOCK
    line = {"type": "assistant", "message": {"role": "assistant", "content": report}}
    transcript = fill(sandbox, "agent-a1.jsonl", f"{json.dumps(line)}\n")
    assert transcript.stat().st_size > 50_000_000
    event = {**events.make_stop_event(text=report), "agent_transcript_path": str(transcript)}
    assert measure(sandbox, "subagent_stop", event).memory < 100_000_000
    assert "too large" in sandbox.read_log("hook.error")[0]["error"]


# One that is too large, and one that is read.
QUICK = ("memory over 1 MB", "settings of many keys")


SLOW = [pytest.param(case, marks=pytest.mark.slow) for case in CASES if case not in QUICK]


@pytest.mark.parametrize("case", [*QUICK, *SLOW])
def test_cost(sandbox: Sandbox, usual: dict[str, Cost], case: str) -> None:
    prepare, line = CASES[case]
    prepare(sandbox)
    for hook, event in LIFE:
        cost, normal = measure(sandbox, hook, event), usual[hook]
        assert cost.seconds < normal.seconds * TIMES, (hook, cost, normal)
        assert cost.memory < normal.memory + MEMORY, (hook, cost, normal)
    log = sandbox.read_log("agent.memory.error", "agent.memory.refused")
    errors = [f"{event.get('file')} {event.get('reason')} {event.get('error')}" for event in log]
    assert all(len(error) < 300 for error in errors), errors
    assert not [error for error in errors if "out of time" in error], errors
    if line:
        assert [error for error in errors if line in error], errors
