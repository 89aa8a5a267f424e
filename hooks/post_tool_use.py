#!/usr/bin/env python3
"""After a tool call: save the learnings of a finished agent, and check Backlog.md's tasks."""

import sys

# The folder of memory_core, in a clone and in site-packages; the standard library comes first.
sys.path.append(f"{__file__.rpartition('/')[0]}/..")

try:
    from memory_core import hook

    hook.run("PostToolUse")
except Exception as error:  # noqa: BLE001 - a broken installation must not stop an agent
    sys.stderr.write(f"agent-memory: {error}\n")
