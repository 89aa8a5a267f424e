"""Run git with an author, whatever the configuration of this machine is."""

from pathlib import Path

from support.processes import run_text

SETTINGS = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "init.defaultBranch=main")


def name_author(name: str, email: str = "ann@example.org") -> dict[str, str]:
    """Return the variables that name the author and the committer of commits."""
    values = {"NAME": name, "EMAIL": email}
    roles = ("AUTHOR", "COMMITTER")
    return {f"GIT_{role}_{key}": value for role in roles for key, value in values.items()}


def git(folder: Path, *words: str) -> str:
    """Run a command that succeeds, and return its output."""
    done = run_text(["git", *SETTINGS, *words], cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
