"""Run a hook: read one event, print at most one reply, and never stop a delegation.

Whatever happens, the exit status is 0, and stdout is empty or one JSON object.
"""

from __future__ import annotations

import gc
import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memory_core.claude_code.events import Event
    from memory_core.storage.project import Project

# Seconds after which a hook gives up.  The settings allow it 10; a hook that Claude
# Code has to kill cannot say why.
DEADLINE_SECONDS = 5.0

# Seconds after which the event log says that a hook was slow; most take a twentieth of it.
SLOW_SECONDS = 1.0

# The largest report seen was 0.2 MB.  Of a larger event than both parts, only they are kept.
MAX_HEAD_BYTES = MAX_END_BYTES = 1 << 18

# How JSON writes the end of a line, and the backslash that makes it another text.
NEWLINE, BACKSLASH = b"\\n", b"\\"

READ_BYTES = 1 << 16

BOM = b"\xef\xbb\xbf"

NOTHING = (None, None, True)

# Marks in the bytes of an event: the tool that is used most, and a command that may change tasks.
SHELL_MARK, BACKLOG_MARK = b'"tool_name":"Bash"', b"backlog"


class HookInterrupted(BaseException):
    """The hook must end now: its time is up, or Claude Code asks it to.

    Not an Exception, so that no handler on the way catches it.
    """


def run(name: str) -> None:
    """Read an event from stdin, handle it, print the reply and end the process.

    `name` is the event's name if the event has none.  What can wait is done when the reply is
    printed, so that an error there does not cost the reply.
    """
    began = time.monotonic()
    gc.disable()  # a hook ends before a collection could pay off
    try:
        _arm()
        project, event, is_whole = _event(name)
        if project and event:
            from memory_core.delegation import event_handlers, run_event, worker

            run_event.began = began
            reply = event_handlers.handle(project, event, name)
            _answer(reply if is_whole else None)  # it would replace a text by a shorter one
            _arm()
            event_handlers.finish(project, event, name)
            worker.log_refused(project)
            _say_slow(project, name, time.monotonic() - began)
    except BaseException as error:  # noqa: BLE001 - nothing may stop a delegation
        _disarm()
        _report(name, error)
    # Skips the clean-up of the interpreter, which takes a tenth of the whole time.
    os._exit(0)


def _event(name: str) -> tuple[Project | None, Event | None, bool]:
    """Return the project, the event, and whether it is whole; NOTHING if there is nothing to do."""
    data, is_whole = _stdin()
    if _is_idle(data):
        return NOTHING
    from memory_core.claude_code import events
    from memory_core.storage import config
    from memory_core.text import fastjson

    if config.is_off(os.environ):
        return NOTHING
    event = events.validate(fastjson.loads(data.removeprefix(BOM).decode("utf-8", "replace")), name)
    # A call that gets no reply has no receipt, and SubagentStart gives the memory.
    if event is None or (not is_whole and events.name(event, name) == "PreToolUse"):
        return NOTHING
    from memory_core.storage.project import find_project

    project = find_project(events.cwd(event), os.environ)
    _say_unread(project)
    return (project, event, is_whole) if project.config["enabled"] else NOTHING


def _is_idle(data: bytes) -> bool:
    """Return whether a shell command ran that cannot have changed a task, as most cannot.

    It looks for the bytes that Claude Code writes; other spacing only takes the slow way.
    """
    mark = b'"hook_event_name":"PostToolUse"'  # a failure may be recorded
    return SHELL_MARK in data and mark in data and BACKLOG_MARK not in data.lower()


def _say_unread(project: Project) -> None:
    """Log that config.yml could not be read, so that other settings are in force."""
    if not project.config.is_readable:
        from memory_core.storage import event_log

        event_log.write(project.paths, "agent.memory.error", error=project.config.problems[0])


def _say_slow(project: Project, name: str, seconds: float) -> None:
    if seconds > SLOW_SECONDS:
        from memory_core.storage import event_log

        event_log.write(project.paths, "hook.slow", hook=name, duration_ms=int(seconds * 1000))


def _answer(reply: dict[str, Any] | None) -> None:
    from memory_core.text import fastjson

    data = fastjson.dumps(reply).encode() if reply else b""
    _disarm()
    _print(data)


def _stdin() -> tuple[bytes, bool]:
    """Return the event on stdin, and whether it is whole.

    A long text is shortened, so that a report of megabytes takes little memory.  The pieces have
    the size of stdin: to allocate a large buffer costs time.
    """
    size = max(min(os.fstat(0).st_size, MAX_HEAD_BYTES) + 1, READ_BYTES)
    parts, total, end = [], 0, b""
    while part := os.read(0, size):
        if total < MAX_HEAD_BYTES:
            parts.append(part)
        else:
            end = (end + part)[-MAX_END_BYTES:]
        total += len(part)
    head = b"".join(parts)
    is_whole = len(head) + len(end) == total
    return head + end if is_whole else _shorten(head, end), is_whole


def _shorten(head: bytes, end: bytes) -> bytes:
    """Return an event without the lines in the middle of its long text.

    If the parts are of two texts, the result is no JSON, and the event is refused.
    """
    last, first = head.rfind(NEWLINE), end.find(NEWLINE)
    while last > 0 and head[last - 1 : last] == BACKSLASH:
        last = head.rfind(NEWLINE, 0, last)
    while first == 0 or (first > 0 and end[first - 1 : first] == BACKSLASH):
        first = end.find(NEWLINE, first + 1)
    if last < 0 or first < 0:
        raise ValueError("the event is too large")
    return head[:last] + NEWLINE + end[first:]


def _print(reply: bytes) -> None:
    view = memoryview(reply)
    while view:
        view = view[os.write(1, view) :]


def _arm() -> None:
    """Raise HookInterrupted at the deadline and on SIGTERM or SIGINT."""
    signal = _signals()

    def end(number: int, _frame: object) -> None:
        _disarm()  # a second signal must not interrupt the handling of the first one
        raise HookInterrupted("out of time" if number == signal.SIGALRM else "asked to end")

    for number in (signal.SIGALRM, signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    signal.setitimer(signal.ITIMER_REAL, DEADLINE_SECONDS)


def _disarm() -> None:
    """Ignore signals, for example while the reply is written: it must not be cut in half."""
    signal = _signals()
    for number in (signal.SIGALRM, signal.SIGTERM, signal.SIGINT):
        # Not SIG_IGN: for a signal that has just arrived, Python would print a warning.
        signal.signal(number, lambda _number, _frame: None)
    signal.setitimer(signal.ITIMER_REAL, 0)


def _signals() -> Any:
    """Return the C part of the signal module; the rest makes enums, which takes time."""
    try:
        import _signal  # type: ignore[import-not-found]
    except ImportError:
        import signal

        return signal
    return _signal


def _report(name: str, error: BaseException) -> None:
    """Log an error, or print it to stderr if the log cannot be written."""
    text = f"{type(error).__name__}: {error}"[:500]
    try:
        from memory_core.storage import event_log, paths

        level = paths.find_project_level("", os.environ)
        event_log.write(level, "hook.error", hook=name, error=text)
    except BaseException as second:  # noqa: BLE001 - not even that
        _say(f"agent-memory: {name}: {text} ({type(second).__name__} while logging)\n")


def _say(line: str) -> None:
    try:
        sys.stderr.write(line)
    except (OSError, AttributeError):
        pass  # on a full disk, or closed: then nobody hears of it
