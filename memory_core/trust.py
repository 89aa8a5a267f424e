"""What must not go in: text that closes our fence, or that speaks for the harness."""

from __future__ import annotations

FENCE = "agent-memory"

# Tags by which Claude Code marks its own words (seen in the requests of 2.1.329), and
# those of the API's own formats.  Any other name with - or _ is treated alike, since
# that is how the harness forms its names: <system-reminder>, <task-notification>.
HARNESS_TAGS = ("system", "human", "user", "assistant", "tool", "instructions", "thinking")

# Looks like < to a person and is none to a machine.
HARMLESS = "‹"


def defuse(text: str) -> str:
    """Return `text` with every tag of ours or the harness's made harmless.

    Invisible characters go: they could hide a tag, or words from a reader.
    Lone surrogates (bytes that were not UTF-8) become the replacement character.
    """
    if not text.replace("\n", "").replace("\t", "").isprintable():
        text = "".join(map(_visible, text))
    if "<" not in text:
        return text
    first, *rest = text.split("<")
    return first + "".join((HARMLESS if _is_harness(part) else "<") + part for part in rest)


def _visible(char: str) -> str:
    if char.isprintable() or char in "\n\t":
        return char
    return "\N{REPLACEMENT CHARACTER}" if "\ud800" <= char <= "\udfff" else _blank(char)


def _blank(char: str) -> str:
    return " " if char.isspace() else ""


def _is_harness(after: str) -> bool:
    """Say whether the text behind a < makes it a tag that is not to be imitated."""
    name = after[:60].removeprefix("/").casefold()
    end = next((i for i, char in enumerate(name) if not (char.isalnum() or char in "-_:.")), 60)
    name = name[:end]
    return name in HARNESS_TAGS or any(char in name for char in "-_:")


def fence(agent: str, lines: list[str]) -> str:
    """Return `lines` as the one block that an agent is given."""
    label = defuse(agent).replace('"', "'").replace("\n", " ").replace("<", HARMLESS)
    return "\n".join([f'<{FENCE} agent="{label}">', *lines, f"</{FENCE}>"])


def is_fenced(text: str) -> bool:
    """Say whether a prompt holds a block of ours."""
    return f"<{FENCE} agent=" in text and f"</{FENCE}>" in text
