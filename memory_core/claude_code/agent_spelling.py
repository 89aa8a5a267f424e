"""What hooks do not ask about agents' names: titles, validity, and the agents of files."""

from __future__ import annotations

from binascii import a2b_qp
from fnmatch import fnmatchcase

from memory_core.claude_code.agent_names import PM, id_of, list_file_names, make_key
from memory_core.text.name_letters import LITERAL

_ACRONYMS = " ai api aws cd ci cli css db gcp html http ios json llm mcp ml pm qa sdk sql ui ux "
_TITLE_LENGTH = 60

MAX_NAME_LENGTH = 100


def is_valid_name(name: str) -> bool:
    """Check whether people and programs may give an agent this name; hooks accept any name."""
    is_plain = name.isprintable() and name[:1] not in (".", "-") and not set("/\\") & set(name)
    return is_plain and any(map(str.isalnum, id_of(name))) and len(name) <= MAX_NAME_LENGTH


def matches(agent: str, patterns: list[str]) -> bool:
    """Check whether patterns such as `qa` or `review-*` name an agent."""
    return any(
        fnmatchcase(agent, pattern.casefold()) or id_of(pattern) == id_of(agent)
        for pattern in patterns
    )


def agent_of_file(file_name: str) -> str:
    """Return the id of the agent to which a file belongs, or "".

    "" is returned for README.md, other files than memory files, and for a name that is too long,
    because the file's name has only its beginning.
    """
    if file_name == f"{PM}.md":
        return PM
    key = make_key(file_name)
    if not key.endswith(".md"):
        return ""
    stem = key[:-3].replace("=agent", "").replace("--", ":")
    # The codes of bytes are those of quoted-printable text.
    agent = id_of(a2b_qp(stem.encode("utf-8", "replace")).decode("utf-8", "replace"))
    return agent if key in map(make_key, list_file_names(agent)) else ""


def format_title(agent: str) -> str:
    """Return the agent's name for a heading: one short line without markup."""
    scopes = [_title_words(scope) for scope in id_of(agent).split(":")]
    text = ": ".join(scope for scope in scopes if scope)
    return text[:_TITLE_LENGTH].strip() or "Unnamed"


def _title_words(scope: str) -> str:
    plain = "".join([char for char in scope if char in LITERAL or char.isalnum()])
    words = [word for word in plain.split("-") if word]
    return " ".join(
        [word.upper() if f" {word} " in _ACRONYMS else word.capitalize() for word in words]
    )
