"""Files on disk."""

from pathlib import Path


def write(path: Path, text: str) -> None:
    """Write a file and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def read_files(folder: Path) -> dict[str, bytes]:
    """Return the bytes of each file below a folder, by its relative path."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def list_files_with(text: str, *folders: Path) -> list[str]:
    """Return the names of the files below these folders that contain a text."""
    paths = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    return [path.name for path in paths if text.encode() in path.read_bytes()]


def define_agents(root: Path, *names: str) -> None:
    """Write definitions of agents, as Claude Code reads them, below this project or home."""
    for name in names:
        text = f"---\nname: {name}\ndescription: works\n---\nYou ...\n"
        write(root / ".claude" / "agents" / f"{name}.md", text)


def write_program(path: Path, script: str) -> None:
    """Write a shell script that can be executed."""
    path.unlink(missing_ok=True)
    write(path, f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
