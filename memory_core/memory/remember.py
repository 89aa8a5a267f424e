"""Write the learnings of an agent's report to the spool, and merge the spool into memory files.

A spool entry is removed after it is merged, so a killed writer loses nothing.  The next writer
merges the entry again; `keys` in the run's record prevent it from being counted twice.

To merge takes as long as to read all of a memory and its history: milliseconds for an ordinary
memory, a second for one of 1 MB.  So the spool of a large memory is merged by a process of its
own, while Claude Code goes on.
"""

from __future__ import annotations

import os
import time

from memory_core.storage import event_log, spool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from memory_core.learning.extraction import Extraction
    from memory_core.memory import changes
    from memory_core.memory.agent_memory import AgentMemory
    from memory_core.storage.project import Project

# A memory file holds 150 items.  A report with more learnings than this is not a real one,
# and merging it would take longer than the hook's deadline at every try.
MAX_LEARNINGS = 100

# The fields of a spool entry that change a memory.
TEACHING = ("learnings", "rejected", "wrong")

# Seconds that a hook spends on the learnings of other runs.
OTHERS_SECONDS = 0.5

# The bytes of a memory file above which nobody waits for the merge: about 700 items, 50 ms.
LARGE_MEMORY = 64 * 1024

# The shares of this time after which no other entry is read, and none is compared with the items;
# the rest is for the write.
READ_SHARE, MERGE_SHARE = 0.2, 0.6


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
    about: str = "",
    wrong: dict[str, str] | None = None,
    before_merge: Callable[[], None] = lambda: None,
    reading: Sequence[str] = (),
) -> bool:
    """Save the learnings of reports; return False if there are too many to save all of them.

    `about` says what the run was about; "" if it is not known, or saved already.  `wrong` has the
    reasons, by id, why given items are wrong.  `before_merge` is called when all is in the spool.
    `reading` is what the run read from outside.

    They are written to the spool first, and stay there for the next writer if the memory file
    cannot be changed now.  A large memory file is changed after the return.  Without a spool the
    memory file is changed at once.  Raises OSError if neither is possible.
    """
    origin: dict[str, Any] = {"agent": agent, "run": run, "session": session, "source": source}
    if reading:
        origin["reading"] = [*reading]
    entry, is_whole = _make_entry(extractions, origin, about, wrong or {})
    try:
        path = spool.add(project.paths, project.store.stem(agent), entry)
    except OSError as error:
        _merge_unspooled(project, agent, entry, error)
        before_merge()
        return is_whole
    before_merge()
    if _is_large(project, agent):
        _do_in_background(lambda: _merge_saved(project, agent, path, run))
    else:
        _merge_saved(project, agent, path, run)
    return is_whole


def _is_large(project: Project, agent: str) -> bool:
    """Return whether the agent's memory file is so large that nobody waits for the merge."""
    try:
        status = project.store.files.status(project.store.path(agent))
    except OSError:
        return False
    return status is not None and status.st_size > LARGE_MEMORY


def _merge_saved(project: Project, agent: str, path: str, run: str) -> None:
    """Merge the spool with the entry `path`; if that is impossible now, the entry has to wait."""
    try:
        merge_spool(project, agent, path, OTHERS_SECONDS)
    except OSError as error:
        spool.flush(project.paths, path)
        log_waiting(project, agent, error, run)


def _do_in_background(work: Callable[[], None]) -> None:
    """Do the work in a process that outlives this one, or here if none can be made.

    It has a session of its own, so that nobody waits for it, and no signal for this process
    reaches it; if it is killed, the next writer does its work.
    """
    try:
        is_here = os.fork() != 0
    except (AttributeError, OSError):  # Windows, or too many processes
        work()
        return
    if is_here:
        return
    try:
        os.setsid()
        nowhere = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):  # Claude Code reads until the pipes are closed
            os.dup2(nowhere, descriptor)
        work()
    finally:
        os._exit(0)


