"""Templates for new task memories: built-in ones, and files of the project.

A file `.claude-mpm/templates/NAME.md` overrides the built-in template of that name or adds a new
one.  `{task_id}` and `{title}` are replaced.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from memory_core.storage.paths import LevelPaths

DEFAULT = "default"
FOLDER = "templates"

# The sections of each template, with a hint: a comment, which Claude Code removes from imports.
SECTIONS = {
    DEFAULT: {"Context": ""},
    "feature": {
        "Context": "Who needs it, and what for.",
        "Requirements": "What must hold when it is done.",
    },
    "bugfix": {
        "Context": "What was seen, and what was expected.",
        "Steps to Reproduce": "",
        "Root Cause": "",
    },
    "research": {
        "Context": "What is to be found out, and what depends on it.",
        "Questions": "",
        "Findings": "",
    },
}
COMMON_SECTIONS = {"Key Decisions": "", "Notes": "", "References": ""}

# What a task of each template is called in Backlog.md, as type or label.
KINDS = {
    "bugfix": ("bug", "bugfix", "fix", "defect"),
    "feature": ("feature", "enhancement", "story"),
    "research": ("research", "spike", "investigation"),
}


class NoTemplate(ValueError):
    """No template has this name, or the name is invalid; the message says what is valid."""

    status = 2


def find_templates(level: LevelPaths) -> dict[str, str]:
    """Return the source of each template: a path, or "" for a built-in one."""
    templates = dict.fromkeys(SECTIONS, "")
    for name in level.files.list_names(os.path.join(level.folder, FOLDER)):
        path = _locate(level, name[:-3])
        if name.endswith(".md") and not name.startswith(".") and level.files.is_file(path):
            templates[name[:-3]] = path
    return templates


def _locate(level: LevelPaths, name: str) -> str:
    return os.path.join(level.folder, FOLDER, f"{name}.md")


def read(level: LevelPaths, name: str) -> str:
    """Return a template.  Raises NoTemplate, or OSError if its file cannot be read."""
    templates = find_templates(level)
    if name not in templates:
        raise NoTemplate(f"no template {name!r}; there are {', '.join(sorted(templates))}")
    if path := templates[name]:
        return level.files.read(path).decode("utf-8", "replace").removeprefix("\ufeff")
    sections = {**SECTIONS[name], **COMMON_SECTIONS}.items()
    hints = {title: f"<!-- {hint} -->\n" if hint else "" for title, hint in sections}
    return "\n".join(f"## {title}\n{hint}" for title, hint in hints.items())


def choose(kind: str, labels: Sequence[str]) -> str:
    """Return the name of the template for a task of this type with these labels."""
    words = [word.strip().casefold() for word in (kind, *labels)]
    templates = (name for word in words for name, kinds in KINDS.items() if word in kinds)
    return next(templates, DEFAULT)
