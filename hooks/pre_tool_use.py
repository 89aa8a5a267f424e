#!/usr/bin/env python3
"""Before an agent starts: add its memory to its prompt."""

import sys

# The folder of memory_core, in a clone and in site-packages; the standard library comes first.
sys.path.append(f"{__file__.rpartition('/')[0]}/..")

try:
    from memory_core import hook

    hook.run("PreToolUse")
except Exception as error:  # noqa: BLE001 - a broken installation must not stop an agent
    sys.stderr.write(f"agent-memory: {error}\n")
