"""Start several programs and let them begin their work at the same moment; wait for others."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any

from support.paths import REPO

Done = subprocess.CompletedProcess[bytes]


def run(command: list[str], data: bytes = b"", timeout: float = 60, **place: Any) -> Done:
    """Run a command that may fail, with this stdin; `place` is cwd and env."""
    return subprocess.run(command, input=data, capture_output=True, timeout=timeout, **place)


def run_text(
    command: Iterable[object], data: str = "", timeout: float = 600, **place: Any
) -> subprocess.CompletedProcess[str]:
    """Run a command as `run` does, with text as input and output."""
    how: dict[str, Any] = {"input": data, "capture_output": True, "text": True, "timeout": timeout}
    return subprocess.run(list(map(str, command)), **how, **place)


def start_program(program: str, *words: object) -> subprocess.Popen[str]:
    """Start a program; return when it is ready and waits for the end of its stdin."""
    command = [sys.executable, "-c", program, *map(str, words)]
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    process = subprocess.Popen(command, cwd=REPO, text=True, **pipes)
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


def wait_until(condition: Callable[[], Any], what: str = "", seconds: float = 60) -> Any:
    """Wait for what another process does, and return it; fail after these seconds."""
    end = time.monotonic() + seconds
    while not (result := condition()):
        assert time.monotonic() < end, f"waited {seconds} s in vain for {what}"
        time.sleep(0.02)
    return result
