"""Make a process that a hook has forked one for which nobody waits."""

from __future__ import annotations

import gc
import posix

try:  # the pipes are open until these are imported, and Claude Code waits
    import _signal as signal  # type: ignore[import-not-found]
except ImportError:
    import signal

# How far the worker stands behind the programs that a person waits for; 19 is the last of them.
# At 15, a machine that is busy for a minute gave a batch too little time: it was taken for one
# that hangs.
NICENESS = 5


def leave_hook() -> None:
    """Leave the session of the hook: no signal for it arrives here, and its pipes are closed."""
    posix.setsid()
    posix.chdir("/")  # so that the disk of the project can be unmounted
    nowhere = posix.open("/dev/null", posix.O_RDWR)
    for descriptor in (0, 1, 2):  # Claude Code reads until the pipes are closed
        posix.dup2(nowhere, descriptor)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    gc.enable()


def step_back() -> None:
    """Leave the processor to hooks and agents while they want it.

    Linux gives each session its own share, in which the niceness of a process counts for nothing;
    the share has a niceness of its own (sched(7), "The autogroup feature").
    """
    try:
        posix.setpriority(posix.PRIO_PROCESS, 0, NICENESS)
        with open("/proc/self/autogroup", "w") as share:
            share.write(str(NICENESS))
    except OSError:
        pass  # another system, or a Linux without these shares
