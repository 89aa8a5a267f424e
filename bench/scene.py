"""A project, a home folder and an event for a hook, and how to restore them after a run."""

from __future__ import annotations

import glob
import json
import os
import subprocess
import time
from collections.abc import Callable, Iterable
from typing import NamedTuple

import samples
from timing import Job

from memory_core.memory import preparing
from memory_core.storage import hook_files, inbox
from memory_core.storage.project import find_project

MEMORIES = ".claude-mpm/memories"
PATH = "/usr/local/bin:/usr/bin:/bin"

MERGE_SECONDS = 30


class Broken(Exception):
    """A command did not do the work that it was to be timed for."""


class Unmeasured(Exception):
    """A row that cannot be had, and why."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"{name}: {why}")
        self.name = name
        self.reason = why


class Scene:
    """A folder with a project, a home, a transcript and one event."""

    def __init__(self, folder: str, memories: dict[str, str] | None) -> None:
        self.folder = folder
        self.project = os.path.join(folder, "project")
        self._frozen: dict[str, bytes] = {}
        self._folders: set[str] = set()
        os.makedirs(os.path.join(folder, "home"))
        # The repository makes it a project's root.
        subprocess.run(["git", "init", "--quiet", self.project], check=True)
        self._write("project-transcripts/" + samples.SESSION + ".jsonl", samples.transcript())
        if memories is not None:
            os.makedirs(os.path.join(self.project, MEMORIES))
        for name, text in (memories or {}).items():
            self._write(f"project/{MEMORIES}/{name}", text)

    def put(self, name: str, event: dict) -> None:
        self._write(name, json.dumps(event, separators=(",", ":")))  # as the client does

    def add(self, name: str, content: str) -> None:
        self._write(name, content)

    def job(self, argv: list[str]) -> Job:
        env = {
            "PATH": PATH,
            "HOME": os.path.join(self.folder, "home"),
            "LANG": "C.UTF-8",
            "CLAUDE_PROJECT_DIR": self.project,
        }
        stdin, stdout, stderr = (os.path.join(self.folder, x) for x in ("event", "reply", "errors"))
        return Job(argv, env, self.project, stdin, stdout, stderr)

    def read(self, name: str) -> str:
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return file.read()

    def reply(self) -> dict:
        """Return the hook's own part of the reply."""
        text = self.read("reply")
        return json.loads(text).get("hookSpecificOutput", {}) if text.strip() else {}

    def logged_errors(self) -> list[str]:
        """Return what hooks wrote about failures, for these never show outside."""
        logs = glob.glob(f"{self.folder}/home/.local/state/agent-memory/*/events.jsonl")
        lines = [line for log in logs for line in self.read(log).splitlines()]
        return [line for line in lines if '"agent.memory.error"' in line or '"hook.error"' in line]

    def memory_line(self) -> str:
        """Return all memories of the engineer, under whichever name they are kept."""
        folder = os.path.join(self.project, MEMORIES)
        names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
        mine = [name for name in names if name.startswith("engineer") and name.endswith(".md")]
        return "".join(self.read(f"project/{MEMORIES}/{name}") for name in mine)

    def freeze(self) -> None:
        self.wait_for_merges()
        self._frozen = self._files()
        self._folders = self._all_folders()

    def restore(self) -> None:
        """Restore the files that have changed since `freeze`."""
        self.wait_for_merges()
        now = self._files()
        for name in now.keys() - self._frozen.keys():
            os.unlink(os.path.join(self.folder, name))
        for folder in sorted(self._all_folders() - self._folders, reverse=True):
            os.rmdir(os.path.join(self.folder, folder))
        for name, content in self._frozen.items():
            if now.get(name) != content:
                self._write(name, content)

    def wait_for_merges(self) -> None:
        """Wait until the worker has saved all that hooks have reported."""
        until = time.monotonic() + MERGE_SECONDS
        paths = find_project(self.project, self.job([]).env).paths
        hook_files.await_worker(paths, MERGE_SECONDS)
        while inbox.has_new(paths):
            if time.monotonic() > until:
                raise Broken("reports still wait for their merge")
            time.sleep(0.01)

    def prepare(self, agents: Iterable[str]) -> None:
        """Prepare the memories of these agents, as the first delivery to each of them does."""
        project = find_project(self.project, self.job([]).env)
        for agent in agents:
            preparing.prepare(project, agent)

    def refresh_ready(self) -> None:
        """Prepare the memories again whose files were restored."""
        preparing.refresh(find_project(self.project, self.job([]).env))

    def _write(self, name: str, content: str | bytes) -> None:
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
            os.fsync(file.fileno())  # or the measured command's own fsync would pay for it

    def _walk(self) -> list[tuple[str, list[str], list[str]]]:
        tops = [os.path.join(self.folder, top) for top in ("project", "home")]
        return [entry for top in tops for entry in os.walk(top)]

    def _files(self) -> dict[str, bytes]:
        contents = {}
        for folder, _, names in self._walk():
            for name in names:
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    contents[os.path.relpath(path, self.folder)] = file.read()
        return contents

    def _all_folders(self) -> set[str]:
        return {os.path.relpath(folder, self.folder) for folder, _, _ in self._walk()}


