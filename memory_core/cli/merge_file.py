"""The merge driver that git runs, as a script: `merge_file.py BASE OURS THEIRS PATH`.

It is not a command of `agent-memory`, because that starts ten times slower and a rebase runs
the driver for each commit.  The result is written to OURS.  If there is none, OURS is not
changed and the exit status is 1, so that git merges the files as text.
"""

import os
import sys

if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

    from memory_core.git import merge_driver

    sys.exit(merge_driver.merge_file(*sys.argv[1:]))
