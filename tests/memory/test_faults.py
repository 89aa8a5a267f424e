"""Run a sample of tests/tools/faults.py, which kills and fails hooks at their system calls."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.paths import REPO

# Minimum sizes of the samples; fewer runs would mean that strace showed no calls.
SMALL = {"kill points": 8, "faults": 10, "other harms": 20}
LARGE = {"kill points": 60, "faults": 90, "other harms": 20}


@pytest.mark.parametrize(
    ("every", "least"), [(100, SMALL), pytest.param(15, LARGE, marks=pytest.mark.slow)]
)
def test_nothing_is_lost_at_any_fault(tmp_path: Path, every: int, least: dict[str, int]) -> None:
    if not shutil.which("strace") and not os.environ.get("CI"):
        pytest.skip("strace is not installed (package strace)")
    command = [sys.executable, str(REPO / "tests/tools/faults.py"), f"--every={every}", "--jobs=2"]
    env = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    counts = {kind: int(n) for n, kind in re.findall(r"(\d+) ([a-z ]+)", done.stdout)}
    assert all(counts[kind] >= count for kind, count in least.items()), counts
    assert not any(counts[kind] for kind in ("lost", "doubled", "broken")), done.stdout
