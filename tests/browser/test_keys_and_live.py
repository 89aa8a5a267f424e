"""The dashboard in use: pages that refresh themselves, keys, the theme."""

from collections.abc import Callable

import pytest

from support import events
from support.dashboard import Dashboard

from .chromium import Tab
from .shop import Shop

NewTab = Callable[..., Tab]


def test_pages_show_what_a_hook_learns(dashboard: Dashboard, new_tab: NewTab) -> None:
    overview, log = new_tab(dashboard), new_tab(dashboard, "/dashboard/events")
    for tab in (overview, log):
        tab.page.get_by_role("status").get_by_text("live").wait_for()
        assert tab.page.get_by_text("gardener").count() == 0
    event = events.make_stop_event("live1", events.REPORT, "gardener")
    dashboard.sandbox.run_hook("subagent_stop", event)
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


# Decide on learnings in the browser with the keyboard alone.


class Reviewer:
    """A person at the review of an agent; it has only a keyboard."""

    def __init__(self, tab: Tab, dashboard: Dashboard) -> None:
        self.tab = tab
        self._dashboard = dashboard

    @property
    def proposal(self) -> str:
        """The learning that is shown."""
        return str(self.tab.page.input_value("textarea[name=text]"))

    def press(self, *keys: str) -> str:
        """Press keys, the last of which decides; return the message of the next page."""
        *first, last = keys
        for key in first:
            self.tab.page.keyboard.press(key)
        with self.tab.page.expect_navigation():
            self.tab.page.keyboard.press(last)
        return str(self.tab.page.inner_text(".message"))

    def read_memory(self) -> str:
        path = self._dashboard.sandbox.root / ".claude-mpm" / "memories" / "qa.md"
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def count_waiting(self) -> int:
        return self._dashboard.sandbox.run("review", "--list", "qa").count("\n")


@pytest.fixture
def reviewer(dashboard: Dashboard, new_tab: NewTab) -> Reviewer:
    tab = new_tab(dashboard)
    for key in ("g", "r"):
        tab.page.keyboard.press(key)
    tab.page.wait_for_url("**/dashboard/review")
    tab.visit(f"{dashboard.origin}/dashboard/review?agent=qa")
    return Reviewer(tab, dashboard)


def test_a_learning_is_accepted(reviewer: Reviewer) -> None:
    text, count = reviewer.proposal, reviewer.count_waiting()
    assert text not in reviewer.read_memory()
    reviewer.press("a")
    assert text in reviewer.read_memory()
    assert reviewer.count_waiting() == count - 1
    assert reviewer.proposal != text


def test_a_learning_is_edited_and_accepted(reviewer: Reviewer) -> None:
    text = reviewer.proposal
    for key in ("e", "End"):
        reviewer.tab.page.keyboard.press(key)
    reviewer.tab.page.keyboard.type(", on Linux only")
    edited = reviewer.proposal
    assert "Linux" in edited
    reviewer.press("Control+Enter")
    assert edited in reviewer.read_memory()
    assert text != edited


def test_a_learning_is_rejected_and_waits_again(reviewer: Reviewer) -> None:
    text, count = reviewer.proposal, reviewer.count_waiting()
    reviewer.press("r")
    assert reviewer.count_waiting() == count - 1
    reviewer.press("u")
    assert reviewer.count_waiting() == count
    assert reviewer.proposal == text
    assert text not in reviewer.read_memory()


def test_the_next_learning_is_shown(reviewer: Reviewer) -> None:
    first = reviewer.proposal
    for key in ("j", "k"):
        before = reviewer.proposal
        with reviewer.tab.page.expect_navigation():
            reviewer.tab.page.keyboard.press(key)
        assert reviewer.proposal != before
    assert reviewer.proposal == first
