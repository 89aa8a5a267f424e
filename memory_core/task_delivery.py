"""How a session of Claude Code gets the memory of the active task: by imports in CLAUDE.md.

    CLAUDE.md            @backlog/CLAUDE.md, between our marks; added with a person's consent
    backlog/CLAUDE.md    @memory/task-368.md, between our marks, as long as that task is active
    .claude-mpm/state/tasks/task-368.md   is imported instead of a memory that is over budget,
                         or that would import something itself

Claude Code reads them once, while the SessionStart hooks run (seen from 2.1.63 to 2.1.329), and
gives the main session and each subagent what it has read.  So what changes in that moment is
told by SessionStart, and a subagent that starts after a change is told by SubagentStart.
"""

from __future__ import annotations

import os

from memory_core import backlog, store, task_life

# The rest is imported where it is used: most looks only ask which files count.

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.memory import Project
    from memory_core.places import Place
    from memory_core.runs import Runs
    from memory_core.task_life import Work

CLAUDE = "CLAUDE.md"
COPIES = "tasks"

# Under which name a session's records say what it was given of tasks.
RECORD = "task-memory"

FENCE = "task-memory"

# Below this many characters a subagent is only told where the memory is.
LEAST = 400


# The person's consent.


def is_set_up(folder: backlog.Folder) -> bool:
    """Say whether the root's CLAUDE.md imports the folder's, by our block or a person's line."""
    from memory_core import imports

    try:
        text = _text(os.path.join(folder.root, CLAUDE))
    except OSError:
        return False
    return imports.has_block(text) or _line(folder) in text.splitlines()


def _line(folder: backlog.Folder) -> str:
    return _import(folder.relative(os.path.join(folder.path, CLAUDE)))


def _import(path: str) -> str:
    return "@" + path.replace(" ", "\\ ")


def set_up(project: Project) -> list[str]:
    """Have the root's CLAUDE.md import the folder's; return the files that were changed.

    Raises store.Outside where the folder's is a link to somewhere else.
    """
    with task_life.Work(project) as work:
        folder = work.folder
        own = os.path.join(folder.path, CLAUDE)
        if backlog.leaves(own, folder.root):
            raise store.Outside(f"{folder.relative(own)} is a link that leaves the project")
        changed = []
        path, before, after = _root(folder)
        if after != before:
            _write(path, after)
            changed.append(folder.relative(path))
        refresh(work)
    return changed


def to_set_up(project: Project) -> list[tuple[str, str, str]]:
    """Return (path, before, after) of the files that `set_up` would change."""
    folder = backlog.Folder(project.place.root)
    root = _root(folder)
    found = [root] if root[2] != root[1] else []
    path = os.path.join(folder.path, CLAUDE)
    before = _text(path)
    target, _copy = _chosen(project, folder, folder.active_of(folder.started))
    after = _importing(before, folder, target)
    return [*found, (path, before, after)] if after != before else found


def _root(folder: backlog.Folder) -> tuple[str, str, str]:
    """Return the path of the root's CLAUDE.md, and it before and after it imports the folder's."""
    from memory_core import imports

    path = os.path.join(folder.root, CLAUDE)
    before = _text(path)
    # Also of an older block: Backlog.md's folder may have another name by now.
    is_due = imports.has_block(before) or not is_set_up(folder)
    return path, before, imports.with_block(before, [_line(folder)]) if is_due else before


def to_take_down(place: Place) -> list[tuple[str, str, str]]:
    """Return (path, before, after) of the files that our lines are in; "" behind one that goes."""
    from memory_core import imports

    folder = backlog.Folder(place.root)
    paths = (os.path.join(folder.root, CLAUDE), os.path.join(folder.path, CLAUDE))
    texts = ((path, _text(path)) for path in paths)
    return [
        (path, text, imports.without_block(text)) for path, text in texts if imports.has_block(text)
    ]


def take_down(place: Place) -> list[str]:
    """Take our lines out of both files, and what they import; return the files that changed."""
    changed = to_take_down(place)
    for path, _before, after in changed:
        _write(path, after)
    backlog.Folder(place.root).heed(f"/{CLAUDE}")
    remove_copies(place)
    return [place.relative(path) for path, *_texts in changed]


# What is imported.


def refresh(work: Work, soon: str | None = None) -> None:
    """Have the folder's CLAUDE.md import the memory of the active task, or nothing.

    `soon` is the text that its file is about to have: what may not be imported as it is must
    be known before it can be read.
    """
    folder = work.folder
    path = os.path.join(folder.path, CLAUDE)
    # A repository may hold any link, and nobody is asked here.
    if not is_set_up(folder) or backlog.leaves(path, folder.root):
        return
    text = _text(path)
    after = _importing(text, folder, _target(work.project, folder, work.active, soon))
    if after != text:
        if not text:
            folder.ignore(f"/{CLAUDE}")  # which task is active is this machine's business
        _write(path, after)


def _importing(text: str, folder: backlog.Folder, target: str) -> str:
    """Return the folder's CLAUDE.md as it imports a file, or nothing for ""."""
    from memory_core import imports

    if not target:
        return imports.without_block(text)
    line = _import(os.path.relpath(target, folder.path).replace(os.sep, "/"))
    return imports.with_block(text, [line])


