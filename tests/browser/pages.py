"""The pages of a dashboard, found by its links."""

import re
from urllib.parse import urljoin, urlsplit

from memory_core.dashboard.page import PREFIX
from memory_core.dashboard.site import PAGES
from support.dashboard import Dashboard

from .chromium import Tab

# The pages that a link can open, by their paths below PREFIX.
PATTERNS = [page.path for page in PAGES if page.method == "GET"]

# Pages with more on them than those that links lead to.
EXAMPLES = (
    "/agents/engineer",
    "/agents/engineer/history",
    "/agents/engineer/diff?from=",
    "/explain?agent=engineer&task=Retry+the+payment+of+an+order",
    "/review?agent=qa",
    "/search?q=payment",
    "/tasks/task-12",
)

# Addresses of one pattern that are opened at most, and links of one page that are followed.
MOST, MOST_LINKS = 3, 60

LIST_LINKS = "[...document.querySelectorAll('a[href]')].map(a => a.getAttribute('href'))"


def find_pattern(path: str) -> str | None:
    """Return the pattern of a path, None for what is no page."""
    for pattern in PATTERNS:
        expression = re.sub(r"\\\{.*?\\\}", "[^/]+", re.escape(PREFIX + pattern))
        if re.fullmatch(expression, path):
            return pattern
    return None


def crawl(tab: Tab, served: Dashboard, examples: tuple[str, ...] = ()) -> dict[str, list[str]]:
    """Open the pages that links lead to, and `examples`; return the addresses by pattern."""
    opened: dict[str, list[str]] = {}
    waiting = [f"{served.origin}{PREFIX}{path}" for path in ("", *examples)]
    while waiting:
        url = waiting.pop(0)
        pattern = find_pattern(urlsplit(url).path)
        urls = opened.setdefault(pattern or "", [])
        if pattern is None or url in urls or len(urls) >= MOST:
            continue
        urls.append(url)
        tab.visit(url)
        links = dict.fromkeys(tab.page.evaluate(LIST_LINKS))
        waiting += [urljoin(url, link).partition("#")[0] for link in list(links)[:MOST_LINKS]]
    return opened
