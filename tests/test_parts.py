"""The parts of the tests: scripts/run-parts, Makefile and folders agree."""

import runpy
import subprocess

from support.paths import REPO

PARTS = runpy.run_path(str(REPO / "scripts" / "run-parts"))
OTHERS = (*PARTS["ALWAYS"], *PARTS["ROTATED"])


def test_each_part_is_a_target_of_make() -> None:
    targets = [*PARTS["TEST"], *(part.target for part in OTHERS)]
    subprocess.run(["make", "-n", *targets], cwd=REPO, capture_output=True, check=True)


def test_each_wing_of_a_part_has_code() -> None:
    code = REPO / "memory_core"
    named = {wing for part in OTHERS for wing in part.wings} - {"security", "hooks"}
    assert [wing for wing in named if not (code / wing).exists()] == []


TESTS = {
    "memory_core/origin/arrivals.py": ["tests/origin"],
    "memory_core/api.py": ["tests/test_api.py"],
    "memory_core/cli/change/pin.py": ["tests/cli/test_change.py"],
    "memory_core/cli/change/review.py": ["tests/cli/test_change.py", "tests/cli/test_review.py"],
    "memory_core/cli/entry.py": ["tests/cli/test_app.py"],
    "memory_core/version.py": [],
    "hooks/pre_tool_use.py": ["tests/test_hook.py"],
    "tests/git/test_three_way.py": ["tests/git/test_three_way.py"],
    "tests/e2e/test_ways.py": [],
    "docs/cli.md": ["tests/test_docs.py"],
}


def test_a_changed_file_chooses_its_tests() -> None:
    assert {changed: PARTS["list_tests"]([changed]) for changed in TESTS} == TESTS


def test_times_are_short() -> None:
    times = {8.4: "8 s", 59.6: "1 min 0 s", 250: "4 min 10 s"}
    assert {seconds: PARTS["format_time"](seconds) for seconds in times} == times
