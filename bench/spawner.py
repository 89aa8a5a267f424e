"""Start commands one by one and report the cost of each: the lean process behind timing.py.

The kernel counts into a child's peak memory what its parent held at the start, so
the parent must be no larger than a bare interpreter: run this with -I -S, import
nothing that a file stands behind.  One job comes as marshal data on stdin, one
result goes back on stdout: (status, wall ms, CPU ms, peak MiB).
"""

import marshal
import posix
import sys
import time

WRITE = posix.O_WRONLY | posix.O_CREAT | posix.O_TRUNC
MIB = 2**20 if sys.platform == "darwin" else 2**10


def run(argv, env, cwd, stdin, stdout, stderr):
    """Run one command from spawn to reap."""
    posix.chdir(cwd)
    files = (
        (posix.POSIX_SPAWN_OPEN, 0, stdin, posix.O_RDONLY, 0),
        (posix.POSIX_SPAWN_OPEN, 1, stdout, WRITE, 0o600),
        (posix.POSIX_SPAWN_OPEN, 2, stderr, WRITE, 0o600),
    )
    start = time.perf_counter_ns()
    child = posix.posix_spawn(argv[0], argv, env, file_actions=files)
    _, status, used = posix.wait4(child, 0)
    wall = time.perf_counter_ns() - start
    return status, wall / 1e6, (used.ru_utime + used.ru_stime) * 1e3, used.ru_maxrss / MIB


def main():
    jobs, results = sys.stdin.buffer, sys.stdout.buffer
    while job := marshal.load(jobs):
        marshal.dump(run(*job), results, 2)
        results.flush()


if __name__ == "__main__":
    main()
