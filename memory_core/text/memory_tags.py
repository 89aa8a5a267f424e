"""The tags around a memory in a prompt; `memory_echoes` finds them in a text."""

from __future__ import annotations

from memory_core.text import digests

BLOCK_TAG = "agent-memory"


def wrap_block(key: bytes, agent: str, lines: list[str]) -> str:
    """Return `lines` in the tags that mark an agent's memory in its prompt."""
    name = f'"{agent}"'
    if not agent.replace("-", "").replace(":", "").isalnum() or not agent.isascii():
        from memory_core.text import sanitize

        name = sanitize.quote_name(agent)
    return wrap_text(key, BLOCK_TAG, f"agent={name}", lines)


def wrap_text(key: bytes, tag: str, attribute: str, lines: list[str]) -> str:
    """Return `lines` in a tag with an attribute and a mark.

    The mark depends on the text and on a secret key, so that nobody can write it into the text.
    """
    text = "\n".join(lines)
    name = f"{tag}-{digests.sign_text(key, attribute, text)}"
    return f"<{name} {attribute}>\n{text}\n</{name}>"
