"""The commands, each imported when it is asked for, and the options that all share."""

from __future__ import annotations

import importlib
import keyword
import os
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup

from memory_core.cli import GIVEN, Refused, ours
from memory_core.cli.parameters import Sparing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    Function = TypeVar("Function", bound=Callable[..., Any])


class Known(NamedTuple):
    """A command before it is loaded: its module here, and the first line of its help."""

    module: str
    sentence: str


# What --help lists, by heading.  A test holds each sentence to what the command itself says.
COMMANDS = {
    "Look": {
        "status": Known("status", "Print one line an agent, and what needs you."),
        "list": Known("list_", "Print all agents, or an agent's items with their ids."),
        "show": Known("show", "Print what an agent remembers."),
        "search": Known("search", "Find items in memories and archives."),
        "context": Known("context", "Print all that is known of an agent, the surest first."),
        "log": Known("log", "Print what became of memories, the latest first."),
        "blame": Known("blame", "Print when each item came, from which run, and how sure it is."),
        "diff": Known("diff", "Print how an agent's items differ from what they were."),
    },
    "Change": {
        "add": Known("add", "Teach an agent one thing."),
        "edit": Known("edit", "Open a memory in your editor, and look at it afterwards."),
        "remove": Known("word", "Move an item to the archive."),
        "restore": Known("restore", "List what had to leave a memory, or put it back."),
        "confirm": Known("word", "Say that an item is right: it becomes surer."),
        "contradict": Known("word", "Say that an item is wrong: it becomes less sure, and stays."),
        "preference": Known("preference", "Say how an agent is to work: its style, its tone."),
        "undo": Known("undo", "Take back the last changes of all memories, the latest first."),
    },
    "Tidy up": {
        "prune": Known("prune", "Archive items that are not sure and were not used for long."),
        "optimize": Known("optimize", "Join items that say the same into the one that says all."),
        "clean": Known("clean", "Remove what nothing needs any more."),
        "sweep": Known("sweep", "Learn from runs that no hook saw end."),
        "migrate": Known("migrate", "Give each memory one file, of the name that is used today."),
        "resolve": Known("resolve", "Resolve merge conflicts in memories, keeping both sides."),
    },
    "Tasks": {
        "task": Known("task", "See and keep the memory of a task."),
    },
    "Share": {
        "share": Known("share", "Copy an item to other agents, or to your own level."),
        "export": Known("export", "Write memories, and all that belongs to them, as JSON."),
        "import": Known("import_", "Take in memories that were exported."),
        "git": Known("git", "Let git merge memories by item and section."),
        "mcp": Known("mcp", "Serve memories to other tools over MCP."),
    },
    "Set up": {
        "init": Known("init", "Make the folder of memories, and memories for your agents."),
        "install": Known("install", "Put the hooks into a project's settings, and try them."),
        "uninstall": Known("install", "Take the hooks out of a project's settings."),
        "config": Known("config", "Show or check the settings in config.yml."),
        "completion": Known("completion", "Print or install the completion for your shell."),
        "version": Known("version", "Print the version."),
    },
    "Find out": {
        "doctor": Known("doctor", "Find out whether memory really arrives."),
        "replay": Known("replay", "Feed an event to its hook and show what comes of it."),
        "sample": Known("sample", "Print an event as Claude Code would send it."),
        "run": Known("run", "Run one command, mostly claude, with other memory settings."),
    },
}

KNOWN = {name: known for group in COMMANDS.values() for name, known in group.items()}

ALIASES = {"view": "show"}

# With every command, before or behind it.
SHARED = {
    "--project": "The project, or a folder in it.",
    "--no-pager": "Do not show what is longer than the screen in a pager.",
    "--debug": "Show where an error comes from.",
}

# Their results may be longer than a screen.
PAGED = {
    *("status", "list", "show", "search", "context", "log", "blame", "diff"),
    *("config", "doctor", "replay"),
}


class Plain(Sparing, TyperCommand):
    """A command in our manner."""


