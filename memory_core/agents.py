"""Agent names: every spelling is one agent, and every agent has one file."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# The id of a name that has no letter, digit or sign in it ("", "   ", "--").
# No other name can give it, for separators never stand at the edge of an id.
NAMELESS = "-"

# The main session's memory.  Ids are lower case, so no agent has this one.
PM = "PM"

# Where the main session's memory is looked for, in this order.
MAIN_FILE_NAMES = ("PM.md", "PM_memories.md", "PM_agent.md")

# Words behind a name that do not belong to it: "engineer-agent", "engineer_memories.md".
_TAILS = ("agent", "memories")

# Signs that mean the same to every file system and are common in names: "c++", "node.js".
_LITERAL = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-.+#@")

# Names that Windows keeps for devices, whatever follows the first dot, and the
# two files in the folder that are no agent's.
_RESERVED = frozenset(
    ["con", "prn", "aux", "nul", "readme", "pm"]
    + [f"{device}{number}" for device in ("com", "lpt") for number in range(10)]
)

# File systems allow 255 bytes; suffixes of our own, and a file system that
# stores letters decomposed, want their share.
_STEM_BYTES = 120
_CUT_BYTES = 100

_ACRONYMS = " ai api aws cd ci cli css db gcp html http ios json llm mcp ml pm qa sdk sql ui ux "
_TITLE_LENGTH = 60


def agent_id(name: str) -> str:
    """Give the one id of all spellings of an agent's name; any text has one."""
    scopes = [words for part in _folded(name).split(":") if (words := part.split())]
    if not scopes:
        return NAMELESS
    _drop_tails(scopes[-1])
    return ":".join("-".join(words) for words in scopes)


def is_same(name: str, other: str) -> bool:
    """Tell whether two names mean one agent."""
    return agent_id(name) == agent_id(other)


def file_stem(agent: str) -> str:
    """Give the agent's file name without suffix: its own, and safe on every file system.

    `=2f` stands for a byte that must not be in a file name, `--` for the colon
    behind a plugin's name, `=agent` marks a name that is taken, `=h` and
    a hash replace the end of an over-long one.
    """
    stem = _spelled(agent_id(agent))
    head, dot, rest = stem.partition(".")
    if head in _RESERVED:
        stem = f"{head}=agent{dot}{rest}"
    return stem if len(stem.encode()) <= _STEM_BYTES else _cut(stem)


def file_names(agent: str) -> list[str]:
    """List the file names under which an agent's memory is looked for, the first is the best."""
    stem = file_stem(agent)
    return [f"{stem}.md", f"{stem}_memories.md", f"{stem}_agent.md"]


def find(listing: Iterable[str], names: Iterable[str]) -> str:
    """Find the first of `names` in a folder's listing, as it is spelled there, or "".

    Letter case does not matter, nor whether words are parted by `-`, `_` or a blank.
    """
    present = set(listing)
    by_key: dict[str, str] = {}
    for found in sorted(present):
        by_key.setdefault(_key(found), found)
    for name in names:
        if name in present:
            return name
        if _key(name) in by_key:
            return by_key[_key(name)]
    return ""


def matches(file_name: str, agent: str) -> bool:
    """Tell whether a file name is one of the agent's, in whatever spelling."""
    key = _key(file_name)
    return any(key == _key(name) for name in file_names(agent))


def owner(file_name: str) -> str:
    """Give the id of the agent whose file this is, or "".

    Empty for README.md and PM.md, for what is no memory file, and for an
    over-long name, of which the file has only the beginning.
    """
    key = _key(file_name)
    if not key.endswith(".md"):
        return ""
    stem = key[:-3].replace("=agent", "").replace("--", ":")
    agent = agent_id(_decoded(stem))
    return agent if matches(file_name, agent) else ""


def title(agent: str) -> str:
    """Give the agent's name for a heading: one short line without markup."""
    scopes = [_title_words(scope) for scope in agent_id(agent).split(":")]
    text = ": ".join(scope for scope in scopes if scope)
    return text[:_TITLE_LENGTH].strip() or "Unnamed"


def _folded(name: str) -> str:
    """Fold case and form; what separates words becomes a blank."""
    if name.isascii() and name.isprintable():
        return name.lower().replace("-", " ").replace("_", " ")
    from unicodedata import normalize

    # Folding case can undo the normal form, and a dropped character can let
    # its neighbours combine: an id must be what its own folding gives.
    before = ""
    while name != before:
        before = name
        name = "".join([_plain(char) for char in normalize("NFKC", name.casefold())])
    return name


def _plain(char: str) -> str:
    from unicodedata import category

    from memory_core.invisible import UNSEEN

    kind = category(char)
    if kind == "Cf" or char in UNSEEN or _is_variation(char):
        return ""
    if kind == "Cs":
        return "\ufffd"
    return " " if kind[0] == "Z" or kind in ("Cc", "Pc", "Pd") else char


def _is_variation(char: str) -> bool:
    return "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef"


def _drop_tails(words: list[str]) -> None:
    while True:
        last = words[-1]
        if last == ".md" and len(words) == 1:
            return
        if last.endswith(".md"):
            words[-1:] = [last[:-3]] if last != ".md" else []
        elif last in _TAILS and len(words) > 1:
            words.pop()
        else:
            return


def _spelled(agent: str) -> str:
    stem = _edged("".join([char if char in _LITERAL else _kept(char) for char in agent]))
    if not stem.isascii():
        from unicodedata import normalize

        # A mark behind one of our own letters would melt into it.
        if normalize("NFC", stem) != stem:
            stem = _edged("".join([char if char in _LITERAL else _coded(char) for char in agent]))
    return stem


def _edged(stem: str) -> str:
    """Spell out what must not stand at the edge: it hides files, or is taken for an option."""
    if stem[0] in ".-":
        stem = _coded(stem[0]) + stem[1:]
    return stem[:-1] + _coded(".") if stem[-1] == "." else stem


def _kept(char: str) -> str:
    """Give a character that `_LITERAL` lacks as it may stand in a file name."""
    if char == ":":
        return "--"  # an id has no two hyphens in a row
    if char.isascii():
        return _coded(char)
    from unicodedata import category

    # Where two characters have one capital, a file system that ignores case
    # takes them for one; only the one that the capital leads back to is kept.
    stable = char.lower() == char == char.upper().lower()
    kind = category(char)
    return char if stable and (kind[0] in "LMN" or kind == "So") else _coded(char)


def _coded(char: str) -> str:
    return "".join([f"={byte:02x}" for byte in char.encode()])


def _cut(stem: str) -> str:
    from hashlib import sha256

    start = stem.encode()[:_CUT_BYTES].decode("utf-8", "ignore")
    return f"{start}=h{sha256(stem.encode()).hexdigest()[:16]}"


def _key(file_name: str) -> str:
    """Give what is common to all spellings of a file name."""
    if not file_name.isascii():
        from unicodedata import normalize

        file_name = normalize("NFC", file_name)
    return file_name.lower().replace("_", "-").replace(" ", "-")


def _decoded(stem: str) -> str:
    first, *coded = stem.split("=")
    data = first.encode("utf-8", "replace")
    for part in coded:
        try:
            data += bytes.fromhex(part[:2]) + part[2:].encode("utf-8", "replace")
        except ValueError:
            return ""
    return data.decode("utf-8", "replace")


def _title_words(scope: str) -> str:
    plain = "".join([char for char in scope if char in _LITERAL or char.isalnum()])
    words = [word for word in plain.split("-") if word]
    return " ".join(
        [word.upper() if f" {word} " in _ACRONYMS else word.capitalize() for word in words]
    )
