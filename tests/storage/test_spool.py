"""The spool: entries survive a power failure, and another writer may merge them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys

import pytest

from memory_core.storage import spool
from support.sandbox import Sandbox

SETTLING = """
import sys
from memory_core.storage import paths, spool
place = paths.LevelPaths(sys.argv[1], {"HOME": sys.argv[2]})
ids = {"agent": "engineer", "run": "a1", "session": "s1", "source": "agent"}
path = spool.add(place, "engineer", {**ids, "learnings": [["pattern", "x"]], "rejected": []})
spool.flush(place, path)
print(place.state.locate(path))
"""


def write_under_strace(sandbox: Sandbox, *options: str) -> tuple[str, list[str]]:
    """Write an entry under strace; return its path and the paths that were synced."""
    if not shutil.which("strace") and not os.environ.get("CI"):
        pytest.skip("strace is not installed (package strace)")
    trace = sandbox.root.parent / "strace.log"
    command = ["strace", "-y", "-o", str(trace), "-e", "trace=fsync", *options]
    command += [sys.executable, "-c", SETTLING, str(sandbox.root), str(sandbox.home)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert not done.stderr
    return done.stdout.strip(), re.findall(r"fsync\(\d+<(.*?)>\)", trace.read_text())


def test_a_waiting_entry_and_its_folders_are_synced(sandbox: Sandbox) -> None:
    path, synced = write_under_strace(sandbox)
    spools = sandbox.state / "spool"
    above = (spools / "engineer", spools, sandbox.state)
    assert synced == [path, *map(str, above)]
    assert sandbox.read_log() == []


def test_a_failed_sync_is_reported_and_the_entry_stays(sandbox: Sandbox) -> None:
    path, _synced = write_under_strace(sandbox, "-e", "inject=fsync:error=EIO")
    (kept,) = spool.read_entries(sandbox.paths, "engineer")
    assert sandbox.paths.state.locate(kept[0]) == path
    message = sandbox.read_log("agent.memory.error")[0]["error"]
    assert f"{path[len(str(sandbox.state)) + 1 :]} might not survive a power failure" in message


def test_an_entry_that_is_already_merged_is_not_synced(sandbox: Sandbox) -> None:
    place = sandbox.paths
    path = spool.add(place, "engineer", {})
    spool.remove(place, [path])
    spool.flush(place, path)
    assert sandbox.read_log() == []
