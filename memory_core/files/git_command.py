"""Run git in a repository that may be hostile."""

from __future__ import annotations

import os
from collections.abc import Iterable

# Nothing in the settings of the repository runs a program, for a signature or to fetch what is
# missing.  It may also have a folder that looks like a bare repository; git before 2.38 does not
# know the first key.
SAFE_OPTIONS = (
    *("-c", "safe.bareRepository=explicit", "-c", "core.fsmonitor=false"),
    *("-c", "core.hooksPath=/dev/null", "-c", "log.showSignature=false", "-c", "gpg.program="),
    *("-c", "gpg.ssh.program=", "-c", "gpg.x509.program="),
)
SAFE_VARIABLES = {"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1"}
SAFE_VARIABLES |= {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}
SAFE_VARIABLES["GIT_NO_REPLACE_OBJECTS"] = "1"  # else a repository can say that one is another


def run(folder: str, *words: str) -> tuple[int, str]:
    """Run git in a folder; return its status and what it prints."""
    status, output = run_on(folder, words)
    return status, output.decode("utf-8", "surrogateescape")


def run_on(
    folder: str, words: Iterable[str], data: bytes = b"", seconds: float | None = None
) -> tuple[int, bytes]:
    """Do the same with data on its stdin; raises OSError, also if git needs more `seconds`.

    It has no variables of a git process that runs this one.
    """
    import subprocess

    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(
            ["git", *SAFE_OPTIONS, "-C", folder, *words],
            input=data,
            capture_output=True,
            check=False,
            env=env | SAFE_VARIABLES,
            timeout=seconds,
        )
    except subprocess.TimeoutExpired as error:
        raise TimeoutError(str(error)) from None
    return done.returncode, done.stdout
