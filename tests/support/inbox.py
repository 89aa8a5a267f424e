"""Reports in the inbox that no worker has taken yet."""

import os
import time
from typing import Any

from memory_core.files import file_actions
from memory_core.storage import hook_files, inbox
from memory_core.storage.paths import LevelPaths
from support.command_line import Person
from support.events import make_report, make_stop_event
from support.sandbox import Sandbox

TAUGHT = "Retries are set in one place"


def add_report(
    paths: LevelPaths,
    agent: str = "engineer",
    run: str = "a1",
    text: str = make_report(TAUGHT),
    is_tried: bool = False,
) -> str:
    """Put the end of a run into the inbox, as a hook does whose worker is killed.

    Return its path in the state.  No reader merges a report that a worker has tried to merge.
    """
    path = add_event(paths, make_stop_event(run, text, agent), agent, run)
    if not is_tried:
        return path
    hook_files.put_back(paths, os.path.basename(path), is_readable=True)
    return f"{path}.1"


def add_event(
    paths: LevelPaths, event: dict[str, Any], agent: str = "engineer", run: str = "a1"
) -> str:
    """Put an event of a run into the inbox; return its path in the state."""
    report = {"time": time.time(), "agent": agent, "run": run, "settings": {}, "event": event}
    key = inbox.make_key(agent, run, str(event))
    inbox.add(paths, agent, key, report)
    return os.path.join(inbox.FOLDER, f"{agent}~{key}")


def count_reports(sandbox: Sandbox) -> int:
    """Return the number of reports in the inbox, without the unreadable ones."""
    return len(hook_files.list_names(sandbox.paths))


def add_tried_report(person: Person) -> None:
    """Put a report of the agent engineer into the inbox that could not be merged."""
    add_report(person.sandbox.paths, is_tried=True)


def add_unreadable_report(person: Person) -> None:
    """Put half a report aside, as after a power failure."""
    state = person.sandbox.paths.state
    path = add_report(person.sandbox.paths)
    file_actions.truncate(state, path, 20)
    state.make_folder(hook_files.UNREADABLE)
    state.rename(path, os.path.join(hook_files.UNREADABLE, os.path.basename(path)))
