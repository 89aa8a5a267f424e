"""Import the memory of the active task into Claude Code sessions, through CLAUDE.md.

    CLAUDE.md            @backlog/CLAUDE.md in a marked block; added with the user's consent
    backlog/CLAUDE.md    @memory/task-368.md in a marked block, while that task is active
    backlog/memory/.sessions/task-368.md   imported instead of a memory that is over budget or
                         contains imports; inside the project, because Claude Code asks before it
                         imports anything else

Claude Code reads these files once, while the SessionStart hooks run (seen from 2.1.63 to
2.1.329), and passes them to the main session and each subagent.  Therefore the SessionStart hook
adds changes of that moment to the prompt, and the SubagentStart hook adds later ones.
"""

from __future__ import annotations

import os

from memory_core.claude_code import claude_md
from memory_core.document import merge_versions
from memory_core.document.diff import FileChange, compare_texts
from memory_core.files import file_actions, safe_files
from memory_core.secrets import scanner
from memory_core.selection.passages import estimate_tokens
from memory_core.storage.project import Project
from memory_core.storage.run_records import SessionRuns
from memory_core.tasks import backlog_folder, backlog_format, task_document
from memory_core.tasks.lifecycle import TaskTransaction
from memory_core.text import digests, front_matter, memory_tags, sanitize

# Other modules are imported in functions: most calls only ask which files to watch.


CLAUDE_FILE = "CLAUDE.md"

COPY_FOLDER = ".sessions"

# Git ignores a folder that has a .gitignore with this line.
IGNORE_ALL = "*\n"

# The name of the session record with the task memory that the session received, and of its tag.
RECORD_NAME = "task-memory"


# Consent of the user.


def is_set_up(folder: backlog_folder.Folder) -> bool:
    """Say whether the root's CLAUDE.md imports the folder's, in a marked block or a single line."""
    text = folder.files.read_text(CLAUDE_FILE)
    return claude_md.has_import(text) or _format_root_line(folder) in text.splitlines()


def _format_root_line(folder: backlog_folder.Folder) -> str:
    return _format_import_line(folder.files.relative(os.path.join(folder.path, CLAUDE_FILE)))


def _format_import_line(path: str) -> str:
    return "@" + path.replace(" ", "\\ ")


def plan_set_up(folder: backlog_folder.Folder) -> list[FileChange]:
    """Return the changes of committed files that give the active task to sessions.

    Raises safe_files.Refused.
    """
    text = folder.read_file(CLAUDE_FILE)
    # An existing block is rewritten, because the backlog folder may have been renamed.
    if is_set_up(folder) and not claude_md.has_import(text):
        return []
    after = claude_md.set_import(text, [_format_root_line(folder)])
    return [compare_texts(CLAUDE_FILE, text, after)] if after != text else []


def plan_removal(folder: backlog_folder.Folder) -> list[FileChange]:
    """Return the changes of the files with a marked block; `after` is b"" to delete."""
    files = (CLAUDE_FILE, folder.files.relative(os.path.join(folder.path, CLAUDE_FILE)))
    texts = {path: folder.read_file(path) for path in files}
    return [
        compare_texts(path, text, claude_md.remove_import(text))
        for path, text in texts.items()
        if claude_md.has_import(text)
    ]


def remove(folder: backlog_folder.Folder) -> None:
    """Remove the marked blocks and the imported copies."""
    for change in plan_removal(folder):
        write(folder, change)
    folder.set_ignored(f"/{CLAUDE_FILE}", False)
    remove_copies(folder)
    copies = os.path.join(folder.memory, COPY_FOLDER)
    folder.files.remove(os.path.join(copies, ".gitignore"))
    file_actions.remove_folder(folder.files, copies)


# Imported files.


def refresh(transaction: TaskTransaction, next_text: str | None = None) -> None:
    """Set the import in the folder's CLAUDE.md to the memory of the active task, if any.

    `next_text` is the text that the caller is about to write to the memory: the import must be safe
    before a session can read the new text.
    """
    path = os.path.join(transaction.path, CLAUDE_FILE)
    if not is_set_up(transaction):
        return
    try:
        transaction.check_file(path)
    except safe_files.Refused:
        return
    target, text, given = _read_active_memory(transaction.project, transaction, next_text)
    copy = _copy_path(transaction, transaction.active) if given != text else ""
    remove_copies(transaction, but=copy)
    if copy:
        target = copy if _write_copy(transaction, copy, given) else ""
    text = transaction.read_file(path)
    after = claude_md.remove_import(text)
    if target:
        line = _format_import_line(os.path.relpath(target, transaction.path).replace(os.sep, "/"))
        after = claude_md.set_import(text, [line])
    if after != text:
        if not text:
            # Each machine has its own active task.
            transaction.set_ignored(f"/{CLAUDE_FILE}", True)
        write(transaction, compare_texts(path, text, after))


