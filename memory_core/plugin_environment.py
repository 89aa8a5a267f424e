"""What the Claude Code plugin runs on: the dependencies, in an environment of its own.

It is made in the background when the first session starts, and again where other
dependencies are wanted; our code itself is run from the plugin's folder.  Where `uv` is there
it makes it, else `venv` and `pip`.  Any Python from 3.10 on does this with the standard
library alone.
"""

from __future__ import annotations

import ast
import fcntl
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import NamedTuple

from memory_core import config, digests, fastjson, plugin, store

# Seconds: a shell of Claude Code's model has 120.
FOR_COMMAND = 100.0

# Seconds that building may take: on a slow line, without a wheel for this machine.
LONGEST = 900

# Seconds after which one that failed is tried again: not at every start.
RETRY = 3600

REST = 0.1
TRIES = 5

# Until then a builder that was just started may not have its lock yet.
GRACE = 3.0

LOG = "build.log"

# What would lead pip elsewhere than into the new environment.
MISLEADING = (
    *("PYTHONHOME", "PYTHONPATH", "PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_USER"),
    *("PIP_REQUIRE_VIRTUALENV", "VIRTUAL_ENV"),
)

# What of a plugin's folder says what it depends on.
PROJECT = "pyproject.toml"

BEGUN = (
    "agent-memory: its Python environment is being made in the background, once. Agents have"
    " their memory meanwhile; commands and the MCP server wait for it."
)
UNFINISHED = "its Python environment is still being made; try again in a minute"


class Failed(Exception):
    """The environment could not be made; the message is the reason, for a person."""


class State(NamedTuple):
    """How far the plugin's environment is: ready, building, failed or none, and why it failed."""

    name: str
    reason: str = ""


def root() -> str:
    """Return the plugin's folder."""
    return os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def dependencies(folder: str = "") -> list[str]:
    """Return the requirements of a plugin's pyproject.toml; `tomllib` came with 3.11 only."""
    with open(os.path.join(folder or root(), PROJECT), encoding="utf-8") as file:
        text = file.read()
    listed = text.partition("\ndependencies = ")[2].partition("\n]")[0]
    return [str(each) for each in ast.literal_eval(f"{listed}\n]")]


def key(folder: str = "") -> str:
    """Return what stands for the requirements that an environment is made for."""
    return digests.digest("\n".join(dependencies(folder)))


def state(data: str, folder: str) -> State:
    """Say how far the environment in `data` is, for the plugin in `folder`."""
    if is_ready(data, folder):
        return State("ready")
    if is_building(data):
        return State("building")
    failed = plugin.failure(data)
    return State("failed", str(failed.get("reason"))) if failed else State("none")


def is_ready(data: str, folder: str = "") -> bool:
    """Say whether the environment in use is there, and made for what is wanted now."""
    link = os.path.join(data, "venv")
    made_for = os.path.basename(os.path.realpath(link)).partition("-")[0]
    is_there = os.access(os.path.join(link, "bin", "python"), os.X_OK)
    return is_there and made_for == key(folder) and not _is_outgrown(link)


def _is_outgrown(link: str) -> bool:
    """Say whether this is the environment's Python, and newer than it was when that was made."""
    if os.path.dirname(sys.executable) != os.path.join(link, "bin"):
        return False
    version = ".".join(map(str, sys.version_info[:2]))
    return f"/python{version}" not in os.path.realpath(os.path.join(link, "packages"))


def is_building(data: str) -> bool:
    try:
        descriptor = os.open(os.path.join(data, "build.lock"), os.O_RDWR)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


# When a session starts.


def at_session_start(environ: Mapping[str, str]) -> None:
    """Have the environment made where it is not, and print what a person is to know of it."""
    data = environ[plugin.DATA]
    if config.is_off(environ) or is_ready(data):
        return
    is_begun = ask_for(data) or is_building(data)
    if notice := _failure(data) or (BEGUN if is_begun and _is_news(data) else ""):
        print(fastjson.dumps({"systemMessage": notice}))


