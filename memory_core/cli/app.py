"""The commands, each imported when it is asked for, and the options that all share."""

from __future__ import annotations

import difflib
import importlib
import os
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from memory_core.cli import Refused, ours

# Command -> where it is.  The order is that of --help.
COMMANDS = {
    "status": "memory_core.cli.status:status",
    "show": "memory_core.cli.show:show",
    "doctor": "memory_core.cli.doctor:doctor",
    "replay": "memory_core.cli.replay:replay",
    "sample": "memory_core.cli.sample:sample",
    "context": "memory_core.cli.context:context",
    "sweep": "memory_core.cli.sweep:sweep",
    "log": "memory_core.cli.log:log",
    "blame": "memory_core.cli.blame:blame",
    "diff": "memory_core.cli.diff:diff",
    "undo": "memory_core.cli.undo:undo",
    "restore": "memory_core.cli.restore:restore",
    "confirm": "memory_core.cli.word:confirm",
    "contradict": "memory_core.cli.word:contradict",
    "forget": "memory_core.cli.word:forget",
    "preference": "memory_core.cli.preference:app",
    "prune": "memory_core.cli.prune:prune",
    "optimize": "memory_core.cli.optimize:optimize",
    "share": "memory_core.cli.share:share",
    "export": "memory_core.cli.export:export",
    "import": "memory_core.cli.import_:import_",
    "migrate": "memory_core.cli.migrate:migrate",
    "resolve": "memory_core.cli.resolve:resolve",
    "git": "memory_core.cli.git:app",
    "run": "memory_core.cli.run:app",
    "config": "memory_core.cli.config:app",
    "install": "memory_core.cli.install:install",
    "uninstall": "memory_core.cli.install:uninstall",
    "version": "memory_core.cli.version:version",
}


class Suggesting(TyperGroup):
    """A group that knows what a mistyped command was meant to be."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command, or say which one may have been meant.

        The context is click's or typer's copy of it, depending on typer's version.
        """
        known = self.list_commands(ctx)
        if args and args[0] not in known:
            raise Refused(f"no command {args[0]!r}{suggestion(args[0], known)}\n{_help(ctx)}")
        return super().resolve_command(ctx, args)


def suggestion(word: str, known: list[str]) -> str:
    """Return "; did you mean ...?" for a word that resembles a known one."""
    near = difflib.get_close_matches(word, known, n=1)
    return f"; did you mean {near[0]}?" if near else ""


def _help(ctx: Any) -> str:
    return f"See {ctx.command_path} --help"


class Commands(Suggesting):
    """The commands of COMMANDS, and the shared options wherever they stand."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        return _loaded(cmd_name) if cmd_name in COMMANDS else None

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        ctx.obj, rest = take_shared(args)
        return super().parse_args(ctx, rest)


def _loaded(name: str) -> Any:
    module, _colon, attribute = COMMANDS[name].partition(":")
    found = getattr(importlib.import_module(module), attribute)
    if not isinstance(found, typer.Typer):
        function, found = found, new_app()
        found.command()(function)
    command = typer.main.get_command(found)
    command.name = name
    return command


def new_app(**settings: Any) -> typer.Typer:
    """Return an app in our manner: plain help, and no options that nobody asked for."""
    return typer.Typer(add_completion=False, rich_markup_mode=None, **settings)


def take_shared(arguments: list[str]) -> tuple[dict[str, str], list[str]]:
    """Return the shared options, and the arguments without them."""
    shared: dict[str, str] = {}
    rest: list[str] = []
    own = ours(arguments)
    waiting = iter(own)
    for argument in waiting:
        name, equals, value = argument.partition("=")
        if argument == "--debug":
            continue  # seen by the error boundary
        if name != "--project":
            rest.append(argument)
        else:
            shared["project"] = value if equals else next(waiting, "")
            _check_folder(shared["project"])
    return shared, rest + arguments[len(own) :]


def _check_folder(folder: str) -> None:
    if not os.path.isdir(folder):
        raise Refused(f"{folder} is not a folder" if folder else "--project wants a folder")


app = new_app(cls=Commands)


@app.callback(invoke_without_command=True)
def agent_memory(
    ctx: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """See and mend what Claude Code's agents remember.

    \b
    With every command, before or behind it:
      --project DIR  The project, or a folder in it.
                     Default: CLAUDE_PROJECT_DIR, else the current folder.
      --debug        Show where an error comes from.

    \b
    Example:
      agent-memory status
    """
    ctx.params.update(ctx.obj)
    if version:
        from memory_core.cli import version as module

        module.version()
    elif ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())


def command() -> Any:
    """Return the whole command line as one command."""
    return typer.main.get_command(app)
