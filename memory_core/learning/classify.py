"""Determine the type of a learning, check its content, and interpret the line before a block.

The line before a block may call the block the agent's own learning or an example of the format.
Two lists of phrases decide; each has a list of stronger phrases that win over the other list.
"""

from __future__ import annotations

# The type of a learning without a type.
DEFAULT_TYPE = "learning"

# The types of document/template.py, repeated so that most reports do not import it.
TYPES = (
    *("pattern", "architecture", "guideline", "mistake", "strategy"),
    *("integration", "performance", "context"),
    *("best-practice", "anti-pattern", "tool-usage", "workflow", DEFAULT_TYPE),
)

# A content of up to this length is not a sentence: "none", "n/a", "todo".
TOO_SHORT = 5

_SPELLINGS = {
    **{kind: kind for kind in TYPES},
    **{kind + "s": kind for kind in TYPES},
    "strategies": "strategy",
    "architectural": "architecture",
}

# Characters around the name of a type.
_DECORATION = "`*_\"'[]<> "

# Characters of an unknown type in a reason.
_MAX_NAME = 80

# Placeholders for a content, with or without brackets, and their maximum length.
_PLACEHOLDERS = ("content", "your content", "the content", "your learning", "the learning", "xxx")
_INSTRUCTIONS = ("one sentence of at most", "brief description of", "short description of")
_LONGEST = 300

# Meanings of the line before a block.
OWN_LEARNING = "own"
FORMAT_EXAMPLE = "explains"

# Phrases of the sentence before a block.  One blank marks the start or end of a word, two
# blanks those of the sentence.  They were tried on the reports in tests/cases/.

# The agent speaks of its learnings, or follows a request; this wins over _EXPLAINS.
_SURELY_OWN = (
    *(" i learn", " i ve learn", " i have learn", " we learn", " we ve learn", " we have learn"),
    *(" taught me ", " taught us ", " i record ", " i am recording", " i m recording"),
    *(" i remember", " i want to ", " i would like to ", " i d like to ", " i will keep"),
    *(" my learning", " my memor", " my finding", " my lesson", " my note", " my takeaway"),
    *(" as requested", " as required", " as asked", " as instructed", " asked for "),
    *(" the requested ", " the required ", " you requested", " you asked for"),
    *(
        " learnings about ",
        " learnings on ",
        " learnings from ",
        " lessons from ",
        " learned about ",
    ),
    *(" findings about ", " findings on ", " findings from "),
    *(" next agent", " later agent", " future agent", " other agent", " for the agent "),
)

# The sentence explains the format, or addresses the writer of a report.
_EXPLAINS = (
    *(
        " example",
        " for instance ",
        " format ",
        " formats ",
        " syntax ",
        " template ",
        " templates ",
    ),
    *(" sample ", " samples ", "  usage  ", " this shape ", " placeholder", " look like"),
    *(
        " looks like",
        " like this ",
        " like so ",
        " such as ",
        " recorded as ",
        " written as ",
        " end with ",
    ),
    *(" ends with ", " agents ", " an agent ", " the agent ", " each agent ", " every agent "),
    *(" subagent", " you learn", " you find ", " you discover", " you want ", " you record"),
    *(" you write", " you can ", " your report", " your answer", " your response", " your final "),
    *(" how to record", " how to write", " how to report", " how to remember", " how a learning"),
    *(" how a block", " how agents", " how learnings", " record what ", " record a learning"),
    *(" record learnings", " recording a learning", " recording learnings", " each learning "),
    *(" every learning ", " is learned ", " be learned ", " are learned ", " not learned "),
    *("beispiel", "exempl", "ejemplo", "пример", "例如", "示例", "例子", "  例  ", "格式"),
)

# The sentence speaks of learnings; this wins over _PLACES.
_OWN = (
    *(" learned ", " learnt ", " lesson", " takeaway", " worth ", " gelernt", " appris "),
    *(" aprend", "学到", "学んだ", "经验", "教训", "記憶", "记住"),
)

# The sentence names a page, which contains the block.
_PLACES = (
    *(" document ", " documents ", " documented ", " documentation ", " docs ", " readme "),
    *(" extractor ", " says ", " say ", " reads "),
)

# Weak phrases for learnings, which may also mean something else.
_SOFTLY_OWN = (
    *(" learn", " memor", " remember", " finding", " i found ", " we found ", " found out "),
    *(" discover", " insight", " knowledge", " to know ", " should know ", " knowing "),
    *(" note for ", " a note ", " i note ", "  note  ", " notes ", " noted ", " keep"),
    *("  record  ", "  recorded  ", "  recording  ", " recorded for ", " record for "),
    *(" recording for ", " recording this ", " for the record ", " for later ", " later run"),
    *(" later use", " future", " next time", " next run", " gotcha", " observation"),
    *(" reflection", " realized ", " noticed ", "  til  "),
    *(" merken", " gemerkt", " erkenntnis", " retenir"),
)

