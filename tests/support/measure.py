"""Run a command and write down what it costs.

    python -I -S tests/support/measure.py FILE COMMAND [ARGUMENT...]

FILE gets a JSON object: exit status, processor seconds, wall seconds, and memory in bytes.  This
small program is the parent of the command, because on Linux a process counts the memory that its
parent had when it was started.
"""

import json
import os
import sys
import time


def main() -> None:
    """Run the command in the arguments."""
    output, *command = sys.argv[1:]
    began = time.monotonic()
    child = os.fork()
    if not child:
        os.execv(command[0], command)
    _child, status, usage = os.wait4(child, 0)
    unit = 1 if sys.platform == "darwin" else 1024
    costs = {
        "status": os.waitstatus_to_exitcode(status),
        "cpu": usage.ru_utime + usage.ru_stime,
        "wall": time.monotonic() - began,
        "memory": usage.ru_maxrss * unit,
    }
    with open(output, "w", encoding="utf-8") as file:
        json.dump(costs, file)


if __name__ == "__main__":
    main()
