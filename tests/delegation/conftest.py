"""A project for all tests of delegations."""

import pytest

from support.events import FACT
from support.sandbox import Sandbox
from support.transcripts import Transcripts


@pytest.fixture
def shop(sandbox: Sandbox) -> Sandbox:
    """Return a project whose agent has one item."""
    sandbox.write_memory("engineer", FACT)
    return sandbox


@pytest.fixture
def transcripts(sandbox: Sandbox) -> Transcripts:
    """Return a project after its first session: older transcripts are ignored."""
    new = Transcripts(sandbox)
    new.begin("s1")
    return new
