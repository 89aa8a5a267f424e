"""`agent-memory task`: the list of its commands."""

from __future__ import annotations

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


app.add(write.start, write.note, write.decide, look.show, look.list_, look.search, write.done)
app.add(write.reopen, write.archive, write.delete, write.cleanup, look.status, write.init)
