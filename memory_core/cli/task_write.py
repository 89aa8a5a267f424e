"""`agent-memory task start`, `note`, `done` and the like: the life of a task's memory."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from memory_core.cli import Refused
from memory_core.cli.common import AsJson, hint
from memory_core.cli.output import as_json, note, out, text_of
from memory_core.cli.task_common import (
    Open,
    complete_archived,
    complete_files,
    complete_open,
    fields,
    looked,
    pay,
    tell,
    tell_active,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.memory import Project
    from memory_core.tasks import Done, Noted

# Of a file to take in: a memory is for what is worth reading again.
LARGEST = 256 * 1024


def complete_templates(ctx: Any, args: Any, incomplete: str) -> Any:
    from memory_core.cli import completing

    return list(completing.templates(ctx))


Words = Annotated[
    list[str],
    typer.Argument(
        metavar="[ID] TEXT",
        help="A task, by default the active one, and the text; - is stdin.",
        autocompletion=complete_open,
    ),
]
StartId = Annotated[
    str,
    typer.Argument(metavar="ID", help="A task, in any spelling.", autocompletion=complete_files),
]
ReopenId = Annotated[
    str,
    typer.Argument(metavar="ID", help="A task, in any spelling.", autocompletion=complete_archived),
]


def start(
    ctx: typer.Context,
    task: StartId,
    title: Annotated[
        str,
        typer.Option(metavar="T", help="What it is about.", show_default="as Backlog.md has it"),
    ] = "",
    template: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="What a new memory looks like.",
            show_default="by the task's labels",
            autocompletion=complete_templates,
        ),
    ] = "",
    json: AsJson = False,
) -> None:
    """Begin the memory of a task; it is the active one from now on.

    A memory that is there is kept as it is, and one that was archived is restored.
    Where Backlog.md has the task and its command is there, the task is moved along.
    A task that is done is refused: agent-memory task reopen takes it up again.

    \b
    Example:
      agent-memory task start 368 --title "Ask for a password" --template feature
    """
    from memory_core import tasks

    project = looked(ctx)
    done = tasks.start(project, task, title, template)
    pay(project)
    _tell(project, done, json)
    if done.what == "begun" and not json:
        _tell_begun(project, done.told.id)


def _tell_begun(project: Project, task: str) -> None:
    from memory_core import backlog, task_delivery

    folder = backlog.Folder(project.place.root)
    if folder.files() and not folder.find(task):
        note(f"Backlog.md has no task {task}: its memory is on its own.")
    if not task_delivery.is_set_up(folder):
        note(f"{hint('task init')} lets Claude Code give it to each session.")


def _tell(project: Project, done: Done, json: bool) -> None:
    if json:
        problems = [text_of(each) for each in done.problems]
        as_json({**fields(done.told), "what": done.what, "problems": problems})
    else:
        tell(done)


def note_(
    ctx: typer.Context,
    words: Words,
    section: Annotated[
        str, typer.Option(metavar="S", help="Where it goes; made if it is not there.")
    ] = "Notes",
    json: AsJson = False,
) -> None:
    """Add a note to the memory of a task.

    With one argument it is the text, and the task is the active one.
    Several lines stay one note.

    \b
    Example:
      agent-memory task note 368 "The bank answers in XML" --section References
    """
    from memory_core import tasks

    project = looked(ctx)
    task, text = _task_and_text(project, words)
    noted = tasks.note(project, task, text, section)
    pay(project)
    _tell_noted(noted, text, "Noted", json)


def decide(ctx: typer.Context, words: Words, json: AsJson = False) -> None:
    """Add a decision to the memory of a task.

    With one argument it is the text, and the task is the active one.
    When the task is done, Backlog.md is told its decisions.

    \b
    Example:
      agent-memory task decide 368 "Passwords are hashed with argon2"
    """
    from memory_core import tasks

    project = looked(ctx)
    task, text = _task_and_text(project, words)
    noted = tasks.decide(project, task, text)
    pay(project)
    _tell_noted(noted, text, "Decided", json)


def _task_and_text(project: Project, words: list[str]) -> tuple[str, str]:
    """Return the task, "" for the active one, and the text; raises Refused."""
    if len(words) > 2:
        raise Refused("an ID and a TEXT are expected: put the text into quotes")
    task, text = words if len(words) == 2 else ("", words[0])
    if len(words) == 1 and _is_task(project, text):
        raise Refused(f"what is to be kept of {text}?  Behind the ID the text is expected")
    if text == "-":
        text = _stdin()
    return task, text


def _is_task(project: Project, text: str) -> bool:
    """Say whether a text is the id of a memory that is there, and no text."""
    from memory_core import tasks

    try:
        return bool(tasks.find(project, text.strip() or "-"))
    except tasks.TaskError:
        return False


def _stdin() -> str:
    data = sys.stdin.buffer.read(LARGEST + 1)
    return _decoded("stdin", data)


def _decoded(name: str, data: bytes) -> str:
    if len(data) > LARGEST:
        raise Refused(f"{name} has more than {LARGEST // 1024} KB: that is too much for a memory")
    if b"\0" in data:
        raise Refused(f"{name} is no text")
    return data.decode("utf-8", "surrogateescape").removeprefix("\ufeff")


def _tell_noted(noted: Noted, text: str, word: str, json: bool) -> None:
    if json:
        as_json({**fields(noted.told), "section": text_of(noted.section), "text": text_of(text)})
        return
    first, *more = text.strip().splitlines()
    out(text_of(f"{word}: {noted.told.id} [{noted.section}] {first}{' ...' if more else ''}"))


def done(ctx: typer.Context, task: Open = "", json: AsJson = False) -> None:
    """Archive the memory of a task that is done.

    Where Backlog.md has the task and its command is there, the task is moved along, and
    told the decisions, each once.

    \b
    Example:
      agent-memory task done 368
    """
    from memory_core import tasks

    project = looked(ctx)
    _tell(project, tasks.done(project, task), json)
    if not json:
        tell_active(project)


def archive(ctx: typer.Context, task: Open = "", json: AsJson = False) -> None:
    """Archive the memory of a task, whatever the task is at.

    It stays archived until the task is started or reopened.

    \b
    Example:
      agent-memory task archive 368
    """
    from memory_core import tasks

    project = looked(ctx)
    _tell(project, tasks.archive(project, task), json)
    pay(project)
    if not json:
        tell_active(project)


def reopen(ctx: typer.Context, task: ReopenId, json: AsJson = False) -> None:
    """Take the memory of a task out of the archive, with everything.

    The task is the active one again; Backlog.md's is moved along as with start.

    \b
    Example:
      agent-memory task reopen 368
    """
    from memory_core import tasks

    project = looked(ctx)
    done = tasks.reopen(project, task)
    pay(project)
    _tell(project, done, json)


def import_(
    ctx: typer.Context,
    task: Open = "",
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="Markdown; - is stdin.",
            show_default="the task's own file of Backlog.md",
        ),
    ] = "",
    json: AsJson = False,
) -> None:
    """Take a text into the memory of a task.

    Its sections go to those of the same title, the rest to the notes.
    What the memory says already is not said twice.
    Of Backlog.md's file the description, the plan and the notes are taken.

    \b
    Example:
      echo "The bank answers in XML" | agent-memory task import 368 -
    """
    from memory_core import tasks

    task, file = ("", task) if task == "-" and not file else (task, file)
    content = _content(file) if file else ""
    project = looked(ctx)
    told, new = tasks.take_in(project, task, content)
    pay(project)
    if json:
        as_json({**fields(told), "new": new})
        return
    from memory_core.overview import counted

    out(text_of(f"Taken into {told.id}: {counted(new, 'new part')} ({told.path})"))


def _content(file: str) -> str:
    if file == "-":
        name, content = "stdin", _stdin()
    else:
        try:
            with open(file, "rb") as stream:
                name, content = file, _decoded(file, stream.read(LARGEST + 1))
        except OSError as error:
            raise Refused(f"{file}: {error.strerror}") from None
    if not content.strip():
        raise Refused(f"{name} is empty: there is nothing to take in")
    return content
