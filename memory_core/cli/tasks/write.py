"""`agent-memory task start`, `note`, `decide`, `done`, `archive` and `reopen`."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from memory_core.cli.common.arguments import AsJson
from memory_core.cli.common.inputs import read_input
from memory_core.cli.common.notes import format_command
from memory_core.cli.errors import CommandRefused
from memory_core.cli.output import print_json, print_line, print_note
from memory_core.cli.tasks.common import (
    OptionalTask,
    Task,
    find_synced_project,
    format_task,
    print_active_task,
    task_to_json,
)
from memory_core.storage.project import Project
from memory_core.tasks import backlog_folder, claude_md_import, task_actions, task_document
from memory_core.tasks.task_actions import ActionResult

MAX_INPUT_BYTES = 256 * 1024

RESULT_WORDS = {
    "begun": "Started and active",
    "restored": "Restored and active",
    "taken up again": "Reopened and active",
    "is in progress already": "In progress already, now active",
    "archived": "Archived",
    "is archived already": "Archived already",
}

WordsArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="[ID] TEXT",
        help="The task (default: the active one) and the text; - reads stdin.",
    ),
]


Template = Annotated[
    Literal["default", "feature", "bugfix", "research"] | None,
    typer.Option(
        metavar="NAME", help="Sections of a new memory.", show_default="by the task's labels"
    ),
]


def start(
    task: Task,
    title: Annotated[
        str, typer.Option(metavar="T", help="Title of the task.", show_default="from Backlog.md")
    ] = "",
    template: Template = None,
    json: AsJson = False,
) -> None:
    """Create the memory of a task and make it the active one.

    An existing memory is kept, an archived one is restored. The status in Backlog.md
    changes, too, if its command is installed.

    \b
    Example:
      agent-memory task start 368 --title "Ask for a password" --template feature
    """
    project = find_synced_project()
    result = task_actions.start(project, task, title, template or "")
    _print_result(result, json)
    if result.what != "begun" or json:
        return
    folder = backlog_folder.Folder(project.paths.files)
    if folder.list_task_files() and not folder.find(result.memory.id):
        print_note(f"Backlog.md has no task {result.memory.id}.")
    if not claude_md_import.is_set_up(folder):
        print_note(f"To give it to each session: {format_command('task init')}")


def _print_result(result: ActionResult, json: bool) -> None:
    if json:
        fields = {"what": result.what, "problems": result.problems}
        print_json({**task_to_json(result.memory), **fields})
        return
    print_line(f"{RESULT_WORDS[result.what]}: {format_task(result.memory)}")
    for problem in result.problems:
        print_note(problem)


def note(
    words: WordsArgument,
    section: Annotated[
        str, typer.Option(metavar="S", help="Section of the note; created if needed.")
    ] = task_document.NOTES,
    json: AsJson = False,
) -> None:
    """Add a note to the memory of a task.

    Without ID: the active task.

    \b
    Example:
      agent-memory task note 368 "The bank answers in XML" --section References
    """
    _add("Noted", words, section, json)


def decide(words: WordsArgument, json: AsJson = False) -> None:
    """Add a decision to the memory of a task.

    Without ID: the active task.

    \b
    Example:
      agent-memory task decide 368 "Passwords are hashed with argon2"
    """
    _add("Decided", words, task_document.DECISIONS, json)


def _add(verb: str, words: list[str], section: str, json: bool) -> None:
    project = find_synced_project()
    task, text = _parse_words(project, words)
    memory, title = task_actions.add_note(project, task, text, section)
    if json:
        print_json({**task_to_json(memory), "section": title, "text": text})
        return
    first, *more = text.strip().splitlines()
    print_line(f"{verb}: {memory.id} [{title}] {first}{' ...' if more else ''}")


def _parse_words(project: Project, words: list[str]) -> tuple[str, str]:
    """Return the task, "" for the active one, and the text."""
    if len(words) > 2:
        raise CommandRefused("too many arguments: ID and TEXT are expected; quote the text")
    task, text = words if len(words) == 2 else ("", words[0])
    if len(words) == 1 and _is_task(project, text):
        raise CommandRefused(f"missing text: a text is expected after {text}")
    return task, _read_stdin() if text == "-" else text


def _is_task(project: Project, text: str) -> bool:
    """Say whether the text is the id of a task with a memory."""
    try:
        return bool(task_actions.find(project, text.strip() or "-"))
    except task_actions.TaskError:
        return False


def _read_stdin() -> str:
    data = read_input("-", MAX_INPUT_BYTES + 1)
    if len(data) > MAX_INPUT_BYTES:
        raise CommandRefused(f"stdin is too large: at most {MAX_INPUT_BYTES // 1024} KB")
    if b"\0" in data:
        raise CommandRefused("stdin is not text")
    return data.decode("utf-8", "surrogateescape").removeprefix("\ufeff")


def done(task: OptionalTask = "", json: AsJson = False) -> None:
    """Finish a task: archive its memory.

    The status in Backlog.md changes, too, if its command is installed.

    \b
    Example:
      agent-memory task done 368
    """
    project = find_synced_project()
    _print_result(task_actions.finish(project, task), json)
    if not json:
        print_active_task(project)


def archive(task: OptionalTask = "", json: AsJson = False) -> None:
    """Archive the memory of a task, whatever its status.

    Backlog.md is not changed.

    \b
    Example:
      agent-memory task archive 368
    """
    project = find_synced_project()
    _print_result(task_actions.archive(project, task), json)
    if not json:
        print_active_task(project)


def reopen(task: Task, json: AsJson = False) -> None:
    """Restore the whole memory of a task from the archive.

    The task is the active one again.

    \b
    Example:
      agent-memory task reopen 368
    """
    _print_result(task_actions.reopen(find_synced_project(), task), json)
