"""Read the status of a project in steps: the checks of 200 memories take seconds."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, NamedTuple

from memory_core.curation import agent_status
from memory_core.curation.agent_status import MemoryStatus, ProjectStatus
from memory_core.monitor.agent_files import AgentFiles
from memory_core.monitor.numbers import Numbers
from memory_core.storage.project import Project

# A memory is checked again when its files changed, and else rarely: files that its items name may
# be gone.  That takes one part in so many of the time.
RECHECK_FACTOR = 100
MIN_RECHECK_SECONDS = 2.0


class _Check(NamedTuple):
    stamp: Any
    when: float
    seconds: float
    memory: MemoryStatus


class StatusReader:
    """The status of one project, with what is known of its memories."""

    def __init__(self) -> None:
        self._checks: dict[str, _Check] = {}

    def check(self, project: Project, files: AgentFiles, seconds: float) -> bool:
        """Check memories for at most this time and one memory; return whether all are checked."""
        agents = agent_status.list_agents(files)
        self._checks = {agent: self._checks[agent] for agent in agents if agent in self._checks}
        total = sum(check.seconds for check in self._checks.values())
        began = time.monotonic()
        oldest = began - max(MIN_RECHECK_SECONDS, RECHECK_FACTOR * total)
        for agent in agents:
            stamp = files.stamp(agent), project.config.values
            check = self._checks.get(agent)
            if check and check.stamp == stamp and check.when > oldest:
                continue
            now = time.monotonic()
            if now - began >= seconds:
                return False
            memory = agent_status.read_memory(project, files, agent)
            self._checks[agent] = _Check(stamp, now, time.monotonic() - now, memory)
        return True

    def read(self, project: Project, environ: Mapping[str, str], numbers: Numbers) -> ProjectStatus:
        """Return the status, with the warnings about the memories that were checked."""
        memories = [check.memory for check in self._checks.values()]
        return agent_status.read_status(project, environ, numbers=numbers, memories=memories)
