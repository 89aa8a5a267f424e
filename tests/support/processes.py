"""Start several programs and let them begin their work at the same moment."""

from __future__ import annotations

import subprocess
import sys

from support.paths import REPO


def start_program(program: str, *words: object) -> subprocess.Popen[str]:
    """Start a program; return when it is ready and waits for the end of its stdin."""
    process = subprocess.Popen(
        [sys.executable, "-c", program, *map(str, words)],
        cwd=REPO,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def release_programs(processes: list[subprocess.Popen[str]]) -> None:
    """Close the stdin of waiting programs, so that they begin or end."""
    for process in processes:
        assert process.stdin is not None
        process.stdin.close()


def read_output(process: subprocess.Popen[str]) -> str:
    """Wait for a program that must succeed; return its output."""
    assert process.stdout is not None
    assert process.stderr is not None
    with process:
        output, errors = process.stdout.read(), process.stderr.read()
    assert process.returncode == 0, errors
    return output