def _make_entry(
    extractions: list[Extraction], source: dict[str, Any], about: str, wrong: dict[str, str]
) -> tuple[dict[str, Any], bool]:
    """Return an entry of the spool, and whether all learnings are in it."""
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
    entry: dict[str, Any] = {**source, "learnings": learned[:MAX_LEARNINGS]}
    entry["rejected"] = rejected[:MAX_LEARNINGS]
    if about:
        entry["about"] = about
    if wrong:
        entry["wrong"] = [[key, reason] for key, reason in wrong.items()][:MAX_LEARNINGS]
    over = len(learned[MAX_LEARNINGS:]) + len(rejected[MAX_LEARNINGS:])
    if over:
        run, session = source["run"] or "unknown", source["session"]
        text = f"{over} more are in the report of run {run}, session {session}"
        entry["rejected"].append(["", text, f"a report may have at most {MAX_LEARNINGS}", ""])
    return entry, not over


def _merge_unspooled(project: Project, agent: str, entry: dict[str, Any], error: OSError) -> None:
    """Merge an entry that cannot be written to the spool because of `error`."""
    event_log.write(project.paths, "agent.memory.error", agent_id=agent, error=str(error))
    with project.store.lock(agent):
        _merge_learnings(project, agent, "", [("", entry)])


def log_waiting(project: Project, agent: str, error: OSError, run: str = "") -> None:
    """Log that learnings wait in the spool, and the reason."""
    event_log.write(
        project.paths, "agent.memory.waiting", agent_id=agent, reason=str(error), run=run
    )


def merge_all_spooled(project: Project, seconds: float = spool.UNLIMITED) -> list[str]:
    """Merge the spool of all agents; return the file stems of the agents that failed.

    After this number of seconds, the rest is left for the next writer.
    """
    failed = []
    end = time.monotonic() + seconds
    for stem, agent in spool.list_agents(project.paths):
        left = end - time.monotonic()
        if left <= 0:
            break
        try:
            merge_spool(project, agent, seconds=left)
        except OSError as error:
            failed.append(stem)
            log_waiting(project, agent, error)
    return failed


def count_spooled(project: Project) -> int:
    """Return the number of learnings of all agents that are not merged yet."""
    stems = [stem for stem, _agent in spool.list_agents(project.paths)]
    entries = [entry for stem in stems for _path, entry in spool.read_entries(project.paths, stem)]
    return sum(len(entry["learnings"]) for entry in entries)


def merge_spool(
    project: Project, agent: str, own: str = "", seconds: float = spool.UNLIMITED
) -> None:
    """Merge the agent's spool into its memory file and history, in one write.

    The entry with the path `own` is merged in any case.  The others take `seconds` at most, and the
    rest is left for the next writer.  Raises OSError.
    """
    from memory_core.memory import run_history
    from memory_core.storage.store import LOCK_TIMEOUT

    store = project.store
    with store.lock(agent, LOCK_TIMEOUT if own else min(seconds, LOCK_TIMEOUT)):
        began = time.monotonic()
        until = began + seconds * READ_SHARE
        entries = spool.read_entries(project.paths, store.stem(agent), own, until)
        if not entries:
            return
        from memory_core.memory import index_building, item_index

        before = item_index.make_stamp(store, agent)
        # Entries with records teach nothing.  They come first: a learning may resolve an error.
        records = [record for _path, entry in entries for record in entry.get("records", [])]
        if records:
            run_history.append_records(store, agent, records)
        left, memory = _merge_learnings(project, agent, own, entries, began + seconds * MERGE_SHARE)
        history = memory.history if memory and memory.records else None
        if records or history:
            index_building.take_changes(project, store, agent, before, history, records)
        spool.remove(project.paths, [path for path, _entry in entries if path not in left])


