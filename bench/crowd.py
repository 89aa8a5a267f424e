"""Measure hooks and the worker in a crowd: many reports at once, and deliveries meanwhile.

    python bench/crowd.py [--quick]

All numbers are of one run; a bare interpreter that is started in the same way stands beside them.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import samples
from scene import MEMORIES, Scene

from memory_core.storage import hook_files, inbox
from memory_core.storage.project import find_project

REPO = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BARE = [sys.executable, "-I", "-c", "pass"]
PROCESSES, REPORTS, REPORTERS = 64, 256, 8
PACE = 0.5  # seconds between two reports of an agent

# More items than the default limit must fit, or items leave the file.
CONFIG = "memory: {limits: {default_size_kb: 1024, max_items_per_section: 5000}}\n"


class Crowd:
    """A project with one agent, and hooks that are run in it."""

    def __init__(self, folder: str) -> None:
        agents = ["engineer", *(f"agent-{number}" for number in range(1, REPORTERS))]
        memories = {f"{agent}.md": samples.memory(agent, 8_000) for agent in agents}
        self.scene, self.agents = Scene(folder, memories), agents
        self.scene.add("project/.claude-mpm/config.yml", CONFIG)
        self.env = self.scene.job([]).env
        self.project = find_project(self.scene.project, self.env)
        self.count = 0

    def make_report(self, agent: str = "engineer") -> bytes:
        """Return the event of the end of another run that teaches one fact."""
        self.count += 1
        text = f"Done.\n\n{samples.MARKER}\nType: pattern\nContent: Fact_{self.count}_is new\n#\n"
        ids = {"session_id": samples.SESSION, "agent_id": f"a{self.count}"}
        name = "SubagentStop"
        event = {**ids, "agent_type": agent, "hook_event_name": name}
        return json.dumps({**event, "last_assistant_message": text}).encode()

    def run(self, hook: str, event: bytes) -> float:
        """Run a hook; return its seconds."""
        return measure([sys.executable, "-I", "-S", f"{REPO}/hooks/{hook}.py"], event, self)

    def report(self, event: bytes) -> float:
        return self.run("subagent_stop", event)

    def deliver(self) -> float:
        self.count += 1
        given = {"subagent_type": "engineer", "prompt": "Add a retry to the order queue"}
        ids = {"session_id": samples.SESSION, "tool_use_id": f"toolu_{self.count}"}
        event = {**ids, "hook_event_name": "PreToolUse", "tool_name": "Agent", "tool_input": given}
        return self.run("pre_tool_use", json.dumps(event).encode())

    def wait(self) -> float:
        """Wait for the worker; return how many seconds that took."""
        began = time.monotonic()
        while inbox.has_new(self.project.paths):
            hook_files.await_worker(self.project.paths, 60)
        return time.monotonic() - began

    def count_facts(self) -> tuple[int, int]:
        """Return how many facts the memory has, and how many of them more than once."""
        path = os.path.join(self.scene.project, MEMORIES, "engineer.md")
        with open(path, encoding="utf-8") as file:
            counts = Counter(line for line in file if line.startswith("- Fact_"))
        return len(counts), sum(count > 1 for count in counts.values())


def measure(argv: list[str], event: bytes, crowd: Crowd) -> float:
    began = time.monotonic()
    where = crowd.scene.project
    subprocess.run(argv, input=event, env=crowd.env, cwd=where, stdout=subprocess.PIPE, check=True)
    return time.monotonic() - began


def run_at_once(crowd: Crowd, events: list[bytes], is_bare: bool = False) -> list[float]:
    """Return the seconds of as many processes as there are events, PROCESSES at a time."""
    with ThreadPoolExecutor(PROCESSES) as pool:
        if is_bare:
            return list(pool.map(lambda event: measure(BARE, event, crowd), events))
        return list(pool.map(crowd.report, events))


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[int(len(values) * share)]


def print_reports(crowd: Crowd, reports: int) -> None:
    events = [crowd.make_report() for _ in range(PROCESSES)]
    bare, ours = max(run_at_once(crowd, events, True)), max(run_at_once(crowd, events))
    crowd.wait()
    print(f"{PROCESSES} hooks that report at once: the slowest {ours * 1000:.0f} ms,", end=" ")
    print(f"of as many bare interpreters {bare * 1000:.0f} ms: {ours / bare:.2f} x")
    events = [crowd.make_report() for _ in range(reports)]
    began = time.monotonic()
    run_at_once(crowd, events)
    hooks = time.monotonic() - began
    crowd.wait()
    seconds, facts = time.monotonic() - began, crowd.count_facts()
    print(f"{reports} reports of {PROCESSES} processes on one agent: hooks {hooks:.1f} s,", end=" ")
    print(f"in the file after {seconds:.1f} s: {facts[0]} of {crowd.count}, {facts[1]} twice")


def print_worker(crowd: Crowd, rounds: int) -> None:
    times = []
    for _ in range(rounds):
        began = time.monotonic()
        crowd.report(crowd.make_report())
        crowd.wait()
        times.append(time.monotonic() - began)
    print(f"from event to file: median {statistics.median(times) * 1000:.0f} ms")


def print_deliveries(crowd: Crowd, count: int) -> None:
    crowd.deliver()
    alone = [crowd.deliver() for _ in range(count)]
    is_over = threading.Event()

    def report(agent: str) -> None:
        while not is_over.wait(PACE):
            crowd.report(crowd.make_report(agent))

    with ThreadPoolExecutor(REPORTERS) as pool:
        for agent in crowd.agents:
            pool.submit(report, agent)
        among = [crowd.deliver() for _ in range(count)]
        is_over.set()
    crowd.wait()
    more = percentile(among, 0.99) - percentile(alone, 0.99)
    for name, values in (("alone", alone), (f"while {REPORTERS} agents report", among)):
        half, late = (1000 * percentile(values, share) for share in (0.5, 0.99))
        print(f"{count} deliveries {name}: median {half:.0f} ms, 99th percentile {late:.0f} ms")
    print(f"the 99th percentile is {more * 1000:.0f} ms more")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    few = parser.parse_args().quick
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        print_reports(Crowd(f"{place}/reports"), REPORTS // 4 if few else REPORTS)
        print_worker(Crowd(f"{place}/worker"), 5 if few else 40)
        print_deliveries(Crowd(f"{place}/deliveries"), 50 if few else 1000)
