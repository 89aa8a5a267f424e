"""Fixtures for the tests of the installation and the plugin."""

from pathlib import Path

import pytest

from support.plugin import Plugged
from support.sandbox import Sandbox


@pytest.fixture
def plugged(sandbox: Sandbox, tmp_path: Path) -> Plugged:
    return Plugged(sandbox, tmp_path)
