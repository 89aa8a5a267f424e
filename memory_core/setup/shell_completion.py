"""What `agent-memory completion --install` leaves in the home directory, and its removal.

typer writes a script for the shell, and for bash and zsh lines into the file that the shell reads
when it starts.
"""

from __future__ import annotations

import os

from memory_core.files.safe_files import Refused, SafeFiles
from memory_core.setup.program import COMMAND, Say

# Below the home directory: the script, and the files that may read it.
SCRIPT_PATHS = {
    "bash": f".bash_completions/{COMMAND}.sh",
    "zsh": f".zfunc/_{COMMAND}",
    "fish": f".config/fish/completions/{COMMAND}.fish",
}
START_PATHS = {
    "bash": (".bashrc", ".bash_profile"),
    "zsh": (".zshrc",),
    "fish": (".config/fish/config.fish",),
}
SHELLS = tuple(SCRIPT_PATHS)

# A line that people add instead.
START_LINES = {
    "bash": f'eval "$({COMMAND} completion bash)"',
    "zsh": f'eval "$({COMMAND} completion zsh)"',
    "fish": f"{COMMAND} completion fish | source",
}
# typer's line for all scripts in ~/.zfunc.
ZSH_LINE = "fpath+=~/.zfunc; autoload -Uz compinit; compinit"


def remove(shell: str, dry_run: bool, say: Say) -> bool:
    """Remove the completion of a shell; return whether there was one."""
    files, script = SafeFiles(os.path.expanduser("~")), SCRIPT_PATHS[shell]
    lines = [START_LINES[shell], f"source '{files.locate(script)}'"]
    if shell == "zsh" and files.list_names(os.path.dirname(script)) == [os.path.basename(script)]:
        lines.append(ZSH_LINE)
    was_there = False
    for start in START_PATHS[shell]:
        was_there |= _remove_lines(files, start, lines, dry_run, say)
    if files.has_entry(script):
        if not dry_run:
            files.delete(script)
            files.remove_folder(os.path.dirname(script))
        say(f"{'Would remove' if dry_run else 'Removed'}: {files.locate(script)}")
        was_there = True
    return was_there


def _remove_lines(files: SafeFiles, name: str, lines: list[str], dry_run: bool, say: Say) -> bool:
    """Remove these lines from a file, each with the empty line before it."""
    before = files.read(name)
    for refusal in files.refused.values():
        say(f"~/{refusal}: remove these lines yourself, if they are there: {'; '.join(lines)}")
    files.refused.clear()
    after = b"\n" + before
    for line in (line.encode() for line in lines):
        for blank in (b"\n", b""):
            after = after.replace(b"\n" + blank + line + b"\n", b"\n")
    after = after[1:]
    if after != before:
        if not dry_run:
            files.replace(name, after)
        say(f"{'Would change' if dry_run else 'Changed'}: {files.locate(name)}")
    if COMMAND.encode() in after:
        say(f"{files.locate(name)} still mentions {COMMAND}: remove such lines yourself.")
    return after != before


def find_link(shell: str) -> Refused | None:
    """Return why one of the files that typer writes is not written, None if all are."""
    files = SafeFiles(os.path.expanduser("~"))
    for path in (SCRIPT_PATHS[shell], START_PATHS[shell][0]):
        try:
            os.close(files.open(path, os.O_RDONLY))
        except FileNotFoundError:
            continue
        except Refused as error:
            return error
    return None