def _merge_learnings(
    project: Project,
    agent: str,
    own: str,
    entries: list[tuple[str, dict[str, Any]]],
    until: float = spool.UNLIMITED,
) -> tuple[set[str], AgentMemory | None]:
    """Merge the learnings of entries, those of `own` and as many others as the time allows.

    Returns the paths of the entries that are left, and the memory if there was any learning.  The
    caller holds the lock, and updates the index of items.
    """
    teaching = [(path, entry) for path, entry in entries if any(map(entry.get, TEACHING))]
    if not teaching:
        return set(), None
    from memory_core.memory import changes, transaction

    reports: dict[str, changes.TaughtReport] = {}

    def list_reports() -> Iterator[changes.TaughtReport]:
        reports.clear()  # this is another try, if a person saved the file meanwhile
        taught: dict[tuple[str, str], set[str]] = {}
        taken = 0
        for path, entry in teaching:
            if path == own or spool.has_time(until, taken):
                taken += spool.count_learnings(entry)
                reports[path] = _make_report(project, entry, taught)
                yield reports[path]

    memory, _merged = transaction.change_locked(
        project, agent, lambda memory: changes.learn_reports(memory, list_reports())
    )
    for path, entry in teaching:
        if path in reports:
            _note_end(memory, entry, reports[path])
    return {path for path, _entry in teaching} - reports.keys(), memory


def _make_report(
    project: Project, entry: dict[str, Any], taught: dict[tuple[str, str], set[str]]
) -> changes.TaughtReport:
    """Return the learnings of a spool entry that its run has not taught yet.

    `taught` has the normal forms of the learnings that the runs of a batch have taught, by session
    and run.
    """
    from memory_core.memory import changes
    from memory_core.storage import run_records
    from memory_core.text import similarity

    run = (entry["session"], entry["run"])
    if run not in taught or not entry["run"]:
        keys = run_records.SessionRuns(project.paths, entry["session"]).record(entry["run"])
        taught[run] = set(map(str, keys.get("keys", [])))

    def take_new(rows: list[list[str]]) -> list[list[str]]:
        by_key = {similarity.normalize_text(row[1]): row for row in rows}
        new = {key: row for key, row in by_key.items() if key not in taught[run]}
        taught[run].update(new)
        return list(new.values())

    names = ("run", "session", "source", "reading")
    source: dict[str, Any] = {key: entry[key] for key in names if key in entry}
    learnings, rejected = take_new(entry["learnings"]), take_new(entry["rejected"])
    wrong = {
        key: text for key, text in entry.get("wrong", []) if _wrong_key(key) not in taught[run]
    }
    taught[run].update(map(_wrong_key, wrong))
    return changes.TaughtReport(learnings, source, rejected, wrong)


def _wrong_key(key: str) -> str:
    """Return what the record of a run has, among its learnings, for an item that is wrong."""
    return f"wrong {key}"


def _note_end(memory: AgentMemory, entry: dict[str, Any], report: changes.TaughtReport) -> None:
    """Note what the run has taught and was about, and log what the history does not have."""
    from memory_core.claude_code import notices
    from memory_core.memory import transaction
    from memory_core.storage import config_defaults, run_records
    from memory_core.text import digests, similarity

    learnings = [*report.learnings, *(learning for learning, _reason in report.rejected)]
    if entry.get("about"):
        state, stem = memory.project.paths.state, memory.store.stem(memory.agent)
        run_records.add_subject(state, stem, entry["run"], str(entry["about"]))
    if learnings or report.wrong:
        keys = [similarity.normalize_text(learning.content) for learning in learnings]
        keys += map(_wrong_key, report.wrong)
        runs = run_records.SessionRuns(memory.project.paths, entry["session"])
        runs.try_note(entry["run"], keys=keys)
    by = {**report.source, "change": report.change_id}
    waits = len(report.refused) + len(report.rejected)
    counts = {"learned": report.learned, "waiting": waits, "reported as wrong": len(report.wrong)}
    if any(counts.values()) and memory.project.config["notices"] != config_defaults.OFF:
        runs = run_records.SessionRuns(memory.project.paths, entry["session"])
        change = digests.shorten_change(report.change_id)
        line = notices.describe_run(memory.agent, runs.record(entry["run"]), counts, change)
        notices.add(memory.project.paths.state, entry["session"], line)
    events: list[tuple[str, dict[str, Any]]] = [
        ("wrong", {"id": key, **by}) for key in report.wrong
    ]
    for learning, _reason in report.refused + report.rejected:
        if memory.history.is_rejected(learning.content):
            events.append(("rejected", {"content": learning.content, **by}))
    transaction.log_events(memory, events)
