"""In a clone without the merge driver, the user gets a message, and the model does not."""

import json

from memory_core.git import driver_notice
from support.git import git

from .api import Script, say
from .client import Desk
from .product import assert_unseen

SCRIPT: Script = {"MAIN": [say("done")]}


def list_driver_messages(desk: Desk) -> list[str]:
    """Return the start messages about the driver in the output of `stream-json`."""
    run = desk.run(SCRIPT, "--output-format", "stream-json", "--verbose")
    assert_unseen(run.requests_by("MAIN"), driver_notice.INSTALL_COMMAND)
    command = driver_notice.INSTALL_COMMAND
    return [line for line in run.out.splitlines() if command in str(json.loads(line))]


def test_only_the_user_is_warned_of_a_missing_driver(desk: Desk) -> None:
    git(desk.root, "init", "-q")
    desk.write(".claude-mpm/memories/.gitattributes", "*.md merge=agent-memory\n")
    messages = list_driver_messages(desk)
    assert messages
    assert "merges memories as text" in messages[0]
    git(desk.root, "config", "merge.agent-memory.driver", "true")
    assert list_driver_messages(desk) == []
