"""`agent-memory status`: all memories at a glance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Annotated, Any

from memory_core.cli.common.arguments import OptionalAgent, User, flag
from memory_core.cli.common.entries import Column, print_sentence, print_table
from memory_core.cli.common.scopes import find_agents, find_level
from memory_core.cli.output import print_json, print_line, select_fields
from memory_core.curation import agent_status
from memory_core.curation.agent_status import MemoryStatus, ProjectStatus
from memory_core.monitor.numbers import DAYS, Counts, Numbers
from memory_core.origin import text_origins
from memory_core.storage.database.run_table import RECENT_RUNS, RecentUse
from memory_core.storage.project import Project
from memory_core.text.phrases import format_age, format_count, format_share, format_size
from memory_core.text.times import format_utc

COLUMNS = [
    Column("AGENT", 0, align_right=False, least_width=12),
    Column("ITEMS", 1),
    Column("SECT", 8),
    Column("SIZE", 7),
    Column("USED", 2),
    Column("CHANGED", 5),
    Column("LEARNED", 3),
    Column("REVIEW", 4),
    Column("RUNS", 5, align_right=False, is_optional=True),
    Column("UNMERGED", 9, is_optional=True),
]


def status(
    agent: OptionalAgent = None,
    user: User = False,
    markdown: Annotated[bool, flag("--markdown", "Print the table for a pull request.")] = False,
) -> None:
    """Show each agent's memory and anything that needs attention.

    LEARNED: new items of the last 7 days (UTC). RUNS: items given, used and never given
    in the last 10 runs. UNMERGED: reports that are not merged yet.

    \b
    Example:
      agent-memory status --json
    """
    scope = find_level(user)
    project, wanted = scope.project, find_agents(scope, [agent] if agent else [])
    state = agent_status.read_status(Numbers(project), user)
    if wanted:
        state = state._replace(memories=[one for one in state.memories if one.agent in wanted])
    print_json({"project": project.paths.root, "user": user, **_to_json(state)})
    if markdown:
        _print_markdown(state, Numbers(*scope))
        return
    if state.memories:
        print_table(COLUMNS, list(map(_format_row, [*state.memories, _sum_up(state.memories)])))
    else:
        level = "user-level " if user else ""
        empty = f"No agent has a {level}memory yet."
        print_line(f"Cannot read {state.unreadable}." if state.unreadable else empty)
        print_line(f"Next: {state.next_step}")
    print_line()
    for line in [*_describe_state(project, state), *_describe_use(state.total)]:
        print_sentence(line)
    if share := project.config["experiment"]["hold_out"]:
        what = f"{100 * share:.3g}% of runs get no memory"
        print_sentence(f"Experiment: {what} (agent-memory experiment report)")
    for warning in state.warnings:
        print_sentence(f"{warning.what} ({warning.advice})", severity="warning")


def _print_markdown(state: ProjectStatus, numbers: Numbers) -> None:
    """Print a table with all columns and the totals, and the use; names are in code spans."""
    memories = state.memories
    titles = [column.title.capitalize() for column in COLUMNS]
    rows = [[f"`{row[0]}`", *row[1:]] for row in map(_format_row, memories)]
    rows += [_format_row(_sum_up(memories))] if memories else []
    for row in [titles, ["---"] * len(titles), *rows]:
        print_line(f"| {' | '.join(row)} |")
    for line in [*_describe_use(state.total), *_describe_days(numbers)]:
        print_line(f"\n{line}.")


def _describe_days(numbers: Numbers) -> Iterator[str]:
    """Yield the numbers of the dashboard's first page."""
    days = numbers.by_day(DAYS)
    total = sum(days.values(), Counter[str]())
    items = ", ".join(f"{total[name]} {name}" for name in ("learned", "confirmed", "removed"))
    lost = format_count(total["lost"], "delivery")
    yield f"Last {DAYS} days: {items}, {lost} lost, {total['doubled']} twice"
    median, high, hooks = numbers.measure_hooks(min(days))
    if hooks:
        yield f"Hook time: {median} ms, 95 % within {high} ms"


