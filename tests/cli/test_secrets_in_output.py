"""Commands show no secret of a file; `show` in a pipe copies the file as it is."""

from __future__ import annotations

import pytest

from memory_core.history import item_history
from support.command_line import Person
from support.secret_samples import LETTERS, Maker
from support.terminal import run_on_terminal

TOKEN = "ghp_" + Maker().chars(36, LETTERS)
ITEM = f"The release script pushes with the token {TOKEN}"
OTHER = "Releases go out on Tuesdays"
ID = item_history.id_of(ITEM)[:6]

COMMANDS = [
    *("list engineer", "list", "search release", f"show {ID}"),
    *("log engineer", "diff engineer", "context engineer", "status", "review --list"),
    *("review --new", "optimize --dry-run", "prune --older-than 0s --below 1 --dry-run"),
    *(f"confirm {ID}", f"share {ID} --to PM", "restore engineer", "doctor"),
    "show engineer --as-given",
]


@pytest.fixture
def leak(person: Person) -> Person:
    """Return a user who wrote a secret into a memory by hand."""
    person.sandbox.write_memory("engineer", OTHER)
    person.run("confirm", "engineer", OTHER)
    person.sandbox.write_memory("engineer", OTHER, ITEM)
    person.run("tidy")
    return person


@pytest.mark.parametrize("words", COMMANDS)
def test_no_secret_is_shown(leak: Person, words: str) -> None:
    for options in ((), ("--json",)):
        done = leak.run(*words.split(), *options)
        assert done.returncode != 2, done.stderr
        assert TOKEN not in done.stdout + done.stderr


def test_an_item_is_shown_without_its_secret(leak: Person) -> None:
    for words in ("search release", "export engineer"):
        shown = leak.run(*words.split()).stdout
        assert "pushes with the token [redacted: github-token]" in shown
        assert TOKEN not in shown
    for words in ("show engineer", "list engineer"):
        shown = run_on_terminal(leak, words)
        assert TOKEN[:20] not in shown
        assert "[redacted" in shown
    assert TOKEN in leak.run("show", "engineer").stdout  # a pipe gets the file as it is
    done = leak.run("remove", ID)
    assert "Archived" in done.stdout
    assert TOKEN not in done.stdout + done.stderr
