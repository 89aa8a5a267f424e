"""The served project, and the text of errors."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from contextlib import suppress

from pydantic import ValidationError

from memory_core.claude_code import agent_names
from memory_core.curation import item_actions, lookup
from memory_core.delegation import inbox_reports
from memory_core.files.problems import describe_expected
from memory_core.history.item_history import MCP_SOURCE
from memory_core.secrets.scanner import redact
from memory_core.storage import typed_command
from memory_core.storage.project import Project, find_project
from memory_core.tasks import sync
from memory_core.text import characters, sanitize


class ServedProject:
    """The project that a server serves: the same one that a hook in this folder would use.

    All writes of one process share the run id `run`, so that a process confirms an item only
    once, like an agent report.
    """

    def __init__(self, folder: str, environ: Mapping[str, str]) -> None:
        named = (environ.get("CLAUDE_PROJECT_DIR", ""), folder)
        self.folder = next(filter(os.path.isdir, named), "") or os.getcwd()
        self.environ = environ
        self.run = f"{MCP_SOURCE}-{secrets.token_hex(4)}"

    @property
    def project(self) -> Project:
        """The project with its current settings; raises InvalidRequest if memory is disabled.

        Also raised if the folder was deleted: a search from its parent could find another
        project.
        """
        if not os.path.isdir(self.folder):
            raise item_actions.InvalidRequest(f"the project's folder is gone: {self.folder}")
        project = find_project(self.folder, self.environ)
        item_actions.check_enabled(project)
        inbox_reports.drain(project)
        return project

    @property
    def project_with_tasks(self) -> Project:
        """The project, after an update of its task memories from the task files.

        Backlog.md's command, its board or a person may change task files without any hook.
        """
        project = self.project
        with suppress(OSError):  # reading still works, and a writer gets the same error
            sync.update(project)
        return project

    def find_agent(self, name: str, accept_new: bool = False) -> tuple[Project, str]:
        """Return the project and the id of an agent; raises lookup.UnknownAgent.

        With `accept_new`, the agent may be new, and only a misspelt name is refused.
        """
        project = self.project
        agent = lookup.find_agent(project, name, accept_new=accept_new)
        item_actions.check_included(project, agent)
        return project, agent


def clean_output(text: str) -> str:
    """Return a text for a model: as data, without secrets and hidden characters."""
    return sanitize.escape(redact(characters.clean(text)))


def format_error(error: BaseException, served: ServedProject) -> str:
    """Return an error as one sentence for a model, "" for an unexpected error."""
    if isinstance(error, ValidationError):
        faults = [f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors()]
        return "; ".join(faults)
    if isinstance(error, lookup.UnknownAgent) and not error.near:
        project = served.project
        agents = filter(project.serves, lookup.list_known_agents(project) | {agent_names.PM})
        there = ", ".join(sorted(agents))
        return f"{str(error).partition(';')[0]}; there are {there}; remember begins a new one"
    return typed_command.name_command(describe_expected(error), served.environ)
