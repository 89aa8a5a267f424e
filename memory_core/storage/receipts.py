"""Close the receipts of calls that were answered, or that failed; see `run_records`."""

from __future__ import annotations

import time

from memory_core.storage.paths import LevelPaths
from memory_core.storage.run_records import (
    ROUTE_FILE,
    VIA_START,
    SessionRuns,
    file_name_of,
    read_record,
    write_record,
)


def settle(runs: SessionRuns, call: str, run: str, launched: bool) -> bool:
    """Close the receipt of a call that was answered; return whether there was one.

    In the background the answer may arrive before the agent starts, and of two runs of one
    agent either may have taken the receipt of the other.  Then this receipt stays, for the
    run that starts without one.
    """
    if not call:
        return False
    is_taken = bool(_forget_takers(runs, call))
    receipt = read_record(runs.files, runs.receipt_path(call))
    if receipt is None:
        return is_taken
    record = runs.record(run)
    if launched and (not record or record.get("call")):
        write_record(runs.files, runs.receipt_path(call), {**receipt, "launched": run})
    else:
        drop(runs, call)
    return True


def _forget_takers(runs: SessionRuns, call: str) -> list[str]:
    """Remove what says which runs took the receipt of a call; return the file names."""
    prefix = f"{file_name_of(call)}.json."
    names = [name for name in runs.files.list_names(runs.receipts) if name.startswith(prefix)]
    for name in names:
        runs.files.remove(f"{runs.receipts}/{name}")
    return names


def drop(runs: SessionRuns, call: str) -> str:
    """Remove the receipt of a call that failed; return the run that took it, or ""."""
    if not call:
        return ""
    taken = _forget_takers(runs, call)
    runs.files.remove(runs.receipt_path(call))
    return taken[0].rpartition(".json.")[2] if taken else ""


def prefer_start(paths: LevelPaths) -> None:
    """Record that SubagentStart is to give the memory in the next delegations."""
    write_record(paths.state, ROUTE_FILE, {"route": VIA_START, "time": time.time()})
