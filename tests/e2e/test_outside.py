"""Twenty ordinary tasks of agents: which of their runs count as reading from outside.

The plans were written before the rule, after tasks of real projects.  docs/security.md has the
result.
"""

import os
import time
from typing import Any

from support.git import git
from support.paths import CASES
from support.processes import wait_until

from .api import Block, Request, Script, delegate, say, together, use
from .client import Desk
from .product import assert_quiet, lesson

# Tasks, each with its calls, two spaces between them; `$` stands for Bash.
PLANS = (CASES / "agent_tasks.txt").read_text(encoding="utf-8")

# What the runs had read that count as outside.
OUTSIDE = {
    "update a dependency": ["Bash: npm outdated", "Bash: npm install"],
    "use a library by its README": ["Read README.md"],
    "look up an API on the web": ["WebSearch", "WebFetch docs.example.com"],
    "debug CI": ["Bash: gh"],
    "find a crash in the log": ["Bash: tail app.log"],
}

# Programs that the machine may lack; two of them write what git ignores.
PROGRAMS = {
    **dict.fromkeys(("curl", "docker", "gh", "make", "npx", "psql", "ruff"), "true"),
    "npm": "mkdir -p dist && echo built > dist/main.js",
    "pytest": "mkdir -p htmlcov && echo covered > htmlcov/index.html",
}
FILES = ("src/util.py", "src/settings.py", "node_modules/redis-lite/README.md", "logs/app.log")
FILES += ("node_modules/.bin/tsc", "node_modules/.bin/eslint")


def read_plans() -> dict[str, list[str]]:
    plans = (plan.split(":  ", 1) for plan in PLANS.strip().replace("\n ", "  ").split("\n"))
    return {title: calls.split("  ") for title, calls in plans}


def make_call(desk: Desk, line: str) -> list[Block]:
    tool, _, text = line.replace("$TMPDIR", str(desk.home / "tmp")).partition(" ")
    path = str(desk.root / text)
    calls: dict[str, dict[str, Any]] = {
        "Read": {"file_path": path},
        "Edit": {"file_path": path, "old_string": "1", "new_string": "1 + 1"},
        "Write": {"file_path": path, "content": "value = 1\n"},
        "Grep": {"pattern": text.split()[0], "path": str(desk.root / "src")},
        "Glob": {"pattern": text},
        "WebSearch": {"query": text},
        "WebFetch": {"url": text, "prompt": "What does it say?"},
        "$": {"command": text, "description": "a step"},
    }
    return use("Bash" if tool == "$" else tool, **calls[tool])


def prepare(desk: Desk) -> None:
    """Make a repository with the files of the plans, older than the session, and the programs."""
    desk.write(".gitignore", "node_modules/\nlogs/\ndist/\nhtmlcov/\n")
    lines = [line for plan in read_plans().values() for line in plan]
    names = {line.split()[1] for line in lines if line.startswith(("Read", "Edit"))}
    for name in {*names, *FILES} - {"tests/test_bills.py"}:
        desk.write(name, "value = 1\n")
        os.utime(desk.root / name, (1.7e9, 1.7e9))
    for name, script in PROGRAMS.items():
        desk.write(f"../home/bin/{name}", f"#!/bin/sh\n{script}\n")
        (desk.home / "bin" / name).chmod(0o755)
    desk.env["PATH"] = f"{desk.home / 'bin'}:{os.environ['PATH']}"
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "Begin")):
        git(desk.root, *words)


def test_which_ordinary_runs_count_as_outside(desk: Desk) -> None:
    prepare(desk)
    script: Script = {}
    for number, (title, plan) in enumerate(read_plans().items()):
        calls = [block for line in plan for block in make_call(desk, line)]

        def report(_: Request, last: Block = calls[-1], title: str = title) -> list[Block]:
            time.sleep(0.3)  # twenty agents that look all the time would slow the client down
            wait_until(lambda: desk.is_transcribed(str(last["id"])), "the calls")
            return say(lesson(f"Before you {title}, ask Ann"))

        script[f"TASK-{number}"] = [calls, report]
    jobs = [delegate("engineer", f"{name} go", run_in_background=False) for name in script]
    allowed = "Bash,Read,Edit,Write,Grep,Glob,WebFetch,WebSearch"
    for some in (jobs[:10], jobs[10:]):
        main: Script = {"MAIN": [together(*some), say("done")]}
        assert_quiet(desk.run({**script, **main}, "--allowedTools", allowed))
    read = {str(one["text"]): one.get("reading", []) for one in desk.read_records("engineer")}
    titles = [*read_plans()]
    assert read == {f"Before you {title}, ask Ann": OUTSIDE.get(title, []) for title in titles}
    assert len(OUTSIDE) * 4 <= len(titles) == 20
