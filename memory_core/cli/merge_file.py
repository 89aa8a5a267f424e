"""What git runs to merge a memory file, as a script: `merge_file.py BASE OURS THEIRS PATH`.

Not a command of `agent-memory`: that takes ten times as long to start, and a rebase starts
it for each commit.  The result goes to OURS; where there is none, OURS stays as it is and
the exit status is 1, so that git's own text merge follows.
"""

import os
import sys

if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

    from memory_core import team

    sys.exit(team.merge_file(*sys.argv[1:]))
