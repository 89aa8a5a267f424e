"""A dashboard for all tests of a module."""

from collections.abc import Iterator

import pytest

from support.dashboard import Dashboard
from support.sandbox import Sandbox


@pytest.fixture(scope="module")
def dashboard(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Dashboard]:
    """Serve a project that the function `fill` of the module has filled."""
    sandbox = Sandbox(tmp_path_factory.mktemp("dashboard"))
    request.module.fill(sandbox)
    with Dashboard(sandbox) as served:
        yield served.enter()
