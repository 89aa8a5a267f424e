"""Put every kind of trap into every path that hooks, the MCP server and commands use.

    python tests/tools/hostile_paths.py [KIND...]

tests/security runs a part of this. The last line of the output has the counts.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(REPO), str(REPO / "tests")]

from support import life, traps  # noqa: E402
from support.traps import Scene, Trap  # noqa: E402


def main() -> int:
    """Print the problems and the counts; return 1 if there are problems."""
    kinds = sys.argv[1:] or list(traps.KINDS)
    with tempfile.TemporaryDirectory() as folder:
        scene = Scene(Path(folder, "life"))
        groups = [[step] for step in life.list_commands(scene.root)]
        count, problems = 0, 0
        for steps in [life.live(scene.root, "beta"), *groups]:
            scene.reset()
            users = scene.discover(steps)
            for path in sorted(users):
                chosen = [step for step in steps if step.name in users[path]]
                for kind in kinds:
                    count += 1
                    for problem in scene.spring(Trap(kind, path), chosen):
                        problems += 1
                        print(f"{steps[-1].name}: {problem}", flush=True)
        print(f"{count} traps, {problems} problems, the slowest hook took {scene.slowest:.2f} s")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
