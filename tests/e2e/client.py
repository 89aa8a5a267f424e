"""Run the real Claude Code as a user does, with a separate home and without a network."""

import fcntl
import json
import os
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from support import files
from support.processes import wait_until
from support.runs import list_runs
from support.sandbox import Sandbox
from support.workers import await_worker

from .api import PATIENCE, Api, Request, Script

KEY = "sk-ant-no-key-at-all-just-a-test-0123456789"
PROGRAM = Path("node_modules", ".bin", "claude")

# Makes the terminal on stdin the controlling terminal, then executes the command.
IN_TERMINAL = """
import fcntl, os, sys, termios
os.setsid()
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execvp(sys.argv[1], sys.argv[1:])
"""


class Claude(NamedTuple):
    """One installed version of Claude Code."""

    version: str
    folder: Path

    @property
    def program(self) -> str:
        return str(self.folder / PROGRAM)

    def since(self, version: str) -> bool:
        return order(self.version) >= order(version)

    def skip_unawaited(self, in_background: bool) -> None:
        """Skip a test of a run in the background if `-p` ends before it (seen up to 2.1.20)."""
        if in_background and not self.since("2.1.62"):
            pytest.skip("this version ends without waiting for its agents")


def order(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


class Run(NamedTuple):
    """A finished run of the client: its output and its API requests."""

    code: int
    out: str
    err: str
    api: Api

    def requests_by(self, speaker: str) -> list[Request]:
        return self.api.requests_by(speaker)


class Session:
    """A run of the client that has not ended."""

    def __init__(self, process: subprocess.Popen[bytes], api: Api) -> None:
        self.process = process
        self.api = api

    def end(self) -> None:
        """Kill the client and all its child processes."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(PATIENCE)


class Terminal(Session):
    """A pseudo-terminal that runs the client."""

    def __init__(self, process: subprocess.Popen[bytes], api: Api, master: int) -> None:
        super().__init__(process, api)
        self.screen = bytearray()
        self._master = master
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        while True:
            try:
                seen = os.read(self._master, 65536)
            except OSError:  # Linux raises EIO when the other side is closed
                return
            if not seen:
                return
            self.screen += seen

    def ask(self, prompt: str) -> None:
        """Type a prompt and send it, as soon as the input line is visible."""
        wait_until(lambda: "❯".encode() in self.screen, "the prompt on the screen")
        os.write(self._master, prompt.encode())
        # Enter together with the text is read as a line break, and Enter before the text is
        # drawn may be lost.  Enter on an empty line does nothing, so it can be repeated.
        wait_until(lambda: self.api.requests or self._enter(), "the prompt to be sent")

    def _enter(self) -> None:
        time.sleep(0.3)
        os.write(self._master, b"\r")

    def end(self) -> None:
        super().end()
        self._reader.join(PATIENCE)
        os.close(self._master)


class Desk(Sandbox):
    """A machine of a user: a home, a project, and one version of the client."""

    def __init__(self, claude: Claude, folder: Path) -> None:
        folder.mkdir(parents=True)
        super().__init__(folder)
        self.claude = claude
        del self.env["CLAUDE_PROJECT_DIR"]  # the client sets it
        (self.home / "tmp").mkdir()
        self.write(".claude/agents/engineer.md", agent("engineer"))
        self.write(".claude/agents/qa.md", agent("qa"))
        (self.home / ".claude.json").write_text(json.dumps(self._onboarded()))

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        files.write(path, text)
        return path

    def read(self, name: str) -> str:
        path = self.root / name
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def settings(self, **values: Any) -> None:
        """Add to the project's settings.json."""
        now = json.loads(self.read(".claude/settings.json") or "{}")
        self.write(".claude/settings.json", json.dumps({**now, **values}, indent=2) + "\n")

    def write_skill(self, agent: str, task: str) -> None:
        """Write a skill that this agent runs."""
        head = f"name: survey\ndescription: surveys\ncontext: fork\nagent: {agent}"
        self.write(".claude/skills/survey/SKILL.md", f"---\n{head}\n---\n{task} go\n")

    def list_known_items(self, agent: str) -> list[str]:
        """Return the items of the agent's memory file, sorted."""
        lines = self.read(f".claude-mpm/memories/{agent}.md").splitlines()
        return sorted(line.removeprefix("- ") for line in lines if line.startswith("- "))

    def read_records(self, agent: str) -> list[dict[str, Any]]:
        """Return the records of the agent's history that teach an item."""
        lines = self.read(f".claude-mpm/memories/history/{agent}.jsonl").splitlines()
        return [record for line in lines if (record := json.loads(line))["kind"] == "learned"]

    def list_arrivals(self) -> list[str]:
        """Return how the memories of the engineer's runs arrived, oldest first."""
        return [str(run["arrived"]) for run in list_runs(self.paths)]

    def read_review(self) -> str:
        """Return the journal with the learnings that wait."""
        path = self.state / "review.jsonl"
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def open_receipts(self) -> list[Path]:
        """Return the receipts that a later run could take."""
        paths = (self.state / "receipts").rglob("*.json")
        return [path for path in paths if "launched" not in path.read_text()]

    def is_transcribed(self, text: str) -> bool:
        """Say whether a transcript of the client contains the text."""
        paths = (self.home / ".claude" / "projects").rglob("*.jsonl")
        return any(text in path.read_text(errors="replace") for path in paths)

    def run_command(self, *words: str) -> str:
        """Run one of the client's commands, such as `plugin install`; return its output."""
        how = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        with Api({}) as api:
            env, command = self.environment(api), [self.claude.program, *words]
            done = subprocess.run(command, cwd=self.root, env=env, **how)
        assert done.returncode == 0, done.stdout
        return str(done.stdout)

    def environment(self, api: Api) -> dict[str, str]:
        """Return an environment with PATH only; all network traffic goes to the test's server."""
        return {
            **{name: os.environ[name] for name in ("LANG", "LC_ALL") if name in os.environ},
            "TMPDIR": str(self.home / "tmp"),
            "CLAUDE_CODE_TMPDIR": str(self.home / "tmp"),
            "SHELL": "/bin/sh",
            "TERM": "xterm-256color",
            "ANTHROPIC_BASE_URL": api.url,
            "ANTHROPIC_API_KEY": KEY,
            "HTTPS_PROXY": api.url,
            "NO_PROXY": "127.0.0.1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_AUTOUPDATER": "1",
            **self.env,
        }

    def run(self, script: Script, *options: str, prompt: str = "MAIN go") -> Run:
        """Run `claude -p` to its end."""
        with self.start(script, *options, prompt=prompt) as session:
            out, err = session.process.communicate(timeout=PATIENCE)
            return Run(session.process.returncode, out.decode(), err.decode(), session.api)

    def watch(self, script: Script, is_over: Callable[[Api], Any], *options: str) -> Run:
        """Run `claude -p` to its end or until `is_over`.

        After a run in the background 2.1.20 hangs nine times of ten, and 2.1.63 sometimes, also
        without hooks.
        """
        with self.start(script, *options) as session:
            process = session.process
            ended = process.poll
            wait_until(lambda: ended() is not None or is_over(session.api), "the end of the run")
            session.end()
            out, err = process.communicate()
            return Run(0, out.decode(), err.decode(), session.api)

    @contextmanager
    def start(self, script: Script, *options: str, prompt: str = "MAIN go") -> Iterator[Session]:
        """Start `claude -p`, and kill it at the end of the `with` block."""
        if "--permission-mode" not in options:
            options = ("--permission-mode", "default", *options)
        with Api(script) as api:
            process = subprocess.Popen(
                [self.claude.program, "-p", prompt, *options],
                cwd=self.root,
                env=self.environment(api),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
            with process:
                session = Session(process, api)
                try:
                    yield session
                finally:
                    session.end()
                    await_worker(self.paths)

    @contextmanager
    def terminal(self, script: Script, *options: str) -> Iterator[Terminal]:
        """Run `claude` in a terminal."""
        master, slave = os.openpty()
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), slave)
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 160, 0, 0))
        with Api(script) as api:
            process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", IN_TERMINAL, self.claude.program, *options],
                cwd=self.root,
                env=self.environment(api),
                **pipes,
            )
            os.close(slave)
            session = Terminal(process, api, master)
            try:
                yield session
            finally:
                session.end()
                await_worker(self.paths)

    def _onboarded(self) -> dict[str, Any]:
        """Write the state of a client whose first-start questions are answered."""
        return {
            "hasCompletedOnboarding": True,
            "lastOnboardingVersion": self.claude.version,
            "numStartups": 5,
            "theme": "dark",
            "autoUpdates": False,
            "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
            "projects": {
                str(self.root): {
                    "hasTrustDialogAccepted": True,
                    "hasCompletedProjectOnboarding": True,
                    "projectOnboardingSeenCount": 1,
                }
            },
        }


def agent(name: str) -> str:
    """Return the text of an agent definition for .claude/agents/."""
    return f"---\nname: {name}\ndescription: does {name} work\n---\nYou are the {name}.\n"
