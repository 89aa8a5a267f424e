"""`agent-memory task`: the list of its commands."""

from __future__ import annotations

from collections.abc import Callable

from memory_core.cli.command_types import App
from memory_core.cli.tasks import look, write

app = App()


@app.callback()
def task() -> None:
    """Manage notes and decisions of a task.

    A task is named as in Backlog.md: 368, task-368 and TASK-368 are the same.

    \b
    Example:
      agent-memory task status
    """


COMMANDS: dict[str, Callable[..., None]] = {
    "start": write.start,
    "note": write.note,
    "decide": write.decide,
    "show": look.show,
    "list": look.list_,
    "search": look.search,
    "done": write.done,
    "reopen": write.reopen,
    "archive": write.archive,
    "delete": write.delete,
    "cleanup": write.cleanup,
    "status": look.status,
    "init": write.init,
}
for name, command in COMMANDS.items():
    app.command(name)(command)
