"""Programs that some tests need, and that not every machine has."""

import os

import pytest

from support.paths import BACKLOG


def require(is_there: object, missing: str) -> None:
    """Skip the test with this reason; on CI, fail."""
    if not is_there:
        assert os.environ.get("CI") != "true", missing
        pytest.skip(missing)


def require_backlog() -> None:
    """Skip the test if Backlog.md is not installed; on CI, fail instead."""
    missing = "Backlog.md is not there to test with; to install it: scripts/fetch-tools"
    require(BACKLOG.exists(), missing)
