"""Access to the real Backlog.md program, which some tests need."""

import os

import pytest

from support.paths import BACKLOG


def require_backlog() -> None:
    """Skip the test if Backlog.md is not installed; on CI, fail instead."""
    if not BACKLOG.exists():
        missing = "Backlog.md is not there to test with; to install it: scripts/fetch-tools"
        assert os.environ.get("CI") != "true", missing
        pytest.skip(missing)
