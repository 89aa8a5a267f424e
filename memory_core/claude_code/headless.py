"""Ask Claude Code for its version, or one question, without a terminal."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Mapping
from tempfile import TemporaryDirectory

from memory_core.text import fastjson, sanitize

# The oldest version of Claude Code that agent-memory supports.
OLDEST_CLAUDE = "2.1.20"

# Seconds; `claude --version` takes one.
VERSION_TIMEOUT = 20

# Seconds for an answer: a model writes a page in one minute.
ANSWER_TIMEOUT = 120

# Characters of an error message of Claude Code.
MAX_REASON_LENGTH = 200

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


def find_claude(environ: Mapping[str, str]) -> str | None:
    """Return the path of `claude`: on PATH, or where its own installer puts it."""
    own = os.path.join(environ.get("HOME", ""), ".claude", "local", "claude")
    return shutil.which("claude", path=environ.get("PATH")) or shutil.which(own)


def find_version(environ: Mapping[str, str]) -> tuple[int, ...]:
    """Return the version of the installed Claude Code, () if there is none."""
    # 2.1.20 creates its configuration folder even for this; keep it out of the user's home.
    with TemporaryDirectory(prefix="agent-memory-") as folder:
        environ = {**environ, "CLAUDE_CONFIG_DIR": folder, "DISABLE_AUTOUPDATER": "1"}
        try:
            _status, said, _stderr = _run(["--version"], "", folder, environ, VERSION_TIMEOUT)
        except NoAnswer:
            return ()
    match = re.search(r"\b(\d+)\.(\d+)\.(\d+)\b", said)
    return tuple(map(int, match.groups())) if match else ()


def is_supported(version: tuple[int, ...]) -> bool:
    return version >= tuple(map(int, OLDEST_CLAUDE.split(".")))


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
        status, said, stderr = _run(options, question, folder, environ, patience)
    output = fastjson.load_object(said)
    result = output.get("result")
    if status == 0 and isinstance(result, str) and not output.get("is_error"):
        return result
    texts = [result if isinstance(result, str) else "", stderr]
    reason = next((line for text in texts for line in text.split("\n") if line.strip()), "")
    reason = sanitize.clean_line(reason)[:MAX_REASON_LENGTH]
    raise NoAnswer(f"claude failed: {reason or f'it ended with status {status}, and no result'}")


def _run(
    options: list[str], question: str, folder: str, environ: Mapping[str, str], patience: float
) -> tuple[int, str, str]:
    """Return the exit status, standard output and errors of Claude Code."""
    claude = find_claude(environ)
    if claude is None:
        raise NoAnswer("there is no `claude` on PATH")
    try:
        process = subprocess.Popen(
            [claude, *options],
            cwd=folder,
            env={name: text for name, text in environ.items() if name not in SESSION_VARIABLES},
            start_new_session=True,  # to be stopped with all that it starts
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    except OSError as error:
        raise NoAnswer(f"{claude} cannot be run: {error.strerror or error}") from None
    with process:
        try:
            output = process.communicate(question.encode("utf-8", "replace"), patience)
        except subprocess.TimeoutExpired:
            raise NoAnswer(f"claude gave no answer within {patience:g} s") from None
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
    said, stderr = (text.decode("utf-8", "replace").strip() for text in output)
    return process.returncode, said, stderr
