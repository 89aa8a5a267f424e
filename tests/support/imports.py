"""List the modules that a hook imports."""

import json
import subprocess
import sys
from typing import Any

from support.paths import REPO
from support.sandbox import Sandbox
from support.workers import await_worker

# Modules whose import takes a noticeable part of a hook's start time.
EXPENSIVE_MODULES = {
    *("os", "re", "json", "typing", "dataclasses", "pathlib", "enum", "collections", "contextlib"),
    *("logging", "tempfile", "subprocess", "argparse", "hashlib", "datetime", "signal"),
    *("pydantic", "pydantic_core", "filelock", "typer", "rich", "yaml"),
}

# A hook ends by posix._exit, so replace that by a function that prints the modules.
PROGRAM = (
    "import posix, sys\n"
    "posix._exit = lambda status: (sys.stderr.write(' '.join(sys.modules)), sys.exit(status))\n"
    "code = compile(open({path!r}).read(), {path!r}, 'exec')\n"
    "exec(code, {{'__name__': '__main__', '__file__': {path!r}}})\n"
)


def list_hook_imports(sandbox: Sandbox, hook: str, event: dict[str, Any]) -> list[str]:
    """Run a hook with an empty PATH, and return the names of the modules that it imported."""
    path = str(REPO / "hooks" / f"{hook}.py")
    command = [sys.executable, "-I", "-S", "-c", PROGRAM.format(path=path)]
    data = json.dumps(event, separators=(",", ":")).encode()
    env = {**sandbox.env, "PATH": str(sandbox.home)}
    done = subprocess.run(command, input=data, capture_output=True, env=env, check=True)
    await_worker(sandbox.paths)
    return done.stderr.decode().split()
