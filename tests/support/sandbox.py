"""A project folder and a home folder for one test, and hooks that run in them."""

import contextlib
import json
import os
import re
import sys
from pathlib import Path
from typing import Any, NamedTuple

from memory_core.storage import paths, user_level
from memory_core.storage.paths import LevelPaths
from memory_core.storage.project import Project, find_project
from support import forks, processes
from support.files import write
from support.paths import REPO
from support.workers import await_worker

RUNS = re.compile(r'hook\.run\("(\w+)"\)')


class Outcome(NamedTuple):
    """Exit status, stdout and stderr of a hook."""

    status: int
    stdout: bytes
    stderr: bytes

    @property
    def reply(self) -> dict[str, Any]:
        return json.loads(self.stdout)["hookSpecificOutput"]


class Sandbox:
    """A project folder and a home folder; the hooks of this checkout run in them.

    An agent receives its whole memory, whatever its task is, until `switch_selection_on` is called.
    """

    def __init__(self, folder: Path) -> None:
        self.root = folder / "shop"
        self.home = folder / "home"
        self.root.mkdir()
        self.home.mkdir()
        self.memories = self.root / ".claude-mpm" / "memories"
        self.user_memories = self.home / ".claude-mpm" / "memories"
        self.env = {
            "HOME": str(self.home),
            "PATH": os.environ["PATH"],
            "CLAUDE_PROJECT_DIR": str(self.root),
            "AGENT_MEMORY_SELECTION": "off",
        }
        self.paths = LevelPaths(str(self.root), self.env)
        self.state = Path(self.paths.state.root)

    def open_project(self) -> Project:
        """Return the project as the product opens it now."""
        return find_project(str(self.root), self.env)

    def switch_selection_on(self) -> None:
        """Use the default settings: an agent receives what fits its task."""
        del self.env["AGENT_MEMORY_SELECTION"]

    def run_hook(self, name: str, event: Any, *, process: bool = False, **env: str) -> Outcome:
        """Run hooks/NAME.py with an event: bytes unchanged, other values as JSON.

        A forked child runs it, except in tests of the process itself.  Return when the worker has
        saved what the hook collected.
        """
        outcome = self._run_hook(name, event, process, {**self.env, **env})
        with contextlib.suppress(OSError):  # then the hook did nothing, either
            await_worker(paths.find_project_level(str(self.root), {**self.env, **env}))
        return outcome

    def _run_hook(self, name: str, event: Any, process: bool, variables: dict[str, str]) -> Outcome:
        data = event if isinstance(event, bytes) else json.dumps(event).encode()
        script = REPO / "hooks" / f"{name}.py"
        if not process and forks.can_fork({**forks.ENV, **variables}):
            (kind,) = RUNS.findall(script.read_text(encoding="utf-8"))
            return Outcome(*forks.run([forks.HOOK, kind], data, self.root, variables))
        command = [sys.executable, "-I", str(script)]
        done = processes.run(command, data, cwd=self.root, env=variables)
        return Outcome(done.returncode, done.stdout, done.stderr)

    def write_memory(self, agent: str, *items: str, user: bool = False) -> Path:
        """Write a memory file with these items."""
        if user:
            user_level.allow(self.paths)
        path = (self.user_memories if user else self.memories) / f"{agent}.md"
        lines = "".join(f"- {item}\n" for item in items)
        write(path, f"# {agent}\n\n## Project Architecture\n{lines}")
        return path

    def append_to_memory(self, agent: str, text: str) -> None:
        """Add text to the end of a memory file, as a person does in an editor."""
        with (self.memories / f"{agent}.md").open("a", encoding="utf-8") as file:
            file.write(text)

    def edit_memory(self, agent: str, old: str, new: str = "") -> None:
        """Replace text of a memory file, as a person does in an editor."""
        text = self.read_memory(agent).replace(old, new)
        (self.memories / f"{agent}.md").write_text(text, encoding="utf-8")

    def configure(self, text: str) -> None:
        """Write config.yml."""
        write(self.root / ".claude-mpm" / "config.yml", text)

    def read_memory(self, agent: str) -> str:
        """Return the text of an agent's memory file."""
        return (self.memories / f"{agent}.md").read_text(encoding="utf-8")

    def read_log(self, *names: str) -> list[dict[str, Any]]:
        """Return the events of the log with these names, or all events."""
        path = self.state / "events.jsonl"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        events = [json.loads(line) for line in lines]
        return [event for event in events if not names or event["event"] in names]
