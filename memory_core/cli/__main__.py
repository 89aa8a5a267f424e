"""`python -m memory_core.cli`: the command, where it is not on PATH."""

import sys

from memory_core.cli import main

sys.exit(main())
