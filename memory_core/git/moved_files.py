"""Find the new path of a file that git has recorded as renamed."""

from __future__ import annotations

from collections.abc import Iterable

from memory_core.files import git_command

# Searching a long history takes a second for each file.
MAX_FILES = 20


def find_moves(folder: str, paths: Iterable[str]) -> dict[str, str]:
    """Return the new paths of files that are gone, by their old ones; all relative to `folder`.

    Without git or a repository there are none.
    """
    moves = {path: _find_move(folder, path) for path in sorted(set(paths))[:MAX_FILES]}
    return {old: new for old, new in moves.items() if new}


def _find_move(folder: str, path: str) -> str:
    """Return the new path in the index or in the last commit that removed the file, or ""."""
    try:
        head = ("diff", "--cached", "HEAD")
        commit = git_command.run(
            *(folder, "log", "-1", "--format=%H", "--diff-filter=D", "--no-renames", "--"),
            f":(literal){path}",
        )[1].strip()
        commands = [head, *([("show", "--format=", commit)] if commit else [])]
        for command in commands:
            options = ("--relative", "--name-status", "-z", "-M", "--diff-filter=R")
            fields = git_command.run(folder, *command, *options)[1].split("\0")
            for old, new in zip(fields[1::3], fields[2::3], strict=False):
                if old == path:
                    return new
    except FileNotFoundError:
        pass  # there is no git
    return ""
