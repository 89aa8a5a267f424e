"""The worker saves what a hook has collected, whatever becomes of the client."""

import os
import signal
import threading
from collections.abc import Callable

import pytest

from memory_core.storage.paths import LevelPaths
from memory_core.storage.project import Project
from support.processes import wait_until

from .api import after, delegate, say
from .client import Desk, Session
from .product import lesson, list_known_items

FACT = "Orders are numbered per warehouse and never reused"


def end_by_itself(session: Session) -> None:
    session.process.wait()


def interrupt(session: Session) -> None:
    """As Ctrl-C does, for the whole process group."""
    os.killpg(session.process.pid, signal.SIGINT)


def terminate(session: Session) -> None:
    session.process.terminate()


def kill_all(session: Session) -> None:
    os.killpg(session.process.pid, signal.SIGKILL)


@pytest.mark.parametrize("end", [end_by_itself, interrupt, terminate, kill_all])
def test_the_worker_outlives_the_client(desk: Desk, end: Callable[[Session], None]) -> None:
    """While the memory file is locked, the worker cannot finish."""
    store = Project(LevelPaths(str(desk.project), {"HOME": str(desk.home)}), {}).store
    is_left = threading.Event()
    call = delegate("engineer", "TASK-1 go", run_in_background=False)
    last = say("done") if end is end_by_itself else after(is_left, say("done"))
    script = {"MAIN": [call, last], "TASK-1": [say(lesson(FACT))]}
    with desk.start(script) as session, store.lock("engineer"):
        wait_until(lambda: len(session.api.requests_by("MAIN")) == 2, "the hooks to be done")
        end(session)
        session.process.wait()
        is_left.set()
        assert list_known_items(desk, "engineer") == []
    assert list_known_items(desk, "engineer") == [FACT]