def _write_copy(transaction: TaskTransaction, path: str, text: str) -> bool:
    """Write an imported copy of a memory; return whether its place is a file of ours."""
    files = transaction.files
    try:
        transaction.check_file(path)
        data = text.encode("utf-8", "replace")
        if files.read(path) != data:
            file_actions.write_once(
                files, os.path.join(os.path.dirname(path), ".gitignore"), IGNORE_ALL
            )
            files.replace(path, data)
    except safe_files.Refused as error:
        transaction.log("refused", transaction.active, error=str(error))
        return False
    return True


def _copy_path(folder: backlog_folder.Folder, task: str) -> str:
    return os.path.join(folder.memory, COPY_FOLDER, f"{task}.md")


def _read_active_memory(
    project: Project, folder: backlog_folder.Folder, next_text: str | None = None
) -> tuple[str, str, str]:
    """Return the path of the active memory, its text, and that for a session; "" for none."""
    path = folder.memory_path(folder.active)
    text = folder.files.read_text(path) if next_text is None else next_text
    if not (folder.active and text and project.config["tasks"]["enabled"]):
        return "", "", ""
    return path, text, prepare_text(project, folder, path, text)


def list_imports(folder: backlog_folder.Folder) -> list[str]:
    """Return the files that the marked block in the folder's CLAUDE.md imports."""
    lines = claude_md.read_import(folder.read_file(os.path.join(folder.path, CLAUDE_FILE)))
    paths = (line[1:].replace("\\ ", " ") for line in lines if line.startswith("@"))
    return [os.path.normpath(os.path.join(folder.path, path)) for path in paths]


def prepare_text(project: Project, folder: backlog_folder.Folder, path: str, text: str) -> str:
    """Return the text of a memory for a session: in the budget; no imports, secrets, conflicts."""
    budget = project.config["tasks"]["budget_tokens"]
    merged = merge_versions.merge_sides(text).text
    safe = claude_md.escape_imports(sanitize.escape(scanner.redact(merged)))
    # Escape first, then measure: the escapes count as tokens too.
    body = front_matter.read_body(safe)
    if estimate_tokens(body) > budget:
        return task_document.shorten(safe, budget, folder.files.relative(path))
    return text if safe == text else body


def remove_copies(folder: backlog_folder.Folder, but: str = "") -> None:
    """Remove the copies of memories, except the file `but`."""
    copies = os.path.join(folder.memory, COPY_FOLDER)
    for name, _status in file_actions.scan(folder.files, copies):
        path = os.path.join(copies, name)
        if name.endswith(".md") and backlog_format.is_safe_id(name[:-3]) and path != but:
            folder.files.remove(path)


def list_watched_files(folder: backlog_folder.Folder, active: str) -> list[str]:
    """Return the files whose changes require a new import."""
    paths = [os.path.join(folder.root, CLAUDE_FILE), os.path.join(folder.path, CLAUDE_FILE)]
    if active:
        paths += [folder.memory_path(active), _copy_path(folder, active)]
    return paths


def write(folder: backlog_folder.Folder, change: FileChange) -> None:
    """Write a CLAUDE.md; delete it if it would be empty."""
    if change.after:
        folder.files.replace(change.path, change.after)
    elif folder.files.is_file(change.path):
        folder.files.delete(change.path)


# Sessions.


def record_session(project: Project, records: SessionRuns) -> None:
    """Record which task memory a session that starts now receives."""
    active, text = _find_session_memory(project)
    records.try_note(RECORD_NAME, task=active, text=_digest(text))


def format_update(project: Project, records: SessionRuns, room: int) -> str:
    """Return the task memory for a prompt, "" if it is unchanged since the session began.

    The prompt is that of the main session or of a subagent.  A memory of more than `room`
    characters is only named.
    """
    record = records.record(RECORD_NAME)
    if "text" not in record:
        return ""
    active, text = _find_session_memory(project)
    if record["text"] == _digest(text):
        return ""
    if not active:
        former = str(record.get("task") or "")
        return _format_block(project, former, ["No task is in progress any more."])
    whole = _format_block(project, active, [sanitize.escape(text).strip()])
    if len(whole) <= room:
        return whole
    folder = backlog_folder.Folder(project.paths.files)
    path = folder.memory_path(active)
    return _format_block(project, active, [f"Read {folder.files.relative(path)}."])


def _format_block(project: Project, task: str, lines: list[str]) -> str:
    head = "What is known of the task in progress has changed since this session began.  It is now:"
    key, name = project.paths.state.read_key(), sanitize.quote_name(task)
    return memory_tags.wrap_text(key, RECORD_NAME, f"task={name}", [head, "", *lines])


def _find_session_memory(project: Project) -> tuple[str, str]:
    """Return the active task and its memory for a session that starts now."""
    folder = backlog_folder.Folder(project.paths.files)
    if not (folder.exists and is_set_up(folder)):
        return "", ""
    path, _text, given = _read_active_memory(project, folder)
    return folder.active if path else "", given


def _digest(text: str) -> str:
    return digests.hash_text(front_matter.read_body(text))
