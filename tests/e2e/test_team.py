"""A clone that git was not told about our merge driver in: the person hears of it, no model."""

import json
import subprocess

from memory_core.git import merge_driver

from .api import Script, say
from .client import Desk
from .product import assert_unseen

SCRIPT: Script = {"MAIN": [say("done")]}


def told(desk: Desk) -> list[str]:
    """Return what the client tells the person at the start, as `stream-json` prints it."""
    run = desk.run(SCRIPT, "--output-format", "stream-json", "--verbose")
    assert_unseen(run.requests_by("MAIN"), merge_driver.INSTALL_COMMAND)
    return [
        line
        for line in run.out.splitlines()
        if merge_driver.INSTALL_COMMAND in str(json.loads(line))
    ]


def test_a_missing_driver_is_told_to_the_person_only(desk: Desk) -> None:
    subprocess.run(["git", "init", "-q"], cwd=desk.project, check=True)
    desk.write(".claude-mpm/memories/.gitattributes", "*.md merge=agent-memory\n")
    found = told(desk)
    assert found
    assert "merges memories as text" in found[0]
    section = ["git", "config", "merge.agent-memory.driver", "true"]
    subprocess.run(section, cwd=desk.project, check=True)
    assert told(desk) == []
