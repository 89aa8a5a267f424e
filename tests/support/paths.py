"""Folders and files of this checkout that tests read."""

import os
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent.parent
CASES = REPO / "tests" / "cases"
EVENTS = sorted((REPO / "tests" / "events").glob("*/*/*.json"))
BACKLOG = (
    Path(os.environ.get("AGENT_MEMORY_BACKLOG") or REPO / ".tools" / "backlog").resolve()
    / "node_modules/.bin/backlog"
)
