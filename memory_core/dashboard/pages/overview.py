"""The first page: all agents, and how well their memories work."""

from __future__ import annotations

from memory_core.curation import agent_status
from memory_core.dashboard.page import Page, View, Visit


def show_overview(visit: Visit) -> View:
    status = agent_status.read_status(visit.project, visit.environ)
    return View("overview.html", {"status": status})


PAGES = [Page("", show_overview, "Overview", "o")]
