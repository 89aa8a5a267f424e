"""Run a hook: read one event, print at most one reply, and never stop a delegation.

Whatever happens, the exit status is 0, and stdout is empty or one JSON object.
"""

from __future__ import annotations

# The C part of `signal`; the rest makes enums, which takes time.
import _signal as signal  # type: ignore[import-not-found]
import gc
import posix
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

# A larger event is refused; the largest report seen had 0.2 MB.
MAX_BYTES = 8 << 20

BOM = b"\xef\xbb\xbf"

# Marks in the bytes of an event: the tool that is used most, and a command that may change tasks.
SHELL_TOOL, BACKLOG_WORD = b'"tool_name":"Bash"', b"backlog"


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
        data = sys.stdin.buffer.read()
        if len(data) > MAX_BYTES:
            raise ValueError("the event is too large")
        project, event = (None, None) if _is_idle(data) else _read(data, name)
        if project and event:
            from memory_core.delegation import event_handlers, run_event

            run_event.began = began
            _answer(event_handlers.handle(project, event, name))
            _arm()
            event_handlers.finish(project, event, name)
        if project:
            _log_problems(project, name, time.monotonic() - began)
    except BaseException as error:  # noqa: BLE001 - nothing may stop a delegation
        _disarm()
        _report(name, error)
    finally:  # it skips the clean-up of the interpreter, which takes a tenth of the whole time
        posix._exit(0)


def _stay_here() -> None:
    """Load all other modules from this place, even if an upgrade changes a link to it meanwhile."""
    import memory_core
    from memory_core import files
    from memory_core.files import posix_paths

    for package in (memory_core, files):
        package.__path__ = [posix_paths.resolve(package.__path__[0])]


def _read(data: bytes, name: str) -> tuple[Project | None, Event | None]:
    """Return the project and the event, None for each with which there is nothing to do."""
    _stay_here()
    from memory_core.claude_code import events
    from memory_core.files import posix_paths
    from memory_core.storage import config
    from memory_core.text import fastjson

    environ = posix_paths.read_environ()
    text = data.removeprefix(BOM).decode("utf-8", "replace")
    event = None if config.is_off(environ) else events.validate(fastjson.loads(text), name)
    if event is None:
        return None, None
    from memory_core.storage.project import find_project

    project = find_project(events.cwd(event), environ)
    return project, event if project.config["enabled"] else None


def _is_idle(data: bytes) -> bool:
    """Return whether a shell command ran that cannot have changed a task, as most cannot.

    It looks for the bytes that Claude Code writes; other spacing only takes the slow way.
    """
    event = b'"hook_event_name":"PostToolUse"'  # a failure may be recorded
    return SHELL_TOOL in data and event in data and BACKLOG_WORD not in data.lower()


def _log_problems(project: Project, name: str, seconds: float) -> None:
    """Log what was not read, and that this hook was slow."""
    from memory_core.storage import event_log

    is_read = project.config.is_readable and not any(tree.refused for tree in project.trees)
    if seconds > event_log.SLOW_SECONDS or not is_read:
        from memory_core.monitor import log_reading

        log_reading.write_problems(project, name, seconds)


def _answer(reply: dict[str, Any] | None) -> None:
    """Print a reply in one piece or, on a full disk, in part."""
    from memory_core.text import fastjson

    view = memoryview(fastjson.dumps(reply).encode() if reply else b"")
    _disarm()
    while view:
        view = view[posix.write(1, view) :]


def _arm() -> None:
    """Raise HookInterrupted at the deadline and on SIGTERM or SIGINT."""

    def end(number: int, _frame: object) -> None:
        _disarm()  # a second signal must not interrupt the handling of the first one
        raise HookInterrupted("out of time" if number == signal.SIGALRM else "asked to end")

    for number in (signal.SIGALRM, signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    signal.setitimer(signal.ITIMER_REAL, DEADLINE_SECONDS)


def _disarm() -> None:
    """Ignore signals, for example while the reply is written: it must not be cut in half."""
    for number in (signal.SIGALRM, signal.SIGTERM, signal.SIGINT):
        # Not SIG_IGN: for a signal that has just arrived, Python would print a warning.
        signal.signal(number, lambda _number, _frame: None)
    signal.setitimer(signal.ITIMER_REAL, 0)


def _report(name: str, error: BaseException) -> None:
    """Log an error, or print it to stderr if the log cannot be written."""
    text = f"{type(error).__name__}: {error}"[:500]
    try:
        from memory_core.files import posix_paths
        from memory_core.storage import event_log, paths

        level = paths.find_project_level("", posix_paths.read_environ())
        event_log.write(level, "hook.error", hook=name, error=text)
    except BaseException as second:  # noqa: BLE001 - not even that
        sys.stderr.write(f"agent-memory: {name}: {text} ({type(second).__name__} while logging)\n")
