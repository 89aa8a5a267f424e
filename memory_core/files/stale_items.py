"""Why an item may be out of date: files that it names, or symbols in them, are gone."""

from __future__ import annotations

from collections.abc import Iterator

from memory_core.files import named_files
from memory_core.files.safe_files import SafeFiles
from memory_core.text import code_names, sanitize

GONE = "{} is gone"

# A larger file is not read.
MAX_BYTES = 256 * 1024


def find_gone(files: SafeFiles, text: str) -> dict[str, str]:
    """Return the reasons by what a text names: {"src/x.py": "src/x.py is gone"}; {} without any.

    A symbol `src/pay.py::retry` is gone if the file is there and does not contain its name.
    A text that says itself that something was removed is not out of date.
    """
    if "/" not in text or named_files.says_itself(text):
        return {}
    paths = named_files.list_paths(text)[: named_files.MAX_PATHS]
    missing = [path for path in paths if named_files.is_gone(files, path)]
    reasons = {path: GONE.format(path) for path in missing}
    files = SafeFiles(files.root)  # what is refused here needs no log
    for path, name in _list_symbols(text):
        source = files.read_text(path, MAX_BYTES) if path in paths else ""
        if source and not code_names.has_name(source, name):
            reasons[name] = f"`{name}` is gone from {path}"
    return reasons


def describe_gone(files: SafeFiles, text: str) -> str:
    """Return as data why a text may be out of date: "src/x.py is gone"; "" if all is there."""
    return sanitize.escape(", ".join(find_gone(files, text).values()))


def _list_symbols(text: str) -> Iterator[tuple[str, str]]:
    """Yield path and last name of each `path::symbol`."""
    for word in text.replace("`", " ").split() if "::" in text else []:
        name = word.partition("[")[0].rpartition("::")[2].partition("(")[0].strip(".,:;!?)*'\"")
        name = name.rpartition(".")[2]
        if name.isidentifier():
            yield from ((path, name) for path in named_files.read_path(word))
