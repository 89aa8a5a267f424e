"""Write the learnings of an agent's report to the spool, and merge the spool into memory files.

A spool entry is removed after it is merged, so a killed writer loses nothing.  The next writer
merges the entry again; `keys` in the run's record prevent it from being counted twice.
"""

from __future__ import annotations

from memory_core.storage import event_log, spool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memory_core.learning.extraction import Extraction
    from memory_core.memory.project import Project

# A memory file holds 150 items.  A report with more learnings than this is not a real one,
# and merging it would take longer than the hook's deadline at every try.
MAX_LEARNINGS = 100


def may_teach(text: str) -> bool:
    """Return False for a text that certainly lacks marked learnings, as most texts do.

    The text may be encoded as JSON.  This check is cheaper than importing `extraction`.
    """
    low = text.lower()
    return "to memory" in low or "memori" in low or "remember" in low


def extract_learnings(project: Project, agent: str, text: str) -> Extraction | None:
    """Return the learnings of a report; None without any, or if the agent does not learn."""
    settings = project.config
    if not settings.may_learn(agent) or not (settings["natural_language"] or may_teach(text)):
        return None
    from memory_core.learning import extraction

    result = extraction.extract(text, settings["natural_language"], settings["max_learning_length"])
    return result if result.learnings or result.rejected else None


def save_learnings(
    project: Project,
    agent: str,
    extractions: list[Extraction],
    run: str = "",
    session: str = "",
    source: str = "agent",
) -> bool:
    """Save the learnings of reports; return False if there are too many to save all of them.

    They are written to the spool first, and stay there for the next writer if the memory file
    cannot be changed now.  Without a spool the memory file is changed
    at once.  Raises OSError if neither is possible.
    """
    learned = [
        [item.type, item.content, item.nested]
        for result in extractions
        for item in result.learnings
    ]
    rejected = [
        [item.type, item.content, item.reason, item.nested]
        for result in extractions
        for item in result.rejected
    ]
    entry: dict[str, Any] = {"agent": agent, "run": run, "session": session, "source": source}
    entry |= {"learnings": learned[:MAX_LEARNINGS], "rejected": rejected[:MAX_LEARNINGS]}
    over = len(learned[MAX_LEARNINGS:]) + len(rejected[MAX_LEARNINGS:])
    if over:
        text = f"{over} more are in the report of run {run or 'unknown'}, session {session}"
        entry["rejected"].append(["", text, f"a report may have at most {MAX_LEARNINGS}", ""])
    try:
        path = spool.add(project.paths, project.store.stem(agent), entry)
    except OSError as error:
        _merge_unspooled(project, agent, entry, error)
        return not over
    try:
        merge_spool(project, agent)
    except OSError as error:
        spool.flush(project.paths, path)
        log_waiting(project, agent, error, run)
    return not over


def _merge_unspooled(project: Project, agent: str, entry: dict[str, Any], error: OSError) -> None:
    """Merge an entry that cannot be written to the spool because of `error`."""
    event_log.write(project.paths, "agent.memory.error", agent_id=agent, error=str(error))
    with project.store.lock(agent):
        _merge_entry(project, agent, entry)


def log_waiting(project: Project, agent: str, error: OSError, run: str = "") -> None:
    """Log that learnings wait in the spool, and the reason."""
    event_log.write(
        project.paths, "agent.memory.waiting", agent_id=agent, reason=str(error), run=run
    )


def merge_all_spooled(project: Project) -> list[str]:
    """Merge the spool of all agents; return the file stems of the agents that failed."""
    failed = []
    for stem, agent in spool.list_agents(project.paths):
        try:
            merge_spool(project, agent)
        except OSError as error:
            failed.append(stem)
            log_waiting(project, agent, error)
    return failed


def count_spooled(project: Project) -> int:
    """Return the number of learnings of all agents that are not merged yet."""
    stems = [stem for stem, _agent in spool.list_agents(project.paths)]
    entries = [entry for stem in stems for _path, entry in spool.read_entries(project.paths, stem)]
    return sum(len(entry["learnings"]) for entry in entries)


def merge_spool(project: Project, agent: str) -> None:
    """Merge the agent's spool into its memory file and history; raises OSError on failure."""
    from memory_core.storage import run_history

    store = project.store
    with store.lock(agent):
        entries = spool.read_entries(project.paths, store.stem(agent))
        # Records come last: a learning that starts a new history also refreshes the common errors.
        entries.sort(key=lambda pair: bool(pair[1].get("records")))
        for path, entry in entries:
            if entry["learnings"] or entry["rejected"]:
                _merge_entry(project, agent, entry)
            run_history.append_records(store, agent, entry.get("records", []))
            # One by one, so that a timeout does not lose finished entries.
            spool.remove(project.paths, [path])


def _merge_entry(project: Project, agent: str, entry: dict[str, Any]) -> None:
    """Merge the learnings of an entry; the caller holds the lock.

    Learnings that the same run has already taught are skipped.  Rejected learnings, and those that
    do not fit into the memory file, wait for a person.
    """
    from memory_core.memory import changes, reading, transaction
    from memory_core.storage import run_records
    from memory_core.text import similarity

    runs = run_records.SessionRuns(project.paths, entry["session"])
    taught = runs.record(entry["run"]).get("keys", [])
    keys = [similarity.normalize_text(row[1]) for row in entry["learnings"]]
    rows = [row for row, key in zip(entry["learnings"], keys, strict=True) if key not in taught]
    source = {key: entry[key] for key in ("run", "session", "source")}
    memory, merged = transaction.change_locked(
        project, agent, lambda memory: changes.learn(memory, rows, **source)
    )
    waiting = [
        {"type": kind, "content": content, "reason": reason, "nested": "".join(nested), **source}
        for kind, content, reason, *nested in entry["rejected"]
    ]
    waiting += reading.list_refused(merged, **source)
    memory.store.add_to_review(agent, waiting, memory.time)
    if rows:
        runs.try_note(entry["run"], keys=[key for key in keys if key not in taught])
    learned = len(merged.added) + len(merged.replaced)
    event_log.write(
        project.paths,
        "agent.memory.learned",
        agent_id=agent,
        learned=learned,
        known=len(entry["learnings"]) - learned - len(merged.refused),
        rejected=len(entry["rejected"]) + len(merged.refused),
        evicted=len(memory.evicted),
        source=entry["source"],
        session=entry["session"],
        run=entry["run"],
    )
