"""Arguments and options that several commands share, and what the shell completes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Annotated, Any

import typer

from memory_core.cli.app import find_project

Suggestions = list[tuple[str, str]]

MAX_HELP = 60  # characters of an explanation

# Names and texts come from files of other people.  bash inserts a value unquoted, and zsh
# evaluates the explanation.
VALUE_CHARACTERS = frozenset("-_.+@:=")
UNSAFE_HELP = frozenset("\\$`\"'[]")


def _make_safe(suggestions: Iterable[tuple[str, str]], incomplete: str) -> Suggestions:
    def is_safe(char: str) -> bool:
        return char.isprintable() and char not in UNSAFE_HELP

    return [
        (value, "".join(filter(is_safe, " ".join(text.split())))[:MAX_HELP])
        for value, text in suggestions
        if value.startswith(incomplete)
        and all(char.isalnum() or char in VALUE_CHARACTERS for char in value)
    ]


def suggest_agents(ctx: Any, incomplete: str) -> Suggestions:
    """Return the agents with a memory or a history, and those that Claude Code knows."""
    from memory_core.claude_code.agent_names import id_of
    from memory_core.curation import lookup

    project = find_project()
    level = project.level(bool(ctx.params.get("user")))
    owners = {*level.agents(), *level.agents_with_history()} - {""}
    defined = {id_of(name) for name in lookup.list_defined_agents(project, os.environ)}
    agents = [(agent, "has a memory") for agent in sorted(owners)]
    agents += [(agent, "has no memory yet") for agent in sorted(defined - owners)]
    return _make_safe(agents, incomplete)


def suggest_named_items(ctx: Any, incomplete: str) -> Suggestions:
    """Return the agents for the first word, and then the ids of the agent's items."""
    from memory_core.curation import item_actions, lookup
    from memory_core.memory.reading import read_memory

    if not (words := ctx.params.get("items")):
        return suggest_agents(ctx, incomplete)
    project = find_project()
    level = project.level(bool(ctx.params.get("user")))
    agent = lookup.find_agent(project, words[0], os.environ, level, accept_new=True)
    items = item_actions.list_items(read_memory(project, agent, level))
    return _make_safe([(item.id, item.text) for item in items], incomplete)


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
    return typer.Argument(metavar=metavar, help=help, autocompletion=suggest_agents, **settings)


def agent_option(*names: str, metavar: str = "AGENT", **settings: Any) -> Any:
    complete = suggest_agents
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
    typer.Argument(metavar="[AGENT] ITEM", help=ITEMS_HELP, autocompletion=suggest_named_items),
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
