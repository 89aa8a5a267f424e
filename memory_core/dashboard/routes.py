"""The table of pages."""

from __future__ import annotations

from memory_core.dashboard.page import Page
from memory_core.dashboard.pages import agent, explain, live_events, overview, review, search, tasks

# Those with a title are in the navigation, in this order.
PAGES = [
    Page("", overview.show_overview, "Overview", "o"),
    Page("/review", review.show_review, "Review", "r"),
    Page("/review/decide", review.decide, method="POST"),
    Page("/agents/{agent}", agent.show_memory),
    Page("/agents/{agent}/history", agent.show_history),
    Page("/agents/{agent}/diff", agent.show_diff),
    Page("/agents/{agent}/items", agent.change_item, method="POST"),
    Page("/agents/{agent}/add", agent.add_item, method="POST"),
    Page("/agents/{agent}/undo", agent.undo_change, method="POST"),
    Page("/explain", explain.show_explanation, "Explain", "x"),
    Page("/search", search.show_hits, "Search", "s"),
    Page("/search/restore", search.restore, method="POST"),
    Page("/tasks", tasks.show_tasks, "Tasks", "t"),
    Page("/tasks/{task}", tasks.show_task),
    Page("/events", live_events.show_events, "Events", "e"),
]
