"""What an agent recorded: of which type it is, and whether it is a learning at all.

And whether the line in front of it calls it a learning: two lists of words, each with
the words that count in spite of the other.
"""

from __future__ import annotations

# The type of what comes without one.
UNTYPED = "learning"

# What merge.SECTIONS and merge.CATEGORIES know, for a report that teaches nothing needs no merge.
TYPES = (
    *("pattern", "architecture", "guideline", "mistake", "strategy"),
    *("integration", "performance", "context"),
    *("best-practice", "anti-pattern", "tool-usage", "workflow", UNTYPED),
)

# "none", "n/a", "todo": nothing of up to this length is a sentence.
TOO_SHORT = 5

_SPELLINGS = {
    **{kind: kind for kind in TYPES},
    **{kind + "s": kind for kind in TYPES},
    "strategies": "strategy",
    "architectural": "architecture",
}

# What may stand around the name of a type.
_DECORATION = "`*_\"'[]<> "

# As much of an unknown type is told in a reason.
_NAME = 80

# What stands where a learning would, in brackets or not; and no placeholder is longer.
_PLACEHOLDERS = ("content", "your content", "the content", "your learning", "the learning", "xxx")
_INSTRUCTIONS = ("one sentence of at most", "brief description of", "short description of")
_LONGEST = 300

# What the line in front of a block can mean.
OWN = "own"
EXPLAINS = "explains"

# What the sentence in front of a block says.  A blank is where a word begins or ends, two
# are where the sentence does.  All of it was tried on the reports in tests/cases/.

# An agent speaks of what it learned, or does as it was told, whatever else it says.
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

# It speaks of the form, or to the one who is to write in it.
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

# It speaks of what was learned, even from ...
_OWN = (
    *(" learned ", " learnt ", " lesson", " takeaway", " worth ", " gelernt", " appris "),
    *(" aprend", "学到", "学んだ", "经验", "教训", "記憶", "记住"),
)

# ... a page; which, where nothing was learned, is what the block stands in.
_PLACES = (
    *(" document ", " documents ", " documented ", " documentation ", " docs ", " readme "),
    *(" extractor ", " says ", " say ", " reads "),
)

# Words for what was learned that may also mean something else.
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

# In this order: the first that is found tells.
_MEANINGS = [
    (phrase, meaning)
    for phrases, meaning in (
        *((_SURELY_OWN, OWN), (_EXPLAINS, EXPLAINS), (_OWN, OWN)),
        *((_PLACES, EXPLAINS), (_SOFTLY_OWN, OWN)),
    )
    for phrase in phrases
]

# What points at the block, in a sentence that may end in a full stop.
_POINTS = (" below ", " follow", " like this ", " like so ", " here is ")

_COLONS = (":", "\uff1a", "\u2014", "\u2013", "->", "=>", "\u2192")

# A line of so few words and no full stop is a title.
_TITLE = 3

_SIGNS = str.maketrans(
    dict.fromkeys("!\"#$%&'()*+,-:;<=>?@[\\]^_{|}~\u2019\u201c\u201d\u2014", " ")
)


def is_placeholder(kind: str, content: str) -> bool:
    """Tell what only shows where a learning would stand: `[specific pattern]`, `...`."""
    return _stands_for_content(content) or _stands_for_type(kind.strip())


def type_of(name: str) -> str:
    """Return the type that is meant, or "" for an unknown one."""
    words = name.strip(_DECORATION).lower().replace("_", " ").replace("-", " ").split()
    return _SPELLINGS.get("-".join(words), "") if name else UNTYPED


def refusal(name: str, content: str, max_length: int) -> str:
    """Say why a learning is refused; "" for one that is kept."""
    length = len(content)
    if not type_of(name):
        return f"unknown type {name[:_NAME]!r}"
    if not length:
        return "no content"
    if length <= TOO_SHORT:
        return f"{length} characters: more than {TOO_SHORT} are needed"
    return f"{length} characters: at most {max_length} are kept" if length > max_length else ""


def meant_by(line: str) -> str:
    """Tell whether the last sentence of a line calls what follows OWN, or EXPLAINS it."""
    words = _words(line)
    for phrase, meaning in _MEANINGS:
        if phrase in words:
            return meaning
    return ""


def announces(line: str, is_off: bool) -> bool:
    """Tell whether a line that explains the form speaks of what follows, which may be set off."""
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
    """Return the words of a line's last sentence, between two blanks; no code in backticks."""
    line = line.lower().replace("e.g.", "example").rstrip(" \t.*_`")
    for end in (". ", "! ", "? ", "\u3002"):
        line = line[line.rfind(end) + 1 :]
    words = " ".join(line.split("`")[::2]).translate(_SIGNS).split()
    return f"  {' '.join([_word(word) for word in words])}  "


def _word(word: str) -> str:
    """Return a word, in place of the name of a page `readme`, and of another file nothing."""
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
    """Tell a list of types to choose from, or what stands for one."""
    names = kind.replace("/", ",").split(",")
    if "|" in kind or (len(names) > 2 and all(name and type_of(name) for name in names)):
        return True
    return not type_of(kind) and (_is_bracketed(kind) or not kind.strip(".\u2026"))


def _is_bracketed(text: str) -> bool:
    closing = {"[": "]", "<": ">", "{": "}", "(": ")"}.get(text[0], "")
    return closing != "" and text.find(closing) == len(text) - 1
