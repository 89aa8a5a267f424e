"""Open, archive and delete the memory of a task, and choose the active one.

    memory/ID.md           the task is in progress or waits
    memory/archive/ID.md   the task is done, or somebody archived the memory
    .state.yml             active_task, last_updated; in_progress: task ids in the order they were
                           started, of which the last one with a memory is active

Commands and the scan of the task files both change this through `sync.change_memories`.
"""

from __future__ import annotations

import errno
import os
import time

from memory_core.document import merge_versions
from memory_core.files import file_actions
from memory_core.storage import event_log, store
from memory_core.storage.project import Project
from memory_core.tasks import backlog_folder, backlog_format, task_document
from memory_core.tasks.backlog_format import BacklogTask
from memory_core.text import front_matter


class TaskTransaction(backlog_folder.Folder):
    """The task memories of a project, under their lock; `in_progress` is what will be written."""

    def __init__(self, project: Project) -> None:
        super().__init__(project.paths.files)
        self.project = project

    def make_active(self, task: str) -> None:
        """Move a task to the end of the tasks in progress, which makes it active."""
        self.pause(task)
        self.in_progress.append(task)

    def pause(self, task: str) -> None:
        """Take a task off the list of tasks in progress; its memory stays."""
        self.in_progress = [name for name in self.in_progress if name != task]

    # Changes of one memory.

    def open(self, task: str, file: BacklogTask | None, title: str = "", template: str = "") -> str:
        """Restore or create the memory of a task; say which, "" if it was open.

        The title of a new one is by default that of the task's file, and the template that of its
        type and labels.
        """
        if self.has(task):
            return ""
        if self.has(task, archived=True):
            self.restore(task)
            return "restored"
        self.make_memory_folder()
        files, name = self.files, ".gitattributes"  # git merges it like agents' memories
        if text := files.read_text(os.path.join(self.project.store.folder, name)):
            file_actions.write_once(files, os.path.join(self.memory, name), text)
        file = file or BacklogTask("")
        template = template or task_document.choose_template(file.kind, file.labels)
        memory = task_document.create(task, title or file.title, backlog_folder.now(), template)
        files.replace(self.memory_path(task), memory.encode("utf-8", "surrogateescape"))
        self.log("begun", task)
        self.link_task_file(task)
        return "started"

    def archive(self, task: str) -> None:
        now = backlog_folder.now()
        self._set_fields(self.memory_path(task), archived=now, updated=now)
        self._move(self.memory_path(task), self.memory_path(task, archived=True))
        self.pause(task)
        self.log("archived", task)
        self.link_task_file(task)

    def restore(self, task: str) -> None:
        """Move the memory of a task out of the archive."""
        self._move(self.memory_path(task, archived=True), self.memory_path(task))
        self._set_fields(self.memory_path(task), archived="", updated=backlog_folder.now())
        self.log("restored", task)
        self.link_task_file(task)

    def delete(self, task: str, archived: bool) -> None:
        """Delete the memory of a task for good."""
        self.files.delete(self.memory_path(task, archived))
        if not archived:
            self.pause(task)
        self.log("deleted", task)
        self.link_task_file(task)

    def update_title(self, task: str, file: BacklogTask | None) -> None:
        """Write the id and the title in the task's file into its memory, if the title changed."""
        if file and file.title and self.has(task):
            memory = read_memory(self, self.memory_path(task))
            if file.title != task_document.read_field(memory.text, "title"):
                self.write(memory, task_document.rename_task(memory.text, task, file.title))

    def _move(self, path: str, target: str) -> None:
        """Move a file; a file with the target's name is renamed, not overwritten."""
        files = self.files
        if files.has_entry(target):
            files.rename(target, f"{target[:-3]}-{time.time_ns()}.md")
        files.rename(path, target)
        file_actions.sync(files, os.path.dirname(target))

    # Files.

    def has(self, task: str, archived: bool = False) -> bool:
        return self.files.is_file(self.memory_path(task, archived))

    def write(self, snapshot: store.FileSnapshot, text: str) -> None:
        """Replace the text of a file; raises store.FileChanged if somebody saved it since."""
        if text != snapshot.text:
            self.project.store.write_file(snapshot.path, text, snapshot)

    def _set_fields(self, path: str, **values: str) -> None:
        memory = read_memory(self, path)
        self.write(memory, front_matter.set_fields(memory.text, {**values}))

    def link_task_file(self, task: str) -> None:
        """Write the path of the memory into the task's file, for agents without hook and MCP."""
        if not (path := self.find(task)):
            return
        files, places = self.files, (self.memory_path(task), self.memory_path(task, archived=True))
        name = next(map(files.relative, filter(files.is_file, places)), "")
        try:
            if file := store.read_snapshot(files, path, store.MAX_MEMORY_BYTES):
                self.write(file, backlog_format.set_memory_line(file.text, name))
        except OSError as error:  # the line is only a help: the change itself succeeded
            self.log("link_failed", task, error=f"{type(error).__name__}: {error}")

    def log(self, event: str, task: str, **fields: str) -> None:
        event_log.write(self.project.paths, f"task.memory.{event}", task_id=task, **fields)


def read_memory(folder: backlog_folder.Folder, path: str) -> store.FileSnapshot:
    """Read a memory of a task, without git's conflicts, so that a write resolves them.

    Raises OSError, also if the file is absent or refused.
    """
    read = store.read_snapshot(folder.files, path, store.MAX_MEMORY_BYTES)
    if read is None:
        refused = folder.files.refused.get(folder.files.relative(path))
        raise refused or FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
    read.text = merge_versions.merge_sides(read.text).text
    return read
