"""Create Python environments, with `uv` or else with `venv` and `pip`, and run their programs.

Any Python from 3.10 on runs this module, before anything is installed, so it imports the standard
library only.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

# The Python itself: the environment of this program may go, and 3.10 would link a new one to it.
BASE = os.path.realpath(getattr(sys, "_base_executable", sys.executable))

# Seconds that a step may take.
STEP_TIMEOUT = 900

# Variables that make Python or pip use another folder than the new environment.
REMOVED_VARIABLES = (
    *("PYTHONHOME", "PYTHONPATH", "PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_USER"),
    *("PIP_REQUIRE_VIRTUALENV", "VIRTUAL_ENV"),
)

PIP_OPTIONS = ("--quiet", "--no-input", "--disable-pip-version-check", "--retries", "2")

# Start of the sentence with which this program ends.
OWN_PREFIX = "agent-memory: "

# What pip, git and uv print without a network.
NO_CONNECTION = ("connection broken", "Could not resolve host", "Failed to connect", "dns error")


class InstallRefused(Exception):
    """The reason why something cannot be done, for a person, and the exit status.

    `output` is what a program printed that failed.
    """

    def __init__(self, sentence: str, status: int = 1, output: str = "") -> None:
        super().__init__(sentence)
        self.status = status
        self.output = output


@contextmanager
def add_environment(data: str, prefix: str = "") -> Iterator[str]:
    """Yield the path of a new environment in a data folder; remove it unless it is in use then.

    It gets its final name at once: its scripts contain the path.  `switch_to` makes it the one in
    use.  That before it stays until the next build: Python imports modules while it runs, for
    example in an MCP server of an open session.
    """
    folder = os.path.join(os.path.realpath(data), "environments")
    new = os.path.join(folder, f"{prefix}{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}")
    os.makedirs(folder, exist_ok=True)
    lock = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)  # one build at a time
        used = _find_used(data)
        for entry in os.scandir(folder):
            if entry.path != used and not entry.is_symlink():
                remove_all(entry.path)
        yield new
    finally:
        if _find_used(data) != new:
            shutil.rmtree(new, ignore_errors=True)
        os.close(lock)
        for path in (folder, data):
            with suppress(OSError):  # in use
                os.rmdir(path)


def _find_used(data: str) -> str:
    return os.path.realpath(os.path.join(data, "venv"))


def switch_to(data: str, environment: str) -> None:
    """Make an environment in a data folder the one in use; raises OSError."""
    target = os.path.join("environments", os.path.basename(environment))
    replace_link(os.path.join(data, "venv"), target)


def create(new: str, requirements: Sequence[str]) -> str:
    """Create an environment of this Python with these requirements, and without pip.

    Return the folder of its packages, to which it has a link.  Raises InstallRefused.
    """
    _create(new, requirements)
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = run([find_python(new), "-I", "-c", code]).strip()
    replace_link(os.path.join(new, "packages"), os.path.relpath(packages, new))
    return packages


def _create(new: str, requirements: Sequence[str]) -> None:
    if not requirements:
        run([BASE, "-I", "-m", "venv", "--without-pip", new])
        return
    if uv := shutil.which("uv"):
        try:
            run([uv, "venv", "--quiet", "--python", BASE, new])
            install = [uv, "pip", "install", "--quiet", "--python", find_python(new)]
            # A clone keeps its version number when it changes.
            run([*install, "--refresh-package", "agent-memory", *requirements])
            return
        except InstallRefused as failure:
            print(f"{failure} Trying pip ...", flush=True)
            shutil.rmtree(new, ignore_errors=True)
    _create_by_pip(new, requirements)


def find_python(environment: str) -> str:
    """Return the path of an environment's Python."""
    return os.path.join(environment, "bin", "python")


def replace_link(link: str, target: str) -> None:
    """Create or replace a symbolic link in one step; raises OSError."""
    temporary = f"{link}.{os.urandom(8).hex()}"
    os.symlink(target, temporary)
    os.replace(temporary, link)


def remove_all(path: str) -> None:
    """Remove a file, a link or a folder; raises OSError."""
    is_folder = os.path.isdir(path) and not os.path.islink(path)
    shutil.rmtree(path) if is_folder else os.unlink(path)


def _create_by_pip(new: str, requirements: Sequence[str]) -> None:
    try:
        run([BASE, "-I", "-c", "import ensurepip, venv"])
    except InstallRefused:
        version = ".".join(map(str, sys.version_info[:2]))
        raise InstallRefused(
            f"{BASE} cannot create environments. On Debian or Ubuntu run:"
            f" sudo apt install python{version}-venv. Or install uv."
        ) from None
    run([BASE, "-I", "-m", "venv", new])
    pip = [find_python(new), "-I", "-m", "pip"]
    run([*pip, "install", *PIP_OPTIONS, "--no-compile", *requirements])
    # The program needs neither, and pip is as large as the rest.
    run([*pip, "uninstall", "--quiet", "--yes", "pip", "setuptools"])


def run(command: Sequence[str]) -> str:
    """Run a step and return its output; raises InstallRefused with the last error in the output."""
    try:
        process = subprocess.run(
            command,
            env={name: text for name, text in os.environ.items() if name not in REMOVED_VARIABLES},
            cwd=os.path.abspath(os.sep),  # uv reads the settings of the current folder
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=STEP_TIMEOUT,
            check=False,
        )
    except OSError as error:
        raise InstallRefused(f"{command[0]}: {error.strerror}.") from None
    except subprocess.TimeoutExpired:
        raise InstallRefused(f"{command[0]} took longer than {STEP_TIMEOUT} s.") from None
    output = process.stdout
    if process.returncode:
        raise InstallRefused(_explain(command, output), output=f"$ {' '.join(command)}\n{output}")
    return output


def _explain(command: Sequence[str], output: str) -> str:
    """Return a sentence about the last error in the output of a program that failed."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    if lines and lines[-1].startswith(OWN_PREFIX):  # another Python of this program
        return f"{lines[-1].removeprefix(OWN_PREFIX).rstrip('.')}."
    if any(sign in output for sign in NO_CONNECTION):
        return "cannot download: no connection. Check your network and proxy, and try again."
    name = os.path.basename(command[0])
    name = "pip" if name != "uv" and "pip" in command else name
    errors = [line for line in lines if "ERROR: " in line]  # of pip
    errors = errors or [line for line in lines if "error" in line.lower()]
    reason = next(reversed(errors or lines), "no error message")[:300]
    return f"{name} failed: {reason.rstrip('.')}."
