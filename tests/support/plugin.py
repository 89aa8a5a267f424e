"""The environment of the Claude Code plugin."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from pathlib import Path

from memory_core.setup import plugin_environment


def borrow_environment(data: Path, key: str = "") -> Path:
    """Make an environment for a plugin's data folder, of the packages that the tests have."""
    name = f"{key or plugin_environment.hash_dependencies()}-borrowed"
    made = data / "environments" / name
    command = [sys.executable, "-I", "-m", "venv", "--without-pip", str(made)]
    subprocess.run(command, check=True)
    own = sysconfig.get_path("purelib")
    (packages,) = made.glob("lib/python*/site-packages")
    (packages / "borrowed.pth").write_text(f"{own}\n")
    (made / "packages").symlink_to(own)
    link = data / "venv"
    link.unlink(missing_ok=True)
    link.symlink_to(Path("environments") / name)
    return made