def _is_news(data: str) -> bool:
    """Say whether nobody was told yet of the environment that is wanted now; note that.

    Of sessions that start at once, one is told.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    try:
        os.close(os.open(os.path.join(data, f"told-{key()}"), flags, 0o644))
    except FileExistsError:
        return False
    except OSError:
        pass
    return True


def _failure(data: str) -> str:
    """Return what a person is not told yet about a failure; note that."""
    failed = plugin.failure(data)
    if not failed or failed.get("told"):
        return ""
    _note_failure(data, {**failed, "told": True})
    log = os.path.join(data, LOG)
    return (
        f"agent-memory: its Python environment could not be made: {failed['reason']} Agents have"
        f" their memory all the same, its commands and MCP server do not work. See {log}"
    )


def ask_for(data: str, at_once: bool = False) -> bool:
    """Start the building in the background, unless it goes on, or has failed just now.

    With `at_once` it is tried again all the same.  Say whether it was started.
    """
    failed = plugin.failure(data)
    is_early = failed.get("key") == key() and 0 <= time.time() - failed["when"] < RETRY
    if (is_early and not at_once) or is_building(data):
        return False
    try:
        os.makedirs(data, exist_ok=True)
        subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", plugin.DOOR, root(), "build"],
            cwd=data,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # it outlives the session that asked for it
        )
    except OSError:
        return False  # a home that nobody may write to: memory works without
    return True


def await_ready(environ: Mapping[str, str], patience: float, at_once: bool = False) -> str:
    """Wait for the environment, for so many seconds; return why it is not there, or "".

    `at_once` is as for `ask_for`.
    """
    look = outlook(environ[plugin.DATA], at_once)
    end = time.monotonic() + patience
    while (why := look()) is None and time.monotonic() < end:
        time.sleep(REST)
    return UNFINISHED if why is None else why


def outlook(data: str, at_once: bool = False) -> Callable[[], str | None]:
    """Have the environment made where it is not; return what says at any time how that goes.

    That is None while it goes on, "" when the environment is there, else why it is not.
    `at_once` is as for `ask_for`.
    """
    began = time.monotonic()
    is_asked = not is_ready(data) and ask_for(data, at_once)

    def look() -> str | None:
        if is_ready(data):
            return ""
        if is_building(data) or (is_asked and time.monotonic() < began + GRACE):
            return None
        return "" if is_ready(data) else _why(data)  # it may have become so since

    return look


def _why(data: str) -> str:
    reason = plugin.failure(data).get("reason") or "it was stopped."
    return f"its Python environment could not be made: {reason} See {os.path.join(data, LOG)}"


def enter(arguments: list[str], environ: Mapping[str, str]) -> None:
    """Go on with a command line in the environment's own Python, unless this is it."""
    environment = os.path.join(environ[plugin.DATA], "venv")
    if os.path.realpath(sys.prefix) != os.path.realpath(environment):
        own = command(arguments, environ)
        os.execv(own[0], own)  # noqa: S606 - no shell needed


def command(arguments: list[str], environ: Mapping[str, str]) -> list[str]:
    """Return what runs a command line in the environment's own Python."""
    python = os.path.join(environ[plugin.DATA], "venv", "bin", "python")
    return [python, "-I", "-c", plugin.DOOR, root(), "run", *arguments]


# Building.


def build(environ: Mapping[str, str]) -> int:
    """Make the environment, unless somebody else does; return the exit status."""
    data = environ[plugin.DATA]
    with _locked(data) as is_ours:
        if not is_ours or is_ready(data):
            return 0
        _log_to(os.path.join(data, LOG))
        folder = os.path.join(data, "environments")
        _sweep(folder, os.path.realpath(os.path.join(data, "venv")))
        new = os.path.join(folder, f"{key()}-{int(time.time())}-{os.getpid()}")
        try:
            _make(new)
            _prove(new)
            _point(os.path.join(data, "venv"), os.path.join("environments", os.path.basename(new)))
        except (Failed, OSError, subprocess.SubprocessError) as error:
            shutil.rmtree(new, ignore_errors=True)
            _note_failure(data, {"key": key(), "when": time.time(), "reason": _reason(error)})
            return 1
        with suppress(OSError):
            os.unlink(os.path.join(data, "failed.json"))
        _compile(new)
    return 0


