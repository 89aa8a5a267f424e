"""Merge the learnings of agents' reports into memory files.

A report may be merged again after its writer was killed; `keys` in the run's record, and the runs
in the history, prevent it from being counted twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from memory_core.document.merge_learnings import Learning, MergeResult
from memory_core.history import item_history
from memory_core.learning import extraction
from memory_core.learning.lines import MAX_LEARNINGS
from memory_core.memory import changes, run_history, transaction
from memory_core.memory.agent_memory import AgentMemory
from memory_core.memory.changes import Lesson
from memory_core.memory.run_history import RunRecord
from memory_core.storage import run_records, typed_command
from memory_core.storage.config_yml import default_settings
from memory_core.storage.project import Project
from memory_core.text import similarity
from memory_core.text.phrases import format_count

# The value of memory.notices for a line after each run.
ALL = "all"


def make_lesson(
    taught: Iterable[Learning],
    run: str = "",
    session: str = "",
    source: str = "agent",
    wrong: Mapping[str, str] | None = None,
    reading: Sequence[str] = (),
    about: str = "",
) -> Lesson:
    """Return what a report of a run teaches, without secrets.

    `wrong` has the reasons, by id, why given items are wrong.  `reading` is what the run read from
    outside, and `about` what it was about.
    """
    items = list(map(extraction.clean, taught))
    kept = [item for item in items if not item.reason][:MAX_LEARNINGS]
    kept += [item for item in items if item.reason][:MAX_LEARNINGS]
    if over := len(items) - len(kept):
        text = f"{over} more are in the report of run {run or 'unknown'}, session {session}"
        reason = f"a report may have at most {MAX_LEARNINGS}"
        kept.append(Learning("", text, reason=reason))
    by: dict[str, Any] = {"run": run, "session": session, "source": source}
    by |= {"reading": [*reading]} if reading else {}
    return Lesson(kept, by, dict(wrong or {}), about)


def read_old_lesson(value: dict[str, Any]) -> Lesson:
    """Return a lesson that a hook of an older version wrote; raises LookupError, and others."""
    by = {name: value[name] for name in ("run", "session", "source")}
    by |= {"reading": value["reading"]} if "reading" in value else {}
    learnings = [Learning(*one) for one in value["learnings"]]
    learnings += [
        Learning(kind, content, "".join(nested), reason)
        for kind, content, reason, *nested in value["rejected"]
    ]
    wrong = dict(value.get("wrong", []))
    return Lesson(learnings, by, wrong, str(value.get("about", "")))


def merge_lesson(
    project: Project, agent: str, lesson: Lesson | None, records: Sequence[RunRecord] = ()
) -> None:
    """Merge what a report teaches, and add records of its run.  Raises OSError."""
    with project.store.lock(agent):
        # They come first: a learning may resolve an error.
        run_history.add_records(project.store, records)
        if lesson and (lesson.learnings or lesson.wrong):
            learn = partial(_learn_new, lesson=lesson)
            memory, result = transaction.change_locked(project, agent, learn)
            _note_end(memory, *result)


def _learn_new(memory: AgentMemory, lesson: Lesson) -> tuple[Lesson, MergeResult, int]:
    """Merge a lesson without what its run has taught before.

    Returns that lesson, the result, and how many of its learnings and items wait.
    """
    runs = run_records.SessionRuns(memory.project.paths, lesson.source["session"])
    taught = set(map(str, runs.record(lesson.source["run"]).get("keys", [])))
    learnings = []
    for one in lesson.learnings:
        key = similarity.normalize_text(one.content)
        learnings += [one] if key not in taught else []
        taught.add(key)
    wrong = {key: text for key, text in lesson.wrong.items() if _wrong_key(key) not in taught}
    new, count = lesson._replace(learnings=learnings, wrong=wrong), len(memory.review)
    merged = changes.learn(memory, new)
    return new, merged, len(memory.review) - count


def _wrong_key(key: str) -> str:
    """Return what the record of a run has, among its learnings, for an item that is wrong."""
    return f"wrong {key}"


def _note_end(memory: AgentMemory, lesson: Lesson, merged: MergeResult, waiting: int) -> None:
    """Note what the run has taught and was about, and log what the history does not have."""
    run, session = lesson.source["run"], lesson.source["session"]
    runs = run_records.SessionRuns(memory.project.paths, session)
    if lesson.about:
        run_history.add_subject(memory.store, memory.agent, run, lesson.about)
    if lesson.learnings or lesson.wrong:
        keys = [similarity.normalize_text(learning.content) for learning in lesson.learnings]
        runs.try_note(run, keys=[*keys, *map(_wrong_key, lesson.wrong)])
    by, learned = {**lesson.source, "change": memory.change_id}, [*merged.added, *merged.replaced]
    counts = {"learned": len(learned), "waiting": waiting, "reported as wrong": len(lesson.wrong)}
    if any(counts.values()) and memory.project.config["notices"] != default_settings.OFF:
        change = item_history.shorten_change(memory.change_id)
        line = format_run(memory.agent, runs.record(run), counts, change)
        add_notice(memory.project, session, line)
    rejected = [
        ("rejected", {"content": learning.content, **by})
        for learning in merged.refused
        if memory.history.is_rejected(learning.content)
    ]
    transaction.log_events(
        memory, [*(("wrong", {"id": key, **by}) for key in lesson.wrong), *rejected]
    )


def format_run(agent: str, use: Mapping[str, Any], counts: Mapping[str, int], change: str) -> str:
    """Return what a run received and taught: "engineer: 5 items given, 2 used, 1 learned (...)".

    `use` has the ids of items that were `given` and `used`; `counts` has numbers by what happened.
    """
    given, used = (len(str(use.get(name) or "").split()) for name in ("given", "used"))
    parts = [f"{format_count(given, 'item')} given", f"{used} used"] if given else []
    parts += [f"{count} {what}" for what, count in counts.items() if count]
    undo = f" (agent-memory undo {change})" if counts.get("learned") else ""
    review = " (agent-memory review)" if counts.get("waiting") and not undo else ""
    return f"{agent}: {', '.join(parts) or 'no item given'}{undo}{review}"


def add_notice(project: Project, session: str, line: str) -> None:
    """Add a line for the person, with commands as people here type them, if there is a state."""
    line = typed_command.name_command(line, project.environ)
    path = run_records.SessionRuns(project.paths, session).notices
    with suppress(OSError):
        project.paths.state.append(path, f"{line}\n".encode())
