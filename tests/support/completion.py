"""Completion of the command line, as the scripts of typer ask for it."""

from __future__ import annotations

from memory_core.cli.entry import COMPLETE_VARIABLE
from support.command_line import Person


def complete(person: Person, words: str, shell: str = "bash") -> str:
    """Return what typer answers when a shell asks how to complete the last word."""
    line = f"agent-memory {words}"
    env = {COMPLETE_VARIABLE: f"complete_{shell}", "_TYPER_COMPLETE_ARGS": line}
    env |= {"COMP_WORDS": line, "COMP_CWORD": str(len(words.split(" ")))}
    env["_TYPER_COMPLETE_FISH_ACTION"] = "get-args"
    done = person.run(**env)
    assert done.stderr == ""
    return done.stdout
