"""The table of pages."""

from __future__ import annotations

from memory_core.dashboard.pages import (
    agent,
    explain,
    live_events,
    overview,
    review,
    search,
    tasks,
)

# In the order of the navigation.
MODULES = (overview, review, agent, explain, search, tasks, live_events)

PAGES = [page for module in MODULES for page in module.PAGES]
