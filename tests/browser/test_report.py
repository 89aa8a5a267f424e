"""The report of `agent-memory report` in a browser: it needs nothing, and fits each width."""

from __future__ import annotations

import pytest

from .chromium import FIND_EXECUTED, Chromium
from .server import Dashboard
from .test_every_page import FIND_WIDE, IMPACTS, RUN_AXE, THEMES, WIDTHS


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
    assert tab.page.evaluate(FIND_EXECUTED) == ""
    assert tab.page.evaluate("getComputedStyle(document.body).fontSize") == "15px"
    tab.page.evaluate(axe)
    for width in WIDTHS:
        tab.page.set_viewport_size({"width": width, "height": 800})
        assert tab.page.evaluate(FIND_WIDE) == [], f"at {width}"
        faults = tab.page.evaluate(RUN_AXE)
        assert [fault for fault in faults if fault[0] in IMPACTS] == []
    tab.close()
