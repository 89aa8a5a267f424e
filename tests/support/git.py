"""Run git with an author, whatever the configuration of this machine is."""

import subprocess
from pathlib import Path

SETTINGS = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "init.defaultBranch=main")


def name_author(name: str, email: str = "ann@example.org") -> dict[str, str]:
    """Return the variables that name the author and the committer of commits."""
    values = {"NAME": name, "EMAIL": email}
    roles = ("AUTHOR", "COMMITTER")
    return {f"GIT_{role}_{key}": value for role in roles for key, value in values.items()}


def git(folder: Path, *words: str) -> str:
    """Run a command that succeeds, and return its output."""
    command = ["git", *SETTINGS, *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