class Case(NamedTuple):
    """One row: a command, the scene it runs in, and the proof that it did its work."""

    name: str
    argv: list[str]
    scene: Scene
    check: Callable[[Scene], None]
    limit: float | None = None

    def job(self, argv: list[str] | None = None) -> Job:
        return self.scene.job(argv or self.argv)

    def before(self) -> None:
        self.scene.restore()
        self.scene.refresh_ready()

    def after(self, status: int) -> None:
        """Raise Unmeasured unless the command has done its work."""
        try:
            self._verify(status)
        except (Broken, KeyError, TypeError, ValueError, OSError) as error:
            raise Unmeasured(self.name, f"BROKEN: {error!r}") from error

    def _verify(self, status: int) -> None:
        if status:
            complaint = self.scene.read("errors").strip().rpartition("\n")[2]
            raise Broken(f"wait status {status}: {complaint}")
        if errors := self.scene.logged_errors():
            raise Broken(f"failed inside: {errors[0]}")
        self.check(self.scene)


def silent(scene: Scene) -> None:
    if text := scene.read("reply") + scene.read("errors"):
        raise Broken(f"said something: {text[:200]}")


def untaught(scene: Scene) -> None:
    silent(scene)
    scene.wait_for_merges()  # else its worker takes time from the next row
    if any(text in scene.memory_line() for text in samples.LEARNED):
        raise Broken("learned from a result that holds no learning")


def prompt_with_memory(scene: Scene) -> None:
    event, reply = json.loads(scene.read("event")), scene.reply()
    given, original = reply["updatedInput"], event["tool_input"]
    _need_any(given["prompt"], samples.items_of(scene.memory_line()))
    if given != original | {"prompt": given["prompt"]} or original["prompt"] not in given["prompt"]:
        raise Broken("another tool_input than asked for")


def prompt_with_all(scene: Scene) -> None:
    prompt_with_memory(scene)
    _need(scene.reply()["updatedInput"]["prompt"], samples.items_of(scene.memory_line()))


def prompt_with_note(scene: Scene) -> None:
    prompt_with_memory(scene)
    _need(scene.reply()["updatedInput"]["prompt"], [samples.MARKER])


def context_with_memory(scene: Scene) -> None:
    _need_any(scene.reply()["additionalContext"], samples.items_of(scene.memory_line()))


def context_of_pm(scene: Scene) -> None:
    items = samples.items_of(scene.read(f"project/{MEMORIES}/PM.md"))
    _need_any(scene.reply()["additionalContext"], items)


def taught(scene: Scene) -> None:
    scene.wait_for_merges()
    _need(scene.memory_line(), list(samples.LEARNED))


def taught_and_stripped(scene: Scene) -> None:
    taught(scene)
    output = json.dumps(scene.reply()["updatedToolOutput"]["content"])
    if samples.MARKER in output or samples.prose(200).split("\n")[2] not in output:
        raise Broken("the block was not taken out of what the main agent reads")


def ran(_: Scene) -> None:
    """Ask for nothing but exit status 0."""


def _need(text: str, parts: list[str]) -> None:
    missing = [part for part in parts if part not in text]
    if missing:
        raise Broken(f"{len(missing)} of {len(parts)} texts missing, such as {missing[0]!r}")


def _need_any(text: str, items: list[str]) -> None:
    """Raise Broken if there are items, and the text has none of them."""
    if items and not any(item in text for item in items):
        raise Broken(f"none of {len(items)} items, such as {items[0]!r}")
