"""`agent-memory config` and `allow`: the settings, and who receives user-level memory."""

from __future__ import annotations

import json
import os
from typing import Annotated

from memory_core.cli.app import find_project
from memory_core.cli.command_types import App
from memory_core.cli.common.arguments import User, argument, flag
from memory_core.cli.common.entries import print_columns, print_sentence
from memory_core.cli.common.scopes import find_level, require_person
from memory_core.cli.errors import CommandRefused, exit_if
from memory_core.cli.output import print_json, print_line, print_note, print_problem
from memory_core.doctor import config_sources
from memory_core.setup import program
from memory_core.storage import event_log, user_level
from memory_core.storage.config_yml.config_file import set_value, suggest_keys, unset_value
from memory_core.storage.config_yml.config_merge import read_source, write_source
from memory_core.storage.config_yml.default_settings import SETTINGS
from memory_core.storage.database import state_db
from memory_core.storage.project import Project
from memory_core.storage.store import Store
from memory_core.text.phrases import format_count

KEY_HELP = "A key of docs/config.md, with or without memory."

Key = Annotated[str, argument("KEY", KEY_HELP)]

app = App()


@app.callback()
def config() -> None:
    """Show, change or check the settings in config.yml.

    \b
    Example:
      agent-memory config show
    """


def show() -> None:
    """Print the settings in force, with source and meaning.

    Exit 1 if config.yml cannot be read.

    \b
    Example:
      agent-memory config show --json
    """
    get("")


def _find_key(key: str) -> str:
    """Return the whole key; `memory.` in front may be left out."""
    return key if f"{key}.".startswith("memory.") else f"memory.{key}"


def _find_setting(key: str) -> str:
    """Return the whole key of one setting; `selection: off` is short for `selection.enabled`."""
    switch = f"{_find_key(key)}.enabled"
    return switch if switch in SETTINGS else _find_key(key)


def get(key: Annotated[str, argument("KEY", KEY_HELP, "all settings")] = "") -> None:
    """Print a setting in force, or all settings below a key.

    Exit 1 if config.yml cannot be read.

    \b
    Example:
      agent-memory config get limits
    """
    project = find_project()
    settings = config_sources.list_settings(project)
    name = _find_key(key).removeprefix("memory").strip(".")
    chosen = [row for row in settings if not name or f"{row.key}.".startswith(f"{name}.")]
    if not chosen:
        hint = suggest_keys(name, [row.key for row in settings])
        raise CommandRefused(f"unknown setting {key!r}{hint}")
    print_json([setting._asdict() for setting in chosen])
    if [row.key for row in chosen] == [name]:
        value = chosen[0].value  # a text without quotes, as scripts expect
        print_line(value if isinstance(value, str) else json.dumps(value))
    else:
        for setting in chosen:
            source = project.paths.relative(setting.source)
            print_line(f"memory.{setting.key}: {json.dumps(setting.value)}  ({source})")
            print_sentence(setting.description, "    ")
    _report_problems(project)


def _report_problems(project: Project) -> None:
    if not project.config.is_readable:
        print_problem(project.config.problems[0])
        print_problem("In force are the last valid settings; without any, memory is off.")
    exit_if(not project.config.is_readable)
    problems = config_sources.list_problems(project)
    if problems:
        count = format_count(len(problems), "problem")
        print_note(f"config.yml: {count} (agent-memory config check)")


def set_(
    key: Key,
    value: Annotated[str, argument("VALUE", "The new value, as in YAML.")],
    user: User = False,
) -> None:
    """Change a setting in config.yml; comments and other keys stay.

    \b
    Example:
      agent-memory config set limits.default_size_kb 16
    """
    whole = _find_setting(key)
    file, _ = _write(user, whole, value)
    print_line(f"{whole}: {value}  ({file})")


def unset(key: Key, user: User = False) -> None:
    """Remove a setting from config.yml, so that its default counts again.

    \b
    Example:
      agent-memory config unset limits.default_size_kb
    """
    whole = _find_setting(key)
    file, was_set = _write(user, whole, None)
    rows = config_sources.list_settings(find_project())
    row = {f"memory.{row.key}": row for row in rows}.get(whole)
    now = f"; now {json.dumps(row.value)} ({row.source})" if row else ""
    print_line(f"Removed {whole} ({file}){now}" if was_set else f"{whole} is not set in {file}")


def _write(user: bool, key: str, value: str | None) -> tuple[str, bool]:
    """Set or remove a key in the config.yml of a level; return its name and whether it changed."""
    require_person(find_project(), "change settings")
    paths = find_level(user).level.paths
    old = read_source(paths)
    text = unset_value(old, key) if value is None else set_value(old, key, value)
    write_source(paths, text)
    print_json({"file": paths.config, "key": key, "value": value})
    return paths.config if user else paths.relative(paths.config), text != old


def check() -> None:
    """Print the problems in config.yml, by line.

    Exit 1 if there are problems.

    \b
    Example:
      agent-memory config check
    """
    project = find_project()
    problems = config_sources.list_problems(project)
    print_json({"problems": problems})
    if not problems:
        print_note("No problems found.")
    else:
        print_line("\n".join(problems))
    exit_if(problems)


def paths() -> None:
    """Print all paths that agent-memory uses, and whether they exist.

    \b
    Example:
      agent-memory config paths
    """
    project = find_project()
    places = _list_places(project.store, "project")
    if project.user_paths:
        places |= _list_places(project.level(user=True), "user")
    places["program", "program"] = program.data_folder()
    fields, rows = [], [["LEVEL", "NAME", "STATE", "PATH"]]
    for (level, name), path in places.items():
        exists = os.path.lexists(path)
        fields.append({"name": name, "level": level, "path": path, "exists": exists})
        rows.append([level, name, "exists" if exists else "absent", path])
    print_json(fields)
    print_columns(rows)


def _list_places(store: Store, level: str) -> dict[tuple[str, str], str]:
    """Return the paths that the program uses at a level, by (level, name)."""
    paths, memories = store.paths, store.folder
    places = {
        "settings": paths.config,
        "memories": memories,
        "history": os.path.join(memories, "history"),
        "archive": os.path.join(memories, "archive"),
        "locks": os.path.join(paths.folder, "locks"),
        "state": paths.state.root,
        "event log": paths.state.locate(event_log.FILE_NAME),
        "database": paths.state.locate(state_db.FILE_NAME),
        "review": paths.state.locate(state_db.JOURNAL),
    }
    return {(level, name): path for name, path in places.items()}


Revoke = Annotated[bool, flag("--revoke", "Do not give it to them any more.")]


def allow(revoke: Revoke = False) -> None:
    """Give your user-level memory to the agents of this project.

    Your user-level memory may say something of your other projects, so only the
    projects that you allow receive it.

    \b
    Example:
      agent-memory allow
    """
    project = find_project()
    require_person(project, "allow the user-level memory")
    paths = project.paths
    (user_level.forbid if revoke else user_level.allow)(paths)
    print_json({"project": paths.root, "allowed": user_level.is_allowed(paths)})
    verb = "do not receive" if revoke else "receive"
    print_line(f"The agents of {project.name} {verb} your user-level memory.")


app.add(show, get, set_, unset, check, paths)
