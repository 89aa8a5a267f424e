"""Whether a person or an agent runs a command: both use the same shell on the same machine."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Mapping

from memory_core.claude_code import settings_files, transcripts
from memory_core.text import similarity

# Claude Code sets it in the shells of its agents (seen from 2.0.30 on).
VARIABLE = "CLAUDECODE"

CLIENT = b"claude"
RUNTIMES = (b"node", b"bun")  # they run the client as a script
MOST_PARENTS = 30

# Where Linux lists processes; macOS has only the program, in a place that no PATH changes.
PROCESSES = "/proc"
LIST_PROCESSES = ("/bin/ps", "-A", "-ww", "-o", "pid=,ppid=,args=")
LIST_SECONDS = 5

# So many transcripts are read, the newest ones, and so much of each, from its end.
MOST_SESSIONS = 3
MAX_BYTES = 4_000_000

# What stands in prompts that nobody typed.
NOTIFICATIONS = (
    *("<task-notification", "<system-reminder", "<local-command"),
    *("<bash-stdout", "<bash-stderr"),
)
ARGUMENTS = re.compile(r"^/\S*(.*)|<command-args>(.*?)(?:</command-args>|$)")


def is_agents_shell(environ: Mapping[str, str]) -> bool:
    """Return whether Claude Code started this process, directly or through others."""
    return bool(environ.get(VARIABLE)) or any(
        os.path.basename(program) == CLIENT for program in _list_parents()
    )


def _list_parents() -> Iterator[bytes]:
    """Yield the program of each process above this one."""
    read = _read_process if os.path.isdir(PROCESSES) else _list_processes().__getitem__
    process = os.getppid()
    for _ in range(MOST_PARENTS):
        try:
            process, words = read(process)
        except (OSError, LookupError, ValueError):
            return
        program, script = [*words, b"", b""][:2]
        yield script if os.path.basename(program) in RUNTIMES else program


def _read_process(process: int) -> tuple[int, list[bytes]]:
    """Return the parent of a process, and the words of its command."""
    with open(f"{PROCESSES}/{process}/stat", "rb") as file:
        _, _, rest = file.read().rpartition(b")")
    with open(f"{PROCESSES}/{process}/cmdline", "rb") as file:
        return int(rest.split()[1]), file.read().split(b"\0")


def _list_processes() -> dict[int, tuple[int, list[bytes]]]:
    """Return the same of all processes by their numbers; raises nothing: {} without `ps`."""
    try:
        done = subprocess.run(
            LIST_PROCESSES, capture_output=True, timeout=LIST_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return {}
    rows = [line.split() for line in done.stdout.splitlines()]
    return {int(row[0]): (int(row[1]), row[2:]) for row in rows if len(row) > 2}


def has_typed(root: str, environ: Mapping[str, str], text: str) -> bool:
    """Return whether a person typed a text in a session of the project.

    It is a line of a prompt, or what a slash command is about, with or without an agent.
    """
    wanted = similarity.normalize_text(text)
    folders = settings_files.list_transcript_folders(root, environ)
    paths = [path for folder in folders for path in transcripts.list_sessions(folder)]
    newest = sorted(paths, key=transcripts.mtime_of)[-MOST_SESSIONS:]
    prompts = [prompt for path in newest for prompt in transcripts.read_prompts(path, MAX_BYTES)]
    return bool(wanted) and any(
        wanted == similarity.normalize_text(line)
        for prompt in prompts
        if not prompt.lstrip().startswith(NOTIFICATIONS)
        for line in _list_lines(prompt)
    )


def _list_lines(prompt: str) -> Iterator[str]:
    """Yield the lines of a prompt, and those of a slash command without its first words."""
    for line in prompt.splitlines():
        yield line.lstrip("-*+ ")
        if match := ARGUMENTS.search(line):
            words = (match[1] or match[2] or "").split()
            yield from (" ".join(words[start:]) for start in (0, 1))
