"""A project for all tests of delegations."""

from __future__ import annotations

import pytest

from support.events import FACT
from support.sandbox import Sandbox


@pytest.fixture
def shop(sandbox: Sandbox) -> Sandbox:
    """Return a project whose agent has one item."""
    sandbox.write_memory("engineer", FACT)
    return sandbox
