"""A memory of its own for every Claude Code subagent."""

__version__ = "0.1.0"
