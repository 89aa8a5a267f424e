"""A whole installation: ./install.sh, two sessions, ./install.sh --uninstall."""

import os
import subprocess
from collections.abc import Callable

from .api import call_engineer, say
from .client import Desk
from .product import (
    FACT,
    NEWS,
    REPO,
    assert_memory_given,
    assert_quiet,
    assert_unseen,
    lesson,
    list_known_items,
    versions,
)


def run_installer(desk: Desk, *arguments: str) -> None:
    """Run install.sh from another folder, with the home of this machine."""
    environment = {**os.environ, "HOME": str(desk.home)}
    for name in [name for name in environment if name.startswith(("XDG_", "CLAUDE"))]:
        del environment[name]
    command = [str(REPO / "install.sh"), *arguments, str(desk.project)]
    done = subprocess.run(command, cwd=desk.home, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


# Building the environment is slow, and the hooks are the same for all versions.
@versions("2.1.300")
def test_install_two_sessions_and_uninstall(new_desk: Callable[..., Desk]) -> None:
    desk = new_desk("a person's desk", hooks=False)
    desk.settings(permissions={"allow": ["Bash(ls:*)"]})
    before = desk.read(".claude/settings.json")
    run_installer(desk)
    first = desk.run(call_engineer(say(lesson(FACT))))
    assert_quiet(first)
    assert list_known_items(desk, "engineer") == [FACT]
    second = desk.run(call_engineer(say(lesson(NEWS))))
    assert_memory_given(second.requests_by("TASK-1"), FACT)
    assert_unseen([*first.requests_by("MAIN"), *second.requests_by("MAIN")], FACT, NEWS)
    run_installer(desk, "--uninstall")
    assert desk.read(".claude/settings.json") == before
    assert_unseen(desk.run(call_engineer(say("Fine."))).api.requests, FACT)
    assert list_known_items(desk, "engineer") == [FACT, NEWS]
