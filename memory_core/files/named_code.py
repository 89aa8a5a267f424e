"""Find the commands and symbols that a sentence names and that are gone.

A command in backticks, or behind `See:`, is gone if a file in the project's root (`FILES`) defines
the commands of its program, and neither this file nor one in a folder of the root defines it.
A symbol is checked if the text says in which file it is, as the subject of a sentence:
"`retry` in src/pay.py swallows timeouts", "(see `retry` in src/pay.py)", "src/pay.py (`retry`)" or
`src/pay.py::retry`.  It is gone if none of the files that the text names contains it.

A note that is marked wrongly does more harm than one that is not marked.  So nothing is gone if the
sentence has a negation, or names another command or symbol that is there: "`make check` is now
`make test`".
"""

from __future__ import annotations

from collections.abc import Iterator

from memory_core.files.named_files import read_path, says_itself
from memory_core.files.safe_files import SafeFiles
from memory_core.text import code_names, fastjson
from memory_core.text.claims import NEGATIONS
from memory_core.text.english import DENYING

# Programs that run scripts of package.json.
SCRIPTED = ("npm", "pnpm", "yarn")

# Where each program looks for its commands; the first file that exists counts.  Folders of the root
# have the last one.
FILES = {
    "make": ("GNUmakefile", "makefile", "Makefile"),
    "just": (".justfile", "Justfile", "justfile"),
    **dict.fromkeys(SCRIPTED, ("package.json",)),
}

# Lines of a Makefile or justfile that begin with one of these bring names of other files.
_INCLUDES = ("include ", "-include ", "sinclude ", "import ", "import? ", "mod ", "mod? ")

# A larger file is not read.
MAX_BYTES = 256 * 1024

# In a root with more folders, no missing command is gone.
MAX_FOLDERS = 50

_MARKS = " -+*_.,:;!?()[]'\""


def find_gone(files: SafeFiles, text: str, paths: list[str]) -> dict[str, str]:
    """Return why a text may be out of date, by the commands and symbols that it names.

    `paths` are files that it names and that exist.
    """
    files = SafeFiles(files.root)  # what is refused here needs no log
    reasons: dict[str, str] = {}
    for sentence in text.replace(". ", "\n").replace("; ", "\n").split("\n"):
        if any(f"{program} " in sentence for program in FILES):
            states = {span: _check_command(files, span) for span in _list_spans(sentence)}
            if False in states.values() and True not in states.values() and _is_plain(sentence):
                gone = [span for span, state in states.items() if state is False]
                reasons |= {span: f"`{span}` is gone" for span in gone}
        if paths:
            reasons |= _find_symbols(files, sentence, paths)
    return reasons


def _is_plain(sentence: str) -> bool:
    """Return whether a sentence has no negation, and does not say itself that things changed."""
    words = {word.strip(_MARKS + "`").lower() for word in sentence.split()}
    words = {word.replace("'", "").replace("\u2019", "") for word in words}
    return words.isdisjoint(NEGATIONS) and words.isdisjoint(DENYING) and not says_itself(sentence)


# Commands


def _list_spans(sentence: str) -> Iterator[str]:
    for span in code_names.list_spans(sentence):
        yield from map(str.strip, span.split("&&") if "cd " not in span else [])


def _check_command(files: SafeFiles, command: str) -> bool | None:
    """Return whether the project defines a command; None if that is unknown, or it is none."""
    words = [word for word in command.split() if word[0] == "-" or "=" not in word]
    program, name = words[0] if words else "", _read_name(words)
    if program not in FILES or not name:
        return None
    sources = FILES[program]
    text = next(filter(None, (files.read_text(path, MAX_BYTES) for path in sources)), "")
    state = _defines(text, program, name) if text else None
    if state is not False or files.has_entry(name) or files.has_entry("pnpm-workspace.yaml"):
        return state or None
    folders = {*files.list_names()} - {name for name, _status in files.scan()}
    places = [f"{folder}/{sources[-1]}" for folder in folders if len(folders) <= MAX_FOLDERS]
    texts = (files.read_text(path, MAX_BYTES) for path in places if files.has_entry(path))
    is_gone = all(_defines(text, program, name) is False for text in texts)
    return False if is_gone and len(folders) <= MAX_FOLDERS else None


