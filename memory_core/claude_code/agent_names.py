"""Agent names: every spelling is one agent, and every agent has one file."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# The id of a name that has no letter, digit or sign in it ("", "   ", "--").
# No other name has it: an id never begins or ends with a separator.
EMPTY_ID = "-"

# The main session's memory.  Ids are lower case, so no agent has this one.
PM = "PM"

# Where the main session's memory is looked for, in this order.
PM_FILE_NAMES = ("PM.md", "PM_memories.md", "PM_agent.md")

# Words behind a name that do not belong to it: "engineer-agent", "engineer_memories.md".
_TAILS = ("agent", "memories")

# Names that Windows keeps for devices, whatever follows the first dot, and the
# two files in the folder that are no agent's.
_RESERVED = frozenset(
    ["con", "prn", "aux", "nul", "readme", "pm"]
    + [f"{device}{number}" for device in ("com", "lpt") for number in range(10)]
)

# A longer id, or one with other signs, is encoded.
USUAL_LENGTH = 100


def id_of(name: str) -> str:
    """Return the one id of all spellings of an agent's name; any text has one."""
    scopes = [words for part in _fold(name).split(":") if (words := part.split())]
    if not scopes:
        return EMPTY_ID
    _drop_tails(scopes[-1])
    return ":".join("-".join(words) for words in scopes)


def file_stem_of(agent: str) -> str:
    """Return the agent's file name without suffix: unique, and safe on every file system.

    `=2f` stands for a byte that must not be in a file name, `--` for the colon
    behind a plugin's name, `=agent` marks a name that is taken, `=h` and
    a hash replace the end of an over-long one.
    """
    agent = id_of(agent)
    stem = agent.replace(":", "--")
    if not stem.replace("-", "").isalnum() or not stem.isascii() or len(stem) > USUAL_LENGTH:
        from memory_core.text import name_letters

        stem = name_letters.encode_stem(agent)
    head, dot, rest = stem.partition(".")
    if head in _RESERVED:
        stem = f"{head}=agent{dot}{rest}"
    return stem


def list_file_names(agent: str) -> list[str]:
    """Return the possible names of the memory file of PM or an agent, the preferred one first."""
    if agent == PM:
        return [*PM_FILE_NAMES]
    stem = file_stem_of(agent)
    return [f"{stem}.md", f"{stem}_memories.md", f"{stem}_agent.md"]


def find_file(listing: Iterable[str], names: Iterable[str]) -> str:
    """Return the first of `names` in a folder's listing, as it is spelled there, or "".

    Letter case and the separators `-`, `_` and blank do not matter.
    """
    present = sorted(listing, reverse=True)
    by_key = {make_key(name): name for name in present}
    for name in names:
        if spelling := name if name in present else by_key.get(make_key(name)):
            return spelling
    return ""


def make_key(file_name: str) -> str:
    """Return a key that all spellings of a file name have in common."""
    if not file_name.isascii():
        from unicodedata import normalize

        file_name = normalize("NFC", file_name)
    return file_name.lower().replace("_", "-").replace(" ", "-")


def _fold(name: str) -> str:
    """Fold case and Unicode form; separators of words become blanks."""
    if name.isascii() and name.isprintable():
        return name.lower().replace("-", " ").replace("_", " ")
    from memory_core.text import name_letters

    return name_letters.fold(name)


def _drop_tails(words: list[str]) -> None:
    while words != [".md"]:
        last = words.pop()
        if last.endswith(".md"):
            words += filter(None, [last[:-3]])
        elif not words or last not in _TAILS:
            words.append(last)
            return
