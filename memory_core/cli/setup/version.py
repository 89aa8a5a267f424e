"""`agent-memory version`: print the version."""

from __future__ import annotations

from memory_core import __version__
from memory_core.cli.common.arguments import AsJson
from memory_core.cli.errors import PROGRAM_NAME
from memory_core.cli.output import print_json, print_line


def version(json: AsJson = False) -> None:
    """Print the version.

    \b
    Example:
      agent-memory version
    """
    if json:
        print_json({"version": __version__})
    else:
        print_line(f"{PROGRAM_NAME} {__version__}")
