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

MAX_NAME_LENGTH = 100


def id_of(name: str) -> str:
    """Return the one id of all spellings of an agent's name; any text has one."""
    scopes = [words for part in _fold(name).split(":") if (words := part.split())]
    if not scopes:
        return EMPTY_ID
    _drop_tails(scopes[-1])
    return ":".join("-".join(words) for words in scopes)


def is_valid_name(name: str) -> bool:
    """Check whether people and programs may give an agent this name; hooks accept any name."""
    is_plain = name.isprintable() and name[:1] not in (".", "-") and not set("/\\") & set(name)
    return is_plain and any(map(str.isalnum, id_of(name))) and len(name) <= MAX_NAME_LENGTH


def is_same(name: str, other: str) -> bool:
    """Check whether two names mean one agent."""
    return id_of(name) == id_of(other)


def file_stem_of(agent: str) -> str:
    """Return the agent's file name without suffix: unique, and safe on every file system.

    `=2f` stands for a byte that must not be in a file name, `--` for the colon
    behind a plugin's name, `=agent` marks a name that is taken, `=h` and
    a hash replace the end of an over-long one.
    """
    stem = _encode_stem(id_of(agent))
    head, dot, rest = stem.partition(".")
    if head in _RESERVED:
        stem = f"{head}=agent{dot}{rest}"
    return stem if len(stem.encode()) <= _STEM_BYTES else _cut(stem)


def list_file_names(agent: str) -> list[str]:
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
        by_key.setdefault(_key(name), name)
    for name in names:
        if name in present:
            return name
        if _key(name) in by_key:
            return by_key[_key(name)]
    return ""


def is_file_of(file_name: str, agent: str) -> bool:
    """Check whether a file name belongs to the agent, in any spelling."""
    key = _key(file_name)
    return any(key == _key(name) for name in list_file_names(agent))


def agent_of_file(file_name: str) -> str:
    """Return the id of the agent to which a file belongs, or "".

    "" is returned for README.md, other files than memory files, and for a name that is too long,
    because the file's name has only its beginning.
    """
    if file_name == f"{PM}.md":
        return PM
    key = _key(file_name)
    if not key.endswith(".md"):
        return ""
    stem = key[:-3].replace("=agent", "").replace("--", ":")
    agent = id_of(_decode_stem(stem))
    return agent if is_file_of(file_name, agent) else ""


def format_title(agent: str) -> str:
    """Return the agent's name for a heading: one short line without markup."""
    scopes = [_title_words(scope) for scope in id_of(agent).split(":")]
    text = ": ".join(scope for scope in scopes if scope)
    return text[:_TITLE_LENGTH].strip() or "Unnamed"


def _fold(name: str) -> str:
    """Fold case and Unicode form; separators of words become blanks."""
    if name.isascii() and name.isprintable():
        return name.lower().replace("-", " ").replace("_", " ")
    from unicodedata import normalize

    # Folding case can undo the normal form, and a dropped character can let
    # its neighbours combine: an id must be what its own folding gives.
    before = ""
    while name != before:
        before = name
        name = "".join([_fold_char(char) for char in normalize("NFKC", name.casefold())])
    return name


def _fold_char(char: str) -> str:
    from unicodedata import category

    from memory_core.text.characters import INVISIBLE_CHARS

    kind = category(char)
    if kind == "Cf" or char in INVISIBLE_CHARS or _is_variation(char):
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


def _encode_stem(agent: str) -> str:
    stem = _encode_edges(
        "".join([char if char in _LITERAL else _encode_unsafe(char) for char in agent])
    )
    if not stem.isascii():
        from unicodedata import normalize

        # A mark behind one of our own letters would melt into it.
        if normalize("NFC", stem) != stem:
            stem = _encode_edges(
                "".join([char if char in _LITERAL else _encode_char(char) for char in agent])
            )
    return stem


def _encode_edges(stem: str) -> str:
    """Encode a first "." or "-" and a last ".": they hide files or look like options."""
    if stem[0] in ".-":
        stem = _encode_char(stem[0]) + stem[1:]
    return stem[:-1] + _encode_char(".") if stem[-1] == "." else stem


def _encode_unsafe(char: str) -> str:
    """Return a character that is not in `_LITERAL` in a form that is safe in a file name."""
    if char == ":":
        return "--"  # an id has no two hyphens in a row
    if char.isascii():
        return _encode_char(char)
    from unicodedata import category

    # Where two characters have one capital, a file system that ignores case
    # takes them for one; only the one that the capital leads back to is kept.
    stable = char.lower() == char == char.upper().lower()
    kind = category(char)
    return char if stable and (kind[0] in "LMN" or kind == "So") else _encode_char(char)


def _encode_char(char: str) -> str:
    return "".join([f"={byte:02x}" for byte in char.encode()])


def _cut(stem: str) -> str:
    from hashlib import sha256

    start = stem.encode()[:_CUT_BYTES].decode("utf-8", "ignore")
    return f"{start}=h{sha256(stem.encode()).hexdigest()[:16]}"


def _key(file_name: str) -> str:
    """Return a key that all spellings of a file name have in common."""
    if not file_name.isascii():
        from unicodedata import normalize

        file_name = normalize("NFC", file_name)
    return file_name.lower().replace("_", "-").replace(" ", "-")


def _decode_stem(stem: str) -> str:
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