def _read_name(words: list[str]) -> str:
    """Return the target or script of a command; "" if it is not certain.

    Options may lead to another folder, and `yarn NAME` may run any program.
    """
    program, *names = words or [""]
    names = names[: names.index("--")] if "--" in names else names
    if any(name.startswith("-") for name in names):
        return ""
    if program in SCRIPTED and names[:1] != ["test"]:
        is_run = names[:1] in (["run"], ["run-script"])
        names = names[is_run:]
        # Only scripts have a colon in their names.
        is_script = is_run if program == "npm" else ":" in "".join(names[:1])
        if not (is_script or (is_run and program == "pnpm")):
            return ""
    name = names[0] if names else ""
    is_name = all(char.isalnum() or char in "_-:" for char in name) and not name.isupper()
    return name if is_name and "::" not in name else ""


def _defines(text: str, program: str, name: str) -> bool | None:
    """Return whether the text of a file of `FILES` defines a name; None if that is unknown."""
    if program in SCRIPTED:
        return _has_script(text, name)
    lines = [line for line in text.replace("\\\n", " ").split("\n") if line[:1] not in "\t #"]
    heads = [line.partition(":")[0] for line in lines if ":" in line]
    if any(name in head and name in head.replace("@", " ").split() for head in heads):
        return True
    is_open = "$(eval" in text or any(line.startswith(_INCLUDES) for line in lines)
    is_open = is_open or any("$" in head or ".DEFAULT" in head for head in heads)
    patterns = [word.split("%") for head in heads if "%" in head for word in head.split()]
    for ends in patterns:
        is_open = is_open or (name.startswith(ends[0]) and name.endswith(ends[-1]))
    return None if is_open else False


def _has_script(text: str, name: str) -> bool | None:
    try:
        package = fastjson.loads(text)
    except ValueError:
        return None
    scripts = package.get("scripts") if isinstance(package, dict) else None
    if isinstance(scripts, dict) and name in scripts:
        return True
    return None if not isinstance(package, dict) or "workspaces" in package else False


# Symbols


def _find_symbols(files: SafeFiles, sentence: str, paths: list[str]) -> dict[str, str]:
    """Return why a sentence may be out of date, by the symbols that it places in a file."""
    placed = {name: path for name, path in _list_symbols(sentence) if name and path in paths}
    if not placed:
        return {}
    texts = [files.read_text(path, MAX_BYTES) for path in paths]
    if not all(texts):
        return {}  # one is empty, too large or unreadable

    def is_there(name: str) -> bool:
        last = name.replace("::", ".").replace("#", ".").rpartition(".")[2]
        return any(code_names.has_name(text, last) for text in [*texts, *paths])

    gone = [name for name in placed if not is_there(name)]
    others = [_read_symbol(span) for span in sentence.split("`")[1::2]]
    if not gone or any(map(is_there, filter(None, others))) or not _is_plain(sentence):
        return {}
    return {name: f"`{name}` is gone from {placed[name]}" for name in gone}


def _list_symbols(sentence: str) -> Iterator[tuple[str, str]]:
    """Yield the symbols of a sentence that it places in a file, each with the path; some are ""."""
    for word in sentence.replace("`", "").split():
        if "::" in word:
            for path in read_path(word):
                yield _read_symbol(word.rpartition("::")[2].strip(_MARKS)), path
    pieces = sentence.split("`")
    for at in range(1, len(pieces) - 1, 2):
        name = _read_symbol(pieces[at])
        if not name:
            continue
        before, after = pieces[at - 1], "".join(pieces[at + 1 :]).replace("(", "in ", 1)
        words = after.split(None, 2)
        lead = [word.strip(_MARKS).lower() for word in before.split()]
        lead = lead if any(lead) and not before.rstrip().endswith(("(", ":")) else []
        if words[:1] == ["in"] and (not lead or lead[0] == "the" or lead[-1] == "see"):
            yield from ((name, path) for word in words[1:2] for path in read_path(word))
        if before.endswith("(") and after.startswith(")"):
            named = "".join(pieces[:at])[:-1].split()
            yield from ((name, path) for word in named[-1:] for path in read_path(word))


def _read_symbol(span: str) -> str:
    """Return the identifier or dotted name in a span of code, "" if it is none."""
    name = span.partition("(")[0].partition("[")[0].strip()
    parts = name.replace("::", ".").replace("#", ".").split(".")
    is_name = all(map(str.isidentifier, parts)) and len(parts[-1]) > 2
    return name if is_name and not read_path(name) else ""
