"""Arguments and options that several commands share, and what the shell completes."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime, timezone
from typing import Annotated, Any

import typer

from memory_core.cli.app import find_project
from memory_core.cli.errors import CommandRefused
from memory_core.text.times import format_utc

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
    owners = lookup.list_agents(level)
    defined = {id_of(name) for name in lookup.list_defined_agents(project)}
    agents = [(agent, "has a memory") for agent in owners]
    agents += [(agent, "has no memory yet") for agent in sorted(defined.difference(owners))]
    return _make_safe(agents, incomplete)


def suggest_named_items(ctx: Any, incomplete: str) -> Suggestions:
    """Return the agents for the first word, and then the ids of the agent's items."""
    from memory_core.curation import item_actions, lookup
    from memory_core.memory.loading import read_memory

    if not (words := ctx.params.get("items")):
        return suggest_agents(ctx, incomplete)
    project = find_project()
    level = project.level(bool(ctx.params.get("user")))
    agent = lookup.find_agent(project, words[0], level, accept_new=True)
    items = item_actions.list_items(read_memory(project, agent, level))
    return _make_safe([(item.id, item.text) for item in items], incomplete)


ITEMS_HELP = "An agent and a text, or ids of items."


def flag(name: str, help: str, **settings: Any) -> Any:
    return typer.Option(name, help=help, **settings)


def argument(metavar: str, help: str, default: str = "", **settings: Any) -> Any:
    """Return an argument; `default` says in words what counts without it."""
    return typer.Argument(metavar=metavar, help=help, show_default=default or True, **settings)


def option(metavar: str, help: str, *names: str, default: str = "", **settings: Any) -> Any:
    """Return an option with a value; `default` says in words what counts without it."""
    shown = default or True
    return typer.Option(*names, metavar=metavar, help=help, show_default=shown, **settings)


def agent_argument(help: str, metavar: str = "AGENT", default: str = "") -> Any:
    return argument(metavar, help, default, autocompletion=suggest_agents)


def agent_option(help: str, *names: str, metavar: str = "AGENT", default: str = "") -> Any:
    return option(metavar, help, *names, default=default, autocompletion=suggest_agents)


AGENT_HELP = "An agent; PM is the main session."

Agent = Annotated[str, agent_argument(AGENT_HELP)]
OnlyAgents = Annotated[
    list[str] | None, agent_option("Only this agent (repeatable).", "--agent", default="all")
]
OptionalAgent = Annotated[str | None, agent_argument(AGENT_HELP, default="all agents")]
Agents = Annotated[
    list[str] | None, agent_argument("Agents; PM is the main session.", default="all agents")
]
Items = Annotated[
    list[str], argument("[AGENT] ITEM", ITEMS_HELP, autocompletion=suggest_named_items)
]
User = Annotated[bool, flag("--user", "Use your user-level memories in ~/.claude-mpm.")]
Limit = Annotated[
    int | None, option("N", "Maximum number of entries.", "--number", "-n", default="all", min=1)
]


def refuse_both(ctx: Any, value: bool) -> bool:
    """Refuse --yes together with --dry-run: the later one of them finds the earlier one."""
    if value and (ctx.params.get("yes") or ctx.params.get("dry_run")):
        raise CommandRefused("--dry-run and --yes exclude each other")
    return value


DryRun = Annotated[bool, flag("--dry-run", "Only show what would change.", callback=refuse_both)]
Yes = Annotated[bool, flag("--yes", "Change it without asking.", callback=refuse_both)]


UNIT_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
MAX_SECONDS = 36525 * 86400  # a hundred years

_DURATION = re.compile(r"(\d{1,10})\s*([smhdw])", re.ASCII)


def parse_duration(text: str) -> int:
    """Return the seconds of a duration like 90d, 12h or 0d."""
    match = _DURATION.fullmatch(text.strip().lower())
    seconds = int(match[1]) * UNIT_SECONDS[match[2]] if match else -1
    if not 0 <= seconds <= MAX_SECONDS:
        expected = "use a number and s, m, h, d or w, e.g. 90d"
        raise CommandRefused(f"invalid duration {text!r}: {expected}")
    return seconds


def parse_time(text: str, now: float | None = None) -> str:
    """Return a time in the format of history records.

    The text is a duration before `now` (seconds since 1970), a day, or a day with a time.  A time
    before 1970 becomes 1970.
    """
    end = time.time() if now is None else now
    with suppress(CommandRefused):
        return format_utc(max(0.0, end - parse_duration(text)))
    try:
        moment = datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
        seconds = moment.replace(tzinfo=moment.tzinfo or timezone.utc).timestamp()
        return format_utc(max(0.0, seconds + 0.0005))  # it cuts to milliseconds
    except (ValueError, OverflowError):
        raise CommandRefused(
            f"invalid time {text!r}: use 2d, 2026-11-20 or '2026-11-20 22:10' (UTC)"
        ) from None


Since = Annotated[
    str | None, option("TIME", "Start, such as 2d (ago) or 2026-11-20.", parser=parse_time)
]
