"""Why an item may be out of date: files, commands and symbols that it names are gone."""

from __future__ import annotations

from memory_core.files import named_code, named_files
from memory_core.files.safe_files import SafeFiles

# Programs whose commands the project defines.
PROGRAMS = ("make", "just", "npm", "pnpm", "yarn")

GONE = "{} is gone"


def find_gone(files: SafeFiles, text: str) -> dict[str, str]:
    """Return the reasons by what a text names: {"src/x.py": "src/x.py is gone"}; {} without any."""
    paths = named_files.list_paths(text)[: named_files.MAX_PATHS] if "/" in text else []
    missing = [path for path in paths if named_files.is_gone(files, path)]
    gone = [] if missing and named_files.says_itself(text) else missing
    reasons = {path: GONE.format(path) for path in gone}
    places = [path for path in paths if path not in missing]
    has_code = bool(places) and ("`" in text or "::" in text)
    if has_code or any(f"{program} " in text for program in PROGRAMS):
        reasons |= named_code.find_gone(files, text, places)
    return reasons


def describe_gone(files: SafeFiles, text: str) -> str:
    """Return why a text may be out of date: "src/x.py is gone"; "" if all is there."""
    return ", ".join(find_gone(files, text).values())
