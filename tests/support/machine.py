"""A machine of its own, with a clone of the project and a clock that may be wrong."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from memory_core.document import markdown
from memory_core.storage.paths import LevelPaths
from support import events, processes
from support.git import name_author
from support.paths import REPO
from support.workers import await_worker

AGENT = "engineer"
MEMORIES = ".claude-mpm/memories"
HOUR, YEAR = 3600, 365 * 86400

# Python reads the clock of the system, so the program replaces it before it runs another one.
WRONG_CLOCK = """
import runpy, sys, time
shift, program = int(sys.argv[1]), sys.argv[2]
seconds, nanoseconds = time.time, time.time_ns
time.time = lambda: seconds() + shift
time.time_ns = lambda: nanoseconds() + shift * 10**9
sys.argv[:] = sys.argv[2:]
run = runpy.run_path if program.endswith(".py") else runpy.run_module
run(program, run_name="__main__")
"""


class Machine:
    """A folder with a project and a home folder; its clock is `shift` seconds ahead."""

    def __init__(self, folder: Path, origin: Machine | None = None) -> None:
        self.root, self.home = folder / "shop", folder / "home"
        self.home.mkdir(parents=True)
        self.shift = 0
        self.env = {
            "HOME": str(self.home),
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(REPO),
            "CLAUDE_PROJECT_DIR": str(self.root),
            "GIT_CONFIG_GLOBAL": os.devnull,
            **name_author("Ann"),
        }
        if origin:
            self._start(["git", "clone", "-q", str(origin.root), str(self.root)], cwd=folder)
        else:
            self._start(["git", "init", "-q", "-b", "main", str(self.root)], cwd=folder)

    def run(self, *words: str, status: int | None = 0) -> subprocess.CompletedProcess[str]:
        """Run `agent-memory`; it must have this exit status, unless that is None."""
        command = [sys.executable, "-c", WRONG_CLOCK, str(self.shift), "memory_core.cli"]
        done = self._start([*command, *words], status=status)
        assert "Traceback" not in done.stderr
        return done

    def read_json(self, *words: str) -> Any:
        return json.loads(self.run(*words, "--json").stdout)

    def report(self, text: str, run: str = "") -> None:
        """Let a run of the agent end with a report that teaches a text."""
        event = events.make_stop_event(
            run or f"a{hash(text) % 10**9}", events.make_report(text), AGENT
        )
        hook = str(REPO / "hooks" / "subagent_stop.py")
        command = [sys.executable, "-c", WRONG_CLOCK, str(self.shift), hook]
        self._start(command, data=json.dumps({**event, "cwd": str(self.root)}))
        await_worker(LevelPaths(str(self.root), self.env))

    def git(self, *words: str) -> None:
        self._start(["git", *words])

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "x")

    def pull(self, other: Machine) -> None:
        self.commit()
        other.commit()
        self.git("pull", "-q", "--no-rebase", "--no-edit", str(other.root), "main")

    @property
    def path(self) -> Path:
        return self.root / MEMORIES / f"{AGENT}.md"

    def read(self) -> str:
        return self.path.read_text(encoding="utf-8")

    def save(self, text: str) -> None:
        """Save the file in an editor."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(text, encoding="utf-8")

    def list_items(self) -> list[str]:
        if not self.path.exists():
            return []
        items = markdown.list_items(markdown.parse_document(self.read()))
        return [text for text, _section, _nested in items]

    def _start(
        self, command: list[str], data: str = "", cwd: Path | None = None, status: int | None = 0
    ) -> subprocess.CompletedProcess[str]:
        done = processes.run(command, data.encode(), cwd=cwd or self.root, env=self.env)
        assert status in (None, done.returncode), (command, done.stdout, done.stderr)
        texts = done.stdout.decode(), done.stderr.decode()
        return subprocess.CompletedProcess(command, done.returncode, *texts)
