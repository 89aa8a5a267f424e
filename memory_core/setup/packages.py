"""The packages of the running program: find them, and copy them into another environment.

`uvx`, `pipx`, `pip` and install.sh put the program into environments that may be removed or
upgraded at any time.  Hooks therefore run a copy, which needs no package index.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, PackagePath, distribution

from memory_core.setup.builder import InstallRefused

PROJECT = "agent-memory"

# The extra with the packages of the MCP server.
MCP = "mcp"

_REQUIREMENT = re.compile(r"([\w.-]+)\s*(?:\[([^\]]*)\])?", re.ASCII)
_EXTRA = re.compile(r"""extra\s*==\s*['"]([^'"]+)""")


def find_packages() -> list[Distribution]:
    """Return the running program's package and all that it needs, also for MCP, sorted by name.

    A requirement that is not installed here is left out: an environment marker excludes it, or
    it belongs to an extra.  Raises InstallRefused.
    """
    if not is_installed():
        raise InstallRefused("this program runs from a clone: run ./install.sh PROJECT there")
    packages: dict[str, Distribution] = {}
    waiting: list[tuple[str, tuple[str, ...]]] = [(PROJECT, (MCP,))]
    seen = set(waiting)
    while waiting:
        name, extras = waiting.pop()
        try:
            package = distribution(name)
        except PackageNotFoundError:
            continue
        packages[re.sub(r"[-_.]+", "-", name).lower()] = package
        needed = set(_list_requirements(package, extras)) - seen
        seen |= needed
        waiting += needed
    for name, package in packages.items():
        if package.files is None:
            raise InstallRefused(f"{name} has no list of its files: install it with pipx")
    return [packages[name] for name in sorted(packages)]


def list_extra(package: Distribution) -> list[str]:
    """Return the requirements of a package that only its extra MCP has, as pip takes them."""
    requirements = package.requires or ()
    own = [text for text in requirements if MCP in _EXTRA.findall(text)]
    return [text.partition(";")[0].strip() for text in own]


def _list_requirements(
    package: Distribution, extras: tuple[str, ...]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the requirements of a package with these extras: their names and extras."""
    for requirement in package.requires or ():
        extra, match = _EXTRA.search(requirement), _REQUIREMENT.match(requirement)
        if match and (extra is None or extra[1] in extras):
            yield match[1], tuple(sorted(re.findall(r"[\w.-]+", match[2] or "")))


def is_installed() -> bool:
    """Say whether this module is of an installed package, and not of a clone."""
    try:
        own = distribution(PROJECT).locate_file("memory_core/setup/packages.py")
    except PackageNotFoundError:
        return False
    return os.path.realpath(__file__) == os.path.realpath(str(own))


def hash_packages(packages: list[Distribution]) -> str:
    """Return a hash of the packages and of this Python's version."""
    digest = hashlib.sha256(".".join(map(str, sys.version_info[:3])).encode())
    for package in packages:
        digest.update((package.read_text("METADATA") or "").encode())
        if package.metadata["Name"] == PROJECT:  # a clone keeps its version when it changes
            own = (file for file in _list_files(package) if not _is_info(file))
            digest.update("".join(f"\n{file} {file.hash}" for file in own).encode())
    return digest.hexdigest()


def copy_packages(packages: list[Distribution], target: str) -> None:
    """Copy packages into a folder; raises OSError."""
    for package in packages:
        for file in _list_files(package):
            path = os.path.join(target, *file.parts)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            shutil.copyfile(str(file.locate()), path)


def _list_files(package: Distribution) -> list[PackagePath]:
    """Return the files of a package to copy, sorted: no commands, no compiled Python files."""
    return sorted(
        file
        for file in package.files or ()
        if not (file.is_absolute() or {"..", "__pycache__"} & {*file.parts})
    )


def _is_info(file: PackagePath) -> bool:
    """Say whether a file is about the package: some are different after each installation."""
    return file.parts[0].endswith(".dist-info")
