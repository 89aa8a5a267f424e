"""The names that an agent's memory file may have, and which file of a folder has one of them."""

from __future__ import annotations

from collections.abc import Iterable

from memory_core.claude_code.agent_names import PM, file_stem_of

# Where the main session's memory is looked for, in this order.
PM_FILE_NAMES = ("PM.md", "PM_memories.md", "PM_agent.md")


def list_file_names(agent: str) -> list[str]:
    """Return the possible names of the memory file of PM or an agent, the preferred one first."""
    return [*PM_FILE_NAMES] if agent == PM else list_agent_names(agent)


def list_agent_names(agent: str) -> list[str]:
    """Return the possible names of an agent's memory file, the preferred one first."""
    stem = file_stem_of(agent)
    return [f"{stem}.md", f"{stem}_memories.md", f"{stem}_agent.md"]


def find_file(listing: Iterable[str], names: Iterable[str]) -> str:
    """Return the first of `names` in a folder's listing, as it is spelled there, or "".

    Letter case and the separators `-`, `_` and blank do not matter.
    """
    present = set(listing)
    by_key: dict[str, str] = {}
    for name in sorted(present):
        by_key.setdefault(make_key(name), name)
    for name in names:
        if name in present:
            return name
        if make_key(name) in by_key:
            return by_key[make_key(name)]
    return ""


def make_key(file_name: str) -> str:
    """Return a key that all spellings of a file name have in common."""
    if not file_name.isascii():
        from unicodedata import normalize

        file_name = normalize("NFC", file_name)
    return file_name.lower().replace("_", "-").replace(" ", "-")
