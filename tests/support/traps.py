"""Traps that a hostile repository can put in the place of a file, and what they must not reach.

A `Scene` is a project that has lived for a while, with a copy of its files outside of it.  A trap
replaces one path of the project, the life goes on, and `judge` says what should not have happened.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from support import forks, life, processes
from support.files import read_files
from support.life import CANARY, WORD, Step
from support.paths import REPO
from support.sandbox import Sandbox
from support.workers import await_worker

RECORDER = REPO / "tests" / "support" / "recorder.py"
COMMAND_SCRIPT = REPO / "memory_core" / "cli" / "__main__.py"

# Seconds that a hook may take, with room for a machine that does much else.
HOOK_SECONDS = 3.0
COMMAND_SECONDS = 20.0

HUGE_BYTES = 1_000_000_000
OLD = time.time() - 365 * 86400


class Result(NamedTuple):
    """What became of a step: exit status (None: it did not end), outputs, and seconds."""

    step: Step
    status: int | None
    output: bytes
    errors: bytes
    seconds: float


def run_step(step: Step, sandbox: Sandbox) -> Result:
    """Run a step in a process of its own."""
    kind = step.door.title().replace("_", "")
    arguments = (forks.HOOK, kind) if step.is_hook else step.words
    env = {**sandbox.env, "PYTHONPATH": str(REPO), "EDITOR": f"sed -i.old s/{WORD}/port/"}
    began = time.monotonic()
    try:
        limit = COMMAND_SECONDS
        status, output, errors = forks.run(arguments, step.data, sandbox.root, env, limit)
    except subprocess.TimeoutExpired as error:
        seconds = time.monotonic() - began
        return Result(step, None, error.output, error.stderr or b"", seconds)
    seconds = time.monotonic() - began
    await_worker(sandbox.paths)
    return Result(step, status, output, errors, seconds)


def record_step(step: Step, sandbox: Sandbox, notes: Path) -> set[str]:
    """Run a step as Claude Code or a shell does; return "read PATH" or "write PATH" for each path.

    The paths are those below the project that a repository can prepare.
    """
    notes.write_bytes(b"")
    script = REPO / "hooks" / f"{step.door}.py" if step.is_hook else COMMAND_SCRIPT
    recorder = [sys.executable, "-I", str(RECORDER), str(notes), str(sandbox.root)]
    env = {**sandbox.env, "EDITOR": f"sed -i.old s/{WORD}/port/"}
    command = [*recorder, str(script), *step.words]
    done = processes.run(command, step.data, cwd=sandbox.root, env=env)
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    await_worker(sandbox.paths)
    lines = notes.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    # Nobody can know the path of a temporary file before.
    return {line for line in lines if not re.search(r"\.[0-9a-f]{16}\b", line)}


# What is outside.

Entry = tuple[int, float, bytes]


def look_outside(folder: Path) -> dict[str, Entry]:
    """Return mode, time of change and content of everything below a folder, by path."""
    return {str(path): _describe(path) for path in (folder, *sorted(folder.rglob("*")))}


def _describe(path: Path) -> Entry:
    status = path.lstat()
    content = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
    return status.st_mode, status.st_mtime, hashlib.sha256(content).digest()


def make_outside(folder: Path, project: Path) -> None:
    """Create a copy of the project with another word in it, and a folder of old files."""
    shutil.copytree(project, folder / "copy", symlinks=True)
    for path in (folder / "copy").rglob("*"):
        if path.is_file() and WORD.encode() in path.read_bytes():
            path.write_bytes(path.read_bytes().replace(WORD.encode(), CANARY.encode()))
    text = f"# Notes\n\n## Project Architecture\n- The {CANARY} is outside\n"
    names = ("CLAUDE.md", "engineer.md", "1-1.json", "engineer.lock", "notes.txt", "task-1 - A.md")
    for name in names:
        life.write(folder / "old" / name, text)
        life.write(folder / "old" / "below" / name, text)
    for path in (*folder.rglob("*"), folder):
        os.utime(path, (OLD, OLD), follow_symlinks=False)


# Traps.

LINK_FILE, LINK_FOLDER, LINK_NEW = "link to a file", "link to a folder", "link to a new file"
FIFO, FOLDER, HUGE = "named pipe", "folder", "huge file"
KINDS = (LINK_FILE, LINK_FOLDER, LINK_NEW, FIFO, FOLDER, HUGE)


class Trap(NamedTuple):
    """A kind of trap in the place of a path, which is relative to the project."""

    kind: str
    path: str

    def __str__(self) -> str:
        return f"{self.kind} at {self.path}"


def plant(trap: Trap, root: Path, outside: Path) -> None:
    """Replace a path by a trap."""
    path = root / trap.path
    path.parent.mkdir(parents=True, exist_ok=True)
    remove(path)
    copy = outside / "copy" / trap.path
    if trap.kind == LINK_FILE:
        path.symlink_to(copy if copy.is_file() else outside / "old" / "notes.txt")
    elif trap.kind == LINK_FOLDER:
        path.symlink_to(copy if copy.is_dir() else outside / "old")
    elif trap.kind == LINK_NEW:
        path.symlink_to(outside / "new")
    elif trap.kind == FIFO:
        os.mkfifo(path)
    elif trap.kind == FOLDER:
        life.write(path / "file.md", f"- The {WORD} is here\n")
    else:
        with path.open("wb") as file:
            file.truncate(HUGE_BYTES)


def remove(path: Path) -> None:
    """Remove whatever is at a path."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


