#!/usr/bin/env python3
"""After an agent has answered or failed: what it learned is kept.  Tasks are looked at."""

import os
import sys

# Beside memory_core, in a clone as in site-packages.  At the end: the standard library first.
sys.path.append(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))


def handle(project, event):
    from memory_core import delegation, events

    if events.is_failure(event):
        return delegation.failure(project, event)
    return delegation.answer(project, event)


def after(project, event):
    from memory_core import events

    if events.may_move_tasks(event):
        from memory_core import task_events

        task_events.moved(project)


if __name__ == "__main__":
    try:
        from memory_core import hook
    except Exception as error:  # noqa: BLE001 - a broken installation must not stop an agent
        sys.stderr.write(f"agent-memory: {error}\n")
        sys.exit(0)
    hook.run("PostToolUse", handle, after)