def _format_row(memory: MemoryStatus) -> list[str]:
    learned = memory.trend[-1]
    return [
        memory.agent,
        str(memory.items),
        str(memory.sections),
        format_size(memory.size),
        format_share(memory.size, memory.limit) or "-",
        format_age(memory.changed),
        f"+{learned}" if learned else "-",
        str(memory.review or "-"),
        _format_recent(memory),
        str(memory.unmerged or "-"),
    ]


def _format_recent(memory: MemoryStatus) -> str:
    """Return how many items the last runs received, used and did not receive: 5/2/1."""
    if not memory.recent.given and memory.recent.runs < RECENT_RUNS:
        return "-"  # of too few runs to say what they never receive
    given = len(memory.recent.given)
    return f"{given}/{len(memory.recent.used)}/{max(memory.items - given, 0)}"


def _sum_up(memories: list[MemoryStatus]) -> MemoryStatus:
    """Return the totals; there is no total limit, because each memory has its own."""
    names = ("size", "sections", "items", "review", "unmerged")
    return memories[0]._replace(
        agent=format_count(len(memories), "agent"),
        limit=0,
        changed=max(memory.changed for memory in memories),
        trend=[sum(week) for week in zip(*(memory.trend for memory in memories), strict=True)],
        recent=RecentUse(),
        **{name: sum(getattr(memory, name) for memory in memories) for name in names},
    )


def _describe_state(project: Project, state: ProjectStatus) -> Iterator[str]:
    yield f"Hooks: {state.hooks_state}"
    last = state.last_delivery
    what = f"{last.agent}, {last.verdict} by {last.route}, {last.timestamp}" if last else "none yet"
    yield f"Last delivery: {what}"
    if state.new:
        items = format_count(state.new, "item")
        what = f"{items} came from elsewhere, or nobody has said whose they are"
        if text_origins.list_given_origins(project):
            what = f"agents do not receive {items} without your review"
        yield f"New: {what} (agent-memory review --new)"
    yield f"Event log: {state.log}"


def _describe_use(total: Counts) -> Iterator[str]:
    parts = []
    if total.loaded:
        parts.append(f"memory adds about {total.tokens_per_run} tokens to a prompt")
    if total.given:
        share = format_share(total.used, total.given)
        parts.append(f"{share} of {total.given} delivered items were used")
    if total.checked:
        checked = format_count(total.checked, "delivery")
        parts.append(f"{total.delivered} of {checked} arrived once")
    if parts:
        yield f"Use: {'; '.join(parts)}"


def _to_json(state: ProjectStatus) -> dict[str, Any]:
    return {
        "agents": [_memory_to_json(memory) for memory in state.memories],
        "hooks": [
            {
                "level": file.level,
                "file": file.path,
                "events": list(dict.fromkeys(hook.event for hook in file.own_hooks)),
            }
            for file in state.hooks
        ],
        "log": state.log,
        "last_delivery": state.last_delivery._asdict() if state.last_delivery else None,
        "use": select_fields(state.total, "given", "used", runs="loaded", tokens="tokens_per_run"),
        "new": state.new,
        "warnings": [select_fields(warning, "what", mend="advice") for warning in state.warnings],
    }


def _memory_to_json(memory: MemoryStatus) -> dict[str, Any]:
    names = ("agent", "items", "sections", "limit", "trend", "review", "unmerged", "error")
    return {
        **select_fields(memory, *names, file="path", bytes="size"),
        "changed": format_utc(memory.changed) if memory.changed else None,
        "learned_week": memory.trend[-1],
        "recent": {
            "runs": memory.recent.runs,
            "given": len(memory.recent.given),
            "used": len(memory.recent.used),
            "never": memory.never,
        },
        "stale": [{**item._asdict(), "gone": [*item.gone]} for item in memory.stale],
    }
