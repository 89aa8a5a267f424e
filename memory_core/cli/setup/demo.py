"""`agent-memory demo`: see in a minute what memory does, without Claude Code."""

from __future__ import annotations

import os
import tempfile
import textwrap
import time
from pathlib import Path

from memory_core.cli.output import name_command, print_diff, print_line
from memory_core.dashboard.pages import overview
from memory_core.setup import demo as demo_project, program

WIDTH = 80


def demo() -> None:
    """Play two runs of an agent in a temporary project, to see memory work.

    It runs the real hooks, but no Claude Code, and uses no network.
    Your own memories, settings and logs stay as they are.
    The dashboard of the demo is written to a file of its own, which stays.

    \b
    Example:
      agent-memory demo
    """
    began = time.monotonic()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        project, texts = demo_project.play(folder)
        dashboard = overview.make_page(project)
    page = Path(tempfile.mkdtemp(prefix="agent-memory-demo-"), "dashboard.html")
    page.write_text(dashboard, encoding="utf-8")
    for number, step in enumerate(zip(demo_project.STEPS, texts, strict=True), 1):
        _print_step(number, *step)
    seconds = time.monotonic() - began
    print_line(f"That was the demo: {seconds:.1f} s, with the real hooks.", style="bold")
    print_line(f"Its dashboard, for your browser: {page}")
    command = program.format_command()
    print_line(f"Next, in the folder of your own project: {command} install {os.curdir}")


def _print_step(number: int, sentence: str, text: str) -> None:
    for line in textwrap.wrap(name_command(f"{number}. {sentence}"), WIDTH):
        print_line(line, style="bold")
    print_line("")
    if text.startswith("--- "):  # a diff
        print_diff(text)
        print_line("")
        return
    for line in text.strip().split("\n"):
        style = "ok" if demo_project.LEARNING in line else ""
        for part in textwrap.wrap(line, WIDTH - 2) or [""]:
            print_line(f"  {part}".rstrip(), style=style)
    print_line("")
