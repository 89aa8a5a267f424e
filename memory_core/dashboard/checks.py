"""The checks of `status`, read in the background: those of 200 memories take seconds."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from concurrent.futures import Future, wait
from typing import NamedTuple

from memory_core.curation import agent_status
from memory_core.curation.agent_status import ProjectStatus
from memory_core.memory.project import Project

# A page waits this long for checks that are known to be quick, and for the first ones.
WAIT_SECONDS = 0.1

# Between two checks is a pause of so many times their duration.
PAUSE_FACTOR = 10


class CheckResult(NamedTuple):
    """The last checks, None before the first ones end; `is_running`: newer ones will follow."""

    status: ProjectStatus | None
    is_running: bool


class Checks:
    """The checks of a project, made while somebody looks at them."""

    def __init__(self) -> None:
        self._running: Future[tuple[ProjectStatus, float]] | None = None
        self._last: ProjectStatus | None = None
        self._duration = 0.0
        self._next = 0.0

    def read(self, project: Project, environ: Mapping[str, str]) -> CheckResult:
        """Return the last checks; raises what reading the status raises."""
        if self._running is None and time.monotonic() >= self._next:
            self._running = _start(project, environ)
        if self._running is not None:
            is_quick = self._duration < WAIT_SECONDS
            wait([self._running], WAIT_SECONDS if is_quick else 0)
            if self._running.done():
                running, self._running = self._running, None
                self._last, self._duration = running.result()
                self._next = time.monotonic() + PAUSE_FACTOR * self._duration
        return CheckResult(self._last, self._running is not None)


def _start(project: Project, environ: Mapping[str, str]) -> Future[tuple[ProjectStatus, float]]:
    """Read the status and how long that takes, in a thread that the end of the server ends."""
    future: Future[tuple[ProjectStatus, float]] = Future()

    def run() -> None:
        began = time.monotonic()
        try:
            status = agent_status.read_status(project, environ)
        except BaseException as error:  # noqa: BLE001 - raised by who asks for the result
            future.set_exception(error)
        else:
            future.set_result((status, time.monotonic() - began))

    threading.Thread(target=run, daemon=True).start()
    return future
