"""Remove what `agent-memory --install-completion` leaves in the home directory.

typer writes a script for the shell, and for bash and zsh lines into the file that the shell reads
when it starts.
"""

from __future__ import annotations

import os
import re
from functools import partial

from memory_core.files import file_actions
from memory_core.files.safe_files import SafeFiles
from memory_core.setup.program import COMMAND, Removal

# Below the home directory: the scripts of bash, zsh and fish, and the files that may read them.
ZSH_FOLDER, ZSH_NAME = ".zfunc", f"_{COMMAND}"
SCRIPTS = (
    f".bash_completions/{COMMAND}.sh",
    f"{ZSH_FOLDER}/{ZSH_NAME}",
    f".config/fish/completions/{COMMAND}.fish",
)
STARTS = (".bashrc", ".bash_profile", ".zshrc", ".config/fish/config.fish")

# typer's line for all scripts in ~/.zfunc.
ZSH_LINE = "fpath+=~/.zfunc; autoload -Uz compinit; compinit"


def remove(removal: Removal) -> None:
    """Remove the completion of all shells."""
    files = SafeFiles(os.path.expanduser("~"))
    lines = [f"source '{files.locate(script)}'" for script in SCRIPTS]
    if files.list_names(ZSH_FOLDER) == [ZSH_NAME]:
        lines.append(ZSH_LINE)
    for start in STARTS:
        _remove_lines(files, start, lines, removal)
    for script in filter(files.has_entry, SCRIPTS):
        removal.remove(files.locate(script), partial(files.delete, script))
        file_actions.remove_folder(files, os.path.dirname(script))


def _remove_lines(files: SafeFiles, name: str, lines: list[str], removal: Removal) -> None:
    """Remove these lines from a file, each with the empty line before it."""
    before = files.read(name)
    for refusal in files.refused.values():
        removal.say(
            f"~/{refusal}: remove these lines yourself, if they are there: {'; '.join(lines)}"
        )
    files.refused.clear()
    pattern = b"|".join(re.escape(line.encode()) for line in lines)
    after = re.sub(rb"^\n?(?:%b)\n" % pattern, b"", before, flags=re.MULTILINE)
    if after != before:
        place = f"the completion from {files.locate(name)}"
        removal.remove(place, partial(files.replace, name, after))
    if COMMAND.encode() in after:
        removal.say(f"{files.locate(name)} still mentions {COMMAND}: remove such lines yourself.")
