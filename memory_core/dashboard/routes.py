"""The table of pages."""

from __future__ import annotations

from memory_core.dashboard.pages import live_events, overview

# In the order of the navigation.
MODULES = (overview, live_events)

PAGES = [page for module in MODULES for page in module.PAGES]
