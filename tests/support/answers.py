"""Answer the questions of a command on a terminal."""

import re

from support.terminal import Terminal

YES_OR_NO = "[y/N]: "


def answer(terminal: Terminal, question: str, *answers: str) -> None:
    """Send one answer each time the question is asked."""
    for keys in answers:
        terminal.wait_for(re.escape(question))
        terminal.send_keys(keys)


def answer_all(terminal: Terminal, question: str, *answers: str) -> int:
    """Send one answer each time the question is asked; return the exit status of the command."""
    answer(terminal, question, *answers)
    return terminal.wait_for_end()
