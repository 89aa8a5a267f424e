"""A project after eight weeks of work: real hooks filled it, with clocks of those weeks."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from support import events, life, processes
from support.calls import SESSION
from support.command_line import Person
from support.git import name_author
from support.machine import WRONG_CLOCK
from support.paths import REPO
from support.sandbox import Sandbox
from support.transcripts import used

DAY = 86400
RUNS = Path(__file__).parent / "runs.md"

CONFIG = "memory: {limits: {max_items_per_section: 5}, agent_overrides: {qa: {learning: ask}}}\n"
AGENT = "---\nname: {name}\ndescription: {description}\n---\nWork well.\n"
AGENTS = {
    "engineer": "Writes and changes the code of the shop",
    "qa": "Tests the shop",
    "research": "Reads documentation and compares libraries",
    "security": "Reviews changes for security",  # has no memory yet
}
SOURCES = {
    "src/pay.py": "def charge(order):\n    ...\n",
    "src/orders.py": "def place(order):\n    ...\n",
    "Makefile": "test:\n\tpytest\n",
}
PM = """\
# PM Memory

## Project Architecture
- The shop has four services: catalogue, orders, payment, mail

## Implementation Guidelines
- Give database work to engineer, and ask qa before each release
"""
BACKLOG = 'project_name: "Shop"\nstatuses: ["To Do", "In Progress", "Done"]\n'
HEAD = "---\nid: TASK-{number}\ntitle: {title}\nstatus: {status}\n---\n"
TASK = HEAD + "\n## Description\n\n{title}.\n"
TASKS = {
    12: ("Refund single positions of an order", "In Progress"),
    14: ("Send invoices as PDF", "In Progress"),
    17: ("Show the stock of each warehouse", "To Do"),
}


class Run(NamedTuple):
    """A run of an agent some days ago.

    `learned` has types and texts, `read` the web pages that it read, `error` is why it failed.
    """

    days: float
    agent: str
    task: str
    learned: list[tuple[str, str]]
    read: list[str]
    has_arrived: bool
    error: str


def read_runs() -> Iterator[Run]:
    """Yield the runs of runs.md, oldest first."""
    for part in RUNS.read_text(encoding="utf-8").split("\n## ")[1:]:
        head, *lines = part.splitlines()
        (days, agent), task = head.split(": ")[0].split(), head.split(": ", 1)[1]
        facts = [tuple(line[2:].split(": ", 1)) for line in lines if line.startswith("- ")]
        others = {key: text for key, text in facts if key in ("read", "lost", "failed")}
        yield Run(
            *(float(days), agent, task),
            learned=[(key, text) for key, text in facts if key not in others],
            read=[others["read"]] if "read" in others else [],
            has_arrived="lost" not in others,
            error=others.get("failed", ""),
        )


class Shop:
    """The project in `folder`/shop, with its own home; `env` is for commands and hooks."""

    def __init__(self, folder: Path) -> None:
        sandbox = Sandbox(folder)
        sandbox.switch_selection_on()
        self.person = Person(sandbox, folder)
        self.root, self.home = sandbox.root, sandbox.home
        self.days = 0.0  # how long ago everything happens
        self.env = {**self.person.env, "GIT_CONFIG_GLOBAL": os.devnull, **name_author("Ann")}
        self._runs = 0

    def write(self, path: str, text: str) -> None:
        """Write a file of the project."""
        life.write(self.root / path, text)

    def run_hook(self, name: str, event: dict[str, Any]) -> dict[str, Any]:
        """Run a hook as Claude Code does, and return its reply."""
        path = str(REPO / "hooks" / f"{name}.py")
        done = self._start(["-I"], path, data=json.dumps({**event, "cwd": str(self.root)}))
        reply = json.loads(done).get("hookSpecificOutput", {}) if done.strip() else {}
        return dict(reply)

    def run(self, *words: str) -> str:
        """Run `agent-memory`, and return its output."""
        return self._start([], "memory_core.cli", *words)

    def _start(self, options: list[str], program: str, *words: str, data: str = "") -> str:
        shift = str(-round(self.days * DAY))
        command = [sys.executable, *options, "-c", WRONG_CLOCK, shift, program, *words]
        done = processes.run(command, data.encode(), cwd=self.root, env=self.env)
        assert not done.returncode, (program, words, done.stdout, done.stderr)
        return done.stdout.decode()

    def git(self, *words: str) -> None:
        subprocess.run(["git", *words], cwd=self.root, env=self.env, check=True)

    def delegate(self, run: Run) -> None:
        """Let the hooks see a delegation from its call to its answer."""
        self._runs += 1
        self.days = run.days + self._runs * 5 % 7 / 20  # at different hours
        name, session = f"a{self._runs:02}c8e95", f"session-{self._runs // 3}"
        call = events.make_pre_event(f"toolu_{name}", run.agent, session_id=session)
        call["tool_input"] |= {"description": run.task, "prompt": f"{run.task}."}
        reply = self.run_hook("pre_tool_use", call)
        if run.error:
            failure = {"error": run.error, "hook_event_name": "PostToolUseFailure"}
            self.run_hook("post_tool_use", {**call, **failure, "is_interrupt": False})
            return
        received = reply.get("updatedInput") if run.has_arrived else None
        self._finish(run, name, {**call, "tool_input": received or call["tool_input"]})

    def _finish(self, run: Run, name: str, call: dict[str, Any]) -> None:
        session = {"session_id": call["session_id"]}
        self.run_hook("subagent_start", events.make_start_event(name, run.agent, **session))
        report = make_report(run, self._list_ids(run.agent))
        path = self._write_transcript(name, run.read)
        stop = events.make_stop_event(name, report, run.agent)
        self.run_hook("subagent_stop", {**stop, **session, "agent_transcript_path": path})
        numbers: dict[str, Any] = {"agentType": run.agent, "totalToolUseCount": 4 + self._runs % 9}
        numbers["totalDurationMs"] = 20_000 + 9_000 * self._runs
        numbers["totalTokens"] = 30_000 + 700 * self._runs
        answer = events.make_post_event(call["tool_input"]["prompt"], report, name, **numbers)
        self.run_hook("post_tool_use", {**answer, **call, "hook_event_name": "PostToolUse"})

    def _list_ids(self, agent: str) -> list[str]:
        path = self.root / ".claude-mpm" / "memories" / "history" / f"{agent}.jsonl"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        records = map(json.loads, lines)
        return [record["id"] for record in records if record["kind"] == "learned"]

    def _write_transcript(self, run: str, urls: list[str]) -> str:
        path = self.home / f"agent-{run}.jsonl"
        text = "".join(f"{json.dumps(used('WebFetch', url=url))}\n" for url in urls)
        path.write_text(text, encoding="utf-8")
        return str(path)


def make_report(run: Run, ids: list[str]) -> str:
    """Return a final report with learnings, which says that a part of these items was used."""
    used = [key[:6] for key in ids[:: 2 + len(ids) // 4]]
    lines = [f"Used: {', '.join(used)}"] if used else []
    blocks = [f"# Add To Memory:\nType: {kind}\nContent: {text}\n#" for kind, text in run.learned]
    return "\n\n".join([f"Done: {run.task}.", *lines, *blocks]) + "\n"


def fill(shop: Shop) -> None:
    """Let eight weeks pass: learnings, deliveries, a failure, reviews, tasks, a stale item."""
    shop.git("init", "-q", "-b", "main")
    for name, description in AGENTS.items():
        shop.write(f".claude/agents/{name}.md", AGENT.format(name=name, description=description))
    for path, text in SOURCES.items():
        shop.write(path, text)
    shop.person.install()
    shop.write(".claude-mpm/config.yml", CONFIG)
    shop.write(".claude-mpm/memories/PM.md", PM)
    shop.git("add", "src", "Makefile")
    shop.git("commit", "-q", "-m", "Begin the shop")
    for run in read_runs():
        shop.delegate(run)
    shop.git("mv", "src/pay.py", "src/payments.py")
    shop.days = 0.09
    shop.run_hook("session_start", {**SESSION, "session_id": "today"})
    shop.run("add", "engineer", "guideline", "Prices in the catalogue include the tax")
    shop.run("confirm", "engineer", "message id charges")
    shop.run("pin", "engineer", "event bus, never")
    _add_tasks(shop)
    shop.days = 0


def _add_tasks(shop: Shop) -> None:
    shop.write("backlog/config.yml", BACKLOG)
    for number, (title, status) in TASKS.items():
        text = TASK.format(number=number, title=title, status=status)
        shop.write(f"backlog/tasks/task-{number} - {title.replace(' ', '-')}.md", text)
    shop.run("task", "list")  # reads the files
    shop.run("task", "decide", "12", "A refund is a new document; the order stays unchanged")
    shop.run("task", "note", "12", "The bank wants one refund for each payment")
    shop.run("task", "note", "14", "The template is in templates/invoice.html")
