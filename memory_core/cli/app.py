"""The table of commands, the options that all commands share, and how a command is loaded."""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from memory_core import __version__
from memory_core.cli import output
from memory_core.cli.command_types import App, CommandGroup, format_parameters
from memory_core.cli.errors import PROGRAM_NAME

if TYPE_CHECKING:
    from memory_core.storage.project import Project


# Where each command is, as MODULE:NAME below memory_core.cli, and the first line of its help.
# With the line here, --help need not load 40 modules; a test compares it with the command.
COMMAND_GROUPS = {
    "Look": {
        "look.status:status": "Show each agent's memory and anything that needs attention.",
        "look.listing:list_": "List all agents, or the items of one agent.",
        "look.show:show": "Print the memory of an agent, or an item with its origin.",
        "look.listing:search": "Find items in memories and archives.",
        "look.explain:explain": "Explain which items an agent receives for a task, and why.",
        "look.explain:context": "Show what an agent knows, most certain first.",
        "look.monitor:monitor": "Show what happens, live, until you press Ctrl-C.",
        "look.dashboard:dashboard": "Show and edit memories in your browser.",
        "history:log": "Show the history of changes, newest first.",
        "history:diff": "Show how the items of an agent have changed.",
    },
    "Change": {
        "change.item:add": "Add an item to the memory of an agent.",
        "change.review:review": "Decide on learnings that were not saved and wait for you.",
        "change.edit:edit": "Edit a memory in your editor, or give an item a new text.",
        "change.item:remove": "Move items to the archive.",
        "change.item:restore": "List archived items, or restore them.",
        "change.item:confirm": "Record that items are right: their confidence rises.",
        "change.item:contradict": "Record that items are wrong: their confidence falls.",
        "change.item:pin": "Give items to the agent with every task, whatever the task is.",
        "change.item:unpin": "Give items to the agent only if they fit its task.",
        "change.agent:rename": "Give an agent's memory to another agent name.",
        "change.agent:delete": "Move the whole memory of agents to the archive.",
        "change.preference:app": "Manage how an agent should work.",
        "history:undo": "Undo the last change of all agents, or the changes with these ids.",
        "history:redo": "Redo what the last undo took back.",
    },
    "Tidy up": {
        "upkeep.prune:prune": "Archive items with low confidence that were not used recently.",
        "upkeep.prune:optimize": "Merge duplicate items.",
        "upkeep.tidy:tidy": "Do all upkeep: merge what waits, resolve conflicts, remove leftovers.",
    },
    "Tasks": {
        "task:app": "Manage notes and decisions of a task.",
    },
    "Share": {
        "change.share:export": "Write memories with their history as JSON.",
        "change.share:import_": "Import memories from an export.",
        "setup.git:app": "Make git merge memories by item and section.",
        "mcp:mcp": "Serve memories to other tools over MCP.",
    },
    "Set up": {
        "setup.demo:demo": "Play two runs of an agent in a temporary project, to see memory work.",
        "setup.init:init": "Create the memory folder and empty memories.",
        "setup.install:install": "Add the hooks to a project's settings and test them.",
        "setup.install:upgrade": "Upgrade the program and the hooks of all your projects.",
        "setup.install:uninstall": "Remove the hooks from a project's settings.",
        "setup.config:allow": "Give your user-level memory to the agents of this project.",
        "setup.config:app": "Show, change or check the settings in config.yml.",
    },
    "Find out": {
        "setup.doctor:doctor": "Check the installation and repair it.",
        "setup.replay:replay": "Run a hook with an event and show its effect.",
        "setup.replay:sample": "Print a sample event as Claude Code would send it.",
        "setup.experiment:app": "Measure whether memory pays: some runs get none, for comparison.",
        "setup.run:app": "Run a command (usually claude) with different memory settings.",
        "setup.help:help_": "Show the help of a command, or the JSON fields.",
    },
}

# Commands that help does not list.
HIDDEN_COMMANDS = {"upkeep.tidy:clean": "Do only the step clean of agent-memory tidy."}


def _name_command(target: str) -> str:
    """Return the name of a function, without the `_` after a keyword, or of an app's module."""
    module, _, name = target.partition(":")
    return module.rpartition(".")[2] if name == "app" else name.rstrip("_")


TARGETS = {
    _name_command(target): target
    for commands in (*COMMAND_GROUPS.values(), HIDDEN_COMMANDS)
    for target in commands
}

ALIASES = {"view": "show"}

# Commands that print nothing, a script, or JSON already.
WITHOUT_JSON = {
    *("dashboard", "demo", "edit", "export", "install", "help", "mcp", "monitor"),
    *("run", "sample", "uninstall", "upgrade"),
}

