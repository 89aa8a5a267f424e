"""What a hook's process imports."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from support.paths import REPO
from support.sandbox import Sandbox

# What costs a hook a noticeable part of an interpreter's start.
EXPENSIVE_MODULES = {
    *("re", "json", "typing", "dataclasses", "pathlib", "enum", "collections", "contextlib"),
    *("logging", "tempfile", "subprocess", "argparse", "hashlib", "datetime", "signal"),
    *("pydantic", "pydantic_core", "filelock", "typer", "rich", "yaml"),
}

START_EVENT = {
    "hook_event_name": "SubagentStart",
    "session_id": "s1",
    "agent_id": "a2",
    "agent_type": "engineer",
}
SESSION_EVENT = {"hook_event_name": "SessionStart", "session_id": "s1", "source": "startup"}

# os._exit would hide what was imported: in its place, say it.
PROGRAM = (
    "import os, sys\n"
    "os._exit = lambda status: (sys.stderr.write(' '.join(sys.modules)), sys.exit(status))\n"
    "code = compile(open({path!r}).read(), {path!r}, 'exec')\n"
    "exec(code, {{'__name__': '__main__', '__file__': {path!r}}})\n"
)


def list_hook_imports(sandbox: Sandbox, hook: str, event: dict[str, Any]) -> list[str]:
    """Run a hook where PATH has no program, and return the modules that it has imported."""
    path = str(REPO / "hooks" / f"{hook}.py")
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", PROGRAM.format(path=path)],
        input=json.dumps(event, separators=(",", ":")),
        capture_output=True,
        text=True,
        env={**sandbox.env, "PATH": str(sandbox.home)},
        check=True,
    )
    return done.stderr.split()
