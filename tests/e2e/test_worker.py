"""The worker saves what a hook has collected, whatever becomes of the client."""

import os
import signal
import threading
from collections.abc import Callable

import pytest

from support.processes import wait_until

from .api import after, call_engineer, say
from .client import Desk, Session
from .product import FACT, lesson, list_known_items


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
    store = desk.open_project().store
    is_left = threading.Event()
    script = call_engineer(say(lesson(FACT)))
    if end is not end_by_itself:
        script["MAIN"][1] = after(is_left, say("done"))
    with desk.start(script) as session, store.lock("engineer"):
        wait_until(lambda: len(session.api.requests_by("MAIN")) == 2, "the hooks to be done")
        end(session)
        session.process.wait()
        is_left.set()
        assert list_known_items(desk, "engineer") == []
    assert list_known_items(desk, "engineer") == [FACT]
