"""The frame of every hook: one event in, at most one reply out, never in the way.

Whatever happens, the exit status is 0 and stdout is empty or one JSON object: a
delegation goes on with or without its memory.
"""

from __future__ import annotations

import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from memory_core.events import Event
    from memory_core.memory import Project

    Handler = Callable[[Project, Event], dict[str, Any] | None]

# Seconds after which a hook gives up.  The settings allow it 10; a hook that Claude
# Code has to kill cannot say why.
DEADLINE = 5.0

# The largest report seen was 0.2 MB.  More than this is no event.
LARGEST = 64 * 1024 * 1024

CHUNK = 1 << 16

BOM = b"\xef\xbb\xbf"

# The tool that is used most, and what is seen in its events where tasks may be moved.
SHELL, BACKLOG = b'"tool_name":"Bash"', b"backlog"


class Ended(BaseException):
    """The hook must end now: its time is up, or Claude Code asks it to.

    No Exception, so that nothing on the way answers it.
    """


def run(name: str, handle: Handler, after: Handler | None = None) -> None:
    """Read an event from stdin, have it handled, print the reply; ends the process.

    `name` is the event's name where it does not say one itself.  `after` is called
    when the reply is out: what goes wrong there costs nobody an answer.
    """
    gc.disable()  # nothing lives long enough here to be worth the looking for
    try:
        _arm()
        project, event = _event(name)
        if project and event:
            _answer(handle(project, event))
            if after:
                _arm()
                after(project, event)
    except BaseException as error:  # noqa: BLE001 - the one place: nothing may stop a delegation
        _disarm()
        _report(name, error)
    # Without a clean-up of the interpreter: a tenth of the whole time, for nothing.
    os._exit(0)


def _event(name: str) -> tuple[Project | None, Event | None]:
    """Return the event and its project, or nothing where there is nothing to do."""
    data = _stdin()
    if _is_idle(data):
        return None, None
    from memory_core import config, events, fastjson

    if config.is_off(os.environ):
        return None, None
    event = events.checked(fastjson.loads(data.removeprefix(BOM).decode("utf-8", "replace")), name)
    if event is None:
        return None, None
    from memory_core import memory, places

    trial = os.environ.get(places.TRIAL)
    if trial:
        os.environ["CLAUDE_PROJECT_DIR"] = trial
    project = memory.project_of(events.cwd(event), os.environ)
    if trial and project.place.root != trial:
        return None, None  # it is over: what comes now is not to be learned by the project
    _say_unread(project)
    return (project, event) if project.config["enabled"] else (None, None)


def _is_idle(data: bytes) -> bool:
    """Say whether a command has run that cannot have moved a task: most commands."""
    told = b'"hook_event_name":"PostToolUse"'  # one that failed may tell of its agent
    return SHELL in data and told in data and BACKLOG not in data.lower()


def _say_unread(project: Project) -> None:
    """Leave a trace where the settings that count are not those of the file."""
    if not project.config.readable:
        from memory_core import log

        log.write(project.place, "agent.memory.error", error=project.config.problems[0])


def _answer(reply: dict[str, Any] | None) -> None:
    from memory_core import fastjson

    data = fastjson.dumps(reply).encode() if reply else b""
    _disarm()
    _print(data)


def _stdin() -> bytes:
    """Read all of stdin, in pieces that fit it: a large buffer costs more than the reading."""
    size = max(min(os.fstat(0).st_size, LARGEST) + 1, CHUNK)
    parts = []
    total = 0
    while part := os.read(0, size):
        parts.append(part)
        total += len(part)
        if total > LARGEST:
            raise ValueError(f"the event is larger than {LARGEST} bytes")
    return b"".join(parts)


def _print(reply: bytes) -> None:
    view = memoryview(reply)
    while view:
        view = view[os.write(1, view) :]


def _arm() -> None:
    """Have the clock and SIGTERM raise Ended, so that there is one way out."""
    signal = _signals()

    def end(number: int, _frame: object) -> None:
        raise Ended("out of time" if number == signal.SIGALRM else "asked to end")

    for number in (signal.SIGALRM, signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    signal.setitimer(signal.ITIMER_REAL, DEADLINE)


def _disarm() -> None:
    """Let the last words be whole: from here on it takes no time worth a signal."""
    signal = _signals()
    for number in (signal.SIGALRM, signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    signal.setitimer(signal.ITIMER_REAL, 0)


def _signals() -> Any:
    """Return the signal module's C part: the module around it is all enums, and dear."""
    try:
        import _signal  # type: ignore[import-not-found]
    except ImportError:
        import signal

        return signal
    return _signal


def _report(name: str, error: BaseException) -> None:
    """Say in one line of the event log, else on stderr, what went wrong."""
    told = f"{type(error).__name__}: {error}"[:500]
    try:
        from memory_core import log, places

        place = places.project("", os.environ)
        log.write(place, "agent.memory.error", hook=name, error=told)
    except BaseException as second:  # noqa: BLE001 - not even that
        _say(f"agent-memory: {name}: {told} ({type(second).__name__} while logging)\n")


def _say(line: str) -> None:
    try:
        sys.stderr.write(line)
    except (OSError, AttributeError):
        pass  # on a full disk, or closed: then nobody hears of it
