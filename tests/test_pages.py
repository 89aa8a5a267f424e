"""Run the console sessions of the pages that tell a story, line by line."""

import doctest
import re
from functools import partial

import pytest

from support.command_line import UNDO_HINT, Person, hide_change
from support.git import git
from support.pages import Session, read_sessions

PAGES = ["everyday", "experiment", "knowledge", "tasks"]


STORIES = {
    f"{page}-{number}": session
    for page in PAGES
    for number, session in enumerate(read_sessions(f"docs/{page}.md"), 1)
}


def find_real(real: dict[str, str], change: re.Match[str]) -> str:
    return real[change[0]]


@pytest.mark.parametrize("story", STORIES.values(), ids=STORIES)
def test_a_page_shows_the_real_output(settled: Person, story: Session) -> None:
    """In a project in git, with the default settings."""
    git(settled.sandbox.root, "init", "-q")
    del settled.env["AGENT_MEMORY_SELECTION"]
    real: dict[str, str] = {}  # id of a change by its id on the page
    for line, told in story:
        done = settled.run_shell(UNDO_HINT.sub(partial(find_real, real), line))
        said = f"{(done.stdout + done.stderr).rstrip()}\n"
        flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        real |= zip(UNDO_HINT.findall(told), UNDO_HINT.findall(said), strict=False)
        shown, told = hide_change(said), hide_change(told)
        assert doctest.OutputChecker().check_output(told or "\n", shown, flags), f"$ {line}\n{said}"


def test_each_page_has_a_story() -> None:
    assert {name.partition("-")[0] for name in STORIES} == set(PAGES)
