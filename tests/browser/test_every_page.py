"""Every page: no errors, nothing from elsewhere, readable at each width in both themes."""

from collections.abc import Callable
from typing import Any

import pytest

from support.dashboard import Dashboard

from . import hostile
from .chromium import THEMES, WIDTHS, Tab
from .pages import EXAMPLES, PATTERNS, crawl

NewTab = Callable[..., Tab]


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
            tab.set_width(width)
            tab.check()


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
    for width in (360, 1280):
        tab.set_width(width)
        assert tab.find_faults(axe) == []


def test_hostile_text_is_only_text(hostile_dashboard: Dashboard, new_tab: NewTab) -> None:
    """`Tab` notes everything that was executed or became an element."""
    tab = new_tab(hostile_dashboard, width=360)
    opened = crawl(tab, hostile_dashboard, hostile.EXAMPLES)
    assert {*PATTERNS} - {*opened} == set()


def test_hostile_text_is_shown_as_it_is(hostile_dashboard: Dashboard, new_tab: NewTab) -> None:
    tab = new_tab(hostile_dashboard)
    tab.visit(f"{hostile_dashboard.origin}/dashboard/agents/writer")
    shown = " ".join(tab.page.inner_text("main").split())
    assert [text for text in hostile.TEXTS if " ".join(text.split()) not in shown] == []


def test_hostile_text_is_edited_and_undone(hostile_dashboard: Dashboard, new_tab: NewTab) -> None:
    """Messages about changes have hostile text, too."""
    tab = new_tab(hostile_dashboard)
    tab.visit(f"{hostile_dashboard.origin}/dashboard{hostile.AGENT_PATH}")
    tab.page.click(".item summary")
    tab.page.fill(".item textarea", hostile.TEXTS[0] + hostile.TEXTS[1])
    tab.page.get_by_role("button", name="Save").first.click()
    tab.page.wait_for_selector(".message")
    tab.check()
    assert hostile.TEXTS[0] + hostile.TEXTS[1] in tab.page.inner_text("#memory")
    tab.visit(f"{hostile_dashboard.origin}/dashboard{hostile.AGENT_PATH}/history")
    tab.page.get_by_role("button", name="Undo").first.click()
    tab.page.wait_for_selector(".message")
    tab.check()


def test_an_empty_project_says_what_to_do(empty_dashboard: Dashboard, new_tab: NewTab) -> None:
    tab = new_tab(empty_dashboard)
    assert "agent-memory" in tab.page.inner_text("main")
    crawl(tab, empty_dashboard)
