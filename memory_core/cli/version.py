"""`agent-memory version`."""

from __future__ import annotations

from memory_core import __version__
from memory_core.cli import NAME
from memory_core.cli.output import out


def version() -> None:
    """Print the version.

    \b
    Example:
      agent-memory version
    """
    out(f"{NAME} {__version__}")
