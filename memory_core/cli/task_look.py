"""`agent-memory task show`, `list`, `search`, `status` and `template`: what there is."""

from __future__ import annotations

from typing import Annotated

import typer

from memory_core.cli import Refused
from memory_core.cli.common import AsJson, User, check_user, hint, project_of
from memory_core.cli.output import (
    Column,
    ago,
    as_json,
    note,
    out,
    page,
    paint,
    raw,
    table,
    text_of,
)
from memory_core.cli.task_common import Shown, fields, looked, named, seconds_of
from memory_core.cli.task_write import complete_templates

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.memory import Project
    from memory_core.task_overview import Imported, Standing
    from memory_core.tasks import Hit, Told

COLUMNS = [
    Column("TASK", 0, right=False),
    Column("STATE", 1, right=False),
    Column("UPDATED", 2),
]


def show(ctx: typer.Context, task: Shown = "", json: AsJson = False) -> None:
    """Print the memory of a task as it stands.

    \b
    Example:
      agent-memory task show 368
    """
    from memory_core import task_document, tasks

    project = looked(ctx)
    told = tasks.find(project, task)
    text = tasks.text(project, told)
    if json:
        sections = [
            {"title": text_of(title), "text": text_of(held)}
            for title, held in task_document.sections(text)
            if title
        ]
        as_json({**fields(told), "sections": sections, "text": text_of(text)})
        return
    page()
    raw(text.encode("utf-8", "surrogateescape"))
    if told.state == tasks.ARCHIVED:
        note(f"It is archived; {hint(f'task reopen {told.id}')} takes it up again.")


def list_(
    ctx: typer.Context,
    archived: Annotated[
        bool, typer.Option("--archived", help="Only those that are archived.")
    ] = False,
    every: Annotated[bool, typer.Option("--all", help="Those that are archived as well.")] = False,
    json: AsJson = False,
) -> None:
    """Print the tasks with a memory, the active one first.

    \b
    Example:
      agent-memory task list --all
    """
    from memory_core import tasks

    if archived and every:
        raise Refused("--archived and --all exclude each other")
    project = looked(ctx)
    found = tasks.listed(project)
    told = [each for each in found if every or (each.state == tasks.ARCHIVED) == archived]
    if json:
        as_json([fields(each) for each in told])
        return
    page()
    for line in _lines(told):
        out(line)
    if not told:
        kind = "archived memory" if archived else "memory"
        note(f"No task has an {kind}." if archived else f"No task has a {kind}.")
    left = len(found) - len(told)
    if left and not archived:
        note(f"{left} archived; {hint('task list --all')} prints them, too.")


def _lines(found: list[Told]) -> list[str]:
    if not found:
        return []
    rows = [
        [each.id, "active" if each.active else each.state, ago(seconds_of(each.updated))]
        for each in found
    ]
    titles = ["TITLE", *(each.title for each in found)]
    lines = zip(table(COLUMNS, rows), titles, strict=True)
    return [text_of(f"{line}  {title}".rstrip()) for line, title in lines]


def search(
    ctx: typer.Context,
    text: Annotated[
        list[str], typer.Argument(metavar="TEXT", help="Words that all occur in a line.")
    ],
    json: AsJson = False,
) -> None:
    """Find lines in the memories of tasks, archived ones, too.

    Upper or lower case and accents do not matter, and a word may be a part of another.
    Exit 1 when nothing is found.

    \b
    Example:
      agent-memory task search event bus || echo "not yet"
    """
    from memory_core import tasks

    words = " ".join(text)
    found = tasks.search(looked(ctx), words)
    if json:
        as_json([_hit_fields(each) for each in found])
    else:
        page()
        _print_hits(found, words)
    if not found:
        raise typer.Exit(1)


def _hit_fields(hit: Hit) -> dict[str, object]:
    return {
        "id": hit.told.id,
        "title": text_of(hit.told.title) or None,
        "state": hit.told.state,
        "section": text_of(hit.section) or None,
        "text": text_of(hit.text),
    }


def _print_hits(found: list[Hit], words: str) -> None:
    from memory_core import searching, tasks

    width = max((len(hit.told.id) for hit in found), default=0)
    for hit in found:
        section = f"[{hit.section}] " if hit.section else ""
        parts = searching.marked(text_of(hit.text), words)
        lit = (paint(part, "hit") if is_hit else part for part, is_hit in parts)
        tail = "  (archived)" if hit.told.state == tasks.ARCHIVED else ""
        out(text_of(f"{hit.told.id:{width}}  {section}"), *lit, tail)
    if not found:
        note("Nothing found.")


