"""Commands that are refused: status, message, and no change."""

import shlex

from support.command_line import Person
from support.files import read_files


def check_refused(
    person: Person, cases: dict[str, str], status: int = 2, prefix: str = "", data: bytes = b""
) -> None:
    """Check that each of the commands ends with this message, and that no file changes.

    All commands begin with `prefix`.
    """
    before = read_all(person)
    for words, message in cases.items():
        done = person.run(*shlex.split(f"{prefix} {words}"), data=data)
        assert (done.returncode, done.stdout) == (status, ""), f"{words}: {done.stderr}"
        assert done.stderr.startswith("agent-memory: ")
        assert message in done.stderr, words
        lines = [line for line in done.stderr.splitlines() if not line.startswith("  ")]
        assert len(lines) <= 2, "a sentence, its list, and the usage"
        assert read_all(person) == before, words


def read_all(person: Person) -> dict[str, bytes]:
    """Return all files except those of the state that each reader may write."""
    found = read_files(person.sandbox.root.parent)
    names = "settings project.json state.db review.jsonl arrivals.json tasks.json"
    made = tuple(f"/{name}" for name in names.split())
    return {
        name: data
        for name, data in found.items()
        if not name.endswith(made) and "/origins/" not in name
    }
