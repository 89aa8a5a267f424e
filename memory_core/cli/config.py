"""`agent-memory config`: the settings in force, and whether config.yml is right."""

from __future__ import annotations

import json as text_of
import os

import typer

from memory_core.cli.app import Suggesting, new_app
from memory_core.cli.common import AsJson, project_of
from memory_core.cli.output import as_json, note, out

# What counts where a file cannot be understood at all.
_INSTEAD = "In force is what was last understood; where nothing was, memory is off."

app = new_app(cls=Suggesting)


@app.callback()
def config() -> None:
    """Show or check the settings in config.yml.

    \b
    Example:
      agent-memory config show
    """


@app.command()
def show(ctx: typer.Context, json: AsJson = False) -> None:
    """Print the settings in force, with source and meaning.

    Exit 1 when config.yml cannot be read, and so others are in force than it says.

    \b
    Example:
      agent-memory config show --json
    """
    from memory_core import overview

    project = project_of(ctx)
    found = overview.settings(project)
    if json:
        as_json([setting._asdict() for setting in found])
    for setting in found if not json else []:
        source = project.place.relative(setting.source)
        out(f"{setting.key}: {text_of.dumps(setting.value)}  ({source})")
        out(f"    {setting.description}")
    if not project.config.readable:
        note(f"{project.config.problems[0]}\n{_INSTEAD}")
        raise typer.Exit(1)


@app.command()
def check(ctx: typer.Context, json: AsJson = False) -> None:
    """Print what is wrong in config.yml, by line.

    What is wrong in our environment variables is told, too.
    Exit 1 when something is.

    \b
    Example:
      agent-memory config check
    """
    from memory_core import overview

    problems = overview.problems(project_of(ctx))
    if json:
        as_json({"problems": problems})
    for problem in problems if not json else []:
        out(problem)
    if problems:
        raise typer.Exit(1)
    if not json:
        note("No problems found.")


@app.command()
def path(ctx: typer.Context, json: AsJson = False) -> None:
    """Print where config.yml is looked for.

    The project's comes first, then the user's, which it overrides.

    \b
    Example:
      agent-memory config path
    """
    project = project_of(ctx)
    levels = [("project", project.place)] + ([("user", project.user)] if project.user else [])
    found = [(level, place.config, os.path.exists(place.config)) for level, place in levels]
    if json:
        as_json([dict(zip(("level", "path", "exists"), each, strict=True)) for each in found])
    for _level, where, exists in found if not json else []:
        out(where)
        if not exists:
            note(f"{where} does not exist; defaults are in force")
