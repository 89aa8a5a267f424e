"""`agent-memory config`: show and check the settings."""

from __future__ import annotations

import json as json_module
import os

import typer

from memory_core.cli.app import create_app, find_project
from memory_core.cli.common.arguments import AsJson
from memory_core.cli.output import print_json, print_line, print_note
from memory_core.doctor import config_sources
from memory_core.text.phrases import format_count

app = create_app()


@app.callback()
def config() -> None:
    """Show or check the settings in config.yml.

    \b
    Example:
      agent-memory config show
    """


@app.command()
def show(json: AsJson = False) -> None:
    """Print the settings in force, with source and meaning.

    Exit 1 if config.yml cannot be read, so that its settings are not in force.

    \b
    Example:
      agent-memory config show --json
    """
    project = find_project()
    settings = config_sources.list_settings(project.config, project.paths, project.user_paths)
    if json:
        print_json([setting._asdict() for setting in settings])
    else:
        for setting in settings:
            source = project.paths.relative(setting.source)
            print_line(f"memory.{setting.key}: {json_module.dumps(setting.value)}  ({source})")
            print_line(f"    {setting.description}")
    if not project.config.is_readable:
        print_note(project.config.problems[0])
        print_note("In force are the last valid settings; without any, memory is off.")
        raise typer.Exit(1)
    problems = config_sources.list_problems(project.config, project.paths, project.user_paths)
    if problems and not json:
        print_note(f"{format_count(len(problems), 'value')} ignored: agent-memory config check")


@app.command()
def check(json: AsJson = False) -> None:
    """Print the problems in config.yml, by line.

    Checks the environment variables of agent-memory, too.
    Exit 1 if there are problems.

    \b
    Example:
      agent-memory config check
    """
    project = find_project()
    problems = config_sources.list_problems(project.config, project.paths, project.user_paths)
    if json:
        print_json({"problems": problems})
    elif not problems:
        print_note("No problems found.")
    else:
        print_line("\n".join(problems))
    if problems:
        raise typer.Exit(1)


@app.command()
def path(json: AsJson = False) -> None:
    """Print the paths of config.yml.

    The project's file comes first; it overrides the user's.

    \b
    Example:
      agent-memory config path
    """
    project = find_project()
    paths = {"project": project.paths.config}
    if project.user_paths:
        paths["user"] = project.user_paths.config
    if json:
        print_json(
            [
                {"level": level, "path": path, "exists": os.path.exists(path)}
                for level, path in paths.items()
            ]
        )
        return
    for path in paths.values():
        print_line(path)
        if not os.path.exists(path):
            print_note(f"{path} does not exist; defaults are in force")
