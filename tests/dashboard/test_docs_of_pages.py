"""docs/dashboard.md names each page of the navigation, and the keys of the review."""

import re

from memory_core.dashboard.rendering import TEMPLATES
from memory_core.dashboard.site import PAGES
from support.paths import REPO

TEXT = (REPO / "docs" / "dashboard.md").read_text(encoding="utf-8")


def test_each_page_of_the_navigation_is_described() -> None:
    rows = re.findall(r"^\| (\w+) \|", TEXT, re.M)
    assert {page.title for page in PAGES if page.title} <= {*rows}


def test_the_keys_of_the_review_are_described() -> None:
    table = TEXT.partition("| key | action |")[2].partition("\n\n")[0]
    with open(f"{TEMPLATES}/review.html", encoding="utf-8") as file:
        keys = " ".join(re.findall(r'data-key="([^"]+)"', file.read())).split()
    described = re.findall(r"`([^`]+)`", table)
    names = {"ArrowDown": "↓", "ArrowUp": "↑"}
    assert {names.get(key, key) for key in keys} <= {*described}
