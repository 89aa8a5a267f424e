"""Every page: no errors, nothing from elsewhere, readable at each width in both themes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from .chromium import Tab
from .pages import EXAMPLES, PATTERNS, crawl
from .server import Dashboard

WIDTHS = (360, 768, 1280)
THEMES = ("light", "dark")
IMPACTS = ("serious", "critical")

NewTab = Callable[..., Tab]

# Elements that stick out of the window, and are not in a box that scrolls.
FIND_WIDE = """() => {
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= width) return [];
  const wide = [...document.querySelectorAll('body *')].filter(
    element => element.getBoundingClientRect().right > width + 1);
  return wide.slice(-5).map(element => element.outerHTML.slice(0, 200)).concat(['wide page']);
}"""

RUN_AXE = """async () => {
  const results = await axe.run(document, {resultTypes: ['violations']});
  return results.violations.map(one => [one.impact, one.id, one.help,
    ...one.nodes.slice(0, 4).map(node => node.html.slice(0, 200))]);
}"""


@pytest.fixture(scope="package")
def addresses(chromium: Any, dashboard: Dashboard) -> dict[str, list[str]]:
    """Return addresses of the dashboard of a project in use, by pattern."""
    tab = chromium.open_tab()
    tab.visit(dashboard.address)
    opened = crawl(tab, dashboard, EXAMPLES)
    tab.close()
    return opened


def test_links_lead_to_every_page(addresses: dict[str, list[str]]) -> None:
    assert {*PATTERNS} - {*addresses} == set()


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_page_fits_each_width(
    pattern: str, addresses: dict[str, list[str]], dashboard: Dashboard, new_tab: NewTab
) -> None:
    tab = new_tab(dashboard)
    for url in addresses[pattern]:
        tab.visit(url)
        for width in WIDTHS:
            tab.page.set_viewport_size({"width": width, "height": 800})
            assert tab.page.evaluate(FIND_WIDE) == [], f"{url} at {width}"


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("pattern", PATTERNS)
def test_axe_finds_no_serious_fault(
    pattern: str,
    theme: str,
    addresses: dict[str, list[str]],
    dashboard: Dashboard,
    new_tab: NewTab,
    axe: str,
) -> None:
    tab = new_tab(dashboard, theme=theme)
    tab.visit(addresses[pattern][0])
    tab.page.evaluate(axe)
    for width in (360, 1280):
        tab.page.set_viewport_size({"width": width, "height": 800})
        faults = tab.page.evaluate(RUN_AXE)
        assert [fault for fault in faults if fault[0] in IMPACTS] == []


def test_hostile_text_is_only_text(hostile_dashboard: Dashboard, new_tab: NewTab) -> None:
    tab = new_tab(hostile_dashboard, width=360)
    opened = crawl(tab, hostile_dashboard)
    assert {*PATTERNS} - {*opened} == set()


def test_an_empty_project_says_what_to_do(empty_dashboard: Dashboard, new_tab: NewTab) -> None:
    tab = new_tab(empty_dashboard)
    assert "agent-memory" in tab.page.inner_text("main")
    crawl(tab, empty_dashboard)
