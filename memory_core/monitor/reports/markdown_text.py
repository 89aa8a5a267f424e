"""Print a report as Markdown, for example for a comment on a pull request.

Names and texts are in code spans, so that no link, mention, image or HTML of theirs has an effect.
Texts that wait for a review are left out: programs that read such comments should not obey them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from memory_core.monitor.counts import Bucket
from memory_core.monitor.reports.contents import Notice, ProjectReport
from memory_core.monitor.reports.words import (
    EMPTY,
    STEPS,
    describe_changes,
    describe_log,
    describe_period,
    describe_place,
    format_day,
    format_hooks,
    format_number,
    list_tiles,
)
from memory_core.text import sanitize
from memory_core.text.phrases import format_share

# Columns of a table that is read without scrolling.
MOST_COLUMNS = 8

LEFT, RIGHT = "---", "---:"

_BACKTICKS = re.compile("`+")
_ESCAPED_PIPE = re.compile(r"(\\+)\|")


def format_report(report: ProjectReport) -> str:
    """Return the report as Markdown without HTML."""
    parts = [f"## Agent memory of {quote_code(report.project)}", describe_period(report)]
    if report.is_empty:
        steps = [f"- {quote_code(command)}: {purpose}" for command, purpose in STEPS]
        return "\n\n".join([*parts, EMPTY, "\n".join(steps)]) + "\n"
    parts.append(_format_table(["", "", ""], [LEFT, RIGHT, LEFT], list_tiles(report)))
    if report.notices:
        parts.append("\n".join(map(_format_notice, report.notices)))
    parts += _format_learnings(report)
    parts += _format_agents(report)
    parts += _format_used(report)
    parts += _format_waiting(report)
    parts += _format_deliveries(report)
    parts.append(f"_{describe_log(report)} agent-memory {report.version}._")
    return "\n\n".join(parts) + "\n"


def quote_code(text: str) -> str:
    """Return any text as a code span, which also fits into a table; "" for no text."""
    line = _ESCAPED_PIPE.sub(r"\1 |", sanitize.join_visible(text))
    if not line:
        return ""
    longest = max(map(len, _BACKTICKS.findall(line)), default=0)
    fence, blank = "`" * (longest + 1), " " if "`" in (line[0], line[-1]) else ""
    return f"{fence}{blank}{line}{blank}{fence}".replace("|", "\\|")


def _format_table(head: Sequence[str], kinds: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, kinds, *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _format_notice(notice: Notice) -> str:
    names = ", ".join(map(quote_code, notice.names))
    text = f"{names}{notice.what}{quote_code(notice.detail)}"
    return f"- {text}: {quote_code(notice.command)}"


def _list_recent(periods: list[Bucket]) -> list[Bucket]:
    return periods[-MOST_COLUMNS:]


def _format_learnings(report: ProjectReport) -> list[str]:
    title = f"### Learnings {describe_place(report)}"
    total = [describe_changes(period.counts) for period in _list_recent(report.periods)]
    if not any(total):
        return [title, "No item was learned, confirmed or removed."]
    rows = [["all", *total]]
    for agent in report.agents:
        marks = [describe_changes(period.counts) for period in _list_recent(agent.periods)]
        if any(marks):
            rows.append([quote_code(agent.numbers.agent), *marks])
    days = [format_day(period.day) for period in _list_recent(report.periods)]
    table = _format_table(["agent", *days], [LEFT] * (len(days) + 1), rows)
    return [title, table, "+ learned, ✓ confirmed, − removed"]


def _format_agents(report: ProjectReport) -> list[str]:
    head = ["agent", "items", "of the limit", "runs", "failed", "items used", "delivered"]
    head += ["tokens per run", "hook p50 / p95"]
    rows = []
    for agent in report.agents:
        counts, memory = agent.numbers.counts, agent.numbers.memory
        cells = [
            quote_code(agent.numbers.agent),
            format_number(memory.items),
            format_share(memory.size, memory.limit),
            format_number(counts.runs),
            format_number(counts.failed),
            format_share(counts.used, counts.given),
            format_share(counts.delivered, counts.checked),
            format_number(counts.tokens_per_prompt),
            format_hooks(counts),
        ]
        rows.append(cells)
    table = _format_table(head, [LEFT, *[RIGHT] * (len(head) - 1)], rows)
    more = [f"{report.more_agents} more agents are not shown."] if report.more_agents else []
    return ["### Agents", table, *more]


def _format_used(report: ProjectReport) -> list[str]:
    if not report.used:
        return []
    rows = [
        [quote_code(use.text), quote_code(use.agent), f"{use.used} of {use.given}"]
        for use in report.used
    ]
    head = ["item", "agent", "runs that used it"]
    return ["### Most used items", _format_table(head, [LEFT, LEFT, RIGHT], rows)]


def _format_waiting(report: ProjectReport) -> list[str]:
    rows = [
        [quote_code(agent.numbers.agent), format_number(agent.numbers.waiting)]
        for agent in report.agents
        if agent.numbers.waiting
    ]
    if not rows:
        return []
    return ["### Waiting for review", _format_table(["agent", "learnings"], [LEFT, RIGHT], rows)]


def _format_deliveries(report: ProjectReport) -> list[str]:
    title = f"### Delivery, cost and speed {describe_place(report)}"
    rows = []
    for period in _list_recent(report.periods):
        counts = period.counts
        cells = [counts.delivered, counts.doubled, counts.lost, counts.tokens_per_run]
        rows.append([format_day(period.day), *map(format_number, cells), format_hooks(counts)])
    if not any(any(row[1:]) for row in rows):
        return [title, "No hook added memory to a prompt."]
    head = ["from", "arrived", "twice", "lost", "tokens per run", "hook p50 / p95"]
    return [title, _format_table(head, [LEFT, *[RIGHT] * 5], rows)]
