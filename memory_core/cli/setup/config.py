"""`agent-memory config`: show and check the settings."""

from __future__ import annotations

import json as json_module

import typer

from memory_core.cli.app import find_project
from memory_core.cli.command_types import App
from memory_core.cli.common.arguments import AsJson
from memory_core.cli.common.tables import print_columns
from memory_core.cli.output import print_json, print_line, print_note
from memory_core.doctor import config_sources, locations
from memory_core.text.phrases import format_count

app = App()


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
        count = format_count(len(problems), "problem")
        print_note(f"config.yml: {count} (agent-memory config check)")


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
def paths(json: AsJson = False) -> None:
    """Print all paths that agent-memory uses, and whether they exist.

    \b
    Example:
      agent-memory config paths
    """
    places = locations.list_locations(find_project())
    if json:
        print_json([place._asdict() for place in places])
        return
    rows = [
        [place.level, place.name, "exists" if place.exists else "absent", place.path]
        for place in places
    ]
    print_columns([["LEVEL", "NAME", "STATE", "PATH"], *rows])


@app.command()
def path(json: AsJson = False) -> None:
    """Print the paths of config.yml.

    The project's file comes first; it overrides the user's.

    \b
    Example:
      agent-memory config path
    """
    project = find_project()
    levels = {"project": project.paths, "user": project.user_paths}
    files = [
        {"level": name, "path": level.config, "exists": level.files.has_entry(level.config)}
        for name, level in levels.items()
        if level
    ]
    if json:
        print_json(files)
        return
    for file in files:
        print_line(str(file["path"]))
        if not file["exists"]:
            path = file["path"]
            print_note(f"{path} does not exist; defaults are in force")
