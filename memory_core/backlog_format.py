"""What Backlog.md writes, and how it reads what people type (seen with 1.52.0).

    backlog/tasks/task-1.1 - Title.md     front matter with `id: TASK-1.1`, title, status
    backlog/config.yml                    statuses, in their order, and the prefix of ids

`1.1`, `task-1.1`, `TASK-01.1` name one task.
"""

from __future__ import annotations

from memory_core import front_matter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

TODO, STARTED, DONE = "to do", "in progress", "done"

PREFIX = "task"
STATUSES = ("To Do", "In Progress", "Done")

# Where the words say what a status is, its place in the list does not count.  Of several
# statuses a task is given the one that comes first here; `*` is one of other words.
WORDS = {
    TODO: "to do|todo|backlog|open|new|planned|ready|icebox|idea|draft|*",
    STARTED: "in progress|doing|started|wip|active|*|in review|review|testing|on hold|blocked",
    DONE: "done|completed|complete|closed|shipped|released|resolved|*|cancelled|canceled|won't do",
}
ANY = "*"
KNOWN = {word: stage for stage, words in WORDS.items() for word in words.split("|") if word != ANY}

LONGEST_ID = 64
ID_CHARS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789._-")
# Files of these names are read as instructions, or as what a folder is for; or Windows keeps
# them for devices, whatever follows the first dot.
NO_IDS = frozenset(
    ["claude", "agents", "gemini", "readme", "con", "prn", "aux", "nul"]
    + [f"{device}{number}" for device in ("com", "lpt") for number in range(10)]
)

LINE = "Task Memory: "


class Config:
    """What of a Backlog.md configuration counts here."""

    __slots__ = ("default", "prefix", "statuses")

    def __init__(
        self, prefix: str = PREFIX, statuses: Sequence[str] = STATUSES, default: str = ""
    ) -> None:
        self.prefix = prefix
        self.statuses = statuses
        self.default = default

    def stage(self, status: str) -> str:
        """Return what a status comes to: TODO, STARTED or DONE.

        By its words, else by its place: Backlog.md lets a task end from the last one only,
        and the first one, or the default, is where tasks wait.
        """
        name = status.strip().casefold()
        order = [each.casefold() for each in self.statuses]
        if name in KNOWN:
            return KNOWN[name]
        if name not in order or name in (order[0], self.default.casefold()):
            return TODO
        return DONE if name == order[-1] else STARTED

    def of(self, stage: str) -> str:
        """Return the status that a task is given to bring it to a stage, "" for none."""
        order = WORDS[stage].split("|")

        def rank(status: str) -> int:
            name = status.strip().casefold()
            return order.index(name if name in order else ANY)

        return min(
            (each for each in self.statuses if self.stage(each) == stage), key=rank, default=""
        )


def config(text: str) -> Config:
    """Read a configuration of Backlog.md; what is missing or strange is as it is by default."""
    told = front_matter.mapping(text.splitlines())
    prefix, statuses = told.get("task_prefix"), told.get("statuses")
    default = told.get("default_status")
    return Config(
        prefix.casefold() if isinstance(prefix, str) and prefix.isalpha() else PREFIX,
        statuses if isinstance(statuses, list) and statuses else STATUSES,
        default if isinstance(default, str) else "",
    )


class Task:
    """A task as its file tells it: all but `labels` are texts, "" where nothing is said."""

    __slots__ = ("created", "kind", "labels", "status", "title")

    def __init__(self, text: str) -> None:
        told = front_matter.fields(text)
        self.title = " ".join(_text(told.get("title")).split())
        self.status = _text(told.get("status"))
        self.created = _text(told.get("created_date"))
        self.kind = _text(told.get("type"))
        labels = told.get("labels")
        self.labels = labels if isinstance(labels, list) else []


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


# Ids.


def stem(file_name: str) -> str:
    """Return the id in the name of a task's file, lower case; "" for another file."""
    name, dot, suffix = file_name.rpartition(".")
    if not dot or suffix.lower() != "md" or name.startswith("."):
        return ""
    found = name.partition(" - ")[0].strip().lower()
    return found if is_plain(found) else ""


def is_plain(task: str) -> bool:
    """Say whether an id, in lower case, can be the name of a file on every system."""
    return (
        0 < len(task) <= LONGEST_ID
        and ID_CHARS.issuperset(task)
        and task[0] not in "._-"
        and task[-1] not in "._-"
        and ".." not in task
        and task.partition(".")[0] not in NO_IDS
    )


def key(task: str, prefix: str = PREFIX) -> str:
    """Return one text for every spelling of an id: `task-1.1` for 1.1, TASK-01.1, task-1.01."""
    name = task.strip().casefold()
    before, dash, numbers = name.rpartition("-")
    parts = numbers.split(".")
    if not all(part.isascii() and part.isdigit() for part in parts):
        return name
    if dash and not before.isalpha():
        return name
    return f"{before or prefix}-{'.'.join(part.lstrip('0') or '0' for part in parts)}"


# The line that tells others of a task's memory.


def with_line(text: str, path: str) -> str:
    """Return a task's file whose body ends with the path of its memory; "" takes the line out."""
    lines = text.splitlines(keepends=True)
    told = [at for at, line in enumerate(lines) if _is_ours(line)]
    new = f"{LINE}`{path}`"
    if path and told and lines[told[-1]].rstrip() == new:
        return text
    for at in reversed(told):
        blank_above = at and not lines[at - 1].strip() and at == len(lines) - 1
        del lines[at - 1 if blank_above else at : at + 1]
    if not path:
        return "".join(lines)
    end = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
    before = "".join(lines)
    gap = "" if before.endswith(end * 2) or not before else end
    return f"{before}{'' if before.endswith(end) or not before else end}{gap}{new}{end}"


def _is_ours(line: str) -> bool:
    """Say whether a line is the one above, and not what a person has to say of it."""
    return line.startswith(f"{LINE}`") and line.rstrip().endswith(".md`")


def section(text: str, title: str) -> str:
    """Return what a section of a task's file holds, without Backlog.md's marks."""
    from memory_core import markdown

    document = markdown.parse(text)
    found = markdown.find_section(document, title)
    lines = document.lines[found.body : found.end] if found else []
    kept = (line for line in lines if not _is_mark(line) and not _is_ours(line))
    return "".join(kept).strip("\n")


def _is_mark(line: str) -> bool:
    text = line.strip()
    return text.startswith("<!-- ") and text.endswith((":BEGIN -->", ":END -->"))
