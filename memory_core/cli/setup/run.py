"""`agent-memory run`: start a command with different memory settings."""

from __future__ import annotations

import os
import signal
from typing import Annotated

from memory_core.cli.command_types import App, PlainCommand
from memory_core.cli.common.arguments import argument, flag, option
from memory_core.cli.errors import CommandRefused
from memory_core.storage.config_yml.default_settings import MAX_SIZE_KB

STATUS_NOT_STARTED = 127  # of a shell

AS_SET = "as configured"

app = App()

Learning = Annotated[
    bool | None,
    flag("--enable-learning/--no-learning", "Save what agents report.", show_default=AS_SET),
]
MemoryLimit = Annotated[
    int | None,
    option("KB", "Limit of a memory file in KB.", default=AS_SET, min=1, max=MAX_SIZE_KB),
]


# The options after COMMAND belong to COMMAND, with or without `--`.
@app.command(cls=PlainCommand, context_settings={"allow_interspersed_args": False})
def run(
    command: Annotated[list[str], argument("COMMAND", "The command to run, after --.")],
    no_memory: Annotated[bool, flag("--no-memory", "Give agents no memory, save nothing.")] = False,
    learning: Learning = None,
    memory_limit: MemoryLimit = None,
) -> None:
    """Run a command (usually claude) with different memory settings.

    The exit status is that of the command.

    \b
    Example:
      agent-memory run --no-learning -- claude --version
    """
    environ = dict(os.environ)
    if no_memory:
        environ["AGENT_MEMORY"] = "off"
    if learning is not None:
        environ["AGENT_MEMORY_LEARNING"] = "on" if learning else "off"
    if memory_limit is not None:
        environ["AGENT_MEMORY_LIMIT_KB"] = str(memory_limit)
    # Python ignores SIGPIPE, and the command would inherit that: `yes | head` would complain.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        os.execvpe(command[0], command, environ)  # noqa: S606 - the user's own command
    except OSError as error:
        raise CommandRefused(f"{command[0]}: {error.strerror}", STATUS_NOT_STARTED) from None