def _target(project: Project, folder: backlog.Folder, active: str, soon: str | None) -> str:
    """Return the file to import, "" for none; a copy is written if need be."""
    target, copy = _chosen(project, folder, active, soon)
    remove_copies(project.place, but=target if copy is not None else "")
    if copy is not None and _text(target) != copy:
        project.place.made("state", COPIES)
        store.replace(target, copy.encode("utf-8", "replace"))
    return target


def _chosen(
    project: Project, folder: backlog.Folder, active: str, soon: str | None = None
) -> tuple[str, str | None]:
    """Return the file to import, "" for none, and what it is to say where that is a copy."""
    if not (active and project.config["tasks"]["enabled"]):
        return "", None
    path = folder.memory_path(active)
    try:
        text = task_life.read(folder, path).text if soon is None else soon
    except OSError:
        return "", None  # gone, or a link to something else
    given = given_text(project, folder, path, text)
    if given == text:
        return path, None
    return os.path.join(project.place.state, COPIES, f"{active}.md"), given


def imported(folder: backlog.Folder) -> list[str]:
    """Return the files that our block in the folder's CLAUDE.md imports."""
    from memory_core import imports

    lines = imports.block(_text(os.path.join(folder.path, CLAUDE)))
    told = (line[1:].replace("\\ ", " ") for line in lines if line.startswith("@"))
    return [os.path.normpath(os.path.join(folder.path, path)) for path in told]


def given_text(project: Project, folder: backlog.Folder, path: str, text: str) -> str:
    """Return a memory as a session may be given it: within the budget, importing nothing."""
    from memory_core import front_matter, imports, task_document, trust

    budget = project.config["tasks"]["budget_tokens"]
    safe = imports.defuse(trust.defuse(text))
    # Cut after it was made harmless: what is put in for that counts, too.
    body = front_matter.body(safe)
    if task_document.tokens(body) > budget:
        return task_document.cut(safe, budget, folder.relative(path))
    return text if safe == text else body


def remove_copies(place: Place, but: str = "") -> None:
    """Remove what was imported in the place of memories."""
    path = os.path.join(place.state, COPIES)
    try:
        names = os.listdir(path)
    except OSError:
        return
    for name in names:
        if os.path.join(path, name) != but:
            os.unlink(os.path.join(path, name))


def files(project: Project, folder: backlog.Folder, active: str) -> list[str]:
    """Return the files that decide what is imported, and those that say it."""
    found = [os.path.join(folder.root, CLAUDE), os.path.join(folder.path, CLAUDE)]
    if active:
        found.append(folder.memory_path(active))
        found.append(os.path.join(project.place.state, COPIES, f"{active}.md"))
    return found


def _text(path: str) -> str:
    """Return a file as text, "" for none.  Raises OSError: what cannot be read is not replaced."""
    try:
        with open(path, "rb") as file:
            return file.read().decode("utf-8", "surrogateescape")
    except (FileNotFoundError, NotADirectoryError):
        return ""


def _write(path: str, text: str) -> None:
    """Write a CLAUDE.md; one of which nothing is left was ours, and goes."""
    real = os.path.realpath(path)  # a link to AGENTS.md, as many projects have it, stays one
    if text:
        os.makedirs(os.path.dirname(real), exist_ok=True)
        store.replace(real, text.encode("utf-8", "surrogateescape"))
    elif os.path.exists(real):
        os.unlink(real)


# Sessions.


def note_session(project: Project, records: Runs) -> None:
    """Note what a session that starts now is given of tasks."""
    active, text = _now(project)
    records.try_note(RECORD, task=active, text=_digest(text))


def told_at_start(project: Project, records: Runs, room: int) -> str:
    """Return what a subagent is to be told of the active task, "" where its session knows.

    At most `room` characters.
    """
    from memory_core import task_document, trust

    known = records.record(RECORD)
    if "text" not in known:
        return ""
    active, text = _now(project)
    if known["text"] == _digest(text):
        return ""
    if not active:
        return _fenced(str(known.get("task") or ""), ["No task is in progress any more."])
    whole = _fenced(active, [trust.defuse(text).strip()])
    if len(whole) <= room:
        return whole
    folder = backlog.Folder(project.place.root)
    path = folder.memory_path(active)
    budget = max(room - LEAST, 0) // task_document.PER_TOKEN
    cut = task_document.cut(text, budget, folder.relative(path))
    shorter = _fenced(active, [trust.defuse(cut).strip()])
    return shorter if len(shorter) <= room else ""


def _fenced(task: str, lines: list[str]) -> str:
    head = "What is known of the task in progress has changed since this session began.  It is now:"
    return "\n".join([f'<{FENCE} task="{task}">', head, "", *lines, f"</{FENCE}>"])


def _now(project: Project) -> tuple[str, str]:
    """Return the active task and what a session that starts now is given of it."""
    folder = backlog.Folder(project.place.root)
    if not (project.config["tasks"]["enabled"] and folder.exists and is_set_up(folder)):
        return "", ""
    active = folder.active_of(folder.started)
    if not active:
        return "", ""
    path = folder.memory_path(active)
    try:
        text = task_life.read(folder, path).text
    except OSError:
        return "", ""
    return active, given_text(project, folder, path, text)


def _digest(text: str) -> str:
    from memory_core import digests, front_matter

    return digests.digest(front_matter.body(text))