def status(ctx: typer.Context, json: AsJson = False) -> None:
    """Print which task is active, and what Claude Code is given of it.

    \b
    Example:
      agent-memory task status
    """
    from memory_core import task_overview

    now = task_overview.standing(looked(ctx))
    if json:
        as_json(_status_fields(now))
        return
    out(f"Active: {named(now.active)}" if now.active else "Active: none")
    counts = ", ".join(f"{number} {state}" for state, number in now.counts.items())
    out(text_of(f"Memories: {counts}, in {now.folder}"))
    out(text_of(f"Claude Code: {_delivery(now)}"))
    out(f"Backlog.md: {'its command is there' if now.has_command else 'its command is not there'}")
    _tell_status(now)


def _delivery(now: Standing) -> str:
    if not now.is_set_up:
        return "imports nothing"
    if now.imported is None:
        return "imports nothing while no task is active" if not now.active else "imports nothing"
    return f"imports {now.imported.path}{_how(now.imported, now.budget)}"


def _how(imported: Imported, budget: int) -> str:
    from memory_core import task_overview

    size = f"about {imported.tokens} of {budget} tokens"
    return {
        task_overview.WHOLE: f", {size}",
        task_overview.CUT: f", cut to fit: {size}",
        task_overview.DEFUSED: f", without what it would import itself: {size}",
        task_overview.MISSING: ", which is not there",
    }[imported.how]


def _tell_status(now: Standing) -> None:
    if not now.is_on:
        note("Task memory is switched off: hooks do nothing about it.")
    if not now.is_set_up:
        note(f"{hint('task init')} lets Claude Code give the active one to each session.")
    if now.owed:
        note(f"Decisions that Backlog.md is still to be told: {', '.join(now.owed)}")


def _status_fields(now: Standing) -> dict[str, object]:
    imported = now.imported and {
        "file": text_of(now.imported.path),
        "how": now.imported.how,
        "tokens": now.imported.tokens,
    }
    return {
        "folder": text_of(now.folder),
        "enabled": now.is_on,
        "active": fields(now.active) if now.active else None,
        **{state.replace(" ", "_"): number for state, number in now.counts.items()},
        "set_up": now.is_set_up,
        "imported": imported,
        "budget": now.budget,
        "owed": now.owed,
        "command": now.has_command,
    }


def template(
    ctx: typer.Context,
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="A template to print.",
            show_default="list them",
            autocompletion=complete_templates,
        ),
    ] = "",
    copy: Annotated[
        bool,
        typer.Option("--copy", help="Make a copy of your own, which counts from then on."),
    ] = False,
    user: User = False,
    json: AsJson = False,
) -> None:
    """List what new memories look like, or print one template.

    A copy is .claude-mpm/templates/NAME.md of the project, or with --user your own.
    {task_id} and {title} are filled in.

    \b
    Example:
      agent-memory task template bugfix
    """
    if copy and not name:
        raise Refused("--copy of which template?  agent-memory task template NAME --copy")
    if user and not copy:
        raise Refused("--user goes with --copy")
    check_user(user)
    project = project_of(ctx)
    if copy:
        _copy(project, name, user, json)
    elif name:
        _print_template(project, name, json)
    else:
        _list_templates(project, json)


def _copy(project: Project, name: str, user: bool, json: bool) -> None:
    from memory_core import task_life, task_templates

    level = project.level(user).place
    try:
        path = task_templates.copy(task_life.levels(project), level, name)
    except FileExistsError as error:
        raise Refused(text_of(f"{error.filename} is there already"), 1) from None
    told = path if user else level.relative(path)
    if json:
        as_json({"name": name, "file": text_of(told), "made": True})
    else:
        out(text_of(f"Made {told}"))


def _print_template(project: Project, name: str, json: bool) -> None:
    from memory_core import task_life, task_templates

    levels = task_life.levels(project)
    text = task_templates.text(levels, name)
    if json:
        path = task_templates.names(levels)[name]
        as_json({"name": name, "file": text_of(path) or None, "text": text_of(text)})
    else:
        out(text_of(text.removesuffix("\n")))


def _list_templates(project: Project, json: bool) -> None:
    from memory_core import task_life, task_templates

    found = task_templates.names(task_life.levels(project))
    if json:
        as_json([{"name": name, "file": text_of(found[name]) or None} for name in found])
        return
    width = max(map(len, found))
    for name, path in found.items():
        where = project.place.relative(path) if path else "built in"
        out(text_of(f"{name:{width}}  {where}"))
