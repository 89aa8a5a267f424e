"""Templates for new task memories: built-in ones, and files of the project.

A file `.claude-mpm/templates/NAME.md` overrides the built-in template of that name or adds a new
one.  `{task_id}` and `{title}` are replaced.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence

from memory_core.storage.project import Project

DEFAULT = "default"
FOLDER = "templates"
MAX_NAME_CHARS = 64

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


def find_templates(project: Project) -> dict[str, str]:
    """Return the source of each template: a path, or "" for a built-in one."""
    templates = dict.fromkeys(SECTIONS, "")
    paths = project.paths
    for name in paths.files.list_names(os.path.join(paths.folder, FOLDER)):
        path = os.path.join(paths.folder, FOLDER, name)
        if name.endswith(".md") and not name.startswith(".") and paths.files.is_file(path):
            templates[name[:-3]] = path
    return templates


def read(project: Project, name: str) -> str:
    """Return a template.  Raises NoTemplate, or OSError if its file cannot be read."""
    templates = find_templates(project)
    if name not in templates:
        raise NoTemplate(f"no template {name!r}; there are {', '.join(sorted(templates))}")
    if not templates[name]:
        sections = {**SECTIONS[name], **COMMON_SECTIONS}.items()
        hints = {title: f"<!-- {hint} -->\n" if hint else "" for title, hint in sections}
        return "\n".join(f"## {title}\n{hint}" for title, hint in hints.items())
    return project.paths.files.read(templates[name]).decode("utf-8", "replace").lstrip("\ufeff")


def copy(project: Project, name: str) -> str:
    """Copy a template to the project, so that the user can edit it; return the path.

    Raises NoTemplate, or FileExistsError if the project already has a template of that name.
    """
    plain = name.replace("-", "").replace("_", "")
    if not (plain.isascii() and plain.isalnum() and len(name) <= MAX_NAME_CHARS):
        raise NoTemplate(f"{name!r} is no name of a template: letters, digits, - and _ are")
    text = read(project, name)
    target = os.path.join(project.paths.folder, FOLDER, f"{name}.md")
    if project.paths.files.has_entry(target):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), target)
    project.paths.files.replace(target, text.encode("utf-8", "surrogateescape"))
    return target


def choose(kind: str, labels: Sequence[str]) -> str:
    """Return the name of the template for a task of this type with these labels."""
    words = [word.strip().casefold() for word in (kind, *labels)]
    templates = (name for word in words for name, kinds in KINDS.items() if word in kinds)
    return next(templates, DEFAULT)