def _compile(new: str) -> None:
    """Compile what was installed: a quarter of the building, for which nobody has to wait."""
    python = os.path.join(new, "bin", "python")
    with suppress(Failed, OSError):
        _run([python, "-I", "-m", "compileall", "-q", os.path.join(new, "lib")])


@contextmanager
def _locked(data: str) -> Iterator[bool]:
    """Hold the lock of the builders, or say that it is held; the kernel frees it at our end."""
    descriptor = os.open(os.path.join(data, "build.lock"), os.O_RDWR | os.O_CREAT, 0o644)
    try:
        yield _lock(descriptor)
    finally:
        os.close(descriptor)


def _lock(descriptor: int) -> bool:
    """Take a lock, or say that it is held: who only asks `is_building` has it for a moment."""
    for _ in range(TRIES):
        with suppress(BlockingIOError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        time.sleep(REST / TRIES)
    return False


def _log_to(path: str) -> None:
    """Have all that is printed from here on stand in a new log."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    for output in (1, 2):
        os.dup2(descriptor, output)
    os.close(descriptor)


def _sweep(folder: str, used: str) -> None:
    """Remove what killed builders left, and environments before the one in use."""
    os.makedirs(folder, exist_ok=True)
    for name in os.listdir(folder):
        path = os.path.join(os.path.realpath(folder), name)
        if path != used:
            shutil.rmtree(path, ignore_errors=True)


def _make(new: str) -> None:
    uv = shutil.which("uv")
    if not (uv and _by_uv(uv, new)):
        _by_pip(new)
    python = os.path.join(new, "bin", "python")
    told = _run([python, "-I", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"])
    os.symlink(os.path.relpath(told.strip(), new), os.path.join(new, "packages"))


def _by_uv(uv: str, new: str) -> bool:
    """Try it with uv, which is quick; say whether it did."""
    try:
        _run([uv, "venv", "--quiet", "--python", sys.executable, new])
        python = os.path.join(new, "bin", "python")
        install = [uv, "pip", "install", "--quiet", "--python", python]
        _run([*install, *dependencies()])
    except (Failed, OSError):
        shutil.rmtree(new, ignore_errors=True)
        return False
    return True


def _by_pip(new: str) -> None:
    version = ".".join(map(str, sys.version_info[:2]))
    try:
        _run([sys.executable, "-I", "-c", "import ensurepip, venv"])
    except Failed:
        raise Failed(
            f"{sys.executable} cannot make environments. On Debian or Ubuntu:"
            f" sudo apt install python{version}-venv. Or install uv."
        ) from None
    _run([sys.executable, "-I", "-m", "venv", new])
    pip = [os.path.join(new, "bin", "python"), "-I", "-m", "pip", "install"]
    options = ("--quiet", "--no-input", "--disable-pip-version-check", "--no-compile")
    _run([*pip, *options, *dependencies()])


def _prove(new: str) -> None:
    """Have the command line answer there; raises Failed."""
    program = f"import sys; sys.argv[1:] = ['--help']; sys.path.append({root()!r})\n"
    program += "from memory_core.cli import program; program()"
    _run([os.path.join(new, "bin", "python"), "-I", "-c", program])


def _run(command: list[str]) -> str:
    """Run a step of the building, with its complaints in the log; raises Failed."""
    environ = {name: value for name, value in os.environ.items() if name not in MISLEADING}
    try:
        done = subprocess.run(
            command,
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=LONGEST,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise Failed(f"{command[0]} took longer than {LONGEST} s.") from None
    if done.returncode:
        print(f"$ {' '.join(command)}\n{done.stdout}", flush=True)
        lines = [line.strip() for line in done.stdout.splitlines() if line.strip()]
        raise Failed(f"{os.path.basename(command[0])} failed: {lines[-1] if lines else ''}"[:300])
    return done.stdout


def _reason(error: Exception) -> str:
    told = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return told if told.endswith(".") else f"{told}."


def _point(link: str, target: str) -> None:
    """Make or replace a symbolic link in one step: a hook sees the old or the new one."""
    new = f"{link}.{os.getpid()}"
    os.symlink(target, new)
    os.replace(new, link)


def _note_failure(data: str, failed: Mapping[str, object]) -> None:
    with suppress(OSError):
        path = os.path.join(data, "failed.json")
        store.replace(path, fastjson.dumps(dict(failed)).encode())
