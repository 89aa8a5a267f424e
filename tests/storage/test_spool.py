"""The spool: durable entries, and entries that somebody else has merged."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from memory_core.storage import paths, spool
from support.sandbox import Sandbox

SETTLING = """
import sys
from memory_core.storage import paths, spool
place = paths.LevelPaths(sys.argv[1])
ids = {"agent": "engineer", "run": "a1", "session": "s1", "source": "agent"}
path = spool.add(place, "engineer", {**ids, "learnings": [["pattern", "x"]], "rejected": []})
spool.flush(place, path)
print(path)
"""


def settled(folder: Path, *options: str) -> tuple[str, list[str]]:
    """Have an entry put on the disk under strace; return its path and what was synced."""
    if not shutil.which("strace") and not os.environ.get("CI"):
        pytest.skip("strace is not installed (package strace)")
    trace = folder.parent / "strace.log"
    command = ["strace", "-y", "-o", str(trace), "-e", "trace=fsync", *options]
    command += [sys.executable, "-c", SETTLING, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert not done.stderr
    return done.stdout.strip(), re.findall(r"fsync\(\d+<(.*?)>\)", trace.read_text())


def test_what_has_to_wait_is_on_the_disk_with_the_folders_above(sandbox: Sandbox) -> None:
    path, synced = settled(sandbox.root)
    spools = sandbox.state / "spool"
    above = (spools / "engineer", spools, sandbox.state, sandbox.state.parent, sandbox.root)
    assert synced == [path, *map(str, above)]
    assert sandbox.read_log() == []


def test_a_disk_that_fails_meanwhile_is_told_and_the_entry_stays(sandbox: Sandbox) -> None:
    path, _synced = settled(sandbox.root, "-e", "inject=fsync:error=EIO")
    (kept,) = spool.read_entries(paths.LevelPaths(str(sandbox.root)), "engineer")
    assert kept[0] == path
    message = sandbox.read_log("agent.memory.error")[0]["error"]
    assert f"{path[len(str(sandbox.root)) + 1 :]} might not survive a power failure" in message


def test_what_another_writer_has_merged_need_not_wait(sandbox: Sandbox) -> None:
    place = paths.LevelPaths(str(sandbox.root))
    path = spool.add(place, "engineer", {})
    spool.remove([path])
    spool.flush(place, path)
    assert sandbox.read_log() == []
