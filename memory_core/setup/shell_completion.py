"""Remove what `agent-memory --install-completion` leaves in the home directory.

typer writes a script for the shell, and for bash and zsh lines into the file that the shell reads
when it starts.
"""

from __future__ import annotations

import os

from memory_core.files import file_actions
from memory_core.files.safe_files import SafeFiles
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

# typer's line for all scripts in ~/.zfunc.
ZSH_LINE = "fpath+=~/.zfunc; autoload -Uz compinit; compinit"


def remove(shell: str, dry_run: bool, say: Say) -> None:
    """Remove the completion of a shell."""
    files, script = SafeFiles(os.path.expanduser("~")), SCRIPT_PATHS[shell]
    lines = [f"source '{files.locate(script)}'"]
    if shell == "zsh" and files.list_names(os.path.dirname(script)) == [os.path.basename(script)]:
        lines.append(ZSH_LINE)
    for start in START_PATHS[shell]:
        _remove_lines(files, start, lines, dry_run, say)
    if files.has_entry(script):
        if not dry_run:
            files.delete(script)
            file_actions.remove_folder(files, os.path.dirname(script))
        say(f"{'Would remove' if dry_run else 'Removed'}: {files.locate(script)}")


def _remove_lines(files: SafeFiles, name: str, lines: list[str], dry_run: bool, say: Say) -> None:
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
