"""The dashboard in use: pages that refresh themselves, keys, the theme."""

from __future__ import annotations

from collections.abc import Callable

from support import events
from support.dashboard import Dashboard

from .chromium import Tab
from .shop import Shop

NewTab = Callable[..., Tab]


def learn(place: Shop, run: str, agent: str, text: str) -> None:
    """Let the real hook see the end of a run that teaches a text."""
    report = events.REPORT.replace(events.LEARNED, text)
    place.run_hook("subagent_stop", events.make_stop_event(run, report, agent))


def test_pages_show_what_a_hook_learns(dashboard: Dashboard, new_tab: NewTab) -> None:
    overview, log = new_tab(dashboard), new_tab(dashboard, "/dashboard/events")
    for tab in (overview, log):
        tab.page.get_by_role("status").get_by_text("live").wait_for()
        assert tab.page.get_by_text("gardener").count() == 0
    learn(dashboard.sandbox, "live1", "gardener", "Roses need six hours of sun a day")
    for tab in (overview, log):
        tab.page.get_by_text("gardener").first.wait_for()


def test_the_page_says_when_the_server_ended(the_shop: Shop, new_tab: NewTab) -> None:
    with Dashboard(the_shop) as own:
        tab = new_tab(own)
        tab.page.get_by_text("live", exact=True).wait_for()
    tab.page.get_by_text("not connected").wait_for()
    tab.problems.clear()  # the browser reports the lost connection


def test_keys_lead_to_pages_and_rows(dashboard: Dashboard, new_tab: NewTab) -> None:
    tab = new_tab(dashboard)
    keys = tab.page.keyboard
    keys.press("Tab")
    assert tab.page.evaluate("document.activeElement.className") == "skip"
    keys.press("j")
    keys.press("j")
    row = tab.page.evaluate("document.activeElement.dataset.id")
    keys.press("k")
    assert row
    assert tab.page.evaluate("document.activeElement.dataset.id") not in (row, None)
    keys.press("?")
    assert "Events" in tab.page.inner_text("dialog[open]")
    keys.press("Escape")
    keys.press("g")
    keys.press("e")
    tab.page.wait_for_url("**/dashboard/events")


def test_the_chosen_theme_stays(dashboard: Dashboard, new_tab: NewTab) -> None:
    tab = new_tab(dashboard, theme="light")
    background = "getComputedStyle(document.body).backgroundColor"
    light = tab.page.evaluate(background)
    tab.page.click("#theme")
    dark = tab.page.evaluate(background)
    assert light != dark
    tab.visit(f"{dashboard.origin}/dashboard/events")
    assert tab.page.evaluate(background) == dark
