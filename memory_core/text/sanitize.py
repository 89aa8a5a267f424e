"""Make text safe: for a prompt, for a terminal, and for one line of a memory file.

Text that an agent, a tool or a file brought may close the block that carries a memory, imitate
Claude Code's own tags, a turn of a conversation or a finding, or hide words from a reader.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from memory_core.text import characters

# "<" as a character, as others that look like it, and as an entity; a model reads them as one.
BRACKETS = "<\uff1c\ufe64\u02c2\u1438\u16b2\u2329\u276c\u276e\u2770\u27e8\u29fc\u3008\U0001d236"
# It looks like "<" to a person, but no program reads a tag behind it.
SAFE_BRACKET = "‹"

# Behind one of these signs "<" opens no tag: numbers, `<=`, `<-`, `<>`, `<(`, `<"`.
NO_TAG_SIGNS = f"0123456789=->~+.,;*([{{$#\"')]}}{SAFE_BRACKET}"

# "<", but not the first one of "<<", or an entity of it.
_TAG = re.compile(
    rf"(?:([{BRACKETS}])(?!\1)|&(?:amp;)*(?:lt|\#x0*3c|\#0*60);?)"
    rf"(?![ \t]*[{re.escape(NO_TAG_SIGNS)}])",
    re.I,
)

# The beginning of a line that is a turn of a conversation, a step of a tool, or a judgement on an
# item, if a colon follows.
SPEAKERS = frozenset(
    [
        *("human", "user", "assistant", "system", "developer", "model", "ai", "claude", "tool"),
        *("function", "instruction", "instructions", "action", "observation", "thought"),
        *("used", "wrong"),
    ]
)
MAX_SPEAKER_LENGTH = 40
MAX_SPEAKER_WORDS = 2

# So many words of a line that begin with a sign are skipped: "(1a) **Note:** Human: hello".
MAX_SKIPPED_WORDS = 8

MAX_TEMPLATES = 20
SAFE_COLON = "\ua789"

# The words of a heading that begins a finding.
RECORDING = ("add to memory", "remember", "memorize", "memorise")
MAX_RECORDING_WORDS = 2

# Words of a line that claims where a text begins or ends: "--- END OF MEMORY ---".
BORDERS = frozenset(("begin", "beginning", "start", "stop", "end", "close", "closing"))
BORDER_OBJECTS = ("memor", "context", "prompt", "instruct", "data", "reference", "block", "note")
MAX_BORDER_WORDS = 6

# The first letters of all these words: few lines begin with them.
BEGIN_LENGTH = 3
BEGINS = frozenset(word[:BEGIN_LENGTH] for word in (*SPEAKERS, *RECORDING, *BORDERS, "ai:", "ai*"))

# Stands between the words of such a line.
SAFE_BLANK = "·"

# Stands before the name in such a template.
SAFE_TEMPLATE = "⟦"

# Names in JSON by which programs know messages, calls of tools, and findings.
_MESSAGE_NAME = r"((?:role|remember|tool|function)[^{0}]*)"
_MESSAGES = [
    re.compile(rf"(:\s*)?{quote}{_MESSAGE_NAME.format(quote)}{quote}(?=(\s*:)?)", re.I)
    for quote in "\"'"
]
_TEMPLATE_END = re.compile(r"\[/([^\W\d]{1,40})\]")

# Characters of a name in a sentence: the longest path of a memory file.
MAX_NAME_LENGTH = 300


def escape(text: str) -> str:
    """Return a text of a memory as data: it reads the same, and no program or model obeys it.

    Only visible characters are left.  Neutral signs that look similar replace the signs that make
    a tag, a template or a turn of a conversation, a call of a tool, a finding, or the end of the
    memory.  What is safe already does not change.
    """
    text = characters.clean(text)
    text = _TAG.sub(SAFE_BRACKET, text)
    for pattern in _MESSAGES:
        text = pattern.sub(_escape_message, text)
    for name in sorted(set(_TEMPLATE_END.findall(text)))[:MAX_TEMPLATES]:
        text = text.replace(f"[/{name}]", f"⟦/{name}⟧").replace(f"[{name}]", f"⟦{name}⟧")
    return "\n".join(map(_escape_line, text.split("\n")))


def _escape_message(match: re.Match[str]) -> str:
    """Replace the quotation marks of a name in JSON."""
    before, name, behind = match.groups()
    return match[0] if before is behind is None else f"{before or ''}“{name}”"


def _escape_line(line: str) -> str:
    """Return a line that neither begins a turn or a finding nor claims to end the memory."""
    at = _find(line, 0, str.isalpha)
    for _ in range(MAX_SKIPPED_WORDS):
        if at == len(line):
            break
        is_bracketed = line[at - 1 : at] == "["
        if line[at : at + BEGIN_LENGTH].lower() in BEGINS or is_bracketed or _is_styled(line[at]):
            line = _escape_words(line, at)
            at = _find(line, at, str.isalpha)
        if not at or line[at - 1].isspace():
            break
        at = _find(line, _find(line, at, str.isspace), str.isalpha)
    return line


def _is_styled(char: str) -> bool:
    """Check for a letter that stands for a Latin one: a wide, a bold or a circled one."""
    return "\u2100" <= char <= "\u24ff" or "\uff21" <= char <= "\uff5a" or char >= "\U0001d400"


def _find(line: str, at: int, matches: Callable[[str], bool]) -> int:
    """Return the place of the first character from `at` on that matches, else the end."""
    return next((place for place in range(at, len(line)) if matches(line[place])), len(line))


def _escape_words(line: str, at: int) -> str:
    """Return a line, changed if its words from `at` on are a turn, a finding or a border."""
    before, rest = line[:at], line[at:]
    if before.endswith((SAFE_BLANK, SAFE_TEMPLATE)):
        return line
    low = rest[: len(RECORDING[0])].lower()
    if low.startswith(RECORDING[0]):
        length = len(RECORDING[0])
        return before + rest[:length].replace(" ", SAFE_BLANK) + rest[length:]
    if low.startswith(RECORDING):
        is_heading = ":" in rest or "\uff1a" in rest or len(rest.split()) <= MAX_RECORDING_WORDS
        return f"{before}{SAFE_BLANK}{rest}" if is_heading else line
    head = rest[:MAX_SPEAKER_LENGTH]
    if before.endswith("["):
        name, bracket, behind = head.partition("]")
        is_template = name.isupper() and name.replace("_", "").isalpha()
        is_link = behind[:1] in ("(", ":")
        if bracket and ((is_template and not is_link) or name.casefold() in SPEAKERS):
            return f"{before[:-1]}{SAFE_TEMPLATE}{name}⟧{rest[len(name) + 1 :]}"
    ends = [place for sign in ":\uff1a" if (place := head.find(sign)) >= 0]
    if ends:
        name = head[: min(ends)]
        words = _list_words(name)
        if words and words[0] in SPEAKERS and len(words) <= MAX_SPEAKER_WORDS:
            return f"{before}{name}{SAFE_COLON}{rest[len(name) + 1 :]}"
    return before + _escape_border(rest) if _is_border(before, rest) else line


def _list_words(text: str) -> list[str]:
    if not text.isascii() and any(map(_is_styled, text)):
        from unicodedata import normalize

        text = normalize("NFKC", text)
    return "".join([char if char.isalnum() else " " for char in text]).casefold().split()


def _is_border(before: str, rest: str) -> bool:
    first = _list_words(rest.split(None, 1)[0])
    if not first or first[0] not in BORDERS:
        return False
    words = _list_words(rest[:MAX_NAME_LENGTH])
    if len(words) > MAX_BORDER_WORDS:
        return False
    signs = before.rstrip()[-2:]
    is_decorated = signs != "" and rest.rstrip().endswith(signs)
    has_object = any(word.startswith(BORDER_OBJECTS) for word in words[1:])
    return has_object and (is_decorated or words[1] == "of" or len(words) == 2)


def _escape_border(rest: str) -> str:
    """Join the words of a border; the signs behind them stay."""
    end = len(rest)
    while not rest[end - 1].isalnum():
        end -= 1
    words = "".join([char if char.isalnum() else " " for char in rest[:end]]).split()
    return SAFE_BLANK.join(words) + rest[end:]


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
    return " ".join(characters.clean(text).split())
