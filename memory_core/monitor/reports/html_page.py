"""Print a report as one HTML file without scripts, which loads nothing."""

from __future__ import annotations

import base64
import hashlib

from memory_core.monitor import charts
from memory_core.monitor.charts import Series
from memory_core.monitor.reports.contents import AgentReport, ProjectReport
from memory_core.monitor.reports.elements import (
    MOST_NAME,
    Html,
    join_lines,
    make_cell,
    make_name,
    make_number,
    make_section,
    make_table,
    tag,
)
from memory_core.monitor.reports.style import STYLE
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

# Periods in the table of learnings; a chart has all of them.
MOST_COLUMNS = 14

CHANGE_CLASSES = {"+": "plus", "✓": "check", "−": "minus"}


def format_report(report: ProjectReport) -> str:
    """Return the report as an HTML page."""
    style = f"{STYLE}{charts.STYLE}"
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'"
    title = f"Agent memory of {report.project}"
    meta = [
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
    ]
    head = tag("head", Html("\n".join(meta)), tag("title", title), tag("style", Html(style)))
    parts = [tag("h1", title), tag("p", describe_period(report), class_="muted")]
    parts += [_make_steps()] if report.is_empty else _list_sections(report)
    body = [tag("main", join_lines(parts)), _make_footer(report)]
    page = tag("html", Html("\n"), head, Html("\n"), tag("body", join_lines(body)), lang="en")
    return f"<!doctype html>\n{page}\n"


def _list_sections(report: ProjectReport) -> list[Html]:
    parts = [
        _make_tiles(report),
        _make_notices(report),
        _make_learnings(report),
        _make_agents(report),
        _make_used(report),
        _make_waiting(report),
        _make_charts(report),
    ]
    return [part for part in parts if part]


def _make_steps() -> Html:
    """Return what to do in a project without a memory."""
    steps = (tag("li", tag("code", command), f": {purpose}") for command, purpose in STEPS)
    return tag("section", tag("h2", "Next steps"), tag("p", EMPTY), tag("ul", *steps))


def _make_tiles(report: ProjectReport) -> Html:
    return tag(
        "dl",
        *(
            tag("div", tag("dt", tile.name), tag("dd", tile.value, tag("small", tile.note)))
            for tile in list_tiles(report)
        ),
        class_="tiles",
    )


def _make_notices(report: ProjectReport) -> Html:
    if not report.notices:
        return Html("")
    lines = (
        tag(
            "li",
            *(", ".join(notice.names), notice.what, notice.detail, ": "),
            tag("code", notice.command),
        )
        for notice in report.notices
    )
    return tag("ul", *lines, class_="notices", aria_label="What needs attention")


# Charts.


def _make_learnings(report: ProjectReport) -> Html:
    counts = [period.counts for period in report.periods]
    series = [
        Series("learned", [count.learned for count in counts], 1),
        Series("confirmed", [count.confirmed for count in counts], 2),
        Series("removed", [count.removed for count in counts], 3),
    ]
    chart = _draw("bars", report, "Items learned, confirmed and removed", series)
    if not chart:
        return make_section("Learnings", tag("p", "No item was learned, confirmed or removed."))
    rows = [
        [make_name(agent.numbers.agent), *map(_make_change, _list_marks(agent))]
        for agent in report.agents
        if any(_list_marks(agent))
    ]
    days = [(format_day(period.day), "") for period in report.periods[-MOST_COLUMNS:]]
    head = [("Agent", ""), *days]
    table = make_table(head, rows, "Learnings by agent")
    note = tag("p", "+ learned, ✓ confirmed, − removed", class_="muted")
    return make_section(f"Learnings {describe_place(report)}", chart, table, note)


def _list_marks(agent: AgentReport) -> list[str]:
    return [describe_changes(period.counts) for period in agent.periods[-MOST_COLUMNS:]]


