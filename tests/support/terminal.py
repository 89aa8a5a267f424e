"""Run the command line on a pseudo-terminal."""

from __future__ import annotations

import re
import sys

import pexpect

from support.command_line import Person

YES_OR_NO = "[y/N]: "


def spawn(person: Person, command: list[str], width: int, **env: str) -> pexpect.spawn[str]:
    """Start a program on a pseudo-terminal, in the sandbox."""
    place = {"cwd": str(person.sandbox.root), "dimensions": (24, width), "timeout": 30}
    variables = {**person.env, "TERM": "xterm", **env}
    text = {"encoding": "utf-8", "codec_errors": "replace"}
    return pexpect.spawn(command[0], command[1:], env=variables, **place, **text)


class Terminal:
    """A pseudo-terminal that runs `agent-memory` or a shell."""

    def __init__(self, person: Person, command: str, width: int = 80, **env: str) -> None:
        # `exec` replaces the shell by the command; otherwise Ctrl-C would end the shell too.
        alone = not set(command) & set(";|")
        line = f"exec {command}" if alone else command
        self.child = spawn(person, ["sh", "-c", line], width, **env)
        self.shown = ""

    def wait_for(self, pattern: str) -> None:
        """Wait until the output matches this pattern."""
        self.child.expect(pattern)
        self.shown += f"{self.child.before}{self.child.after}"

    def send_keys(self, keys: str) -> None:
        """Type these keys."""
        self.child.send(keys)

    def wait_for_end(self) -> int:
        """Wait until the program ends; return its exit status."""
        self.shown += str(self.child.read())
        self.child.close()
        assert "Traceback" not in self.shown
        return int(self.child.exitstatus)

    @property
    def lines(self) -> list[str]:
        return strip_colours(self.shown)


def run_on_terminal(person: Person, words: str, width: int = 80, **env: str) -> str:
    """Run a command on a terminal of this width; return its output."""
    command = [sys.executable, "-m", "memory_core.cli", *words.split()]
    child = spawn(person, command, width, PAGER="cat", **env)
    shown = str(child.read())
    child.close()
    return shown


def strip_colours(text: str) -> list[str]:
    """Return the lines of a terminal output without colour codes and other controls."""
    plain = re.sub(r"\x1b(\[[0-9;?]*[A-Za-z]|[=>])", "", text)
    return plain.replace("\r\n", "\n").splitlines()


def answer(terminal: Terminal, question: str, *answers: str) -> None:
    """Send one answer each time the question is asked."""
    for keys in answers:
        terminal.wait_for(re.escape(question))
        terminal.send_keys(keys)


def answer_all(terminal: Terminal, question: str, *answers: str) -> int:
    """Send one answer each time the question is asked; return the exit status of the command."""
    answer(terminal, question, *answers)
    return terminal.wait_for_end()
