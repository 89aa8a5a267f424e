"""Why an item may be out of date: files that it names, or symbols in them, are gone."""

from __future__ import annotations

from memory_core.files import named_files
from memory_core.files.safe_files import SafeFiles
from memory_core.text import subject_words

GONE = "{} is gone"

# A larger file is not read.
MAX_BYTES = 256 * 1024


def find_gone(files: SafeFiles, text: str) -> dict[str, str]:
    """Return the reasons by what a text names: {"src/x.py": "src/x.py is gone"}; {} without any.

    A symbol `src/pay.py::retry` is gone if the file is there and does not contain its name.
    A text that says itself that something was removed is not out of date.
    """
    paths = named_files.list_paths(text)
    missing = [path for path in paths if named_files.is_gone(files, path)]
    reasons = {path: GONE.format(path) for path in missing}
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
            symbols += [(path, name) for path in named_files.read_path(word)]
    return symbols
