#!/usr/bin/env python3
"""When a session ends: wait a moment until the last reports are saved."""

import os
import sys

# The folder of memory_core, in a clone and in site-packages; the standard library comes first.
sys.path.append(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))

try:
    from memory_core import hook
except Exception as error:  # noqa: BLE001 - a broken installation must not stop an agent
    sys.stderr.write(f"agent-memory: {error}\n")
    sys.exit(0)
hook.run("SessionEnd")
