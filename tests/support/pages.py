"""The console sessions on the pages of the documentation."""

import re

from support.paths import REPO

PAGE = (REPO / "docs" / "cli.md").read_text(encoding="utf-8")
JSON_PAGE = (REPO / "docs" / "json.md").read_text(encoding="utf-8")

Session = list[tuple[str, str]]


def read_sessions(page: str) -> list[Session]:
    """Return (command, expected output) of each command, by console block."""
    text = (REPO / page).read_text(encoding="utf-8")
    blocks = re.findall(r"```console\n(.*?)```", text, re.DOTALL)
    turns = [re.split(r"^\$ ", block, flags=re.MULTILINE)[1:] for block in blocks]
    return [[(turn.partition("\n")[0], turn.partition("\n")[2]) for turn in own] for own in turns]


def read_turns(page: str) -> Session:
    """Return (command, expected output) of each command."""
    return [turn for session in read_sessions(page) for turn in session]
