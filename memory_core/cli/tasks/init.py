"""`agent-memory task init`: let CLAUDE.md import the memory of the active task."""

from __future__ import annotations

from typing import Annotated

from memory_core.cli.common.arguments import AsJson, DryRun, Yes, flag
from memory_core.cli.common.inputs import check_options
from memory_core.cli.common.notes import format_command, may_change
from memory_core.cli.output import print_json, print_line, print_note
from memory_core.cli.tasks.common import find_synced_project
from memory_core.document.diff import TextChange, format_diff
from memory_core.setup import installation
from memory_core.tasks import backlog_folder, claude_md_import


def init(
    remove: Annotated[bool, flag("--remove", "Remove the lines again; memories are kept.")] = False,
    dry_run: DryRun = False,
    yes: Yes = False,
    json: AsJson = False,
) -> None:
    """Give the notes of the active task to every session.

    CLAUDE.md then imports the memory of the active task, and the project's settings get
    hooks for Backlog.md's commands.

    \b
    Example:
      agent-memory task init --yes
    """
    check_options(yes, dry_run)
    project = find_synced_project(dry_run)
    if remove:
        folder = backlog_folder.Folder(project.paths.files)
        claude_md_import.check_root_file(folder, claude_md_import.REMOVE_ADVICE)
        plan = claude_md_import.plan_removal(project.paths)
    else:
        plan = claude_md_import.plan_set_up(project)
    relative = project.paths.relative
    changes = [TextChange(relative(path), before, after) for path, before, after in plan]
    hooks = None if remove else installation.plan_task_hooks(project)
    if hooks:
        texts = ((text or b"").decode() for text in (hooks.before, hooks.after))
        changes.append(TextChange(relative(hooks.path), *texts))
    diffs = {change.path: format_diff(change) for change in changes}
    if not json:
        for path, diff in diffs.items():
            print_line(diff.removesuffix("\n") or f"{path}:")
    question = f"{'Remove' if remove else 'Add'} this?"
    written = bool(changes) and may_change(question, yes, dry_run, json)
    if written and remove:
        claude_md_import.remove(project.paths)
    elif written:
        claude_md_import.set_up(project)
        if hooks:
            installation.write_task_hooks(hooks)
    if json:
        rows = [{"file": path, "diff": diff} for path, diff in diffs.items()]
        print_json({"written": written, "changes": rows})
    else:
        _print_result(bool(changes), written, remove)


def _print_result(has_changes: bool, written: bool, remove: bool) -> None:
    if not has_changes:
        state = "does not import tasks" if remove else "imports the active task already"
        print_note(f"Nothing to do: CLAUDE.md {state}.")
    elif written and remove:
        print_note("Removed.  The memories are kept, and so are the hooks of agent-memory.")
    elif written:
        print_note("Done.  The next session and its agents receive the notes of the active task.")
        print_note(f"To remove it: {format_command('task init --remove')}")
