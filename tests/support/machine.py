"""A machine of its own, with a clone of the project and a clock that may be wrong."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from memory_core.document import markdown
from support import events
from support.command_line import Done
from support.files import write
from support.git import name_author
from support.paths import REPO
from support.processes import run_text
from support.sandbox import Sandbox
from support.workers import await_worker

AGENT = "engineer"
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


class Machine(Sandbox):
    """A folder with a project and a home folder; its clock is `shift` seconds ahead."""

    def __init__(self, folder: Path, origin: Machine | None = None) -> None:
        folder.mkdir(parents=True)
        super().__init__(folder)
        self.switch_selection_on()
        self.shift = 0
        self.env |= {"PYTHONPATH": str(REPO), "GIT_CONFIG_GLOBAL": os.devnull, **name_author("Ann")}
        if origin:
            self.git("clone", "-q", str(origin.root), ".")
        else:
            self.git("init", "-q", "-b", "main")

    def run(self, *words: str, status: int | None = 0) -> Done:
        """Run `agent-memory`; it must have this exit status, unless that is None."""
        command = [sys.executable, "-c", WRONG_CLOCK, str(self.shift), "memory_core.cli"]
        done = self._start([*command, *words], status=status)
        assert "Traceback" not in done.stderr
        return done

    def read_json(self, *words: str) -> Any:
        return json.loads(self.run(*words, "--json").stdout)

    def report(self, text: str, run: str = "") -> None:
        """Let a run of the agent end with a report that teaches a text."""
        run = run or f"a{hash(text) % 10**9}"
        event = events.make_stop_event(run, events.make_report(text), AGENT)
        hook = str(REPO / "hooks" / "subagent_stop.py")
        command = [sys.executable, "-c", WRONG_CLOCK, str(self.shift), hook]
        self._start(command, data=json.dumps({**event, "cwd": str(self.root)}))
        await_worker(self.paths)

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
        return self.memories / f"{AGENT}.md"

    def read(self) -> str:
        return self.read_memory(AGENT)

    def save(self, text: str) -> None:
        """Save the file in an editor."""
        write(self.path, text)

    def list_items(self) -> list[str]:
        if not self.path.exists():
            return []
        items = markdown.list_items(markdown.parse_document(self.read()))
        return [text for text, _section, _nested in items]

    def _start(self, command: list[str], data: str = "", status: int | None = 0) -> Done:
        done = run_text(command, data, cwd=self.root, env=self.env)
        assert status in (None, done.returncode), (command, done.stdout, done.stderr)
        return done
