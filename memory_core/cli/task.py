"""`agent-memory task`: what is known of a task, as long as the task lives."""

from __future__ import annotations

from memory_core.cli import task_look, task_tidy, task_write
from memory_core.cli.app import Suggesting, new_app

app = new_app(cls=Suggesting)


@app.callback()
def task() -> None:
    """See and keep the memory of a task.

    A task is named as in Backlog.md, in any spelling: 368, task-368, TASK-368.

    \b
    Example:
      agent-memory task status
    """


app.command("start")(task_write.start)
app.command("note")(task_write.note_)
app.command("decide")(task_write.decide)
app.command("show")(task_look.show)
app.command("list")(task_look.list_)
app.command("search")(task_look.search)
app.command("done")(task_write.done)
app.command("reopen")(task_write.reopen)
app.command("archive")(task_write.archive)
app.command("delete")(task_tidy.delete)
app.command("import")(task_write.import_)
app.command("cleanup")(task_tidy.cleanup)
app.command("template")(task_look.template)
app.command("status")(task_look.status)
app.command("init")(task_tidy.init)
