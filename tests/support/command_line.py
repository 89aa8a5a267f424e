"""Run the command `agent-memory` in a sandbox."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

from memory_core.claude_code import sample_events, settings_json
from memory_core.setup import hook_runner
from support import forks, processes
from support.files import read_files, write, write_program
from support.pages import JSON_PAGE
from support.paths import REPO
from support.sandbox import Sandbox
from support.workers import await_worker

ITEM = "Services talk through the event bus, never directly"
COMMAND = [sys.executable, "-m", "memory_core.cli"]
PLAIN_LINE = re.compile(r"""agent-memory( +([\w./:,@+=-]+|'[^']*'|"[^"$`\\]*"))*""")
UNDO_HINT = re.compile(r"(?<=undo )[0-9a-f]{6}\b")

Done = subprocess.CompletedProcess[str]


def hide_change(text: str) -> str:
    """Replace the ids of changes in hints of how to undo them by "ID"."""
    return UNDO_HINT.sub("ID", text)


def make_result(command: list[str], status: int, stdout: bytes, stderr: bytes) -> Done:
    """Return the result of a command, with its bytes decoded to text."""
    texts = [part.decode("utf-8", "surrogateescape") for part in (stdout, stderr)]
    return Done(command, status, *texts)


def read_stdout(done: Done) -> str:
    """Return what a command prints that succeeds and says nothing on stderr."""
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def read_stderr(done: Done, status: int) -> str:
    """Return what a command with this status says on stderr, which prints nothing else."""
    assert (done.returncode, done.stdout) == (status, ""), done.stderr
    return done.stderr


class Person:
    """A user at a shell in the sandbox; `agent-memory` and the hooks are on PATH."""

    def __init__(self, sandbox: Sandbox, folder: Path) -> None:
        self.sandbox = sandbox
        self.bin = folder / "bin"
        self.bin.mkdir()
        # Use the interpreter of the tests: the command may not be installed next to it.
        self.add_program("agent-memory", f'exec "{sys.executable}" -m memory_core.cli "$@"')
        path = f"{self.bin}:{Path(sys.executable).parent}:{os.environ['PATH']}"
        own = {"PATH": path, "PYTHONPATH": str(REPO), "HOOKS": str(REPO / "hooks")}
        self.env = {**sandbox.env, **own}

    def add_program(self, name: str, script: str) -> None:
        """Put a shell script on PATH."""
        write_program(self.bin / name, script)

    def run(
        self,
        *arguments: str,
        data: bytes = b"",
        cwd: Path | None = None,
        process: bool = False,
        **env: str,
    ) -> Done:
        """Run `agent-memory` with these arguments; remove variables that are set to "".

        A forked child runs the command, except in tests of the process itself.
        """
        command = [*COMMAND, *arguments]
        variables = self._variables(env)
        folder = cwd or self.sandbox.root
        if process or not forks.can_fork(variables):
            return self._run(command, data, folder, variables)
        done = make_result(command, *forks.run(arguments, data, folder, variables))
        await_worker(self.sandbox.paths)
        return done

    def succeed(self, *arguments: str, **how: Any) -> Done:
        """Run a command that must succeed."""
        done = self.run(*arguments, **how)
        assert done.returncode == 0, done.stderr
        return done

    def run_shell(self, line: str) -> Done:
        """Run a shell line; a line that only runs `agent-memory` does not start a shell."""
        if PLAIN_LINE.fullmatch(line):
            return self.run(*shlex.split(line)[1:])
        return self._run(["sh", "-c", line], b"", self.sandbox.root, self._variables({}))

    def _run(self, command: list[str], data: bytes, cwd: Path, env: dict[str, str]) -> Done:
        done = processes.run(command, data, cwd=cwd, env=env)
        await_worker(self.sandbox.paths)  # of a hook that the command ran
        return make_result(command, done.returncode, done.stdout, done.stderr)

    def _variables(self, env: dict[str, str]) -> dict[str, str]:
        return {name: value for name, value in {**self.env, **env}.items() if value}

    def read_json(self, *arguments: str, data: bytes = b"") -> Any:
        """Run a command that succeeds, and return what its --json prints."""
        return json.loads(self.succeed(*arguments, "--json", data=data).stdout)

    def make_sample(self, kind: str, **changed: Any) -> bytes:
        """Return a sample event of the agent engineer, with these fields changed."""
        event = sample_events.build(kind, "engineer", str(self.sandbox.root), "1")
        return json.dumps({**event, **changed}).encode()

    def list_findings(self, *levels: str) -> list[tuple[str, str]]:
        """Return (level, check) of each finding of the doctor."""
        done = self.run("doctor", "--json")
        answer = json.loads(done.stdout)
        assert done.returncode == answer["broken"], done.stderr
        findings = [(finding["level"], finding["check"]) for finding in answer["findings"]]
        return [finding for finding in findings if not levels or finding[0] in levels]

    def list_origins(self, agent: str = "engineer", task: str = "orders") -> dict[str, str]:
        """Return where the items of an agent come from, by their texts."""
        items = self.read_json("explain", agent, task)["items"]
        return {item["text"]: item["origin"] for item in items}

    def install(self) -> Path:
        """Put the hooks into the project's settings, and the program where the hooks expect it."""
        path = self.sandbox.root / ".claude" / "settings.json"
        install_hooks(path, self.sandbox.home)
        return path


def install_hooks(path: Path, home: Path) -> None:
    """Put the hooks of an installation into a settings file, and their program into this home."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    hooks = settings_json.build_hooks(hook_runner.read_template())
    write(path, settings_json.add_hooks(text, hooks))
    link_program(home / ".local" / "share" / "agent-memory" / "venv")


def link_program(venv: Path) -> None:
    """Make a folder that hooks take for the program of an installation."""
    (venv / "bin").mkdir(parents=True)
    (venv / "bin" / "python").symlink_to(sys.executable)
    (venv / "hooks").symlink_to(REPO / "hooks")


def read_fields(row: str) -> set[str]:
    """Return the JSON field names in a table row of docs/cli.md."""
    line = next(line for line in JSON_PAGE.split("\n") if line.startswith(f"| {row} |"))
    without_notes = re.sub(r"\([^)]*\)", "", line.split("|")[2])
    return set(re.findall(r"`(\w+)`", without_notes))


def list_loaded_modules(person: Person, source: str, words: str) -> set[str]:
    """Return the modules of this source that a run of `main` imports."""
    program = f"{source}\nimport sys; sys.argv[1:] = {words.split()!r}; main();"
    command = [sys.executable, "-c", f"{program} print(*sys.modules, file=sys.stderr)"]
    done = subprocess.run(
        command, env=person.env, cwd=person.sandbox.root, capture_output=True, text=True, check=True
    )
    return set(done.stderr.split())


def check_refused(
    person: Person, cases: dict[str, str], status: int = 2, prefix: str = "", data: bytes = b""
) -> None:
    """Check that each of the commands ends with this message, and that no file changes.

    All commands begin with `prefix`.
    """
    before = read_all(person)
    for words, message in cases.items():
        done = person.run(*shlex.split(f"{prefix} {words}"), data=data)
        assert (done.returncode, done.stdout) == (status, ""), f"{words}: {done.stderr}"
        assert done.stderr.startswith("agent-memory: ")
        assert message in done.stderr, words
        lines = [line for line in done.stderr.splitlines() if not line.startswith("  ")]
        assert len(lines) <= 2, "a sentence, its list, and the usage"
        assert read_all(person) == before, words


def read_all(person: Person) -> dict[str, bytes]:
    """Return all files except those of the state that each reader may write."""
    found = read_files(person.sandbox.root.parent)
    names = "settings project.json state.db review.jsonl tasks.json"
    made = tuple(f"/{name}" for name in names.split())
    return {
        name: data
        for name, data in found.items()
        if not name.endswith(made) and "/origins/" not in name
    }
