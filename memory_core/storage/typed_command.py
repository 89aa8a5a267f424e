"""~/.local/share/agent-memory/command: what people type if PATH has another `agent-memory` first.

The installer writes it; without it they type `agent-memory`.
"""

from __future__ import annotations

import os

from memory_core.files.safe_files import SafeFiles

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = "agent-memory"
FOLDER = os.path.join(".local", "share", NAME)
FILE = "command"
MAX_BYTES = 4096

# The name behind one of these is a part of a path or of another word.
NO_STARTS = ("/", "-", "_", ".", "@")


def name_command(text: str, environ: Mapping[str, str]) -> str:
    """Return a text for people with the commands in it as they have to type them.

    A command is the name as a word of its own, before a word in lower case; so texts of the
    product use the name in no other way.
    """
    if f"{NAME} " not in text:
        return text
    command = read_command(environ)
    first, *others = text.split(f"{NAME} ")
    for rest in others:
        is_command = rest[:1].islower() and not first.endswith(NO_STARTS)
        first += f"{command if is_command else NAME} {rest}"
    return first


def read_command(environ: Mapping[str, str]) -> str:
    """Return the command as people type it: its name, or its path quoted for a shell."""
    home = environ.get("HOME", "")
    if not os.path.isabs(home):
        return NAME
    files = SafeFiles(os.path.join(home, FOLDER))
    word = files.read_text(FILE, MAX_BYTES).strip()
    return word if word.startswith(("/", "'/")) and word.isprintable() else NAME
