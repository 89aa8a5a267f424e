#!/usr/bin/env python3
"""When a session starts: the main session gets its memory, lost reports are looked for."""

import os
import sys

# Beside memory_core, in a clone as in site-packages.  At the end: the standard library first.
sys.path.append(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))


def handle(project, event):
    from memory_core import delegation

    return delegation.session(project, event)


def after(project, event):
    from memory_core import sweep, task_events

    task_events.settle(project)
    sweep.at_session_start(project, event)


if __name__ == "__main__":
    try:
        from memory_core import hook
    except Exception as error:  # noqa: BLE001 - a broken installation must not stop an agent
        sys.stderr.write(f"agent-memory: {error}\n")
        sys.exit(0)
    hook.run("SessionStart", handle, after)
