"""Make text safe: for a prompt, for a terminal, and for one line of a memory file.

Text that an agent, a tool or a file brought may close the block that carries a memory, imitate
Claude Code's own tags, or hide words from a reader.
"""

from __future__ import annotations

BLOCK_TAG = "agent-memory"

# Tags by which Claude Code marks its own words (seen in the requests of 2.1.329), and those of
# the API's own formats.  A name with "-", "_", ":" or "." counts as one too, because Claude Code
# forms its names like that: <system-reminder>, <task-notification>.
RESERVED_TAGS = ("system", "human", "user", "assistant", "tool", "instructions", "thinking")

# The letters of tags that a model might also recognise with blanks or signs between them.
FENCES = ("agentmemory", "systemreminder")

# Longer names of tags are not looked at to their end.
MAX_TAG_LENGTH = 60

# "<" as a character and as an entity; a model reads all of them as one.
BRACKETS = "<\uff1c\ufe64"
ENTITIES = (("lt", ""), ("#x", "3c"), ("#", "60"))  # zeros may stand in between
MAX_ENTITY_LENGTH = 12

# It looks like "<" to a person, but no program reads a tag behind it.
SAFE_BRACKET = "‹"

# Characters that show nothing although Unicode does not call them format characters.
INVISIBLE_CHARS = "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0"

# They join or separate letters in Persian, Hindi and Sinhala words, and the parts of emoji.  These
# scripts follow the Latin, Greek, Cyrillic and Hebrew one, where they would only hide something.
JOINERS = "\u200c\u200d"
FIRST_JOINED = "\u0600"

# Characters of a name in a sentence: the longest path of a memory file.
MAX_NAME_LENGTH = 300

# No terminal escape sequence is longer.
MAX_ESCAPE_LENGTH = 80


def escape_tags(text: str) -> str:
    """Return `text` without working tags of agent-memory or Claude Code.

    Invisible characters are removed: they could hide a tag, or words from a reader.
    A lone surrogate (a byte that was not UTF-8) becomes the replacement character.
    """
    if not text.replace("\n", "").replace("\t", "").isprintable():
        text = "".join(map(_replace_unprintable, _remove_loose_joiners(text)))
    for bracket in (*BRACKETS, "&"):
        first, *rest = text.split(bracket)
        text = first + "".join([_escape_bracket(bracket, part) for part in rest])
    return text


def _replace_unprintable(char: str) -> str:
    if char.isprintable() or char in "\n\t" or char in JOINERS:
        return char
    if "\ud800" <= char <= "\udfff":
        return "\ufffd"
    return " " if char.isspace() else ""


def _escape_bracket(bracket: str, part: str) -> str:
    """Return a bracket and the text behind it, without the bracket if a tag begins there."""
    length = _find_entity_end(part) if bracket == "&" else 0
    is_tag = (length or bracket != "&") and _is_reserved(part[length:])
    return SAFE_BRACKET + part[length:] if is_tag else bracket + part


def _find_entity_end(part: str) -> int:
    """Return the length of an entity of "<" at the start of `part`, without "&"; 0 for others."""
    code = part[:MAX_ENTITY_LENGTH].casefold()
    for sign, number in ENTITIES:
        digits = code[len(sign) :].lstrip("0")
        if code.startswith(sign) and digits.startswith(number):
            end = len(code) - len(digits) + len(number)
            return end + (code[end : end + 1] == ";")
    return 0


def _is_reserved(text: str) -> bool:
    """Check whether `text`, which follows a "<", begins with the name of a reserved tag."""
    name = text[:MAX_TAG_LENGTH]
    if not name.isascii():
        from unicodedata import normalize

        name = normalize("NFKC", name)
    name = name.removeprefix("/").casefold()
    if "".join([char for char in name if char.isalnum()]).startswith(FENCES):
        return True
    ends = (at for at, char in enumerate(name) if not (char.isalnum() or char in "-_:."))
    name = name[: next(ends, MAX_TAG_LENGTH)]
    return name in RESERVED_TAGS or any(char in name for char in "-_:")


def wrap_block(agent: str, lines: list[str]) -> str:
    """Return `lines` in the tags that mark an agent's memory in its prompt."""
    return "\n".join([f"<{BLOCK_TAG} agent={quote_name(agent)}>", *lines, f"</{BLOCK_TAG}>"])


def has_block(text: str) -> bool:
    """Check whether a prompt already carries a memory."""
    return f"<{BLOCK_TAG} agent=" in text and f"</{BLOCK_TAG}>" in text


def quote_name(name: str) -> str:
    """Return the name of a folder, file, project or agent for a sentence of agent-memory.

    A repository chooses it, so it stays between its quotes, on one line, and without a tag.
    """
    return f'"{clean_name(name)}"'


def clean_name(name: str) -> str:
    """Return a name as one short line of visible characters, without quotes and tags."""
    line = join_visible(name).replace('"', "'").replace("<", SAFE_BRACKET).replace(">", "›")
    return shorten(line, MAX_NAME_LENGTH)


def shorten(text: str, length: int) -> str:
    """Cut a text to `length` characters; dots at its end show that it was cut."""
    return text if len(text) <= length else f"{text[: length - 4].rstrip()} ..."


def clean_line(text: str) -> str:
    """Return `text` as one line of visible characters, without the full stop at its end."""
    text = join_visible(text)
    return text[:-1].rstrip() if text.endswith(".") and not text.endswith("..") else text


def join_visible(text: str) -> str:
    """Return the visible characters of `text` as one line with single blanks."""
    if not text.isascii() or not text.isprintable():
        text = remove_invisible(text)
    return " ".join(text.split())


def remove_invisible(text: str) -> str:
    """Remove control characters, terminal escapes and format characters such as direction marks.

    Line breaks and blanks of all kinds become a simple blank.
    """
    first, *parts = text.replace("\x9b", "\x1b[").split("\x1b")
    text = first + "".join([_skip_escape(part) for part in parts])
    text = _remove_loose_joiners(text)
    return text.translate({ord(char): _show(char) for char in set(text).difference(JOINERS)})


def _remove_loose_joiners(text: str) -> str:
    """Remove joiners, except between two visible characters of scripts that need them."""
    if not any(joiner in text for joiner in JOINERS):
        return text
    around = zip(f" {text}", text, f"{text} "[1:], strict=False)
    return "".join(
        [
            char
            for before, char, after in around
            if char not in JOINERS or (_is_joined(before) and _is_joined(after))
        ]
    )


def _is_joined(char: str) -> bool:
    return char >= FIRST_JOINED and char.isprintable() and char not in INVISIBLE_CHARS


def _show(char: str) -> str:
    from unicodedata import category

    kind = category(char)
    if kind == "Cf" or char in INVISIBLE_CHARS or "\U000e0100" <= char <= "\U000e01ef":
        return ""
    if kind == "Cs":
        return "\ufffd"
    return " " if kind[0] == "Z" or kind == "Cc" else char


def _skip_escape(part: str) -> str:
    """Return what a terminal shows of `part`, which follows an escape character."""
    if part[:1] == "[":
        body = part[1:MAX_ESCAPE_LENGTH]
        end = next((at for at, char in enumerate(body, 2) if "@" <= char <= "~"), 1)
        return part[end:]
    if part[:1] == "]" and "\x07" in part:
        return part.partition("\x07")[2]
    return part[1:]
