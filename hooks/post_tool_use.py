#!/usr/bin/env python3
"""After a tool call: save the learnings of a finished agent, and check Backlog.md's tasks."""

import os
import sys

# The folder of memory_core, in a clone and in site-packages; the standard library comes first.
sys.path.append(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))


def handle(project, event):
    from memory_core.claude_code import events
    from memory_core.delegation import event_handlers

    if events.is_failure(event):
        return event_handlers.handle_failure(project, event)
    return event_handlers.handle_answer(project, event)


def after(project, event):
    from memory_core.claude_code import events

    if events.may_change_tasks(event):
        from memory_core.tasks import occasions

        occasions.handle_tool_use(project)


if __name__ == "__main__":
    try:
        from memory_core import hook
    except Exception as error:  # noqa: BLE001 - a broken installation must not stop an agent
        sys.stderr.write(f"agent-memory: {error}\n")
        sys.exit(0)
    hook.run("PostToolUse", handle, after)
