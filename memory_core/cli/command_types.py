"""Commands and groups of commands: their help, and what became of former commands.

The help names values as the documentation does, without the type names of typer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

from memory_core.cli.errors import PROGRAM_NAME, CommandRefused
from memory_core.cli.output import choose_json, enable_pager, name_command

# Commands of earlier versions, and what takes their places.
GONE = {
    "audit": "agent-memory doctor names items with secrets; for the git history use gitleaks",
    "blame": "use agent-memory show ID for an item, or agent-memory log AGENT",
    "completion": "use agent-memory --install-completion, or --show-completion to print the script",
    "task import": "use agent-memory task note, or edit the file of the memory",
    "experiment start": "use agent-memory config set experiment.hold_out 10%",
    "experiment stop": "use agent-memory config unset experiment.hold_out",
    "task template": "docs/tasks.md has the templates; task start --template chooses one",
    "version": "use agent-memory --version",
    "preference get": "use agent-memory preference list AGENT",
    "config path": "use agent-memory config paths",
    "experiment status": "use agent-memory experiment report",
    "config edit": "edit config.yml, and run agent-memory config check",
    **dict.fromkeys(("sweep", "resolve"), "use agent-memory tidy"),
    "migrate": "agent-memory doctor names a memory file that is not used",
    "share": "use agent-memory add AGENT TEXT, with --user for your user level",
    "report": "use agent-memory dashboard --save FILE, or agent-memory status --markdown",
}


# Commands whose result may be longer than a screen.
PAGED_COMMANDS = {
    *("status", "list", "show", "view", "search", "context", "explain", "log", "diff", "restore"),
    *("config", "doctor", "replay", "help", "experiment", "preference list"),
    *("task list", "task show", "task search"),
}


class PlainCommand(TyperCommand):
    """A command whose help has no type names, and no line for `--help`."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        arguments = _choose_kind(self.get_params(ctx), "argument")
        names = [(_format_name(one), one.required) for one in arguments]
        return [*(name if required else f"[{name}]" for name, required in names), "[OPTION...]"]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        format_parameters(self.params, formatter)

    def get_help(self, ctx: Any) -> str:
        return name_command(super().get_help(ctx))


class JsonCommand(PlainCommand):
    """A command with the option --json, by which `output` decides what to print."""

    def __init__(self, name: str | None, **settings: Any) -> None:
        super().__init__(name, **settings)
        json = TyperOption(
            param_decls=["--json"],
            help="Print JSON.",
            is_flag=True,
            callback=choose_json,
            expose_value=False,
        )
        self.params.append(json)


class CommandGroup(TyperGroup):
    """Commands behind a common word; without one of them, it prints its help."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return ["COMMAND", "[ARGUMENT...]", "[OPTION...]"]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args[:1] == ["help"] and "help" not in self.commands:
            args = [*args[1:], "--help"]
        return super().parse_args(ctx, args or ["--help"])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name = f"{ctx.command_path} {args[0]}".removeprefix(f"{PROGRAM_NAME} ")
        if name in GONE:
            raise CommandRefused(f"{name} was removed: {GONE[name]}")
        if name in PAGED_COMMANDS:
            enable_pager()
        return super().resolve_command(ctx, args)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        format_parameters(self.params, formatter)
        self.format_commands(ctx, formatter)

    def get_help(self, ctx: Any) -> str:
        return name_command(super().get_help(ctx))


class App(typer.Typer):
    """An app whose commands and groups have plain help texts."""

    def __init__(self, **settings: Any) -> None:
        plain: dict[str, Any] = {"cls": CommandGroup, "rich_markup_mode": None}
        super().__init__(**{**plain, "add_completion": False, **settings})

    def add(self, *functions: Callable[..., None], has_json: bool = True) -> None:
        """Add commands with the names of these functions, without the `_` after a keyword."""
        for function in functions:
            kind = JsonCommand if has_json else PlainCommand
            self.command(function.__name__.rstrip("_"), cls=kind)(function)


def format_parameters(parameters: list[Any], formatter: Any) -> None:
    """Write the arguments and the options of a command, with their help and defaults."""
    for kind in ("argument", "option"):
        if own := _choose_kind(parameters, kind):
            with formatter.section(f"{kind.capitalize()}s"):
                formatter.write_dl([(_format_name(one), _format_help(one)) for one in own])


def _choose_kind(parameters: list[Any], kind: str) -> list[Any]:
    return [one for one in parameters if one.param_type_name == kind]


def _format_name(parameter: Any) -> str:
    value = parameter.metavar or parameter.name.strip("_").upper()
    if parameter.param_type_name == "argument":
        return f"{value}..." if parameter.nargs != 1 else value
    names = ", ".join([*sorted(parameter.opts, key=len), *parameter.secondary_opts])
    return names if parameter.is_flag else f"{names} {value}"


def _format_help(parameter: Any) -> str:
    """Return the help with the default, or with the note that the option is required."""
    default = parameter.show_default
    if not isinstance(default, str):
        is_value = isinstance(parameter.default, str | int | float)
        default = str(parameter.default) if is_value and parameter.default is not False else ""
    if parameter.required and parameter.param_type_name == "option":
        return f"{parameter.help}  [required]"
    return f"{parameter.help}  [default: {default}]" if default else str(parameter.help)
