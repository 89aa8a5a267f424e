"""Memory files for Claude Code subagents.

    import memory_core

    shop = memory_core.Memories("~/code/shop")
    shop.remember("engineer", "pattern", "Services talk through the event bus, never directly")
    print(shop.recall("engineer", task="Add a retry"))

docs/python.md describes the Python API.
"""

from __future__ import annotations

__version__ = "0.1.0"

TYPE_CHECKING = False  # hooks import this package, and `typing` is slow to import
if TYPE_CHECKING:
    from memory_core.api import Memories as Memories


def __getattr__(name: str) -> object:
    """Import the Python API on first use, since hooks do not need it."""
    if name == "Memories":
        from memory_core import api

        return api.Memories
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
