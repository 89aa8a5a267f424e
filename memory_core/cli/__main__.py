"""`python -m memory_core.cli`: the command, where it is not on PATH."""

from memory_core.cli import program

program()
