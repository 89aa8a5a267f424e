"""Why an item may be out of date: files that it names, or symbols in them, are gone.

A word names a file of the project if it is a relative path with a slash, ends in a known file
extension, and its first folder is in the project.  So `and/or`, `application/json`, `origin/main`,
URLs, patterns and paths of other projects name none.  A text that says itself that a file was
removed or will be generated is not out of date.
"""

from __future__ import annotations

from memory_core.files import file_actions
from memory_core.files.safe_files import SafeFiles
from memory_core.text import subject_words

# A larger file is not read.
MAX_BYTES = 256 * 1024

EXTENSIONS = frozenset(
    """
    bash bat c cc cfg clj cmake conf cpp cs css csv cxx dart ex exs fish go gradle graphql h hcl hpp
    hs htm html ini ipynb java jl js json jsonl jsx kt kts less lock lua m md mdx mjs mk ml php pl
    po proto ps1 py pyi r rb rs rst scala scss sh sql svelte svg swift tf toml ts tsx txt vue xml
    yaml yml zsh
    """.split()  # noqa: SIM905 - a text of words is easier to read
)

# Around a path in a sentence.
_PUNCTUATION = "`'\"()[]{}<>,;:!?*"

# Behind these words a path is an example.
_EXAMPLES = ("e.g.", "like", "as", "example")

# A text with one of these words says itself why a file may not be there.
_ABSENCES = frozenset(("deleted", "generated", "generates", "gone", "moved", "removed", "renamed"))

# Files of one text that are looked for.
MAX_PATHS = 5


def find_gone(files: SafeFiles, text: str) -> dict[str, str]:
    """Return the reasons by what a text names: {"src/x.py": "src/x.py is gone"}; {} without any.

    A symbol `src/pay.py::retry` is gone if the file is there and does not contain its name.
    A text that says itself that something was removed is not out of date.
    """
    paths = list_paths(text)
    missing = [path for path in paths if is_gone(files, path)]
    reasons = {path: f"{path} is gone" for path in missing}
    files = SafeFiles(files.root)  # what is refused here needs no log
    for path, name in _list_symbols(text):
        source = files.read_text(path, MAX_BYTES) if path in paths else ""
        if source and not subject_words.has_name(source, name):
            reasons[name] = f"`{name}` is gone from {path}"
    return reasons


def describe_gone(files: SafeFiles, text: str) -> str:
    """Return why a text may be out of date: "src/x.py is gone"; "" if all is there.

    It is data for a prompt, because paths and names have no signs of markup.
    """
    return ", ".join(find_gone(files, text).values())


def _list_symbols(text: str) -> list[tuple[str, str]]:
    """Return path and last name of each `path::symbol`."""
    symbols = []
    for word in text.replace("`", " ").split() if "::" in text else []:
        name = word.partition("[")[0].rpartition("::")[2].partition("(")[0].strip(".,:;!?)*'\"")
        name = name.rpartition(".")[2]
        if name.isidentifier():
            symbols += [(path, name) for path in read_path(word)]
    return symbols


def list_paths(text: str) -> list[str]:
    """Return the first relative paths with a file extension that a text names.

    There are none if the text says itself that something is not there.
    """
    words = text.split() if "/" in text else []
    # A text that says itself that something is not there names none.
    if not _ABSENCES.isdisjoint(word.strip(_PUNCTUATION).lower() for word in words):
        return []
    paths: dict[str, None] = {}
    before = ""
    for word in words:
        if "/" in word and before not in _EXAMPLES:
            paths |= dict.fromkeys(read_path(word))
        before = word.strip(_PUNCTUATION).lower()
    return list(paths)[:MAX_PATHS]


def read_path(word: str) -> list[str]:
    """Return the path in a word of a sentence: `src/x.py:12`, (src/x.py).  [] without one."""
    path = word.strip(_PUNCTUATION).rstrip(".").partition(":")[0].partition("#")[0]
    path = path.strip(_PUNCTUATION).removeprefix("./")
    *folders, name = path.split("/")
    stem, _dot, extension = name.rpartition(".")
    is_plain = all(char.isalnum() or char in "/._-+@" for char in path) and path[:1] != "-"
    is_relative = folders and {"", ".", ".."}.isdisjoint(folders)
    return [path] if is_relative and is_plain and stem and extension in EXTENSIONS else []


def is_gone(files: SafeFiles, path: str) -> bool:
    """Return whether a path names a file of the project that is not there any more."""
    return file_actions.is_missing(files, path) and files.has_entry(path.partition("/")[0])
