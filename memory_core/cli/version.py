"""`agent-memory version`."""

from __future__ import annotations

from memory_core import __version__
from memory_core.cli import NAME
from memory_core.cli.common import AsJson
from memory_core.cli.output import as_json, out


def version(json: AsJson = False) -> None:
    """Print the version.

    \b
    Example:
      agent-memory version
    """
    if json:
        as_json({"version": __version__})
    else:
        out(f"{NAME} {__version__}")