# The commands of the short help.
EVERYDAY = ["status", "list", "show", "search", "add", "edit", "review", "undo", "log", "doctor"]

SHARED_OPTIONS = ("--debug", "--no-pager", "--project", "--version", "-V")

ALL_COMMANDS = "all"  # the object of a context whose help lists all commands


class SharedOptions:
    """The values of the options that all commands share; a process has one command line."""

    project = ""
    debug = False


shared = SharedOptions()


class RootGroup(CommandGroup):
    """Loads a command when it is called, and accepts the shared options after it, too."""

    _is_listing = False

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        # What --help and suggestions for a misspelt name need of a command.
        self.commands = {
            name: TyperCommand(name, help=summary)
            for rows in _list_groups().values()
            for name, summary in rows
        }

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        name = ALIASES.get(cmd_name, cmd_name)
        if name not in TARGETS:
            return None
        return self.commands[name] if self._is_listing else load_command(name)

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        self._is_listing = True  # loading them all takes a quarter of a second
        return super().shell_complete(ctx, incomplete)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        rest = super().parse_args(ctx, move_shared_options(args))
        shared.project = str(ctx.params.get("project") or "")
        shared.debug = bool(ctx.params.get("debug"))
        if ctx.params.get("no_pager"):
            os.environ["PAGER"] = ""
        return rest

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the everyday commands, or with `help --all` all of them."""
        everyday = {"Everyday commands": [(name, self.commands[name].help) for name in EVERYDAY]}
        groups = _list_groups() if ctx.obj == ALL_COMMANDS else everyday
        width = max(len(name) for rows in groups.values() for name, _summary in rows)
        for heading, rows in groups.items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(width), text) for name, text in rows])
        format_parameters(self.get_params(ctx), formatter)
        if groups is everyday:
            formatter.write_paragraph()
            formatter.write("All commands: agent-memory help --all\n")
            formatter.write("One command:  agent-memory help COMMAND\n")


def _list_groups() -> dict[str, list[tuple[str, str]]]:
    """Return (name, summary) of the commands by the heading of their group."""
    return {
        heading: [(_name_command(target), summary) for target, summary in commands.items()]
        for heading, commands in COMMAND_GROUPS.items()
    }


def find_project() -> Project:
    """Return the project of --project, or else the project of a hook in this folder.

    What hooks have reported is in its memories.
    """
    from memory_core.delegation import inbox_reports
    from memory_core.storage import state_owner
    from memory_core.storage.project import find_project

    project = find_project(shared.project, read_environment())
    state_owner.follow_move(project.paths.state, project.paths.state.owner)
    inbox_reports.drain(project)
    return project


def read_environment() -> dict[str, str]:
    """Return the environment; --project overrides the project in it."""
    hidden = {"CLAUDE_PROJECT_DIR"} if shared.project else set()
    return {name: value for name, value in os.environ.items() if name not in hidden}


def load_command(name: str) -> Any:
    """Import a command and return it as a click command."""
    module, _, attribute = TARGETS[name].partition(":")
    target = getattr(importlib.import_module(f"memory_core.cli.{module}"), attribute)
    if not isinstance(target, typer.Typer):
        function, target = target, App()
        target.add(function, has_json=name not in WITHOUT_JSON)
    command = typer.main.get_command(target)
    command.name = name
    return command


def move_shared_options(arguments: list[str]) -> list[str]:
    """Return the arguments with the shared options moved before the command.

    What follows `--`, or the command that `run` starts, is not for agent-memory.
    """
    moved: list[str] = []
    rest: list[str] = []
    waiting = list(arguments)
    while waiting:
        argument = waiting.pop(0)
        if argument == "--" or (rest[:1] == ["run"] and not argument.startswith("-")):
            return [*moved, *rest, argument, *waiting]
        options = moved if argument.partition("=")[0] in SHARED_OPTIONS else rest
        options.append(argument)
        if argument in ("--project", "--memory-limit") and waiting:
            options.append(waiting.pop(0))
    return [*moved, *rest]


def _print_version(value: bool) -> None:
    if value:
        output.print_line(f"{PROGRAM_NAME} {__version__}")
        raise typer.Exit


app = App(
    cls=RootGroup,
    add_completion=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def agent_memory(
    ctx: typer.Context,
    project: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            exists=True,
            file_okay=False,
            help="Use the project of this folder.",
            show_default="the current folder",
        ),
    ] = None,
    no_pager: Annotated[bool, typer.Option("--no-pager", help="Do not page long output.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show where an error was raised.")] = False,
    version: Annotated[
        bool,
        typer.Option(
            "--version", "-V", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """View and manage the memory of Claude Code agents.

    \b
    Example:
      agent-memory status
    """
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())


def build_command() -> Any:
    """Return the whole command line as a click command."""
    return typer.main.get_command(app)
