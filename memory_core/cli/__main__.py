"""`python -m memory_core.cli`: the command `agent-memory` when it is not on PATH."""

from memory_core.cli import program

program()
