"""The file formats of Backlog.md and its spellings of task ids (checked with version 1.52.0).

    backlog/tasks/task-1.1 - Title.md     front matter with `id: TASK-1.1`, title, status
    backlog/config.yml                    statuses, in their order, and the prefix of ids

`1.1`, `task-1.1`, `TASK-01.1` name one task.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from memory_core.text import front_matter

TODO, STARTED, DONE = "to do", "in progress", "done"

DEFAULT_PREFIX = "task"
DEFAULT_STATUSES = ("To Do", "In Progress", "Done")

# A status in one of these lists belongs to that stage, whatever its place in the configuration.
# `choose_status` takes the status that comes first in a list; `*` stands for every other status.
STAGE_WORDS = {
    TODO: "to do|todo|backlog|open|new|planned|ready|icebox|idea|draft|*",
    STARTED: "in progress|doing|started|wip|active|*|in review|review|testing|on hold|blocked",
    DONE: "done|completed|complete|closed|shipped|released|resolved|*|cancelled|canceled|won't do",
}
STAGE_BY_WORD = {word: stage for stage, words in STAGE_WORDS.items() for word in words.split("|")}

# Tools read files of these names as instructions or as a description of the folder.
RESERVED_NAMES = ("claude", "agents", "gemini", "readme")
_SAFE_ID = re.compile(r"[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?")

MEMORY_LINE = "Task Memory: "


class BacklogConfig(NamedTuple):
    """The settings of Backlog.md that matter for task memories."""

    prefix: str = DEFAULT_PREFIX
    statuses: Sequence[str] = DEFAULT_STATUSES

    def stage(self, status: str) -> str:
        """Return the stage of a status: TODO, STARTED or DONE.

        Known words decide first, then the place in the list: the first status is TODO, the last
        one DONE.
        """
        name = status.strip().casefold()
        order = [text.casefold() for text in self.statuses]
        if name in STAGE_BY_WORD:
            return STAGE_BY_WORD[name]
        if name not in order or name == order[0]:
            return TODO
        return DONE if name == order[-1] else STARTED

    def choose_status(self, stage: str) -> str:
        """Return the status that moves a task to a stage, "" for none."""
        order = STAGE_WORDS[stage].split("|")
        names = {one: one.strip().casefold() for one in self.statuses if self.stage(one) == stage}
        ranks = {one: order.index(name if name in order else "*") for one, name in names.items()}
        return min(ranks, key=ranks.__getitem__, default="")


def parse_config(text: str) -> BacklogConfig:
    """Parse a Backlog.md configuration; missing or invalid settings get their defaults."""
    fields = front_matter.parse_mapping(text.splitlines())
    prefix, statuses = fields.get("task_prefix"), fields.get("statuses")
    return BacklogConfig(
        prefix.casefold() if isinstance(prefix, str) and prefix.isalpha() else DEFAULT_PREFIX,
        statuses if isinstance(statuses, list) and statuses else DEFAULT_STATUSES,
    )


class BacklogTask:
    """The fields of a task file; a missing text is ""."""

    def __init__(self, text: str) -> None:
        fields = front_matter.read_fields(text)
        self.title = " ".join(_text(fields.get("title")).split())
        self.status = _text(fields.get("status"))
        self.kind = _text(fields.get("type"))
        labels = fields.get("labels")
        self.labels = labels if isinstance(labels, list) else []


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


# Ids.


def parse_file_name(file_name: str) -> str:
    """Return the id in the name of a task file, in lower case; "" for other files."""
    name, dot, suffix = file_name.rpartition(".")
    if not dot or suffix.lower() != "md" or name.startswith("."):
        return ""
    task = name.partition(" - ")[0].strip().lower()
    has_number = task.rpartition("-")[2].replace(".", "").isdigit()
    return task if has_number and is_safe_id(task) else ""


def is_safe_id(task: str) -> bool:
    """Say whether an id, in lower case, can be the name of a file."""
    is_name = _SAFE_ID.fullmatch(task) is not None and ".." not in task
    return is_name and task.partition(".")[0] not in RESERVED_NAMES


def normalize_id(task: str, prefix: str = DEFAULT_PREFIX) -> str:
    """Return the same text for all spellings of an id: `task-1.1` for 1.1, TASK-01.1, task-1.01."""
    name = task.strip().casefold()
    before, dash, numbers = name.rpartition("-")
    parts = numbers.split(".")
    if not all(part.isascii() and part.isdigit() for part in parts):
        return name
    if dash and not before.isalpha():
        return name
    return f"{before or prefix}-{'.'.join(part.lstrip('0') or '0' for part in parts)}"


# The line in a task file that gives the path of the memory.


def set_memory_line(text: str, path: str) -> str:
    """Return the text of a task file that ends with the path of its memory; "" removes it."""
    lines, new = text.splitlines(keepends=True), f"{MEMORY_LINE}`{path}`"
    if new in map(str.rstrip, lines):
        return text
    end = "\r\n" if "\r\n" in text else "\n"
    rest = "".join(line for line in lines if not _is_memory_line(line))
    if not path:
        return text if rest == text else f"{rest.rstrip()}{end}"
    return f"{rest.rstrip()}{end}{end}{new}{end}"


def _is_memory_line(line: str) -> bool:
    """Say whether `set_memory_line` wrote a line; a person may write about task memory too."""
    return line.startswith(f"{MEMORY_LINE}`") and line.rstrip().endswith(".md`")
