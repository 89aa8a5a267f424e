#!/usr/bin/env python3
"""Before an agent starts: add its memory to its prompt."""

import os
import sys

# The folder of memory_core, in a clone and in site-packages; the standard library comes first.
sys.path.append(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))


def handle(project, event):
    from memory_core.claude_code import events
    from memory_core.delegation import event_handlers

    if events.is_delegation(event):
        return event_handlers.handle_call(project, event)
    return event_handlers.handle_handback(project, event)


if __name__ == "__main__":
    try:
        from memory_core import hook
    except Exception as error:  # noqa: BLE001 - a broken installation must not stop an agent
        sys.stderr.write(f"agent-memory: {error}\n")
        sys.exit(0)
    hook.run("PreToolUse", handle)
