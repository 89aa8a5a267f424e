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


def name_command(text: str, environ: Mapping[str, str]) -> str:
    """Return a text for people with the command as they have to type it."""
    if f"{NAME} " not in text:
        return text
    command = read_command(environ)
    return text if command == NAME else text.replace(f"{NAME} ", f"{command} ")


def read_command(environ: Mapping[str, str]) -> str:
    """Return the command as people type it: its name, or its path quoted for a shell."""
    home = environ.get("HOME", "")
    if not os.path.isabs(home):
        return NAME
    files = SafeFiles(os.path.join(home, FOLDER))
    word = files.read_text(FILE, MAX_BYTES).strip()
    return word if word.startswith(("/", "'/")) and word.isprintable() else NAME
