"""Append the decisions of finished tasks as notes to their Backlog.md tasks.

Backlog.md's own command appends them, each decision once, also if its task is reopened and
finished again.  `.state.yml` lists the tasks with decisions that are not sent yet; what fails
is tried again next time.
"""

from __future__ import annotations

import time

from memory_core.history import item_history
from memory_core.secrets import scanner
from memory_core.storage import store
from memory_core.storage.project import Project
from memory_core.tasks import backlog_folder, task_document
from memory_core.tasks.lifecycle import TaskTransaction
from memory_core.text import front_matter

# Seconds.  Backlog.md's command takes half a second; a hook has five.
HOOK_WAIT = 3.0
COMMAND_WAIT = 30.0

# Tasks whose decisions one call of `send` sends; the next one continues.
MAX_TASKS = 20

# Not lifecycle.LOCK_NAME: nobody may hold that one for as long as a command takes.
SEND_LOCK = ".tasks.send.lock"

HEADING = "Key decisions, from the memory of this task:"


def add_unsent(transaction: TaskTransaction, task: str) -> None:
    """Mark a task for `send`, if its memory has decisions that are not sent yet."""
    if task not in transaction.unsent_decisions and _list_unsent(transaction, task):
        transaction.unsent_decisions.append(task)


def send(project: Project, wait: float = HOOK_WAIT) -> list[str]:
    """Append unsent decisions to their tasks; return the problems as sentences.

    What `wait` seconds are too short for is sent next time.
    """
    folder = backlog_folder.Folder(project.paths.files)
    if (
        not backlog_folder.is_enabled(project, folder)
        or not folder.unsent_decisions
        or not backlog_folder.has_command()
    ):
        return []
    try:
        # Two hooks at once would send everything twice.
        with store.Lock(project.paths, SEND_LOCK, wait):
            return _send_locked(project, folder, wait)
    except store.LockTimeout as error:
        return [str(error)]


def _send_locked(project: Project, folder: backlog_folder.Folder, wait: float) -> list[str]:
    problems = []
    end = time.monotonic() + wait
    with TaskTransaction(project) as transaction:
        tasks = transaction.unsent_decisions[:MAX_TASKS]
        unsent = {task: _list_unsent(transaction, task) for task in tasks}
        for task in tasks:
            if not unsent[task]:
                transaction.forget_decisions(task)
    for task, decisions in unsent.items():
        if not decisions or time.monotonic() > end:
            continue
        note = "\n".join([HEADING, *map(_format_item, decisions)])
        command = ["task", "edit", task, f"--append-notes={note}"]
        try:
            backlog_folder.run_command(folder, command, wait)
            _mark_sent(project, task, decisions)
        except backlog_folder.CommandFailed as error:
            problems.append(str(error))
    return problems


def _format_item(decision: str) -> str:
    """Return a bullet without NUL that cannot close one of Backlog.md's section comments."""
    harmless = scanner.redact(decision).replace("<!--", "‹!--").replace("\0", "")
    return "- " + harmless.replace("\n", "\n  ")


def _list_unsent(transaction: TaskTransaction, task: str) -> list[str]:
    """Return the decisions of an archived memory that are not in its task yet."""
    path = transaction.folder.find(task)
    if not path or not transaction.has(task, archived=True):
        return []
    text = transaction.read(transaction.path(task, archived=True)).text
    # The task counts too: a process may be killed after it sent decisions, before it noted that.
    items = task_document.list_items(transaction.folder.read_file(path))
    sent = {*read_sent_ids(text), *map(hash_decision, items)}
    decisions = task_document.list_items(text, task_document.DECISIONS)
    return [decision for decision in decisions if hash_decision(decision) not in sent]


def read_sent_ids(text: str) -> list[str]:
    """Return the hashes of the decisions that were sent, from the front matter of a memory."""
    ids = front_matter.read_fields(text).get("noted")
    return ids if isinstance(ids, list) else []


def hash_decision(decision: str) -> str:
    return item_history.id_of(" ".join(decision.split()))


def _mark_sent(project: Project, task: str, decisions: list[str]) -> None:
    with TaskTransaction(project) as transaction:
        transaction.forget_decisions(task)
        archived = transaction.has(task, archived=True)
        if archived or transaction.has(task):
            memory = transaction.read(transaction.path(task, archived))
            ids = [*read_sent_ids(memory.text), *map(hash_decision, decisions)]
            transaction.write(memory, front_matter.set_fields(memory.text, {"noted": ids}))
