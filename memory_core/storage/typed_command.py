"""~/.local/share/agent-memory/command: what people type if PATH does not lead to it by its name.

The installer writes it; without it, or once PATH leads to it, they type `agent-memory`.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Mapping

from memory_core.files.safe_files import SafeFiles

NAME = "agent-memory"
FOLDER = os.path.join(".local", "share", NAME)
FILE = "command"  # `memory.ready` knows it, too

_COMMAND = re.compile(rf"(?<![/_.@-]){NAME}(?= [a-z])")


def name_command(text: str, environ: Mapping[str, str]) -> str:
    """Return a text for people with the commands in it as they have to type them.

    A command is the name as a word of its own, before a word in lower case; so texts of the
    product use the name in no other way.
    """
    command = read_command(environ)
    return _COMMAND.sub(lambda _name: command, text)


def read_command(environ: Mapping[str, str]) -> str:
    """Return the command as people type it: its name, or its path quoted for a shell."""
    home = environ.get("HOME", "")
    base = home if os.path.isabs(home) else os.devnull
    word = SafeFiles(os.path.join(base, FOLDER)).read_text(FILE, 4096).strip()
    is_path = word.startswith(("/", "'/")) and word.isprintable()
    first = shutil.which(NAME, path=environ.get("PATH", ""))
    return word if is_path and word != shlex.quote(first or "") else NAME