def _make_change(marks: str) -> Html:
    parts = [tag("span", mark, class_=CHANGE_CLASSES[mark[0]]) for mark in marks.split()]
    spaced = (Html(" ") if at % 2 else parts[at // 2] for at in range(2 * len(parts) - 1))
    return tag("td", *spaced, class_="change")


def _draw(
    kind: str, report: ProjectReport, title: str, series: list[Series], unit: str = ""
) -> Html:
    """Return a chart with its legend; nothing if all values are 0."""
    if not any(value for row in series for value in row.values):
        return Html("")
    labels = [format_day(period.day) for period in report.periods]
    draw = charts.draw_bars if kind == "bars" else charts.draw_lines
    legend = charts.draw_legend(series) if len(series) > 1 else ""
    name = f"{title} {describe_place(report)}"
    return tag("figure", Html(legend), Html(draw(name, labels, series, unit)))


def _make_charts(report: ProjectReport) -> Html:
    counts = [period.counts for period in report.periods]
    deliveries = [
        Series("once", [count.delivered for count in counts], 2),
        Series("twice", [count.doubled for count in counts], 3),
        Series("not at all", [count.lost for count in counts], 4),
    ]
    tokens = [
        Series("agents", [count.tokens for count in counts], 1),
        Series("main sessions", [count.session_tokens for count in counts], 2),
    ]
    times = [count.hook_time for count in counts]
    speed = [
        Series("half of the hooks within", [time.p50_ms for time in times], 1),
        Series("95 % within", [time.p95_ms for time in times], 3),
    ]
    drawn = [
        ("Delivery: memories that arrived", _draw("bars", report, "Deliveries", deliveries)),
        ("Cost: tokens added to prompts", _draw("bars", report, "Tokens", tokens)),
        ("Speed: time of the hooks", _draw("lines", report, "Hook time", speed, " ms")),
    ]
    figures = [tag("div", tag("h3", title), figure) for title, figure in drawn if figure]
    if not figures:
        return make_section(
            "Delivery, cost and speed", tag("p", "No hook added memory to a prompt.")
        )
    title = f"Delivery, cost and speed {describe_place(report)}"
    return make_section(title, tag("div", *figures, class_="columns"))


# Tables.


def _make_agents(report: ProjectReport) -> Html:
    head = [("Agent", ""), ("Items", "n"), ("Size and limit", ""), ("Runs", "n"), ("Failed", "n")]
    head += [
        ("Items used", "n"),
        ("Delivered", "n"),
        ("Tokens per run", "n"),
        ("Hook p50 / p95", "n"),
    ]
    rows = [_make_agent(agent) for agent in report.agents]
    more = f"{report.more_agents} more agents are not shown." if report.more_agents else ""
    table = make_table(head, rows, "Agents")
    return make_section("Agents", table, *([tag("p", more, class_="muted")] if more else []))


def _make_agent(agent: AgentReport) -> list[Html]:
    counts, memory = agent.numbers.counts, agent.numbers.memory
    share = memory.size / memory.limit if memory.limit else 0.0
    colour = 4 if share > 1 else 3 if share > 0.9 else 1
    return [
        make_name(agent.numbers.agent),
        make_number(format_number(memory.items)),
        _make_share(format_share(memory.size, memory.limit), share, colour),
        make_number(format_number(counts.runs)),
        make_number(format_number(counts.failed)),
        make_number(format_share(counts.used, counts.given)),
        make_number(format_share(counts.delivered, counts.checked)),
        make_number(format_number(counts.tokens_per_prompt)),
        make_number(format_hooks(counts)),
    ]


def _make_share(text: str, share: float, colour: int) -> Html:
    """Return a cell with a text and a bar."""
    return tag("td", text, Html(charts.draw_share(text, [(share, colour)])), class_="size")


def _make_used(report: ProjectReport) -> Html:
    if not report.used:
        return Html("")
    rows = [
        [
            make_cell(use.text, "any"),
            make_cell(sanitize.shorten(use.agent, MOST_NAME)),
            _make_share(f"{use.used} of {use.given}", use.used / use.given, 2),
        ]
        for use in report.used
    ]
    head = [("Item", ""), ("Agent", ""), ("Runs that used it", "")]
    return make_section("Most used items", make_table(head, rows, "Most used items"))


def _make_waiting(report: ProjectReport) -> Html:
    if not report.waiting:
        return Html("")
    rows = [
        [
            make_name(entry.agent),
            tag("td", entry.text, tag("small", entry.reason), class_="any"),
            make_cell(format_day(entry.day) if entry.day else "", "change"),
        ]
        for entry in report.waiting
    ]
    head = [("Agent", ""), ("Learning and why it waits", ""), ("Since", "")]
    more = report.waiting_count - len(report.waiting)
    note = tag("p", f"{more} more wait.", class_="muted") if more else Html("")
    table = make_table(head, rows, "Learnings that wait for review")
    return make_section("Waiting for review", table, note)


def _make_footer(report: ProjectReport) -> Html:
    credit = f"Made by agent-memory {report.version}, {report.created[:16].replace('T', ' ')} UTC."
    return tag("footer", tag("p", describe_log(report)), tag("p", credit))