class Suggesting(Sparing, TyperGroup):
    """A group that knows what a mistyped command was meant to be."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command, or say which one may have been meant.

        The context is click's or typer's copy of it, depending on typer's version.
        """
        known = self.list_commands(ctx)
        if args and self.get_command(ctx, args[0]) is None:
            raise Refused(f"no command {args[0]!r}{suggestion(args[0], known)}\n{_help(ctx)}")
        return super().resolve_command(ctx, args)


def suggestion(word: str, known: list[str]) -> str:
    """Return "; did you mean ...?" for a word that resembles a known one."""
    import difflib

    near = difflib.get_close_matches(word, known, n=1)
    return f"; did you mean {near[0]}?" if near else ""


def _help(ctx: Any) -> str:
    return f"See {ctx.command_path} --help"


class Commands(Suggesting):
    """The commands of COMMANDS, and the shared options wherever they stand."""

    _is_listing = False

    def list_commands(self, ctx: Any) -> list[str]:
        return list(KNOWN)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        name = ALIASES.get(cmd_name, cmd_name)
        if self._is_listing:
            return Plain(name, help=KNOWN[name].sentence)
        return _loaded(name) if name in KNOWN else None

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        ctx.obj, rest = take_shared(args, is_run=not ctx.resilient_parsing)
        GIVEN.clear()
        GIVEN.update(ctx.obj)
        return super().parse_args(ctx, rest)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        found = super().resolve_command(ctx, args)
        if "no_pager" in ctx.obj:
            from memory_core.cli import output

            output.never_page()
        elif found[1].name in PAGED:
            from memory_core.cli import output

            output.page()
        return found

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List the commands under their headings, without loading one of them."""
        width = max(map(len, KNOWN))
        for heading, commands in COMMANDS.items():
            with formatter.section(heading):
                rows = [(name.ljust(width), known.sentence) for name, known in commands.items()]
                formatter.write_dl(rows)

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """Complete a command's name, without loading one of them."""
        self._is_listing = True
        return super().shell_complete(ctx, incomplete)


def _loaded(name: str) -> Any:
    module = importlib.import_module(f"memory_core.cli.{KNOWN[name].module}")
    found = getattr(module, "app", None)
    if found is None:
        found = new_app()
        function = getattr(module, f"{name}_" if name in WORDS else name)
        found.command()(function)
    command = typer.main.get_command(found)
    command.name = name
    return command


# Names that a function cannot have, or should not take from Python.
WORDS = {*keyword.kwlist, "list"}


class App(typer.Typer):
    """An app whose commands are in our manner."""

    def command(self, name: str | None = None, **settings: Any) -> Callable[[Function], Function]:
        return super().command(name, **{"cls": Plain, **settings})


def new_app(**settings: Any) -> App:
    """Return an app in our manner: plain help, and no options that nobody asked for."""
    return App(add_completion=False, rich_markup_mode=None, **settings)


def take_shared(arguments: list[str], is_run: bool = True) -> tuple[dict[str, str], list[str]]:
    """Return the shared options, and the arguments without them.

    Raises Refused where --project names no folder; not for arguments that are only completed.
    """
    shared: dict[str, str] = {}
    rest: list[str] = []
    own = ours(arguments)
    waiting = iter(own)
    for argument in waiting:
        name, equals, value = argument.partition("=")
        if argument == "--debug":
            continue  # seen by the error boundary
        if argument == "--no-pager":
            shared["no_pager"] = "yes"
        elif name != "--project":
            rest.append(argument)
        else:
            shared["project"] = value if equals else next(waiting, "")
            if is_run:
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
      --no-pager     Do not show what is longer than the screen in a pager.
      --debug        Show where an error comes from.

    \b
    Example:
      agent-memory status
    """
    if version:
        from memory_core.cli import version as module

        module.version()
    elif ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())


def command() -> Any:
    """Return the whole command line as one command."""
    return typer.main.get_command(app)
