"""Ask Claude Code one question, without a terminal."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping
from tempfile import TemporaryDirectory, TemporaryFile
from typing import NamedTuple

from memory_core.text import sanitize

# Seconds for an answer: a model writes a page in one minute.
ANSWER_TIMEOUT = 120

# Bytes of an answer with the data about its run.
MAX_ANSWER_BYTES = 1_000_000

# Characters of an error message of Claude Code.
MAX_REASON_LENGTH = 200

# Seconds between two checks whether a run has ended.
POLL_INTERVAL = 0.1

# No tools, hooks, project settings or saved session: 2.1.63 to 2.1.329 know all these options.
# The user's own settings apply, because they may configure how the client signs in.
ISOLATED_OPTIONS = (
    *("-p", "--output-format", "json", "--tools", "", "--setting-sources", "user"),
    *("--settings", '{"disableAllHooks": true}', "--strict-mcp-config"),
    *("--disable-slash-commands", "--no-session-persistence"),
)

# Variables that a session sets for its children: the client would think that it is one of them.
SESSION_VARIABLES = ("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_PROJECT_DIR")


class NoAnswer(Exception):
    """Claude Code gave no answer; the message is the reason, on one line."""

    status = 1


class HeadlessRun(NamedTuple):
    """A run of Claude Code: exit status (None if it was stopped), standard output and errors."""

    status: int | None
    said: str
    stderr: str


def find_claude(environ: Mapping[str, str]) -> str | None:
    """Return the path of `claude`: on PATH, or where its own installer puts it."""
    own = os.path.join(environ.get("HOME", ""), ".claude", "local", "claude")
    return shutil.which("claude", path=environ.get("PATH")) or shutil.which(own)


def ask(
    question: str, manner: str, environ: Mapping[str, str], patience: float = ANSWER_TIMEOUT
) -> str:
    """Return the answer of the user's own Claude Code; `manner` is the system prompt.

    It runs isolated, in an empty folder, for at most `patience` seconds.  Raises NoAnswer.
    """
    options = [*ISOLATED_OPTIONS, "--system-prompt", manner]
    # Should a hook of agent-memory run nevertheless, it does nothing.
    environ = {**environ, "AGENT_MEMORY": "off"}
    # The client may still write into the folder when it ends.
    with TemporaryDirectory(prefix="agent-memory-", ignore_cleanup_errors=True) as folder:
        run = _run(options, question, folder, environ, patience)
    if run.status is None:
        raise NoAnswer(f"claude gave no answer within {patience:g} s")
    return _read_answer(run)


def _read_answer(run: HeadlessRun) -> str:
    try:
        output = json.loads(run.said)
    except ValueError:
        output = None
    result = output.get("result") if isinstance(output, dict) else None
    if run.status == 0 and isinstance(result, str) and not output.get("is_error"):
        return result
    texts = [result if isinstance(result, str) else "", run.stderr]
    reason = next((line for text in texts for line in text.split("\n") if line.strip()), "")
    reason = sanitize.clean_line(reason)[:MAX_REASON_LENGTH]
    raise NoAnswer(
        f"claude failed: {reason or f'it ended with status {run.status}, and no result'}"
    )


def _wait(process: subprocess.Popen[bytes], output: int, patience: float) -> int | None:
    """Return the exit status, or None after stopping a process that has not ended in time."""
    until = time.monotonic() + patience
    try:
        while process.poll() is None and time.monotonic() < until:
            if os.fstat(output).st_size > MAX_ANSWER_BYTES:
                raise NoAnswer(f"claude answered with more than {MAX_ANSWER_BYTES:,} bytes")
            time.sleep(POLL_INTERVAL)
        return process.returncode
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _run(
    options: list[str],
    question: str,
    folder: str,
    environ: Mapping[str, str],
    patience: float,
) -> HeadlessRun:
    claude = find_claude(environ)
    if claude is None:
        raise NoAnswer("there is no `claude` on PATH")
    variables = {name: text for name, text in environ.items() if name not in SESSION_VARIABLES}
    with TemporaryFile() as stdin, TemporaryFile() as stdout, TemporaryFile() as stderr:
        stdin.write(question.encode("utf-8", "replace"))
        stdin.seek(0)
        try:
            process = subprocess.Popen(
                [claude, *options],
                cwd=folder,
                env=variables,
                start_new_session=True,  # to be stopped with all that it starts
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
            )
        except OSError as error:
            raise NoAnswer(f"{claude} cannot be run: {error.strerror or error}") from None
        status = _wait(process, stdout.fileno(), patience)
        texts = []
        for file in (stdout, stderr):
            file.seek(0)
            texts.append(file.read(MAX_ANSWER_BYTES).decode("utf-8", "replace").strip())
        return HeadlessRun(status, *texts)
