"""The command line `agent-memory`: commands for people, a few lines each."""

import gc
import sys


def program() -> None:
    """Run the command line and exit with its status."""
    gc.disable()  # collecting while modules are loaded costs a fifth of a short command
    try:
        from memory_core.cli import entry

        entry.run()
    except KeyboardInterrupt:
        sys.exit(130)
