"""`agent-memory task`: notes and decisions of the tasks of Backlog.md."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated, Any, Literal

from memory_core.cli.command_types import App
from memory_core.cli.common.arguments import DryRun, Yes, argument, flag, option, parse_duration
from memory_core.cli.common.entries import Entry, print_columns, print_list
from memory_core.cli.common.inputs import read_input
from memory_core.cli.common.notes import format_command, may_change
from memory_core.cli.common.scopes import find_synced_project
from memory_core.cli.errors import CommandRefused, exit_if
from memory_core.cli.output import print_bytes, print_json, print_line, print_note, select_fields
from memory_core.files.safe_files import Refused
from memory_core.setup import installation
from memory_core.storage.project import Project
from memory_core.tasks import backlog_folder, claude_md_import, task_actions, task_document
from memory_core.tasks.task_actions import ARCHIVED, ActionResult, TaskHit, TaskMemory, TaskStatus

TASK_HELP = "A task: 368, task-368 or TASK-368."

Task = Annotated[str, argument("ID", TASK_HELP)]
OptionalTask = Annotated[str, argument("ID", TASK_HELP, "the active task")]
WordsArgument = Annotated[
    list[str],
    argument("[ID] TEXT", "The task (default: the active one) and the text; - reads stdin."),
]
Title = Annotated[str, option("T", "Title of the task.", default="from Backlog.md")]
Template = Annotated[
    Literal["default", "feature", "bugfix", "research"] | None,
    option("NAME", "Sections of a new memory.", default="by the task's labels"),
]
Section = Annotated[str, option("S", "Section of the note; created if needed.")]

app = App()


@app.callback()
def task() -> None:
    """Manage notes and decisions of a task.

    A task is named as in Backlog.md: 368, task-368 and TASK-368 are the same.

    \b
    Example:
      agent-memory task status
    """


def start(task: Task, title: Title = "", template: Template = None) -> None:
    """Create the memory of a task and make it the active one.

    An existing memory is kept, an archived one is restored. The status in Backlog.md
    changes, too, if its command is installed.

    \b
    Example:
      agent-memory task start 368 --title "Ask for a password" --template feature
    """
    project = find_synced_project()
    result = task_actions.start(project, task, title, template or "")
    _print_result(project, result)
    if result.what != "started":
        return
    folder = backlog_folder.Folder(project.paths.files)
    if folder.list_task_files() and not folder.find(result.memory.id):
        print_note(f"Backlog.md has no task {result.memory.id}.")
    if not claude_md_import.is_set_up(folder):
        print_note(f"To give it to each session: {format_command('task init')}")


def _print_result(project: Project, result: ActionResult) -> None:
    print_json({**task_to_json(result.memory), **select_fields(result, "what", "problems")})
    print_line(f"{result.what.capitalize()}: {format_task(result.memory)}")
    for problem in result.problems:
        print_note(problem)
    if result.memory.state == ARCHIVED:
        print_active_task(project)


def note(words: WordsArgument, section: Section = task_document.NOTES) -> None:
    """Add a note to the memory of a task.

    Without ID: the active task.

    \b
    Example:
      agent-memory task note 368 "The bank answers in XML" --section References
    """
    _add("Noted", words, section)


def decide(words: WordsArgument) -> None:
    """Add a decision to the memory of a task.

    Without ID: the active task.

    \b
    Example:
      agent-memory task decide 368 "Passwords are hashed with argon2"
    """
    _add("Decided", words, task_document.DECISIONS)


def _add(verb: str, words: list[str], section: str) -> None:
    project = find_synced_project()
    task, text = _parse_words(project, words)
    memory, title = task_actions.add_note(project, task, text, section)
    print_json({**task_to_json(memory), "section": title, "text": text})
    first, *more = text.strip().splitlines()
    print_line(f"{verb}: {memory.id} [{title}] {first}{' ...' if more else ''}")


def _parse_words(project: Project, words: list[str]) -> tuple[str, str]:
    """Return the task, "" for the active one, and the text."""
    if len(words) > 2:
        raise CommandRefused("too many arguments: ID and TEXT are expected; quote the text")
    task, text = words if len(words) == 2 else ("", words[0])
    if not task:
        with suppress(task_actions.TaskError):
            task_actions.find(project, text or "-")
            raise CommandRefused(f"missing text: a text is expected after {text}")
    if text == "-":
        text = read_input("-").decode("utf-8-sig", "surrogateescape")
    return task, text


def done(task: OptionalTask = "") -> None:
    """Finish a task: archive its memory.

    The status in Backlog.md changes, too, if its command is installed.

    \b
    Example:
      agent-memory task done 368
    """
    project = find_synced_project()
    _print_result(project, task_actions.finish(project, task))


def archive(task: OptionalTask = "") -> None:
    """Archive the memory of a task, whatever its status.

    Backlog.md is not changed.

    \b
    Example:
      agent-memory task archive 368
    """
    project = find_synced_project()
    _print_result(project, task_actions.archive(project, task))


def reopen(task: Task) -> None:
    """Restore the whole memory of a task from the archive.

    The task is the active one again.

    \b
    Example:
      agent-memory task reopen 368
    """
    project = find_synced_project()
    _print_result(project, task_actions.start(project, task, reopens=True))


DEFAULT_AGE = "30d"  # of `cleanup` without options

WITHOUT_AGE = f"{DEFAULT_AGE}, without --delete-after"
ArchiveAfter = Annotated[
    str | None, option("30d", "Archive memories not changed for this time.", default=WITHOUT_AGE)
]
DeleteAfter = Annotated[
    str | None, option("90d", "Delete memories archived for this time.", default="delete nothing")
]


def delete(task: Task, yes: Yes = False) -> None:
    """Delete the memory of a task for good.

    agent-memory task archive keeps the memory.

    \b
    Example:
      agent-memory task delete 368 --yes
    """
    project = find_synced_project()
    memory = task_actions.find(project, task)
    if not yes:
        print_line(f"would delete {format_task(memory)}")
    written = may_change("Delete this for good?", yes, False)
    if written:
        task_actions.delete(project, memory)
        print_line(f"Deleted: {format_task(memory)}")
        if memory.active:
            print_active_task(project)
    print_json({**task_to_json(memory), "deleted": written})


def cleanup(
    archive_after: ArchiveAfter = None,
    delete_after: DeleteAfter = None,
    dry_run: DryRun = False,
    yes: Yes = False,
) -> None:
    """Archive unused memories and delete old archived ones.

    The dates in the files count. Tasks in progress are skipped.

    \b
    Example:
      agent-memory task cleanup --archive-after 30d --delete-after 90d --dry-run
    """
    if archive_after is None and delete_after is None:
        archive_after = DEFAULT_AGE
    limits = (_parse_limit(archive_after), _parse_limit(delete_after))
    project = find_synced_project()
    stale = task_actions.find_stale(project, *limits)
    yes = yes or not (dry_run or any(memory.state == ARCHIVED for memory in stale))
    for memory in stale:
        verb = "delete" if memory.state == ARCHIVED else "archive"
        task = format_task(memory)
        print_line(f"{'' if yes else 'would '}{verb} {task}, unchanged since {memory.changed[:10]}")
    written = bool(stale) and may_change("Continue, and delete these for good?", yes, dry_run)
    memories = task_actions.clean_up(project, stale) if written else stale
    archived = [task_to_json(one) for one in memories if one.state != ARCHIVED]
    deleted = [task_to_json(one) for one in memories if one.state == ARCHIVED]
    print_json({"written": written, "archived": archived, "deleted": deleted})
    if not stale:
        print_note("Nothing to clean up.")
    elif written:
        print_note("Done.")


def _parse_limit(age: str | None) -> str:
    """Return the time before which a memory counts as old, "" for None."""
    return "" if age is None else backlog_folder.now(parse_duration(age))


# Many projects link CLAUDE.md to AGENTS.md.
SET_UP_ADVICE = "replace it with a file that imports the other one, by a line such as @AGENTS.md"
REMOVE_ADVICE = "remove the lines between its comments in the other file by hand"


def init(
    remove: Annotated[bool, flag("--remove", "Remove the lines again; memories are kept.")] = False,
    dry_run: DryRun = False,
    yes: Yes = False,
) -> None:
    """Give the notes of the active task to every session.

    CLAUDE.md then imports the memory of the active task, and the project's settings get
    hooks for Backlog.md's commands.

    \b
    Example:
      agent-memory task init --yes
    """
    project = find_synced_project()
    folder = backlog_folder.Folder(project.paths.files)
    try:
        folder.check_file(claude_md_import.CLAUDE_FILE)
    except Refused as error:
        raise CommandRefused(f"{error}; {REMOVE_ADVICE if remove else SET_UP_ADVICE}", 1) from None
    plan = claude_md_import.plan_removal if remove else claude_md_import.plan_set_up
    changes = plan(folder)
    hooks = None if remove else installation.plan_task_hooks(project)
    if hooks:
        path = project.paths.relative(hooks.path)
        changes.append(hooks._replace(path=path, before=hooks.before or b""))
    diffs = {change.path: change.diff() for change in changes}
    for path, diff in diffs.items():
        print_line(diff.removesuffix("\n") or f"{path}:")
    question = f"{'Remove' if remove else 'Add'} this?"
    written = bool(changes) and may_change(question, yes, dry_run)
    if not changes:
        print_note("Nothing to do.")
    elif written and remove:
        claude_md_import.remove(folder)
        print_note("Removed.  The memories are kept, and so are the hooks of agent-memory.")
    elif written:
        task_actions.set_up(project)
        if hooks:
            installation.write_settings(hooks)
        print_note("Done.  The next session and its agents receive the notes of the active task.")
        print_note(f"To remove it: {format_command('task init --remove')}")
    rows = [{"file": path, "diff": diff} for path, diff in diffs.items()]
    print_json({"written": written, "changes": rows})


def show(task: OptionalTask = "") -> None:
    """Print the memory of a task.

    \b
    Example:
      agent-memory task show 368
    """
    memory = task_actions.find(find_synced_project(), task)
    sections = [
        {"title": title, "text": content}
        for title, content in task_document.list_sections(memory.text)
        if title
    ]
    print_json({**task_to_json(memory), "sections": sections, "text": memory.text})
    print_bytes(memory.text.encode("utf-8", "surrogateescape"))


def list_(every: Annotated[bool, flag("--all", "Archived tasks, too.")] = False) -> None:
    """Print the tasks with a memory, the active one first.

    \b
    Example:
      agent-memory task list --all
    """
    memories = task_actions.list_memories(find_synced_project())
    shown = [memory for memory in memories if every or memory.state != ARCHIVED]
    print_json([task_to_json(memory) for memory in shown])
    rows = [_format_row(memory) for memory in shown]
    if rows:
        print_columns([["TASK", "STATE", "UPDATED", "TITLE"], *rows])
    else:
        print_note("No task has a memory.")
    if hidden := len(memories) - len(shown):
        print_note(f"{hidden} archived; to list them, too: {format_command('task list --all')}")


def _format_row(memory: TaskMemory) -> list[str]:
    state = "active" if memory.active else memory.state
    return [memory.id, state, memory.updated[:16], memory.title]


def search(text: Annotated[list[str], argument("TEXT", "Words that all occur in a line.")]) -> None:
    """Find lines in the memories of tasks, also archived ones.

    Exit 1 if nothing is found.

    \b
    Example:
      agent-memory task search event bus || echo "not yet"
    """
    words = " ".join(text)
    hits = task_actions.search(find_synced_project(), words)
    names, own = ("id", "title", "state"), ("section", "text")
    rows = [select_fields(hit.memory, *names) | select_fields(hit, *own) for hit in hits]
    print_list(rows, list(map(_to_entry, hits)), "Nothing found.", words)
    exit_if(not hits)


def _to_entry(hit: TaskHit) -> Entry:
    task = (hit.memory.id,)
    note = "  (archived)" if hit.memory.state == ARCHIVED else ""
    return Entry(task, task, (), hit.text, hit.section, note)


def status() -> None:
    """Show the active task, and what Claude Code receives of it.

    \b
    Example:
      agent-memory task status
    """
    project = find_synced_project()
    state = task_actions.read_status(project)
    print_json(_status_to_json(state))
    print_line(f"Active: {format_task(state.active) if state.active else 'none'}")
    counts = ", ".join(f"{number} {name}" for name, number in state.counts.items())
    print_line(f"Memories: {counts}, in {state.folder}")
    print_line(f"Claude Code: {_describe_import(state)}")
    if backlog_folder.Folder(project.paths.files).list_task_files():
        print_line(f"Backlog.md: command {'found' if state.has_command else 'not found'}")
    if not state.is_enabled:
        print_note("Task memory is switched off: hooks do not use it.")
    if not state.is_set_up:
        command = format_command("task init")
        print_note(f"To give the active task to each session: {command}")


def _describe_import(state: TaskStatus) -> str:
    imported = state.imported
    if imported is None:
        return "imports nothing"
    copy = " (a copy within the budget, without imports of its own)" if imported.is_copy else ""
    return f"imports {imported.path}{copy}, about {imported.tokens} of {state.budget} tokens"


def _status_to_json(state: TaskStatus) -> dict[str, Any]:
    renamed = {"enabled": "is_enabled", "command": "has_command"}
    imported = select_fields(state.imported, "tokens", file="path", copy="is_copy")
    return {
        **select_fields(state, "folder", "budget", set_up="is_set_up", **renamed),
        **{name.replace(" ", "_"): number for name, number in state.counts.items()},
        "active": task_to_json(state.active) if state.active else None,
        "imported": imported if state.imported else None,
    }


def task_to_json(memory: TaskMemory) -> dict[str, object]:
    """Return the --json fields of a task memory."""
    fields = select_fields(memory, "id", "title", "state", "active", file="path")
    for name in ("created", "updated", "archived"):
        time = getattr(memory, name).replace(" ", "T")
        fields[name] = f"{time}Z" if time else None
    return fields


def format_task(memory: TaskMemory) -> str:
    """Return the id, title and file of a task memory."""
    title = f", {memory.title}" if memory.title else ""
    return f"{memory.id}{title} ({memory.path})"


def print_active_task(project: Project) -> None:
    active = task_actions.read_status(project).active
    print_note(f"Active now: {format_task(active)}" if active else "No task is in progress now.")


app.add(start, note, decide, show, list_, search, done)
app.add(reopen, archive, delete, cleanup, status, init)
