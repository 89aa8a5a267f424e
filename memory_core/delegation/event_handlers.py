"""Answer Claude Code's events in the life of a delegation.

`delivering` gives memories, `collecting` puts reports into the inbox, and `worker` saves what they
teach.  `claude_code.events` knows the fields of events, these modules their order.
"""

from __future__ import annotations

from memory_core.claude_code import events
from memory_core.delegation import worker
from memory_core.storage import inbox, run_records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.claude_code.events import Event
    from memory_core.delegation.run_event import Reply
    from memory_core.storage.project import Project

# The process that prepares a memory for a hook waits so long for another one with the database.
BUSY_SECONDS = 0.1

# An agent and a session get their memory when they start, a delegation before.
STARTS = ("SubagentStart", "SessionStart")

# Claude Code shows the person a message in the reply to these, except inside of an agent.
NOTICING_EVENTS = ("PreToolUse", "PostToolUse", "SessionStart")


def handle(project: Project, event: Event, assumed: str) -> Reply | None:
    """Answer an event; `assumed` is the name of an event that does not have one."""
    name, is_delegation = events.name(event, assumed), events.is_delegation(event)
    for folder in project.folders:
        folder.paths.state.busy_seconds = BUSY_SECONDS
    if name in STARTS or (name == "PreToolUse" and is_delegation):
        from memory_core.delegation.delivering import HANDLERS
    elif name == "SubagentStop" or (name == "PostToolUse" and is_delegation):
        from memory_core.delegation.collecting import HANDLERS
    elif name == "PostToolUse" and events.may_change_tasks(event):
        return _add_notices(project, event, name, None)  # the worker looks at them
    else:
        from memory_core.delegation.rare_events import HANDLERS
    return _add_notices(project, event, name, HANDLERS[name](project, event))


def _add_notices(project: Project, event: Event, name: str, reply: Reply | None) -> Reply | None:
    """Add the lines for the person of this session; the client shows them to nobody else."""
    if name not in NOTICING_EVENTS or events.own_run(event):
        return reply
    is_start = name == "SessionStart"
    runs = run_records.SessionRuns(project.paths, events.session(event))
    lines = runs.take_notices(is_start) + (_ask_for_driver(project) if is_start else [])
    return {**(reply or {}), "systemMessage": "\n".join(lines)} if lines else reply


def _ask_for_driver(project: Project) -> list[str]:
    """Return a notice if a team merges memories with git's driver, which this clone lacks."""
    folder = project.folders[0]
    if not folder.files.is_file(f"{folder.folder}/.gitattributes"):
        return []
    from memory_core.git import driver_notice

    return driver_notice.list_notices(folder.folder, project.environ)


def finish(project: Project, event: Event, assumed: str) -> None:
    """When the reply is printed, start the worker if there is something to do for it."""
    name = events.name(event, assumed)
    if name == "SessionStart" or (events.may_change_tasks(event) and project.has_tasks):
        from memory_core.delegation import collecting

        collecting.add_chore(project, event, name)
    if inbox.has_new(project.paths):
        worker.start(project)
