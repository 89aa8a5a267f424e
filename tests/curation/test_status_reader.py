"""The status of a project that is read in steps, as the dashboard does."""

from __future__ import annotations

from memory_core.curation.views.status_reader import StatusReader
from memory_core.monitor.numbers import Numbers
from memory_core.storage.project import find_project
from support.sandbox import Sandbox

PATIENCE = 60.0


def test_later_checks_have_the_same_warnings(sandbox: Sandbox) -> None:
    """Each page opens the project anew, while numbers and checks stay."""
    (sandbox.root / "src").mkdir()
    sandbox.write_memory("engineer", "Payments are retried in src/pay.py")
    reader = StatusReader()
    numbers = Numbers(find_project(str(sandbox.root), sandbox.env))
    for name in ("one", "two"):
        numbers.refresh()
        project = find_project(str(sandbox.root), sandbox.env)
        assert reader.check(project, numbers.files, PATIENCE)
        status = reader.read(project, sandbox.env, numbers)
        assert "1 item may be out of date" in [warning.what for warning in status.warnings]
        sandbox.write_memory("engineer", "Payments are retried in src/pay.py", f"Item {name}")
