"""Request shell completions as the completion scripts of typer do."""

from memory_core.cli.entry import COMPLETE_VARIABLE
from support.command_line import Person


def complete(person: Person, words: str, shell: str = "bash") -> str:
    """Return the completions that typer offers for the last word."""
    line = f"agent-memory {words}"
    env = {COMPLETE_VARIABLE: f"complete_{shell}", "_TYPER_COMPLETE_ARGS": line}
    env |= {"COMP_WORDS": line, "COMP_CWORD": str(len(words.split(" ")))}
    env["_TYPER_COMPLETE_FISH_ACTION"] = "get-args"
    done = person.run(**env)
    assert done.stderr == ""
    return done.stdout