# The first phrase in this order that occurs decides.
_MEANINGS = [
    (phrase, meaning)
    for phrases, meaning in (
        *((_SURELY_OWN, OWN_LEARNING), (_EXPLAINS, FORMAT_EXAMPLE), (_OWN, OWN_LEARNING)),
        *((_PLACES, FORMAT_EXAMPLE), (_SOFTLY_OWN, OWN_LEARNING)),
    )
    for phrase in phrases
]

# Phrases that point to the block, in a sentence that may end with a full stop.
_POINTS = (" below ", " follow", " like this ", " like so ", " here is ")

_COLONS = (":", "\uff1a", "\u2014", "\u2013", "->", "=>", "\u2192")

# A line of at most this many words without a full stop is a title.
_TITLE = 3

_SIGNS = str.maketrans(
    dict.fromkeys("!\"#$%&'()*+,-:;<=>?@[\\]^_{|}~\u2019\u201c\u201d\u2014", " ")
)


def is_placeholder(kind: str, content: str) -> bool:
    """Check for a placeholder such as `[specific pattern]` or `...`."""
    return _stands_for_content(content) or _stands_for_type(kind.strip())


def type_of(name: str) -> str:
    """Return the type for a name in any spelling, "" for an unknown type."""
    words = name.strip(_DECORATION).lower().replace("_", " ").replace("-", " ").split()
    return _SPELLINGS.get("-".join(words), "") if name else DEFAULT_TYPE


def check_learning(name: str, content: str, max_length: int) -> str:
    """Return the reason for rejecting a learning, "" if it is valid."""
    length = len(content)
    if not type_of(name):
        return f"unknown type {name[:_MAX_NAME]!r}"
    if not length:
        return "no content"
    if length <= TOO_SHORT:
        return f"{length} characters: at least {TOO_SHORT + 1} are required"
    return f"{length} characters: at most {max_length} are allowed" if length > max_length else ""


def classify_line(line: str) -> str:
    """Return OWN_LEARNING, FORMAT_EXAMPLE or "" for the last sentence of a line."""
    words = _words(line)
    for phrase, meaning in _MEANINGS:
        if phrase in words:
            return meaning
    return ""


def is_introduction(line: str, is_off: bool) -> bool:
    """Check whether a line that explains the format refers to the following block.

    `is_off`: the block is set off, for example by a fence.
    """
    bare = line.strip(" \t>")
    if ends_in_colon(bare) or any(phrase in _words(bare) for phrase in _POINTS):
        return True
    is_title = bare.startswith(("#", "<")) or (bare.startswith("**") and bare.endswith("**"))
    is_item = bare.startswith(("- ", "* ", "+ "))
    is_open = not is_item and not bare.endswith((".", "!", "?", "\u3002"))
    return is_title or (is_open and (is_off or len(bare.split()) <= _TITLE))


def ends_in_colon(line: str) -> bool:
    return line.rstrip(" \t*_`").endswith(_COLONS)


def _words(line: str) -> str:
    """Return the words of the last sentence of a line, without code, between two blanks."""
    line = line.lower().replace("e.g.", "example").rstrip(" \t.*_`")
    for end in (". ", "! ", "? ", "\u3002"):
        line = line[line.rfind(end) + 1 :]
    words = " ".join(line.split("`")[::2]).translate(_SIGNS).split()
    return f"  {' '.join([_word(word) for word in words])}  "


def _word(word: str) -> str:
    """Return a word; the name of a page becomes `readme`, the name of another file ""."""
    if word.strip(".").endswith((".md", ".rst", ".txt", ".html")):
        return "readme"
    return "" if "/" in word or "." in word.strip(".") else word.strip(".")


def _stands_for_content(content: str) -> bool:
    bare = content.strip(" \t\r\n`*_\"'.\u2026").lower()
    if not bare:
        return bool(content.strip())
    if len(bare) > _LONGEST:
        return False
    if _is_bracketed(bare) or bare in _PLACEHOLDERS or bare.startswith(_INSTRUCTIONS):
        return True
    return bare.startswith("your ") and bare.endswith(" here")


def _stands_for_type(kind: str) -> bool:
    """Check for a list of types to choose from, or a placeholder for a type."""
    names = kind.replace("/", ",").split(",")
    if "|" in kind or (len(names) > 2 and all(name and type_of(name) for name in names)):
        return True
    return not type_of(kind) and (_is_bracketed(kind) or not kind.strip(".\u2026"))


def _is_bracketed(text: str) -> bool:
    closing = {"[": "]", "<": ">", "{": "}", "(": ")"}.get(text[0], "")
    return closing != "" and text.find(closing) == len(text) - 1
