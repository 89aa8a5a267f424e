"""The project that is served, and what an error is told as."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Mapping

from memory_core import agents, memory, recording, roster, store, task_watch
from memory_core.mcp_server import SOURCE

# As many of the agents are named where one is not known.
NAMED = 20


class Served:
    """What a server serves: the project that a hook would find from this folder.

    A class because a process teaches under one run: as with a report, it makes an item surer
    only once.
    """

    def __init__(self, folder: str, environ: Mapping[str, str]) -> None:
        named = (environ.get("CLAUDE_PROJECT_DIR", ""), folder)
        self.folder = next(filter(os.path.isdir, named), "")
        self.environ = environ
        self.run = f"{SOURCE}-{secrets.token_hex(4)}"

    @property
    def project(self) -> memory.Project:
        """The project with its settings as they are now; raises recording.Refused if it is off.

        Or gone: from the folder above it, another project or the user's would be served.
        """
        if not _is_there(self.folder):
            raise recording.Refused(f"the project's folder is gone: {self.folder}".rstrip(": "))
        project = memory.project_of(self.folder, self.environ)
        recording.check_enabled(project)
        return project

    @property
    def by(self) -> dict[str, str]:
        return {"run": self.run, "source": SOURCE}

    @property
    def with_tasks(self) -> memory.Project:
        """The project, its task memories in line with the files of tasks.

        These may be changed by Backlog.md's command, a board or a person, seen by no hook.
        """
        project = self.project
        try:
            task_watch.check(project)
        except OSError:
            pass  # what is there can be read, and whoever writes is told
        return project

    def known(self, project: memory.Project, name: str) -> str:
        """Return the id of an agent that is known here; raises roster.Unknown."""
        agent = roster.agent_known(project, name, self.environ)
        recording.check_serves(project, agent)
        return agent

    def known_or_new(self, project: memory.Project, name: str) -> str:
        """Return an agent's id, also of a new one; raises roster.Unknown for a slip."""
        agent = roster.agent_known_or_new(project, name, self.environ)
        recording.check_serves(project, agent)
        return agent

    def names(self, project: memory.Project) -> list[str]:
        """Return the ids of the agents that are known here and take part."""
        known = roster.known(project, self.environ) | {memory.PM}
        return sorted(agent for agent in known if project.serves(agent))


def _is_there(folder: str) -> bool:
    """Say whether a folder, "" for the working one, is still there."""
    try:
        return os.path.isdir(folder or os.getcwd())
    except FileNotFoundError:
        return False


def titled(agent: str) -> str:
    """Return what a person calls an agent's memory."""
    return "Main session" if agent == memory.PM else agents.title(agent)


def readable(text: str) -> str:
    """Return a text that JSON takes: bytes that are not UTF-8 become replacement characters."""
    try:
        return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    except UnicodeEncodeError:  # half a surrogate pair, as JSON may hold it
        return text.encode("utf-8", "replace").decode()


def told(error: Exception, known: Callable[[], list[str]]) -> str:
    """Return an error as one sentence for a model; "" for one that nobody foresaw.

    `known` gives the agents here, for the name of one that is not.
    """
    if isinstance(error, roster.Unknown) and not error.near:
        names = known()
        more = ", ..." if len(names) > NAMED else ""
        there = ", ".join(names[:NAMED]) + more
        return f"{str(error).partition(';')[0]}; there are {there}; remember begins a new one"
    if isinstance(error, store.Busy):
        return f"{error}; nothing was changed, try again"
    if isinstance(error, OSError):
        reason = error.strerror or str(error)
        return f"{error.filename}: {reason}" if error.filename else reason
    return str(error) if hasattr(error, "status") else ""
