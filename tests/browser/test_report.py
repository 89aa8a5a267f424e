"""The report of `agent-memory report` in a browser: it needs nothing, and fits each width."""

from __future__ import annotations

import pytest

from .chromium import THEMES, WIDTHS, Chromium
from .server import Dashboard


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("name", ["dashboard", "hostile_dashboard", "empty_dashboard"])
def test_a_report_is_readable_and_loads_nothing(
    name: str, theme: str, chromium: Chromium, axe: str, request: pytest.FixtureRequest
) -> None:
    served: Dashboard = request.getfixturevalue(name)
    text = served.place.run("report", "--since", "8w", "--output", "-")
    tab = chromium.open_tab(theme=theme)
    tab.page.set_content(text)
    assert tab.page.title() == f"Agent memory of {served.place.root.name}"
    assert tab.page.evaluate("getComputedStyle(document.body).fontSize") == "15px"
    for width in WIDTHS:
        tab.set_width(width)
        tab.check()
        assert tab.find_faults(axe) == []
    tab.close()
