"""`agent-memory init`: create the memory folder and empty memories."""

from __future__ import annotations

import os
from typing import Annotated

from memory_core.claude_code import settings_files
from memory_core.cli.common.arguments import User, agent_argument, flag
from memory_core.cli.common.inputs import ask_yes_no, can_ask
from memory_core.cli.common.scopes import find_agents, find_level
from memory_core.cli.output import print_json, print_line, print_note
from memory_core.setup import initialize
from memory_core.storage.store import Store

Named = Annotated[list[str] | None, agent_argument("Agents that get a memory.", default="ask you")]


def init(
    agent: Named = None,
    yes: Annotated[bool, flag("--yes", "Create one for all agents in .claude/agents.")] = False,
    user: User = False,
) -> None:
    """Create the memory folder and empty memories.

    This is optional: the first learning of an agent creates what is missing.

    \b
    Example:
      agent-memory init engineer
    """
    scope = project, level = find_level(user)
    named = find_agents(scope, agent, accept_new=True)
    missing = initialize.list_agents_without_memory(level, os.environ, user)
    chosen = _choose(named, missing, yes)  # before any change: Ctrl-C leaves nothing behind
    created = initialize.create_folder(level)
    memories = dict(initialize.create_memories(project, level, chosen))
    titled = initialize.add_titles(project, level, named)
    missing = [name for name in missing if name not in memories]
    files = settings_files.read_hook_files(project.paths.root, os.environ)
    hooks = any(file.own_hooks for file in files)
    agents = [{"agent": name, "file": file} for name, file in memories.items()]
    fields = {"folder": level.folder, "made": created, "agents": agents}
    print_json({**fields, "titled": titled, "without": missing, "hooks": hooks})
    existing = [name for name in named if name not in memories]
    _print_created(level, [*created, *memories.values()], existing, user)
    for path in titled:
        print_line(f"Added the title to {path}")
    if missing:
        print_note(f"Without a memory: {', '.join(missing)}. Pass --yes to create them.")
    if not hooks:
        level_option = " --user" if user else ""
        print_note(f"Next: agent-memory install{level_option} makes Claude Code use the memories.")


def _print_created(level: Store, paths: list[str], existing: list[str], user: bool) -> None:
    if not user and os.path.realpath(level.paths.root) != os.path.realpath(os.getcwd()):
        print_note(f"The project is {level.paths.root}")
    home = "~/" if user else ""
    for path in paths:
        print_line(f"Created {home}{path}")
    for name in existing:
        print_note(f"{name} has a memory already.")
    if not (paths or existing):
        print_note(f"Nothing to do: {home}{level.paths.relative(level.folder)} is complete.")


def _choose(named: list[str], missing: list[str], yes: bool) -> list[str]:
    """Return the agents that get a memory; ask about those that were not named."""
    others = [name for name in missing if name not in named]
    if yes or not others:
        return [*named, *others]
    if named or not can_ask():
        return named
    memories = "an empty memory" if len(others) == 1 else "empty memories"
    return others if ask_yes_no(f"Create {memories} for {', '.join(others)}?") else []
