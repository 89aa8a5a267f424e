"""`agent-memory git`: memories are merged by item and section in this clone, or no more."""

from __future__ import annotations

import typer

from memory_core.cli.app import Suggesting, new_app
from memory_core.cli.common import AsJson, note_archived, project_of
from memory_core.cli.output import as_json, note, out, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.team import Installed

app = new_app(cls=Suggesting)


@app.callback()
def git() -> None:
    """Let git merge memories by item and section.

    \b
    Example:
      agent-memory git install
    """


@app.command()
def install(ctx: typer.Context, json: AsJson = False) -> None:
    """Let git merge memories by item and section, in this clone.

    Sets .gitattributes beside the memories, which is to be committed, and the
    merge driver in this clone's own configuration.  Files with conflict markers
    are mended.  Exit 1 when one cannot be, 2 where there is no repository.

    \b
    Example:
      agent-memory git install
    """
    from memory_core import team

    done = team.install(project_of(ctx))
    if json:
        as_json(_fields(done))
    else:
        _print(done)
        if done.ignored:
            note("git ignores the memories here (see .gitignore): there is nothing to merge")
    if any(each.refused for each in done.mended):
        raise typer.Exit(1)


@app.command()
def uninstall(ctx: typer.Context, json: AsJson = False) -> None:
    """Let git merge memories as text again, in this clone.

    Takes out what `git install` has set; memories stay as they are.

    \b
    Example:
      agent-memory git uninstall
    """
    from memory_core import team

    done = team.uninstall(project_of(ctx))
    if json:
        as_json(_fields(done))
    else:
        _print(done)


def _fields(done: Installed) -> dict[str, object]:
    return {
        "attributes": done.attributes,
        "config": done.config,
        "ignored": done.ignored,
        "mended": [
            {"agent": each.agent, "file": text_of(each.change.path), "error": each.refused or None}
            for each in done.mended
        ],
    }


def _print(done: Installed) -> None:
    for path in done.attributes:
        out(text_of(f"changed {path}: commit it"))
    if done.config:
        out("changed the configuration of this clone")
    for each in done.mended:
        if each.refused:
            note(text_of(f"{each.change.path} stays as it is: {each.refused}"))
        else:
            out(text_of(f"resolved {each.change.path}"))
            note_archived(each.agent, len(each.kept), True, False)
    if not done:
        note("Nothing to do.")
