"""Symbolic links of an installation."""

from __future__ import annotations

import os


def replace_link(link: str, target: str) -> None:
    """Create or replace a symbolic link in one step; raises OSError."""
    temporary = f"{link}.{os.urandom(8).hex()}"
    os.symlink(target, temporary)
    os.replace(temporary, link)
