"""Print a report as one HTML file without scripts, which loads nothing."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from html import escape

from memory_core.monitor import charts
from memory_core.monitor.charts import Series
from memory_core.monitor.report import AgentReport, ProjectReport
from memory_core.monitor.report_words import (
    EMPTY,
    STEPS,
    describe_changes,
    describe_log,
    describe_period,
    describe_place,
    format_day,
    format_hooks,
    format_number,
    format_share,
    list_tiles,
)
from memory_core.text import sanitize

STYLE = """\
:root { color-scheme: light dark; --ground: light-dark(#fff, #15181d);
  --ink: light-dark(#1c2430, #e4e8ee); --muted: light-dark(#586272, #a0a9b6);
  --line: light-dark(#dde1e7, #323842); --soft: light-dark(#f6f7f9, #1c2026);
  --warn: light-dark(#8f5700, #f0b95c); --warn-soft: light-dark(#fdf3e0, #3a2f1b);
  --mono: ui-monospace, Menlo, Consolas, "Liberation Mono", monospace; }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.25rem 3rem; max-width: 62rem; background: var(--ground);
  color: var(--ink); font: .9375rem/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 2.25rem 0 .75rem; }
h3 { font-size: .95rem; margin: 0 0 .5rem; }
p { margin: 0 0 .75rem; max-width: 75ch; }
.muted, .muted code { color: var(--muted); }
code { font-family: var(--mono); font-size: .875em; overflow-wrap: anywhere; }
.tiles { display: grid; grid-template-columns: repeat(4, 1fr); gap: 1px;
  margin: 1.5rem 0 0; background: var(--line); border: 1px solid var(--line);
  border-radius: 8px; overflow: hidden; }
.tiles div { background: var(--ground); padding: .75rem 1rem; }
.tiles dt { color: var(--muted); font-size: .8125rem; }
.tiles dd { margin: 0; font-size: 1.5rem; font-weight: 600; line-height: 1.3;
  font-variant-numeric: tabular-nums; }
.tiles dd small { display: block; color: var(--muted); font-size: .8125rem; font-weight: 400; }
figure { margin: 0; }
.notices { margin: 1.25rem 0 0; padding: .75rem 1rem .75rem 2rem; border-radius: 8px;
  background: var(--warn-soft); }
.notices li { margin: .15rem 0; overflow-wrap: anywhere; }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr));
  gap: 1.75rem 2.5rem; }
.columns > * { min-width: 0; }
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line); text-align: left;
  vertical-align: top; }
th:last-child, td:last-child { padding-right: 0; }
thead th { color: var(--muted); font-size: .8125rem; font-weight: 500; white-space: nowrap;
  vertical-align: bottom; }
tbody th { font-weight: 600; }
tfoot th, tfoot td { border-bottom: 0; border-top: 1px solid var(--muted); font-weight: 600; }
.n { text-align: right; white-space: nowrap; }
.any { overflow-wrap: anywhere; min-width: 12rem; }
.any small { display: block; color: var(--muted); font-size: .8125rem; }
.size { width: 8rem; min-width: 6.5rem; }
.size .sharebar { margin-top: .2rem; }
.scroll + p { margin: .5rem 0 0; font-size: .8125rem; }
figure + .scroll { margin-top: 1rem; }
.change { white-space: nowrap; font-size: .8125rem; }
.n + :not(.n) { padding-left: .75rem; }
@media (max-width: 46rem) {
  .tiles { grid-template-columns: 1fr 1fr; }
  .any { min-width: 8.5rem; } .size { min-width: 4.5rem; }
}
.plus { color: var(--chart-1); } .check { color: var(--chart-2); } .minus { color: var(--chart-3); }
footer { margin-top: 2.5rem; padding-top: 1rem; border-top: 1px solid var(--line);
  color: var(--muted); font-size: .8125rem; }
