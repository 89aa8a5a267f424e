"""Arguments and options that several commands share, and the values that they lead to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from memory_core.cli.common import suggestions

ITEM_HELP = "An id, or the text of one item."
ITEMS_HELP = "An agent and a text, or ids of items."


def flag(name: str, help: str) -> Any:
    return typer.Option(name, help=help)


def make_number_parser(low: int, high: int | None = None) -> Callable[[str], int]:
    """Return the `parser` of an argument or option that takes a whole number."""

    def parse(text: str) -> int:
        number = int(text) if str(text).isdecimal() else -1
        if number < low or (high is not None and number > high):
            limits = f"at least {low}" if high is None else f"from {low} to {high}"
            raise typer.BadParameter(f"invalid number {text!r}: use a whole number, {limits}")
        return number

    return parse


def agent_argument(
    help: str = "An agent; PM is the main session.",
    metavar: str = "AGENT",
    **settings: Any,
) -> Any:
    return typer.Argument(
        metavar=metavar, help=help, autocompletion=suggestions.suggest_agents, **settings
    )


def agent_option(*names: str, metavar: str = "AGENT", **settings: Any) -> Any:
    complete = suggestions.suggest_agents
    return typer.Option(*names, metavar=metavar, autocompletion=complete, **settings)


def number_option(names: tuple[str, ...], help: str, default: str) -> Any:
    parse = make_number_parser(1)
    return typer.Option(*names, metavar="N", parser=parse, help=help, show_default=default)


Agent = Annotated[str, agent_argument()]
OptionalAgent = Annotated[str | None, agent_argument(show_default="all agents")]
Agents = Annotated[
    list[str] | None,
    agent_argument("Agents; PM is the main session.", show_default="all agents"),
]
Items = Annotated[
    list[str],
    typer.Argument(
        metavar="[AGENT] ITEM", help=ITEMS_HELP, autocompletion=suggestions.suggest_named_items
    ),
]
User = Annotated[bool, flag("--user", "Use your user-level memories in ~/.claude-mpm.")]
Since = Annotated[
    str | None,
    typer.Option(metavar="TIME", help="Start, such as 2d (ago) or 2026-11-20."),
]
Limit = Annotated[
    int | None, number_option(("--number", "-n"), "Maximum number of entries.", "all")
]
DryRun = Annotated[bool, flag("--dry-run", "Only show what would change.")]
Yes = Annotated[bool, flag("--yes", "Change it without asking.")]
AsJson = Annotated[bool, flag("--json", "Print JSON.")]
