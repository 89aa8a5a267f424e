"""Run the console sessions of the pages that tell a story, line by line."""

import doctest
import re
import subprocess
from functools import partial
from pathlib import Path

import pytest

from support.command_line import ITEM, UNDO_HINT, Person, hide_change
from support.paths import REPO
from support.sandbox import Sandbox

PAGES = ["everyday", "experiment", "knowledge", "tasks"]


def stories() -> list[tuple[str, list[tuple[str, str]]]]:
    """Return (name, [(command, expected output)]) of each block of the pages."""
    found = []
    for page in PAGES:
        text = (REPO / "docs" / f"{page}.md").read_text(encoding="utf-8")
        for number, block in enumerate(re.findall(r"```console\n(.*?)```", text, re.DOTALL), 1):
            turns = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
            told = [(turn.partition("\n")[0], turn.partition("\n")[2]) for turn in turns]
            found.append((f"{page}-{number}", told))
    return found


@pytest.fixture
def settled(sandbox: Sandbox, tmp_path: Path) -> Person:
    """Return a user with hooks installed, one memory, and a project in git."""
    sandbox.switch_selection_on()
    person = Person(sandbox, tmp_path)
    person.install()
    sandbox.write_memory("engineer", ITEM)
    subprocess.run(["git", "init", "-q"], cwd=sandbox.root, check=True)
    return person


def find_real(real: dict[str, str], change: re.Match[str]) -> str:
    return real[change[0]]


@pytest.mark.parametrize("story", [told for _, told in stories()], ids=[n for n, _ in stories()])
def test_a_page_shows_the_real_output(settled: Person, story: list[tuple[str, str]]) -> None:
    real: dict[str, str] = {}  # id of a change by its id on the page
    for line, told in story:
        done = settled.run_shell(UNDO_HINT.sub(partial(find_real, real), line))
        said = f"{(done.stdout + done.stderr).rstrip()}\n"
        flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        real |= zip(UNDO_HINT.findall(told), UNDO_HINT.findall(said), strict=False)
        shown, told = hide_change(said), hide_change(told)
        assert doctest.OutputChecker().check_output(told or "\n", shown, flags), f"$ {line}\n{said}"


def test_each_page_has_a_story() -> None:
    assert {name.partition("-")[0] for name, _ in stories()} == set(PAGES)
    assert all(Path(REPO / "docs" / f"{page}.md").exists() for page in PAGES)
