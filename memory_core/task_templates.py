"""What a task's memory looks like at first: built-in templates, and those of the project or user.

A file `.claude-mpm/templates/NAME.md` of the project, else of the user, takes the place of the
built-in one; another name is another template.  `{task_id}` and `{title}` are filled in.
"""

from __future__ import annotations

import os

from memory_core import backlog

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory_core import places

DEFAULT = "default"
FOLDER = "templates"
LONGEST_NAME = 64

# Comments are for people: of an imported file Claude Code shows none to the model.
BUILT_IN = {
    DEFAULT: """\
## Context

## Key Decisions

## Notes

## References
""",
    "feature": """\
## Context
<!-- Who needs it, and what for. -->

## Requirements
<!-- What must hold when it is done. -->

## Key Decisions

## Notes

## References
""",
    "bugfix": """\
## Context
<!-- What was seen, and what was expected. -->

## Steps to Reproduce

## Root Cause

## Key Decisions

## Notes

## References
""",
    "research": """\
## Context
<!-- What is to be found out, and what depends on it. -->

## Questions

## Findings

## Key Decisions

## Notes

## References
""",
}

# What a task is called in Backlog.md, as type or label, and the template for it.
KINDS = {
    "bug": "bugfix",
    "bugfix": "bugfix",
    "fix": "bugfix",
    "defect": "bugfix",
    "feature": "feature",
    "enhancement": "feature",
    "story": "feature",
    "research": "research",
    "spike": "research",
    "investigation": "research",
}


class NoTemplate(ValueError):
    """A name that no template has; the message names those there are."""

    status = 2


def names(levels: Sequence[places.Place]) -> dict[str, str]:
    """Return where each template comes from: a path, or "" for a built-in one."""
    found = dict.fromkeys(BUILT_IN, "")
    for level in reversed(levels):
        folder = os.path.join(level.folder, FOLDER)
        try:
            listed = sorted(os.listdir(folder))
        except OSError:
            continue
        for name in listed:
            path = os.path.join(folder, name)
            is_named = name.endswith(".md") and not name.startswith(".")
            # A link may lead to a secret.
            if is_named and os.path.isfile(path) and not backlog.leaves(path, level.root):
                found[name[:-3]] = path
    return found


def text(levels: Sequence[places.Place], name: str) -> str:
    """Return a template.  Raises NoTemplate, or OSError where its file cannot be read."""
    known = names(levels)
    if name not in known:
        raise NoTemplate(f"no template {name!r}; there are {', '.join(sorted(known))}")
    if not known[name]:
        return BUILT_IN[name]
    with open(known[name], encoding="utf-8", errors="replace") as file:
        return file.read().removeprefix("\ufeff")


def path(level: places.Place, name: str) -> str:
    """Return where a level's own template of that name is, or would be; raises NoTemplate."""
    plain = name.replace("-", "").replace("_", "")
    if not (plain.isascii() and plain.isalnum() and len(name) <= LONGEST_NAME):
        raise NoTemplate(f"{name!r} is no name of a template: letters, digits, - and _ are")
    return os.path.join(level.folder, FOLDER, f"{name}.md")


def copy(levels: Sequence[places.Place], level: places.Place, name: str) -> str:
    """Write a template to a level's own folder, to be changed there; return its path.

    Raises NoTemplate, or FileExistsError where the level has one of that name.
    """
    target, held = path(level, name), text(levels, name)
    level.made(FOLDER)
    with open(target, "x", encoding="utf-8") as file:
        file.write(held)
    return target


def fitting(kind: str, labels: Sequence[str]) -> str:
    """Return the template for a task of that type and these labels."""
    told = (each.strip().casefold() for each in (kind, *labels))
    return next((KINDS[each] for each in told if each in KINDS), DEFAULT)