@media print {
  :root { color-scheme: light; }
  @page { margin: 15mm; }
  body { max-width: none; padding: 0; font-size: 9.5pt; }
  h2 { break-after: avoid; } tr, .tiles, figure, .columns > * { break-inside: avoid; }
  .scroll { overflow: visible; } .columns { grid-template-columns: 1fr 1fr; }
  svg, .tiles, .notices { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
"""

# Periods in the table of learnings; a chart has all of them.
MOST_COLUMNS = 14

MOST_NAME = 60  # characters

CHANGE_CLASSES = {"+": "plus", "✓": "check", "−": "minus"}


class Html(str):
    """Text that is HTML already; all other text is escaped."""

    __slots__ = ()


def tag(name: str, *parts: str, **attributes: str) -> Html:
    """Return an element; an attribute `class_` is `class`, `aria_label` is `aria-label`."""
    names = {key: key.strip("_").replace("_", "-") for key in attributes}
    head = "".join(f' {names[key]}="{escape(attributes[key])}"' for key in attributes)
    return Html(f"<{name}{head}>{join(parts)}</{name}>")


def join(parts: Iterable[str]) -> Html:
    """Return texts after each other; of other text than HTML only visible characters are left."""
    return Html(
        "".join(
            part if isinstance(part, Html) else escape(sanitize.remove_invisible(part))
            for part in parts
        )
    )


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
    body = [tag("main", _join_lines(parts)), _make_footer(report)]
    page = tag("html", Html("\n"), head, Html("\n"), tag("body", _join_lines(body)), lang="en")
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


def _join_lines(parts: Iterable[Html]) -> Html:
    return Html("\n".join(["", *parts, ""]))


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


def _section(title: str, *parts: str) -> Html:
    return tag("section", tag("h2", title), *parts)


def _make_table(
    head: Sequence[tuple[str, str]], rows: Iterable[Sequence[Html]], label: str, foot: str = ""
) -> Html:
    """Return a table in a box that scrolls; the cells of `rows` are whole elements."""
    columns = (
        tag("th", name, scope="col", **({"class_": kind} if kind else {})) for name, kind in head
    )
    body = _join_lines(tag("tr", *row) for row in rows)
    return tag(
        "div",
        tag("table", tag("thead", tag("tr", *columns)), tag("tbody", body), Html(foot)),
        class_="scroll",
        role="region",
        aria_label=label,
        tabindex="0",
    )


def _cell(text: str, kind: str = "") -> Html:
    return tag("td", text, class_=kind) if kind else tag("td", text)


def _number(text: str) -> Html:
    return _cell(text, "n")


def _name(text: str) -> Html:
    return tag("th", sanitize.shorten(text, MOST_NAME), scope="row")


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
        return _section("Learnings", tag("p", "No item was learned, confirmed or removed."))
    rows = [
        [_name(agent.numbers.agent), *map(_make_change, _list_marks(agent))]
        for agent in report.agents
        if any(_list_marks(agent))
    ]
    days = [(format_day(period.day), "") for period in report.periods[-MOST_COLUMNS:]]
    head = [("Agent", ""), *days]
    table = _make_table(head, rows, "Learnings by agent")
    note = tag("p", "+ learned, ✓ confirmed, − removed", class_="muted")
    return _section(f"Learnings {describe_place(report)}", chart, table, note)


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
        return _section("Delivery, cost and speed", tag("p", "No hook added memory to a prompt."))
    title = f"Delivery, cost and speed {describe_place(report)}"
    return _section(title, tag("div", *figures, class_="columns"))


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
    table = _make_table(head, rows, "Agents")
    return _section("Agents", table, *([tag("p", more, class_="muted")] if more else []))


def _make_agent(agent: AgentReport) -> list[Html]:
    counts, memory = agent.numbers.counts, agent.numbers.memory
    share = memory.size / memory.limit if memory.limit else 0.0
    colour = 4 if share > 1 else 3 if share > 0.9 else 1
    return [
        _name(agent.numbers.agent),
        _number(format_number(memory.items)),
        _make_share(format_share(memory.size, memory.limit), share, colour),
        _number(format_number(counts.runs)),
        _number(format_number(counts.failed)),
        _number(format_share(counts.used, counts.given)),
        _number(format_share(counts.delivered, counts.checked)),
        _number(format_number(counts.tokens_per_prompt)),
        _number(format_hooks(counts)),
    ]


def _make_share(text: str, share: float, colour: int) -> Html:
    """Return a cell with a text and a bar."""
    return tag("td", text, Html(charts.draw_share(text, [(share, colour)])), class_="size")


def _make_used(report: ProjectReport) -> Html:
    if not report.used:
        return Html("")
    rows = [
        [
            _cell(use.text, "any"),
            _cell(sanitize.shorten(use.agent, MOST_NAME)),
            _make_share(f"{use.used} of {use.given}", use.used / use.given, 2),
        ]
        for use in report.used
    ]
    head = [("Item", ""), ("Agent", ""), ("Runs that used it", "")]
    return _section("Most used items", _make_table(head, rows, "Most used items"))


def _make_waiting(report: ProjectReport) -> Html:
    if not report.waiting:
        return Html("")
    rows = [
        [
            _name(entry.agent),
            tag("td", entry.text, tag("small", entry.reason), class_="any"),
            _cell(format_day(entry.day) if entry.day else "", "change"),
        ]
        for entry in report.waiting
    ]
    head = [("Agent", ""), ("Learning and why it waits", ""), ("Since", "")]
    more = report.waiting_count - len(report.waiting)
    note = tag("p", f"{more} more wait.", class_="muted") if more else Html("")
    table = _make_table(head, rows, "Learnings that wait for review")
    return _section("Waiting for review", table, note)


def _make_footer(report: ProjectReport) -> Html:
    credit = f"Made by agent-memory {report.version}, {report.created[:16].replace('T', ' ')} UTC."
    return tag("footer", tag("p", describe_log(report)), tag("p", credit))
