"""What the last look at memory files found, see `origin.arrivals`."""

from __future__ import annotations

from typing import Any

from memory_core.files.safe_files import SafeFiles
from memory_core.text import fastjson

# What the last look found, and in it git's log of this clone and its size, -1 for the folder of a
# project without a repository.
LOOK_FILE, GIT_LOG = "arrivals.json", "log"
MAX_LOOK_BYTES = 2_000_000

# In the last look, the agents with texts that came, for a notice in the next session.
NEWS = "news"

# Raise it to look at all texts again that nobody has decided on.
VERSION = 3


def read_look(state: SafeFiles) -> dict[str, Any]:
    return fastjson.load_object(state.read_text(LOOK_FILE, MAX_LOOK_BYTES))


def write_look(state: SafeFiles, look: dict[str, Any]) -> None:
    try:
        state.replace(LOOK_FILE, fastjson.dumps(look).encode(), durable=False)
    except OSError:
        pass
