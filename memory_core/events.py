"""Subscribe to the events of memories: `on` for this process, `follow` for other ones.

    from memory_core import events

    events.on("agent.memory.*", print)
    for event in events.follow("agent.*", project="~/code/shop"):
        print(event["event"], event["agent_id"])

An event is a dict, as it is in the event log; docs/events.md lists them.
"""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

from memory_core.monitor import following
from memory_core.storage import event_log, paths

Event = dict[str, Any]


def on(
    pattern: str, handler: Callable[[Event], object], project: str | os.PathLike[str] = ""
) -> Callable[[], None]:
    """Call `handler` with each event that this process logs; return a function that ends this.

    `pattern` is a shell pattern of names, such as `agent.memory.*`.  `project` is a folder of the
    only project that counts, by default all do.  The handler is called at once, in the thread that
    logs, while the memory is locked: it must be quick, and not change a memory.  An error in it is
    printed on stderr, and nothing else happens.
    """
    root = _find_paths(project).root if os.fspath(project) else ""

    def handle(level: paths.LevelPaths, event: Event) -> None:
        for named in following.list_named(event, pattern) if root in ("", level.root) else ():
            try:
                handler(dict(named))
            except Exception:  # noqa: BLE001 - the memory is written, whatever a handler does
                traceback.print_exc()

    event_log.handlers.append(handle)
    return lambda: event_log.handlers.remove(handle) if handle in event_log.handlers else None


def stats() -> dict[str, int]:
    """Return how many events this process has logged, and how many handlers wait for some."""
    return {"published": event_log.published, "handlers": len(event_log.handlers)}


def follow(
    pattern: str = "*",
    since: str | datetime | None = None,
    project: str | os.PathLike[str] = "",
    poll_s: float = following.POLL_SECONDS,
) -> Iterator[Event]:
    """Yield each event of a project once, as processes log it, without end.

    `since` is a time (UTC) as in events, or a datetime; None means from now on.  `project` is a
    folder, by default CLAUDE_PROJECT_DIR, else the current folder.  Nothing needs to exist yet, and
    the log may be rotated meanwhile.  Every `poll_s` seconds it looks for new events.  Raises
    ValueError for an invalid time.
    """
    reader = following.EventReader(_find_paths(project).state, pattern, since)
    return reader.follow(poll_s)


def _find_paths(project: str | os.PathLike[str]) -> paths.LevelPaths:
    named = os.path.abspath(os.path.expanduser(project)) if os.fspath(project) else ""
    own = {"CLAUDE_PROJECT_DIR": named} if named else {}
    return paths.find_project_level("", {**os.environ, **own})
