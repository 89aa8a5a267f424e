"""`agent-memory report`: what agents learned and used, and what it cost, as one file."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from memory_core.cli.app import find_project
from memory_core.cli.output import print_bytes, print_note
from memory_core.cli.times import parse_since
from memory_core.curation import export_import
from memory_core.monitor.reports import contents, html_page, markdown_text

FORMATS = {"html": html_page.format_report, "md": markdown_text.format_report}
STDOUT = "-"

# Where a report is written without --output.
TARGETS = {"html": "memory-report.html", "md": STDOUT}


def report(
    since: Annotated[
        str,
        typer.Option(metavar="TIME", help="Last 30 days: 30d; or the first day: 2026-11-20 (UTC)."),
    ] = "30d",
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Target file; - is stdout.",
            show_default=f"{TARGETS['html']}; stdout with md",
        ),
    ] = None,
    format: Annotated[
        Literal["html", "md"] | None,
        typer.Option(
            metavar="html|md",
            help="A page for a browser, or Markdown for a pull request.",
            show_default="html; md if FILE ends with .md",
        ),
    ] = None,
) -> None:
    """Write a report on what agents learned and what memory costs.

    Has learnings by agent and week, the most used items, waiting reviews,
    deliveries, tokens and times of hooks.
    The page is one file without scripts; it loads nothing and can be printed.
    The Markdown has no text that waits for a review.

    \b
    Example:
      agent-memory report --since 90d --output report.html
    """
    kind = format or ("md" if (output or "").lower().endswith(".md") else "html")
    project = find_project()
    text = FORMATS[kind](contents.build_report(project, parse_since(since)))
    target = output or TARGETS[kind]
    if target == STDOUT:
        print_bytes(text.encode("utf-8", "replace"))
    else:
        export_import.save_file(project, target, text)
        print_note(f"Wrote {target}")
