"""Chromium, and dashboards of projects that hooks filled.

CHROMIUM is the browser's program (default: chromium on PATH), AGENT_MEMORY_AXE the folder into
which scripts/fetch-tools installed axe-core.  Without one of them, tests are skipped; on CI they
fail instead.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from support.dashboard import Dashboard
from support.paths import REPO
from support.requirements import require

from . import hostile, shop
from .chromium import Chromium, Tab

AXE = Path(os.environ.get("AGENT_MEMORY_AXE") or REPO / ".tools" / "axe").resolve()


@pytest.fixture(scope="package")
def chromium() -> Iterator[Chromium]:
    """Start the browser; it ends with this package, because other tests run event loops."""
    program = shutil.which(os.environ.get("CHROMIUM") or "chromium")
    require(program, "no browser: install Chromium or set CHROMIUM")
    try:
        import playwright  # noqa: F401
    except ImportError:
        require(False, "playwright is missing: pip install --group browser")
    with Chromium(str(program)) as started:
        yield started


@pytest.fixture(scope="package")
def axe() -> str:
    """Return the source of axe-core."""
    path = AXE / "node_modules" / "axe-core" / "axe.min.js"
    require(path.exists(), "axe-core is not there; to install it: scripts/fetch-tools")
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="package")
def the_shop(chromium: Chromium, tmp_path_factory: pytest.TempPathFactory) -> shop.Shop:
    """Return a project after eight weeks of work."""
    filled = shop.Shop(tmp_path_factory.mktemp("shop"))
    shop.fill(filled)
    return filled


@pytest.fixture(scope="package")
def dashboard(the_shop: shop.Shop) -> Iterator[Dashboard]:
    """Serve the project after eight weeks of work."""
    with Dashboard(the_shop) as served:
        yield served


@pytest.fixture(scope="package")
def hostile_dashboard(
    chromium: Chromium, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Dashboard]:
    """Serve a project whose every text tries to be more than text."""
    place = shop.Shop(tmp_path_factory.mktemp("hostile"))
    hostile.fill(place)
    with Dashboard(place) as served:
        yield served


@pytest.fixture(scope="package")
def empty_dashboard(
    chromium: Chromium, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Dashboard]:
    """Serve a project in which nothing happened yet."""
    place = shop.Shop(tmp_path_factory.mktemp("empty"))
    place.git("init", "-q")
    with Dashboard(place) as served:
        yield served


@pytest.fixture
def new_tab(chromium: Chromium) -> Iterator[Callable[..., Tab]]:
    """Return a function that opens a tab, which may not have a problem until the end."""
    tabs: list[Tab] = []

    def open_tab(served: Dashboard, path: str = "", width: int = 1280, theme: str = "light") -> Tab:
        tabs.append(chromium.open_tab(width, theme))
        tabs[-1].visit(served.address)
        if path:
            tabs[-1].visit(served.origin + path)
        return tabs[-1]

    yield open_tab
    for tab in tabs:
        tab.close()