class Scene:
    """A project after a life, its home with the state, and what is outside of them."""

    def __init__(self, folder: Path) -> None:
        (folder / "place").mkdir(parents=True)
        self.sandbox = Sandbox(folder / "place")
        self.place, self.template = folder / "place", folder / "template"
        self.outside, self.notes = folder / "outside", folder / "notes"
        self.root = self.sandbox.root
        life.settle(self.sandbox)
        first = Step("", "command", ("task", "init", "--yes"))
        for step in (first, *life.live(self.root, "alpha")):
            self.check(run_step(step, self.sandbox))
        self.save()
        make_outside(self.outside, self.root)
        self.untouched = look_outside(self.outside)
        self.slowest = 0.0  # seconds of a hook

    def check(self, result: Result) -> None:
        """Check that a step without any trap succeeded and was recorded."""
        assert result.status == 0, result
        assert b"Traceback" not in result.errors, result
        assert not self.sandbox.read_log("agent.memory.error"), self.sandbox.read_log()

    def save(self) -> None:
        """Make this the state that `reset` restores."""
        shutil.copytree(self.place, self.template, symlinks=True)

    def reset(self) -> None:
        """Restore the state before the trap, at the same paths."""
        for path in (self.root, self.sandbox.home):
            for entry in path.iterdir():
                remove(entry)
        shutil.copytree(self.template, self.place, symlinks=True, dirs_exist_ok=True)

    def discover(self, steps: Iterable[Step]) -> dict[str, set[str]]:
        """Return the names of the steps that use each path, and each folder above it.

        After that the steps have happened.
        """
        users: dict[str, set[str]] = {}
        for step in steps:
            for line in record_step(step, self.sandbox, self.notes):
                path = Path(line.partition(" ")[2])
                for part in (path, *path.parents[:-1]):
                    users.setdefault(str(part), set()).add(step.name)
        return users

    def spring(self, trap: Trap, steps: list[Step]) -> list[str]:
        """Put a trap into the project and run these steps; return what went wrong."""
        self.reset()
        plant(trap, self.root, self.outside)
        results = [run_step(step, self.sandbox) for step in steps]
        seconds = (result.seconds for result in results if result.step.is_hook)
        self.slowest = max(self.slowest, *seconds, 0.0)
        problems = [*judge_results(results), *self.judge_outside(), *self.judge_inside()]
        taught = [fact for result in results if is_accepted(result) for fact in result.step.facts]
        problems += self.judge_learnings(trap, taught)
        return [f"{trap}: {problem}" for problem in problems]

    def judge_outside(self) -> Iterator[str]:
        """Yield what changed outside, and restore it."""
        now = look_outside(self.outside)
        if now == self.untouched:
            return
        for path in sorted({*now, *self.untouched}):
            if now.get(path) != self.untouched.get(path):
                yield f"changed outside: {path}"
        shutil.rmtree(self.outside)
        self.reset()
        make_outside(self.outside, self.root)
        self.untouched = look_outside(self.outside)

    def judge_inside(self) -> Iterator[str]:
        """Yield the files of the project and of its state that have a text from outside."""
        for folder in (self.root, self.sandbox.home):
            for path in list_files(folder):
                is_trap = path.stat().st_size == HUGE_BYTES
                if not is_trap and CANARY.encode() in path.read_bytes():
                    yield f"revealed in {path.relative_to(self.place)}"

    def judge_learnings(self, trap: Trap, facts: list[str]) -> Iterator[str]:
        """Take the trap away, run one more session, and yield the facts that are nowhere."""
        original = self.template / self.root.name / trap.path
        path = self.root / trap.path
        if not facts:
            return
        memories = self.root / ".claude-mpm" / "memories"
        # In a new folder the memories are as safe as in the old one.
        before = read_files(memories) if trap.kind == FOLDER else {}
        remove(path)
        if original.is_dir():
            shutil.copytree(original, path, symlinks=True)
        elif original.exists():
            shutil.copy2(original, path)
        for step in life.recover(self.root):
            result = run_step(step, self.sandbox)
            if result.status != 0:
                yield f"after the repair, {step.name}: {result}"
        text = b"\n".join([*before.values(), *read_files(memories).values()])
        for fact in facts:
            if fact.encode() not in text:
                yield f"lost: {fact}"


def is_accepted(result: Result) -> bool:
    """Return whether a door took what it was taught, and did not answer with an error."""
    is_answer = b'"isError":false' in result.output or result.step.door != "mcp"
    return result.status == 0 and is_answer


def list_files(folder: Path) -> Iterator[Path]:
    """Yield the regular files below a folder; no link is followed."""
    for place, _folders, names in os.walk(folder):
        for name in names:
            path = Path(place, name)
            if path.is_file() and not path.is_symlink():
                yield path


def judge_results(results: list[Result]) -> Iterator[str]:
    """Yield what is wrong with the ends and the outputs of steps."""
    for result in results:
        name = result.step.name
        limit = HOOK_SECONDS if result.step.is_hook else COMMAND_SECONDS
        if result.status is None or result.seconds > limit:
            yield f"{name} took {result.seconds:.1f} s"
        if result.step.is_hook and result.status != 0:
            yield f"{name} ended with {result.status}"
        if b"Traceback" in result.errors:
            yield f"{name}: {result.errors.decode()}"
        if CANARY.encode() in result.output + result.errors:
            yield f"revealed by {name}: {result.output!r} {result.errors!r}"
